#!/bin/bash
# SPDX-License-Identifier: MIT
# perf stat on a booted Skylake client, by the stock kernel's driver of the core PMU: instructions,
# branches and clocks of a loop; mispredictions of random branches; misses of the first-level, the
# last-level cache and the TLB of a walk with a new page at each step. The program does the work once
# and twice: the difference of the counts is the work alone, and known by arithmetic.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../guest/environment.sh"
command -v perf >/dev/null || { echo 'perf is missing: package linux-perf'; exit 77; }

program misses
loops=4000000 guesses=4000000 turns=8 pages=16384

{
	echo "$small_pages"
	cat <<'END'
count() {	# count WORK N EVENTS
	perf stat -x ';' -o counts -e "$3" taskset 2 ./misses "$1:$2"
	awk -F ';' -v work="$1:$2" 'NF > 3 && !/^#/ { sub(/:u$/, "", $3); print work ":" $3, $1, $5 }' counts
}
END
	for n in $loops $((2 * loops)); do
		echo "count loop $n instructions:u,cycles:u,branches:u,branch-misses:u"
	done
	for n in $guesses $((2 * guesses)); do
		echo "count guess $n branches:u,branch-misses:u"
	done
	for n in $turns $((2 * turns)); do
		echo "count walk $n cache-references:u,cache-misses:u"
		echo "count walk $n L1-dcache-load-misses:u,dTLB-load-misses:u"
	done
} >order
boot skl-4c8t <order || exit 1

check() {	# check WORK N EVENT WANTED PERCENT
	local once twice
	once=$(value "$1:$2:$3") twice=$(value "$1:$((2 * $2)):$3")
	within "$3 of $1" "$((${twice:-0} - ${once:-0}))" "$4" "$5"
}
check loop $loops instructions $((2 * loops)) 1
check loop $loops cycles $((2 * loops)) 1
check loop $loops branches $loops 1
check guess $guesses branches $((2 * guesses)) 1
check guess $guesses branch-misses $((guesses / 2)) 1
for event in cache-references cache-misses L1-dcache-load-misses dTLB-load-misses; do
	check walk $turns $event $((turns * pages)) 1
done
# Counters ran all the time: perf has scaled no count.
awk '$3 < 99 { print "not all the time:", $0; some = 1 } END { exit some }' out || failed=1
cat out
exit "$failed"
