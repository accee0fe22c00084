# SPDX-License-Identifier: MIT
# On a booted machine with core counters and four CPUs: messages about CPUs that are offline, and that
# registers are put back when they have come back.
. "$SRCDIR/tests/guest/counting.sh"
event=intel_core:::core.INSTRUCTION_RETIRED

start "$HERE/counts" $event:u:cpu=2
# -- stopped without it: what it held is put back when it is there again
online 2 0
ask try stop
says 'stop without the CPU' 'the CPU went offline'
ask try stop
ask try start
says 'start without the CPU' 'CPU 2 is offline'
end
heard=$(ipmu-restore 2>&1) && fail "ipmu-restore without the CPU: $heard"
says 'ipmu-restore without the CPU' 'CPU 2 is offline'
refused 'an offline CPU' 'CPU 2 is offline' "$HERE/counts" $event:cpu=2
online 2 1
ipmu-restore >/dev/null 2>&1 || fail 'ipmu-restore with the CPU'
restored 'a CPU that came back'
counts 'a CPU that came back' "$HERE/counts" $event:cpu=2

# -- offline before PAPI_library_init, back before PAPI_start: refused, as its work would be missed
taskset -cp 0-3 $$ >/dev/null
online 3 0
start "$HERE/counts" $event:u
ask stop
online 3 1
taskset -cp 0-3 "$pid" >/dev/null
ask try start
says 'a CPU that came later' 'CPU 3, on which this thread may run, was offline'
end

# -- the first CPU, which a kernel lets go with cpu0_hotplug
start "$HERE/counts" $event:u:cpu=0
online 0 0
ask try read
says 'the first CPU is away' 'cpu=0: core box 0 through /dev/cpu/0/msr: the CPU went offline'
ask try stop
end
refused 'the first CPU is away' 'CPU 0 is offline' "$HERE/counts" $event:cpu=0
counts 'without the first CPU' "$HERE/counts" $event:cpu=1
online 0 1
ipmu-restore >/dev/null 2>&1 || fail 'ipmu-restore with the first CPU'
counts 'the first CPU is back' "$HERE/counts" $event:cpu=0
restored 'all'
finish
