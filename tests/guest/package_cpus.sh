# SPDX-License-Identifier: MIT
# On a booted machine with an uncore and four CPUs: the CPU through which a package's counters are
# reached goes and comes back, be it the first one or, in a cpuset without that, another. Counted are
# lines of new memory.
. "$SRCDIR/tests/guest/counting.sh"
event=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I
lines=100000
confine rest 1-3
work() {	# work WHAT: what was asked for, and what the kernel adds
	ask reset
	ask work $lines
	ask read
	near "$1" $lines "$values" 30
}
reader() { readlink "/proc/$pid/fd/"* | sed -n 's|^/dev/cpu/\([0-9]*\)/msr$|\1|p'; }

start "$HERE/counts" $event
same 'the first CPU reads' 0 "$(reader)"
online 0 0
work 'the first CPU is away'
same 'the next one reads' 1 "$(reader)"
online 0 1
ask stop
end

start in_rest "$HERE/counts" $event
same 'the reading CPU' 1 "$(reader)"
work 'before'
online 1 0
work 'the reading CPU is away'
same 'another one reads' 2 "$(reader)"
online 1 1
ask stop
online 2 0
ask start
work 'away between stop and start'
same 'the first one reads again' 1 "$(reader)"
online 2 1
ask stop
end
restored 'CPUs were away'

# -- between two checks of a process that has not counted yet, and before it starts
start in_rest "$HERE/counts" $event
ask stop
online 1 0
online 2 0
ask start
work 'two are away'
counts 'two are away before the start' in_rest "$HERE/counts" $event
# -- none of those that it may use is online: the kernel gives it others, without notice
online 1 1
online 2 1
ask stop
end
restored 'all'
finish
