# SPDX-License-Identifier: MIT
# On a booted machine: users who have been given the devices, by their group and CAP_SYS_RAWIO, users who
# have not, or not all of it, and what they can do to each other. Who may count does; who may not is told
# by what. Nobody is made to count by a file that somebody else has laid, and no register is left changed.
. "$SRCDIR/tests/guest/counting.sh"
unset IPMU_STATE_DIR
install -m 755 "$HERE/counts" .
event=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
count="/tmp/counts $event"
group=5000 file=/run/ipmu/package-0.skl_unc
rights='--inh-caps=+sys_rawio --ambient-caps=+sys_rawio'
user() { echo setpriv ${3-} --reuid="$1" --regid="$2" --clear-groups --; }	# user UID GID [RIGHTS]
member=$(user 54321 $group "$rights") other=$(user 54323 $group "$rights")
stranger=$(user 54329 54329 "$rights")
registers() { "$HERE/registers" <"$HERE/list"; }
chown root:$group /dev/cpu/*/msr && chmod 660 /dev/cpu/*/msr
rm -rf /run/ipmu
registers >before

# -- what is missing
join='/dev/cpu/0/msr: no permission: join group'
only_root='/dev/cpu/0/msr: no permission: only root may read and write it'
refused 'a user without the group' "$join" $stranger $count
refused 'a member without the capability' 'not permitted: it needs CAP_SYS_RAWIO' $(user 54321 $group) $count
chmod 640 /dev/cpu/*/msr
refused 'who may only read' "$only_root" $member $count
chmod 660 /dev/cpu/*/msr
refused 'before root has made the directory' 'let root make it' $member $count
counts 'root' $count
counts 'a member' $member $count

# -- one user by an access control list, which shows as rights of the group
listed() {	# listed FILE: user 54329 may read and write it
	python3 -c '
import os, struct, sys
entries = (1, 6, -1), (2, 6, 54329), (4, 0, -1), (16, 6, -1), (32, 0, -1)
os.setxattr(sys.argv[1], "system.posix_acl_access", struct.pack("<I", 2) +
	b"".join(struct.pack("<HHi", *e) for e in entries))' "$1"
}
if command -v python3 >/dev/null; then
	chown root:root /dev/cpu/*/msr
	for device in /dev/cpu/*/msr; do listed "$device" || fail 'no access control list'; done
	refused "another user's device" "$only_root" $member $count
	refused 'the directory of others' '/run/ipmu: Permission denied' $stranger $count
	counts 'one with a directory of his own' $stranger env IPMU_STATE_DIR=/tmp/own $count
	chown root:$group /dev/cpu/*/msr
	for device in /dev/cpu/*/msr; do
		python3 -c 'import os, sys; os.removexattr(sys.argv[1], "system.posix_acl_access")' "$device"
	done
	chmod 660 /dev/cpu/*/msr
fi

# -- while a member counts
start $member $count
registers >meanwhile
$stranger touch /run/ipmu/x 2>/dev/null && fail 'a stranger writes the directory'
$stranger head -c 1 $file >/dev/null 2>&1 && fail 'a stranger can read the file, and so lock it'
$stranger kill -KILL "$pid" 2>/dev/null && fail 'a stranger can end it'
heard=$($stranger ipmu-restore 2>&1) && fail 'a stranger puts back'
says 'ipmu-restore of a stranger' '/run/ipmu: Permission denied'
registers | cmp -s - meanwhile || fail 'a stranger changes registers'
counts 'another member beside' $other $count
ask stop
end

# -- what a member lays there; hostile_state.sh has more of it
laid() {	# laid WHAT TEXT USER...
	refused "$1" "$2" "${@:3}" $count
	rm -f $file
}
rm -f $file
$member ln -s /etc/passwd $file
laid 'a link' 'package-0.skl_unc is a link: remove it'
$member sh -c "umask 0; : >$file"
laid 'a file for all' 'package-0.skl_unc: others can have written it' $other
$member sh -c "umask 7; head -c 20000 /dev/urandom >$file"
laid 'noise' 'its first bytes are not those of a journal' $other
counts 'nothing of it' $other $count
registers | diff before - || fail 'registers were changed'
restored 'all'
finish
