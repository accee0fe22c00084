#!/bin/bash
# SPDX-License-Identifier: MIT
# Files that users of a booted machine make in the working folder belong to these users on the host,
# with the modes and times that they gave; a set-user-id file is never another user's.
set -u
. "${SRCDIR:?}/tests/guest/environment.sh"
command -v setpriv >/dev/null || { echo 'no setpriv here'; exit 77; }
[ "$(id -u)" = 0 ] || { echo "only root's machine can make files of several users"; exit 77; }
program maker
chmod 755 . maker
mkdir -m 1777 shared
chown 54321:54322 .

boot skl-1c1t --no-feed <<'END'
setpriv --reuid=54321 --regid=54322 --clear-groups ./maker
setpriv --reuid=54333 --regid=54333 --clear-groups ./maker other
: >roots
chmod 4755 roots
echo kept >>shared/set
END
is() {	# is WHAT EXPECTED GOT
	[ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}
is 'calls of the user' 9 "$(grep -c ' 0$' out)"
# EPERM is 1, EACCES 13.
is "another user's calls" 'other chmod 1,other unlink 1,other open 13' "$(grep '^other' out | paste -sd,)"
is 'owner and time of a new file' '54321:54322 1000000000' "$(stat -c '%u:%g %Y' made)"
is 'a set-user-id file' '54321:54322 6755' "$(stat -c '%u:%g %a' shared/set)"
is 'a folder' '54321:54322 750' "$(stat -c '%u:%g %a' folder)"
is 'a link' '54321:54322 made' "$(stat -c %u:%g link) $(readlink link)"
is 'a FIFO' '54321:54322 640 fifo' "$(stat -c '%u:%g %a %F' renamed)"
is "root's file" '0:0 4755' "$(stat -c '%u:%g %a' roots)"
is "root's line in another user's file" 'textkept' "$(cat shared/set)"
is 'set-user-id files of other users than their makers' '' "$(find . -perm /6000 ! -user 54321 ! -name roots)"
exit "$failed"
