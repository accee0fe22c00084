#!/bin/bash
# SPDX-License-Identifier: MIT
# Time that a program reads on the machine, and what goes by it: waits, interval timers, CPU time. Limits
# follow from clock_gettime(2), nanosleep(2), setitimer(2), alarm(2), getrusage(2), timerfd_create(2) and the
# stated model: an instruction takes one clock of 1 ns.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs "${CC:-cc}" ipmu-run
cd "$scratch" || exit 1
unset VPMU_SEGMENT VPMU_TIME OMPI_COMM_WORLD_RANK PMI_RANK
run() { "$vpmu" run "$@" 2>&1; }
busily() {	# busily COMMAND...: beside three programs that take the host's CPUs
	local load=()
	for _ in 1 2 3; do
		(while :; do :; done) & load+=($!)
	done
	"$@"
	kill "${load[@]}"
	wait "${load[@]}" 2>/dev/null
}

# ---- clocks: four waits of 5 to 11 ms, each after the time was read

compile time time.c -O1 -pthread || exit 1
timed=$(run ./time)
is 'time again' "$timed" "$(run ./time)"
is 'time beside a busy host' "$timed" "$(busily run ./time)"
is 'time by the option' "$timed" "$(VPMU_TIME=host run --time model ./time)"
# A wait takes its time, and the instructions around it less than 1 ms.
is 'waits' '5 7 9 11' "$(awk '$1 ~ /^[0-9]+$/ && $2 >= $1 * 1000000 && $2 < ($1 + 1) * 1000000 { print $1 }' <<<"$timed" | paste -sd ' ')"
is 'the date' 2020-01-01 "$(date -u -d "@$(awk '/^TSC/ { print int($4) }' <<<"$timed")" +%F)"
is 'RDTSC moves' yes "$(awk '/^TSC/ && $3 - $2 > 32000000 { print "yes" }' <<<"$timed")"
is 'waits take no CPU time' yes "$(awk '/^TSC/ && $7 < 1000 { tsc = 1 } /^CPU/ && $2 > 0 && $2 < 1000000 && tsc { print "yes" }' <<<"$timed")"
host=$(run --time host ./time)
is 'waits by the host' '5 7 9 11' "$(awk '$1 ~ /^[0-9]+$/ && $2 >= $1 * 1000000 { print $1 }' <<<"$host" | paste -sd ' ')"
year() { date -u -d "@$(awk '/^TSC/ { print int($4) }')" +%Y; }
is 'the date is the host'\''s' "$(date -u +%Y)" "$(year <<<"$host")"
is 'by the variable' "$(date -u +%Y)" "$(VPMU_TIME=host run ./time | year)"
is 'of a rank' "$(date -u +%Y)" "$(OMPI_COMM_WORLD_RANK=0 run ./time | year)"
is 'of a rank that wants the machine'\''s' 2020 "$(OMPI_COMM_WORLD_RANK=0 run --time model ./time | year)"

# ---- interval timers

compile timers timers.c -O1 || exit 1
timers=$(run -m core2-4c ./timers)	# a clock there is an instruction
is 'ticks while it executes' '5 7 18' "$(awk '/^(real|virtual|prof) / { print $2 }' <<<"$timers" | paste -sd ' ')"
# A signal comes at most 1,024 clocks late, and the handler reads the time again.
is 'ticks end a pause' '1 2 3' "$(awk '/^pause/ && $4 >= -1000 && $4 < 10000 { print $2 }' <<<"$timers" | paste -sd ' ')"
is 'a tick ends a sleep' 'sleep -1 rest 15' "$(grep '^sleep' <<<"$timers")"
is 'sleep takes no CPU time' 'profiled 0' "$(grep '^profiled' <<<"$timers")"
is 'an alarm' 'alarm 0 3 1 yes alarm 0' "$(awk '/^alarm 0 3/ { print $1, $2, $3, $4, ($6 >= -1000 && $6 < 10000 ? "yes" : $6) } /^alarm 0$/' <<<"$timers" | paste -sd ' ')"
is 'a child has no timer' "child's 0" "$(grep '^child' <<<"$timers")"
is 'CPU time of children' 'usage 5 5' "$(grep '^usage' <<<"$timers")"
is 'timers again' "$timers" "$(run -m core2-4c ./timers)"
is 'timers beside a busy host' "$timers" "$(busily run -m core2-4c ./timers)"
counted() { "$@" ipmu-run --on skl-4c8t -e skl.INST_RETIRED:ANY_P,skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_MESI -- ./timers short 2>&1 | awk '/^    skl/ { print $1, $2 }'; }
counts=$(counted)
is 'counts of ticks' yes "$(awk '$1 ~ /INST_RETIRED/ && $2 > 16500000 { print "yes" }' <<<"$(tr -d , <<<"$counts")")"
is 'counts of ticks again' "$counts" "$(counted)"
is 'counts of ticks beside a busy host' "$counts" "$(busily counted)"
# Calls that cannot wait take 12 ms each, as on a host that is busy enough.
slowly() {	# slowly COMMAND...
	strace -f -qq -o trace -e inject=mmap,fstat,newfstatat:delay_exit=12000 "$@"
}
if slowly true 2>/dev/null; then
	is 'counts of ticks where calls are slow' "$counts" "$(counted slowly)"
else
	echo 'no strace here: calls have not been slow'
fi

# ---- what goes by the host

compile waits waits.c -O1 -pthread || exit 1
is 'absolute timeouts, timer descriptors, limits of sockets' 'late late, 1 late, ends' "$(run ./waits | paste -sd , | sed 's/,/, /g')"
is 'a loop that is not counted' 'ends' "$(run --only true -- sh -c './waits look; exec true')"
finish
