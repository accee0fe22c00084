# SPDX-License-Identifier: MIT
# On a booted machine with core counters and four CPUs: CPUs that go and come back, and whom counters
# of a CPU count. This script itself keeps to the first two CPUs, so that the others are quiet.
. "$SRCDIR/tests/guest/counting.sh"
taskset -cp 0,1 $$ >/dev/null
rounds=1000000
event=intel_core:::core.INSTRUCTION_RETIRED
spin() { taskset -c 2 "$HERE/spin" $rounds; }

# -- user and kernel: two instructions a round, four a call; and twice the calls, twice the kernel
start taskset -c 2 "$HERE/counts" $event:u $event:k
ask reset
ask loop $rounds
ask read
near 'a loop, at user level' $((2 * rounds)) "${values[0]}" 3
[ "${values[1]}" -lt $((rounds / 4)) ] || fail "a loop, in the kernel: ${values[1]}"
ask reset; ask call 50000; ask read
once=${values[1]}
near 'system calls, at user level' 200000 "${values[0]}" 10
[ "$once" -gt 1000000 ] || fail "50000 system calls, in the kernel: $once"
ask reset; ask call 100000; ask read
near 'twice the calls, in the kernel' $((2 * once)) "${values[1]}" 10
end

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
# -- a read meanwhile finds it gone: said once, and the count stays where it was
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
