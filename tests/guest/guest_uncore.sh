#!/bin/bash
# SPDX-License-Identifier: MIT
# The stock kernel's uncore drivers (intel-uncore) on a booted machine, against arithmetic: a triad over
# three arrays that were written before. Of N doubles each array has N / 8 lines. All three are read
# from memory. Written back are the lines of the first, and what was modified in the last level cache
# at the start (all of it) less what is at the end (the share of the first array).
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../guest/environment.sh"
program count
program overflow
papi_program states
elements=2000000
lines=$((elements / 8))
written() { echo $((lines + $1 - $1 / 3)); }	# written CACHE-LINES

# The arguments of overflow.c, and what it has to print: which of the eight CPUs, two of a core, take it (PMI_SEL is a bit per core); the flag of the
# status; the global control afterwards, whose enable a freeze clears. GLOBAL_CTRL's bits: 31 freeze, 29 enable.
overflows() {
	cat <<-END
	cbo 2000000a 1 ff 0 0 1 1 0 0 1 1 8 2000000a
	cbo 20000005 1 62 0 1 0 0 0 1 0 0 8 20000005
	arb a0000001 1 ff 1 1 0 0 0 0 0 0 2 80000001
	cbo a0000000 1 ff 0 0 0 0 0 0 0 0 8 80000000
	fixed a0000004 1 10 0 0 0 0 1 0 0 0 1 80000004
	cbo a000000f 0 ff 0 0 0 0 0 0 0 0 0 a000000f
	END
}
check_overflows() {
	local counter global enable takers wanted status after line n beside
	while read -r counter global enable takers wanted; do
		after=${wanted##* } wanted=${wanted% *}
		status=${wanted##* } wanted=${wanted% *}
		line=$(grep "^$counter $global $enable $takers " out)
		[[ $line = *" early $wanted taken $wanted status $status global $after "* ]] ||
			fail "overflow of $counter: '$line', not on $wanted"
		read -r n _ beside <<<"${line##* counter }"
		[ "$counter" = fixed ] || same "$line" $((beside - 1000)) "$n"
		# Frozen in the very clock of the overflow, in which a CPU or two may request lines.
		[[ $global$enable != a*1 ]] || [ "$n" -lt 3 ] || fail "not frozen: $line"
	done < <(overflows)
}
same() { [ "$2" = "$3" ] || fail "$1: $3, by arithmetic $2"; }

cboxes() { for i in 0 1 2 3; do echo "uncore_cbox_$i/1834"; done; }
if boot skl-4c8t -s machine <<-END
	$small_pages
	./count triad:$elements $(echo $(cboxes)) uncore_imc/1 uncore_imc/2 uncore_arb/2081
	./count loop:8000000 uncore_cbox_0/ff
	$(overflows | sed 's|^\([^ ]* [^ ]* [^ ]* [^ ]*\) .*|./overflow \1|')
	sysctl -q kernel.perf_event_paranoid=2	# with Debian's 3 PAPI has no presets
	./states intel_uncore skl_unc_clk.UNC_CLOCK:SOCKET
	END
then
	# Of the events in PAPI's presets there is none of the uncore's.
	grep -qx 'intel_uncore: delayed, active' out || fail "skl: $(grep ^intel_uncore: out)"
	found=0
	for e in $(cboxes); do found=$((found + $(value "$e"))); done
	within 'skl: lookups that found nothing' "$found" $((3 * lines)) 1
	for e in $(cboxes); do
		within "skl: $e, a quarter" "$(value "$e")" $((3 * lines / 4)) 1
	done
	within 'skl: data reads' "$(value uncore_imc/1)" $((3 * lines)) 1
	# What is modified in the cache is all of it, and a third of it, only on average.
	within 'skl: data writes' "$(value uncore_imc/2)" "$(written 131072)" 2
	within 'skl: write requests' "$(value uncore_arb/2081)" "$(written 131072)" 2
	# The driver reads each memory counter at the start and at the end.
	window=$("$VPMU" regs -s machine | sed -n 's/^machine .*, \([0-9]*\) window;.*/\1/p')
	[ "${window:-0}" -ge 4 ] || fail "skl: ${window:-no} reads of the window, of 4 or more"
	check_overflows
	# One instruction takes a clock; the interval also has what the kernel does.
	within 'skl: clocks' "$(value uncore_cbox_0/ff)" 16000000 10
fi

# inc_sel=0xd with the B-Box command's sub-event, as the driver's own bbox_cmds_read and _write have it.
# Each array is larger than the last level cache, which has 393216 lines.
read=1a00/2800 write=1a00/2820
# Memory is the first package's, whose boxes are counted; the second one's processor works.
elements=3200000
lines=$((elements / 8))
if boot nhmex-2p4c8t <<-END
	$small_pages
	export NODE=0
	taskset -c 4 ./count triad:$elements uncore_mbox_0/$read uncore_mbox_1/$read
	taskset -c 4 ./count triad:$elements uncore_mbox_0/$write uncore_mbox_1/$write
	END
then
	reads=$(($(value uncore_mbox_0/$read) + $(value uncore_mbox_1/$read)))
	writes=$(($(value uncore_mbox_0/$write) + $(value uncore_mbox_1/$write)))
	# An array is hardly larger than the cache, in which some lines of the one before are found.
	within 'nhmex: reads' "$reads" $((3 * lines)) 2
	within 'nhmex: writes' "$writes" "$(written 393216)" 3
fi

# --count-boot: long before its first process the kernel writes memory and reads it (memtest=N, N times
# each), and says which. Each line is read twice, and written back once.
tested() {	# of one pattern, in bytes
	local sum=0 from to
	while read -r from to; do sum=$((sum + to - from)); done < <(
		sed -n 's/.* \(0x[0-9a-f]*\) - \(0x[0-9a-f]*\) pattern 0000000000000000$/\1 \2/p' out)
	echo "$sum"
}
counted() {	# counted REGISTER SEGMENT
	"$VPMU" regs -s "$2" --tsv | awk -F '\t' -v name="$1" '$1 == name { print $8 }'
}
for patterns in 1 2; do
	echo dmesg | boot skl-1c1t --count-boot --memory 160M -s "booted$patterns" \
		--append "memtest=$patterns"
done
lines=$(($(tested) / 64))
[ "$lines" -gt 1000000 ] || fail "memtest: $lines lines: what is tested?"
more() { echo $(($(counted "$1" booted2) - $(counted "$1" booted1))); }
within 'the kernel reads its memory' "$(more DRAM_DATA_READS)" $((2 * lines)) 1
within 'the kernel writes its memory' "$(more DRAM_DATA_WRITES)" "$lines" 2
exit "$failed"
