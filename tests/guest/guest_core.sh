#!/bin/bash
# SPDX-License-Identifier: MIT
# The stock kernel's drivers of core PMUs on a booted machine: counts of a loop of two instructions,
# one of them a branch, against arithmetic, the kernel's own work apart; and sampling by the
# performance interrupt, as many samples as periods, where the loops are.
#
# Three bugs of Linux that the machine shows, and how the test gets around them:
# - knc: the driver adds a counter's number to the address of its event select twice, so nothing but
#   the first counter ever counts: one event at a time.
# - knc: the driver never unmasks the local APIC's entry, which the processor masks at each interrupt
#   (327357-001): it gets one interrupt. The program unmasks it itself.
# - p4: the second of the two writes that erratum N15 needs sets the counter to where it was set the
#   time before. So a counter that was never set counts 2^39 too many, and what a task counts is
#   wrong when it is rescheduled: events of a CPU, and an empty interval before.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../guest/environment.sh"
program count
program sample
loops=5000000
event() { echo "0/$1/0/$2"; }

counts() {	# counts: the script's lines, an event each
	local e
	for e in 1/ua 4/ua 0/ua; do
		echo "taskset 2 ./count loop:$loops $(event "${e%/*}" "${e#*/}")"
	done
	echo "taskset 2 ./count loop:$loops 0/1/0/ka"
}
samples() {	# samples [unmask]
	echo 'echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate'
	echo 'echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent'
	echo "taskset 2 ./sample 1 50000 $loops $1"
	echo "taskset 2 ./sample 4 50000 $loops $1"
}

check_counts() {	# check_counts MACHINE
	within "$1: instructions" "$(value 0/1/0/ua)" $((2 * loops)) 1
	within "$1: branches" "$(value 0/4/0/ua)" "$loops" 1
	within "$1: clocks" "$(value 0/0/0/ua)" $((2 * loops)) 1
	# Between the switch on and off is only what the kernel does around it.
	[ "$(value 0/1/0/ka)" -lt $((loops / 5)) ] || fail "$1: the kernel's: $(value 0/1/0/ka)"
}

check_samples() {	# check_samples MACHINE: 2 % of the samples, 5 points of the shares
	local wanted=$((2 * loops / 50000))
	grep -c '^count ' out | grep -qx 2 || fail "$1: no samples: $(cat out err)"
	grep '^count ' out | while read -r _ _ _ n _ first _ second _ third _ _; do
		within "$1: samples" "$n" "$wanted" 2
		wanted=$((loops / 50000))
		within "$1: of the first function" $((100 * first / n)) 50 10
		within "$1: of the second" $((100 * second / n)) 30 16
		within "$1: of the third" $((100 * third / n)) 20 25
		exit "$failed"
	done || failed=1
}

# Two processes on one CPU: at each turn all pages are looked up again, since CR3 has been written:
# 32 of the array, and those of the stack, of the program's data and of the C library's thread.
# LONG_DATA_PAGE_WALK is 0x3a (327357-001): a page is not in the second level, either, which has room
# for all of it.
turns=500
echo "taskset 2 ./count turns:$turns 4/3a/0/u" | boot knc-1c4t &&
	within 'knc: pages looked up again' "$(value 4/3a/0/u)" $((turns * 35)) 10

for machine in core2-4c knc-1c4t p4-1p2t; do
	unmask=
	[ "$machine" != knc-1c4t ] || unmask=unmask
	{ counts && samples "$unmask"; } | boot "$machine" || continue
	check_counts "$machine"
	check_samples "$machine"
done

# docs/papi.md's command for PAPI's own component: by arithmetic a sample each so many instructions.
papi_program sample ../examples
read -ra command < <(sed -n 's/^    vpmu boot -m core2-2c \(.* [.]\/sample .*\)/\1/p' \
	"$SRCDIR/docs/papi.md")
if run core2-2c "${command[@]}"; then
	read -r counted reads adds other < <(sed 's/^PAPI_TOT_INS//' out | tr -dc '0-9 ')
	within 'core2-2c: samples of PAPI' "$((reads + adds))" "$((${counted:-0} / 1000000))" 10
	[ "${adds:-0}" -ge 5 ] && [ "${other:-99}" -le 2 ] || fail "core2-2c: $(cat out)"
fi
exit "$failed"
