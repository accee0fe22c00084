# SPDX-License-Identifier: MIT
# On a booted machine with core counters and four CPUs: CPUs that go and come back, and whom counters
# of a CPU count. This script itself keeps to the first two CPUs, so that the others are quiet.
. "$SRCDIR/tests/guest/counting.sh"
taskset -cp 0,1 $$ >/dev/null
rounds=1000000
event=intel_core:::core.INSTRUCTION_RETIRED
spin() { taskset -c 2 "$HERE/spin" $rounds; }

# -- user and kernel: two instructions a round, four a call. A tick of the kernel comes by the host's
# clock, so its own work is what a third counter has beyond the user's, on whatever host.
start taskset -c 2 "$HERE/counts" $event:u $event:k intel_core:::core_fixed.INST_RETIRED
counted() {	# counted WHAT USER PERCENT COMMAND...
	ask reset; ask "${@:4}"; ask read
	near "$1, at user level" "$2" "${values[0]}" "$3"
	near "$1, in all" $((values[0] + values[1])) "${values[2]}" 1
}
counted 'a loop' $((2 * rounds)) 3 loop $rounds
# Twice the calls are twice the kernel's work, where the fewest ticks have come.
least() {	# least N: calls
	fewest=
	for i in 1 2 3; do
		counted "$1 system calls" $(($1 * 4)) 10 call "$1"
		[ "${fewest:-${values[1]}}" -lt "${values[1]}" ] || fewest=${values[1]}
	done
}
least 100000; once=$fewest
[ "$once" -gt 2000000 ] || fail "100000 system calls, in the kernel: $once"
least 200000
near 'twice the calls, in the kernel' $((2 * once)) "$fewest" 10
end

# -- a user who has been given the device: by its group, and the capability
. "$SRCDIR/tests/guest/libraries.sh"
install -m 755 "$HERE/counts" .
chgrp 5000 /dev/cpu/*/msr && chmod 660 /dev/cpu/*/msr && rm -rf /run/ipmu
counts 'root' ./counts $event
start setpriv --inh-caps=+sys_rawio --ambient-caps=+sys_rawio --reuid=54321 --regid=5000 \
	--clear-groups -- taskset -c 2 ./counts $event:u
ask reset; ask loop $rounds; ask read
near "a member's loop" $((2 * rounds)) "$values" 3
end
chgrp root /dev/cpu/*/msr && chmod 600 /dev/cpu/*/msr && rm -rf /run/ipmu

# -- whoever runs there: a static program, a pipeline, another user's, one that changes its user
install -m 755 "$HERE/spin" /tmp/spin
install -m 4755 "$HERE/spin" /usr/local/bin/privileged	# /tmp knows no such bits
start "$HERE/counts" $event:u:cpu=2
ask reset
taskset -c 2 setpriv --reuid=54321 --regid=54321 --clear-groups \
	sh -c "/tmp/spin $rounds | cat; /usr/local/bin/privileged $rounds & /tmp/spin $rounds; wait"
ask read
[ "$values" -gt $((6 * rounds)) ] || fail "three programs of another user: $values"
near 'three programs of another user' $((6 * rounds)) "$values" 40

# -- the CPU goes and comes back between two reads: nothing ran on it meanwhile, nothing is lost
ask reset
spin
online 2 0
online 2 1
spin
ask read
near 'a CPU that was away' $((4 * rounds)) "$values" 20
# -- a read meanwhile finds it gone: reported once, and the count stays where it was
online 2 0
ask try read
says 'a CPU that is away' 'cpu=2: core box 0 through /dev/cpu/2/msr: the CPU went offline'
was=$values
online 2 1
spin
ask read
same 'a lost count' "$was" "$values"
# -- PAPI_stop, then anew
ask try stop
says 'stop after a loss' 'the CPU went offline'
ask stop
ask start
spin
ask read
near 'anew' $((2 * rounds)) "$values" 20
end
restored 'all'
finish
