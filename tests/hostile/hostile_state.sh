#!/bin/bash
# SPDX-License-Identifier: MIT
# A hostile user and the state directory: what others can have written is refused by name, what root
# makes nobody else can write or lock, and for file systems that are full or read-only there is a
# message. /run is one of this test's own.
set -u
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	echo 'only root can become another user, with setpriv'
	exit 77
fi
if [ -z "${OWN_RUN:-}" ]; then
	unshare -m true 2>/dev/null || { echo 'no mount namespace can be made here'; exit 77; }
	OWN_RUN=1 exec unshare -m "${BASH:-bash}" "$0"
fi
mount --make-rprivate / && mount -t tmpfs tmpfs /run || { echo 'no /run of its own'; exit 77; }
. "$(dirname "${BASH_SOURCE[0]}")/../processes/environment.sh"
event=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
uid=54321 gid=54322
as=(setpriv --reuid=$uid --regid=$gid --clear-groups --)
chmod 755 "$scratch"

new_machine skl-4c8t
registers >"$scratch/before"
clean() { diff "$scratch/before" <(registers) >"$scratch/out" || fail "registers changed: $1"; }
count() {	# count DIRECTORY [COMMAND...]: with that directory, or with /run/ipmu
	local setting=IPMU_STATE_DIR=$1
	shift
	[ "$setting" != IPMU_STATE_DIR=/run/ipmu ] || setting=--unset=IPMU_STATE_DIR
	machine timeout $HANG_SECONDS env "$setting" "${@:-$scratch/counts}" $event </dev/null >"$scratch/out" 2>&1
}
restore() {	# restore DIRECTORY
	machine timeout $HANG_SECONDS env IPMU_STATE_DIR="$1" ipmu-restore >"$scratch/out" 2>&1
}
says() {		# says WHAT TEXT: in the reason why the component is off, which has line ends in it
	tr -d '\n' <"$scratch/out" | grep -q "$2" || fail "$1: no word"
}
refused() {	# refused WHAT DIRECTORY TEXT
	count "$2" && fail "$1: counted by it"
	says "$1" "$3"
	clean "$1"
	[ -z "${BOOTED_MACHINE-}" ] || return	# each start takes a second there
	restore "$2"
	[ $? = 1 ] && grep -q "$3" "$scratch/out" || fail "$1: no word from ipmu-restore"
	clean "$1"
}

# -- the directory that root makes
count /run/ipmu || fail 'root counts'
[ "$(stat -c '%a %u' /run/ipmu)" = '755 0' ] || fail "mode of /run/ipmu: $(stat -c '%a %u' /run/ipmu)"
cp /run/ipmu/package-0.skl_unc "$scratch/journal"
[ "$(stat -c %a /run/ipmu/package-0.skl_unc)" = 600 ] || fail 'mode of a file for root'
"${as[@]}" touch /run/ipmu/x 2>/dev/null && fail 'another user writes there'
"${as[@]}" head -c 1 /run/ipmu/package-0.skl_unc >/dev/null 2>&1 && fail 'another user can read, and so lock'

# -- files in it that others can have written or locked, or that are none
file=/run/ipmu/package-0.skl_unc
strange() {	# strange WHAT TEXT: the file as it is now
	refused "$1" /run/ipmu "package-0.skl_unc.*$2"
	rm -rf "$file"
}
chmod 666 $file
strange 'a file for all' 'others can have written it'
install -m 604 /dev/null $file
strange 'a file that others can lock' 'others can have written it, or hold locks'
install -m 660 -g $gid /dev/null $file
strange "a file of a group" 'others can have written it'
install -m 600 -o $uid /dev/null $file
strange "another user's file" "user $uid"
mkdir $file
refused 'a folder' /run/ipmu 'package-0.skl_unc: Is a directory'
rmdir $file
mkfifo -m 600 $file
strange 'a pipe' 'is not a plain file'
ln -s "$scratch/before" $file
strange 'a link' 'is a link: remove it'
install -m 600 /dev/null $file
ln $file /run/ipmu/second
strange 'a file with two names' 'with one name'
rm /run/ipmu/second
install -m 600 /dev/null $file
cp "$scratch/journal" $file
truncate -s 4T $file
strange '4 TB' 'its size is wrong'

