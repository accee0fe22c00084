#!/bin/bash
# SPDX-License-Identifier: MIT
# perf stat on booted clients, by the stock kernel's drivers of the core PMUs, also on both kinds of a
# hybrid processor's cores: instructions, branches and clocks of a loop; mispredictions of random
# branches; misses of the last-level cache of a walk with a new page at each step, and on Skylake those
# of the first-level cache and the TLB. The program does the work once and twice: the difference of the
# counts is the work alone, and known by arithmetic.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../guest/environment.sh"
command -v perf >/dev/null || { echo 'perf is missing: package linux-perf'; exit 77; }

program misses
loops=1000000 guesses=1000000 turns=8 pages=16384

count() {	# count CPU PMU WORK N EVENT...: a line of the order
	local events= event
	for event in "${@:5}"; do
		case $2 in cpu) events+=,$event:u ;; *) events+=,$2/$event/u ;; esac
	done
	echo "count $1 $2 $3:$4 ${events#,}"
}
order_for() {	# order_for CPU PMU [MORE-EVENTS-OF-THE-WALK...]
	local times
	for times in 1 2; do
		count "$1" "$2" loop $((times * loops)) instructions cycles branches branch-misses
		count "$1" "$2" guess $((times * guesses)) branches branch-misses
		count "$1" "$2" walk $((times * turns)) cache-references cache-misses
		[ $# = 2 ] || count "$1" "$2" walk $((times * turns)) "${@:3}"
	done
}
perf_on() {	# perf_on MACHINE <ORDER
	{
		echo "$small_pages"
		cat <<'END'
count() {	# count CPU PMU WORK EVENTS: lines "PMU:WORK:EVENT count percent-of-the-time"
	taskset -c "$1" perf stat -x ';' -o counts -e "$4" ./misses "$3"
	awk -F ';' -v work="$2:$3" 'NF > 3 && !/^#/ {
		sub(/^cpu_[a-z]*\//, "", $3)
		sub(/[:\/].*/, "", $3)
		print work ":" $3, $1, $5 }' counts
}
END
		cat
	} >order
	boot "$1" <order || exit 1
	# Counters ran all the time: perf has scaled no count.
	awk '$3 < 99 { print "not all the time:", $0; some = 1 } END { exit some }' out || failed=1
	cat out
}

check() {	# check PMU WORK N EVENT WANTED [PERCENT]
	local once twice
	once=$(value "$1:$2:$3:$4") twice=$(value "$1:$2:$((2 * $3)):$4")
	within "$4 of $2 by $1" "$((${twice:-0} - ${once:-0}))" "$5" "${6:-1}"
}
check_all() {	# check_all PMU [MORE-EVENTS-OF-THE-WALK...]
	local event
	check "$1" loop $loops instructions $((2 * loops))
	check "$1" loop $loops cycles $((2 * loops))
	check "$1" loop $loops branches $loops
	check "$1" guess $guesses branches $((2 * guesses))
	check "$1" guess $guesses branch-misses $((guesses / 2))
	# Page tables and pages that the kernel has cleared are in the last level, not always as many.
	check "$1" walk $turns cache-references $((turns * pages)) 3
	for event in cache-misses "${@:2}"; do
		check "$1" walk $turns "$event" $((turns * pages))
	done
}

of_skylake='L1-dcache-load-misses dTLB-load-misses'
order_for 1 cpu $of_skylake | perf_on skl-4c8t
check_all cpu $of_skylake
order_for 1 cpu | perf_on icl-2c4t
check_all cpu
{ order_for 1 cpu_core; order_for 4 cpu_atom; } | perf_on adl-2p4e8t
check_all cpu_core
check_all cpu_atom
exit "$failed"
