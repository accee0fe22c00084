#!/bin/bash
# SPDX-License-Identifier: MIT
# The stock kernel's uncore drivers (intel-uncore) on a booted machine, against arithmetic: a triad over
# three arrays that were written before. Of N doubles each array has N / 8 lines. All three are read
# from memory. Written back are the lines of the first, and what was modified in the last level cache
# at the start (all of it) less what is at the end (the share of the first array).
set -u
. "$(dirname "${BASH_SOURCE[0]}")/guest/environment.sh"
program count
elements=2000000
lines=$((elements / 8))
written() { echo $((lines + $1 - $1 / 3)); }	# written CACHE-LINES

cboxes() { for i in 0 1 2 3; do echo "uncore_cbox_$i/1834"; done; }
if boot skl-4c8t -s machine <<-END
	$small_pages
	./count triad:$elements $(echo $(cboxes)) uncore_imc/1 uncore_imc/2 uncore_arb/2081
	./count loop:20000000 uncore_cbox_0/ff
	END
then
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
	# One instruction takes a clock; the interval also has what the kernel does.
	within 'skl: clocks' "$(value uncore_cbox_0/ff)" 40000000 10
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
exit "$failed"