# -- names are not sent to the terminal as they are
touch "/run/ipmu/"$'\e[2J\nforged: restored'
restore /run/ipmu
grep -q $'\e' "$scratch/out" && fail 'escape sequences from a name'
grep -q '^forged' "$scratch/out" && fail 'a line from a name'
grep -q 'x1B\[2J.x0Aforged' "$scratch/out" || fail 'the name is not shown'

# -- directories
rm -rf /run/ipmu
mkdir -m 1777 /run/ipmu && chmod 1777 /run/ipmu
refused 'a directory of earlier versions' /run/ipmu 'any user can have written the files in it.*rm -r'
mkdir "$scratch/open" && chmod 777 "$scratch/open"
refused 'a directory for all' "$scratch/open" 'any user can have written the files in it: set IPMU_STATE_DIR'
install -d -m 700 -o $uid "$scratch/theirs"
refused "another user's directory" "$scratch/theirs" "user $uid, to whom it belongs"
install -d -m 770 -g $gid "$scratch/group"
refused 'a group that may not write the devices' "$scratch/group" "group $gid may write it, but not the devices"
ln -s "$scratch/theirs" "$scratch/link"
refused 'a link to a directory' "$scratch/link" "$scratch/link"
refused 'no directory' "$scratch/before" "$scratch/before"

# -- file systems; not where each start takes a second
file_systems() {
	mkdir "$scratch/full" && mount -t tmpfs -o size=16k,mode=700 tmpfs "$scratch/full"
	count "$scratch/full" && fail 'counts without its journal'
	grep -q 'PAPI_ECNFLCT' "$scratch/out" && fail 'a full file system is called a conflict'
	count "$scratch/full" papi_component_avail
	says 'a full file system' "$scratch/full/package-0.skl_unc cannot be written: No space left"
	umount "$scratch/full"
	mount -t tmpfs -o mode=700,ro tmpfs "$scratch/full"
	count "$scratch/full" && fail 'counts without a journal'
	count "$scratch/full" papi_component_avail
	says 'a read-only file system' "$scratch/full/package-0.skl_unc: Read-only file system"
	umount "$scratch/full"
	count "$scratch/limit" bash -c 'ulimit -f 8; exec papi_component_avail'
	[ $? = 0 ] || fail "the limit of file size ends the program"
	says 'the limit of file size' 'package-0.skl_unc cannot be written: File too large'
	clean 'file systems'
}
[ -n "${BOOTED_MACHINE-}" ] || file_systems

# -- the group of the devices: root makes the directory for it, members share it, others do not
rm -rf /run/ipmu
if [ -n "${BOOTED_MACHINE-}" ]; then
	own() { (cd / && timeout $HANG_SECONDS "$@" env -u IPMU_STATE_DIR "$scratch/counts" $event) \
		</dev/null >"$scratch/out" 2>&1; }
	give_devices $gid
else
	"$STAGE/bin/ipmu-allowlist" -m skylake-client >"$scratch/list"
	chmod 644 "$scratch/list"
	own() {		# own USER...: counts on a machine of its own, as a member of the group
		(cd / && timeout $HANG_SECONDS "$@" "$vpmu" run --no-feed -m skl-4c8t --devices "0660:0:$gid" \
			--msr-safe="$scratch/list" -- env -u IPMU_STATE_DIR "$scratch/counts" $event \
			</dev/null >"$scratch/out" 2>&1)
	}
fi
own || fail 'root, with the devices of a group'
[ "$(stat -c '%a %u %g' /run/ipmu)" = "2770 0 $gid" ] ||
	fail "the group's directory: $(stat -c '%a %u %g' /run/ipmu)"
[ "$(stat -c '%a %g' $file)" = "660 $gid" ] || fail "a file for the group: $(stat -c '%a %g' $file)"
if "${as[@]}" test -x "$vpmu" -a -r "$STAGE_LIB/libpapi.so"; then
	as=(setpriv "${given[@]}" "${as[@]:1}")
	own "${as[@]}" || fail 'a member counts'
	rm $file
	own "${as[@]}" || fail 'a member makes the file'
	own || fail "root counts by a member's file"
fi
chmod 666 $file
own && fail 'counts by a file for all'
[ "$failed" = 0 ] && echo 'all as it should be'
exit "$failed"
