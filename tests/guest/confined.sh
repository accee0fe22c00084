# SPDX-License-Identifier: MIT
# On a booted machine: programs that are kept from CPUs, device files and rights, by what containers
# are made of, and several users. EVENT is what is counted; PLACE, empty or cpu, is the qualifier that
# says where. Who may count does; who may not is told by what.
. "$SRCDIR/tests/guest/counting.sh"
install -m 755 "$HERE/counts" "$HERE/deny.so" .
. "$SRCDIR/tests/guest/libraries.sh"
count="/tmp/counts $EVENT"
denied() { DENY=$1 LD_PRELOAD=/tmp/deny.so $count; }
dropped() { capsh --drop="$1" -- -c "$count"; }

# -- a control group with some CPUs
confine two 2-3
counts 'a cpuset' in_two $count
if [ -n "$PLACE" ]; then
	same 'the CPUs of a cpuset' 'cpu-2 cpu-3' "$(ls /run/ipmu | sed 's/[.].*//' | xargs)"
	refused 'outside of the cpuset' 'CPU 0 is outside the cpuset of this process' in_two $count:cpu=0
	counts 'inside of the cpuset' in_two $count:cpu=2
fi

# -- namespaces
counts 'namespaces of mounts and processes' unshare --mount --pid --fork --mount-proc $count
refused 'no /dev/cpu' '/dev/cpu/0/msr is missing, though the driver is loaded: a container' \
	unshare --mount sh -c "mount -t tmpfs none /dev/cpu; $count"
refused "a user namespace of root's" 'in a user namespace' unshare --user --map-root-user $count
refused "a user namespace of a user's" 'in a user namespace' \
	setpriv --reuid=54321 --regid=54321 --clear-groups unshare --user --map-root-user $count

# -- rights and filters
refused 'without CAP_SYS_RAWIO' '/dev/cpu/0/msr: not permitted: it needs CAP_SYS_RAWIO' \
	dropped cap_sys_rawio
counts 'without CAP_SYS_ADMIN' dropped cap_sys_admin
refused 'a filter of open' '/dev/cpu/0/msr: not permitted, CAP_SYS_RAWIO or not: a container' denied open
refused 'a filter of pread' 'seccomp) forbids it: allow pread64' denied pread
refused 'a filter of pwrite' 'seccomp' denied pwrite
control_group listed
"$HERE/device_list" $groups/listed "$((0x$(stat -c %t /dev/cpu/0/msr)))" || fail 'no list of devices'
in_listed head -c 1 /dev/zero >/dev/null || fail 'the list of devices forbids others: what is tested?'
refused 'a list of devices' '/dev/cpu/0/msr: not permitted, CAP_SYS_RAWIO or not: a container' \
	in_listed $count
says 'a list of devices' 'its list of devices forbids it'
restored 'filters'

# -- SIGKILL, of a program and of ipmu-run: what they leave is put back
if [ -n "$PLACE" ]; then select='2 0x186' count="$count:cpu=2"; else select='0 0x700'; fi
register() {	# its value, as programs find it
	dd if="/dev/cpu/${select% *}/msr" bs=8 count=1 iflag=skip_bytes skip=$((${select#* })) \
		status=none | od -An -tx8
}
before=$(register)
killed() {	# killed WHAT COMMAND...: it counts, and is killed
	local what=$1
	shift
	start "$@"
	[ "$(register)" != "$before" ] || fail "$what: counts without a register"
	kill -KILL "$pid"
	end
	[ "$(register)" != "$before" ] || fail "$what: SIGKILL leaves nothing: what is tested?"
}
put_back() {	# put_back WHAT: by now
	same "$1: the register" "$before" "$(register)"
	restored "$1"
}
killed 'a killed program' $count
heard=$(ipmu-restore) || fail "ipmu-restore: $heard"
says 'ipmu-restore' ': restored '
put_back 'a killed program'
ipmu-run -e "$EVENT${PLACE:+:cpu=2}" -- sleep 1000 >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 30000; i++)); do
	[ "$(register)" = "$before" ] || break
	sleep 0.1
done
kill -KILL "$pid"
wait "$pid" 2>/dev/null
ipmu-restore >/dev/null || fail 'ipmu-restore after ipmu-run'
put_back 'a killed ipmu-run'

# -- users: nobody else; a group that owns some of the devices; one that owns all
user() { echo setpriv "--reuid=$1" --regid=5000 --clear-groups --; }
one=$(user 54321) other=$(user 54323)
refused 'a user' 'no permission: only root may read and write it: let root give it to a group' $one $count
capable=/usr/local/bin/capable	# /tmp knows no capabilities
install -m 755 counts $capable
setcap cap_sys_rawio=ep $capable || fail 'no file capabilities'
count=${count/"/tmp/counts"/$capable}
chgrp 5000 /dev/cpu/[23]/msr
chmod 660 /dev/cpu/[23]/msr
rm -rf /run/ipmu
counts 'root' ./counts "$EVENT"
same 'the directory while a group has some devices' '755 0' "$(stat -c '%a %g' /run/ipmu)"
refused 'a group with some devices' '/run/ipmu' $one $count
mine=(setpriv --reuid=54321 --regid=5000 --clear-groups --inh-caps=+sys_rawio
	--ambient-caps=+sys_rawio -- env IPMU_STATE_DIR=/tmp/own ./counts)
counts 'with a directory of its own' "${mine[@]}" "$EVENT${PLACE:+:cpu=2}"
[ -z "$PLACE" ] || refused 'a CPU of others' '/dev/cpu/0/msr: no permission: only root' \
	"${mine[@]}" "$EVENT:cpu=0"
chgrp 5000 /dev/cpu/*/msr
chmod 660 /dev/cpu/*/msr
rm -rf /run/ipmu
counts 'root' ./counts "$EVENT"
same 'the directory of the group' '2770 5000' "$(stat -c '%a %g' /run/ipmu)"
counts 'a member' $one $count
killed "a member's program" $one $count
counts 'another member' $other $count
put_back 'by another member'
killed "a member's program" $one $count
ipmu-restore >/dev/null || fail "ipmu-restore of a member's"
put_back 'by root'
finish
