#!/bin/bash
# SPDX-License-Identifier: MIT
# Prefetch instructions against arithmetic: a program prefetches the lines of a block and loads them
# then, for blocks that fit into the L1. A prefetch to the L1 takes the loads' misses, one to the L2
# leaves them the misses of the L1, and memory is read once whatever it is.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run "${CC:-cc}"
cd "$scratch" || exit 1
unset VPMU_SEGMENT

blocks=64 lines=256
all=$((blocks * lines))
for way in prefetcht0 prefetchnta prefetcht1 prefetcht2 nopl; do
	${CC:-cc} -nostdlib -static -Wl,-z,noexecstack -DBLOCKS=$blocks -DLINES=$lines -DPREFETCH=$way \
		-o $way "$test_folder/blocks.S" || { echo 'no static program can be linked here'; exit 77; }
done

count() {	# count MACHINE EVENT PROGRAM
	ipmu-run --on "$1" -e "$2" -- "./$3" 2>&1 >/dev/null </dev/null |
		awk -v event="$2" '$1 == event { print $2; exit }' | tr -d ,
}
# The start of a program and what reads its counters take a few lines and loads.
wants() {	# wants MACHINE EVENT PROGRAM VALUE
	local got
	got=$(count "$1" "$2" "$3")
	if [ -n "$got" ] && [ "$got" -ge "$4" ] && [ "$got" -le $(($4 + 40)) ]; then
		ok
	else
		bad "$3 on $1: $2 is '$got', not $4"
	fi
}

for way in prefetcht0 prefetchnta; do
	wants knc-4c16t knc.L1_DATA_PF1 $way $all
	wants knc-4c16t knc.L1_DATA_PF1_MISS $way $all
	wants knc-4c16t knc.L2_DATA_PF1_MISS $way $all
	wants knc-4c16t knc.L2_DATA_PF2 $way 0
	wants knc-4c16t knc.DATA_READ_MISS $way 0
done
for way in prefetcht1 prefetcht2; do
	wants knc-4c16t knc.L2_DATA_PF2 $way $all
	wants knc-4c16t knc.L2_DATA_PF2_MISS $way $all
	wants knc-4c16t knc.L1_DATA_PF1_MISS $way 0
	wants knc-4c16t knc.DATA_READ_MISS $way $all
done
wants knc-4c16t knc.DATA_READ_MISS nopl $all
for way in prefetcht0 prefetcht1 nopl; do
	wants knc-4c16t knc.DATA_READ $way $all
	wants knc-4c16t knc.L2_DATA_READ_MISS_MEM_FILL $way $all
done

# A machine without enabled core counters has its own way.
for way in prefetcht0 prefetcht1 nopl; do
	wants skl-4c8t skl_unc_imc.DRAM_DATA_READS $way $all
done
wants skl-4c8t skl.MEM_LOAD_RETIRED.L1_MISS prefetcht0 0
wants skl-4c8t skl.MEM_LOAD_RETIRED.L1_MISS prefetcht1 $all
wants skl-4c8t skl.MEM_LOAD_RETIRED.L1_MISS nopl $all
finish
