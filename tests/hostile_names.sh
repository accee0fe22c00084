#!/bin/bash
# SPDX-License-Identifier: MIT
# A hostile user takes names in /dev/shm before others do. The victim is another user without
# privileges, and the names decide nothing. Everything runs in a /dev/shm of its own.
set -u
[ "$(id -u)" = 0 ] || { echo 'only root can become two other users'; exit 77; }
if [ -z "${NAMES_APART-}" ]; then
	NAMES_APART=1 unshare --mount --propagation private "$0" "$@"
	exit
fi
. "$(dirname "${BASH_SOURCE[0]}")/support/verdict.sh"
needs setpriv
mount -t tmpfs -o mode=1777,size=300m tmpfs /dev/shm 2>/dev/null || { echo 'nothing can be mounted here'; exit 77; }
open_to_users bin/. lib/. share/. || exit 1
uid=54322
them=(setpriv --reuid=54321 --regid=54321 --clear-groups)
we=(setpriv --reuid=$uid --regid=$uid --clear-groups)
vpmu=$scratch/stage/bin/vpmu
unset VPMU_SEGMENT SLURM_JOB_ID SLURM_STEP_ID XDG_CONFIG_HOME
mkdir -m 1777 "$scratch/here" && cd "$scratch/here" || exit 1
export VPMU_TALLY=$PWD/tally
trap 'rm -rf "$scratch"' EXIT

run() { "${we[@]}" timeout $HANG_SECONDS "$vpmu" run --no-feed "$@" </dev/null; }
until_there() {	# until_there FILE: it has text; or the process that makes it has gone
	until [ -s "$1" ] || ! kill -0 $held 2>/dev/null; do sleep 0.05; done
	[ -s "$1" ] || { bad "$1 does not come"; finish; exit 1; }
}
ours() { find /dev/shm -mindepth 1 -user $uid "$@"; }
folders() { ours -maxdepth 1 -type d | sort | paste -sd' '; }

# ---- machines

mine=/dev/shm/vpmu-$uid
"${them[@]}" sh -c "mkdir -m 777 $mine; touch $mine.1; ln -s /tmp $mine.2; mkdir -m 777 $mine.4"
run -- sh -c 'echo $VPMU_SEGMENT' >out 2>&1
is 'a machine where names are taken' "0 $mine.3" "$? $(sed 's|/[^/]*$||' out)"
is 'its folder' "$mine.3 711" "$(folders) $(stat -c %a $mine.3)"
"${them[@]}" touch "/dev/shm/vpmu-$uid-$(uname -n)-job-squat"	# the segment, without a folder
# Ranks of a job: the second comes when the names have been given up, and finds the first one's machine.
rank() { PMIX_NAMESPACE=squat run -m skl-4c8t -- sh -c "$1"; }
rank 'echo $VPMU_SEGMENT >first; until [ -s second ]; do sleep 0.1; done' &
held=$!
until_there first
"${them[@]}" sh -c "rm -r $mine $mine.1 $mine.2 $mine.4; touch $mine.0"
rank 'echo $VPMU_SEGMENT >second.new; mv second.new second' >out 2>&1
verdict 'the second rank' $?
wait $held
is 'both ranks are on one machine' "$(cat first)" "$(cat second)"
is 'nothing is left' "$mine.3" "$(ours)"

"${we[@]}" ln -s nowhere link
run -s link -- true >out 2>&1
is 'a segment that is a link to nothing: status' 125 $?
is 'a segment that is a link to nothing' 1 "$(grep -c '^vpmu: link: cannot use a link to a file that does not exist' out)"
is 'a segment that is a link to nothing: files' link "$(echo link*)"

# ---- what is beside segments that are gone, as runs with few descriptors leave it

gone=$mine.3/gone
"${we[@]}" mkdir -p $gone.system/cpu $gone.state
"${we[@]}" touch $gone.system/cpu/online $gone.xml
"${we[@]}" ln -s "$scratch/here" $mine.3/linked.system
for n in 4 5 6 7 8 9 10; do
	(ulimit -n $n; run -m skl-4c8t -- true) >out 2>&1
done
# A job whose name ends like what is beside a segment is in use meanwhile.
PMIX_NAMESPACE=odd.xml run -m skl-4c8t -- sh -c 'echo $VPMU_SEGMENT >odd; until [ -s swept ]; do sleep 0.1; done' &
held=$!
until_there odd
odd=$(cat odd)
run -m skl-4c8t -- true
is 'what is in use stays' "$(printf '%s\n' "$odd"{,.state,.system,.xml})" "$(echo "$odd"* | tr ' ' '\n')"
echo >swept; wait $held
is 'what is beside no segment goes' "$mine.3 $mine.3/linked.system" "$(ours ! -path '*.vpmu-new-*' | sort | paste -sd' ')"
is 'a link is not followed' '1 1' "$([ -e odd ] && echo 1) $(rm $mine.3/linked.system && echo 1)"

finish
