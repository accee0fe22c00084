#!/bin/bash
# SPDX-License-Identifier: MIT
# Micro-operations, loads that wait and stalls of the virtual Skylake client, against arithmetic. Micro-ops of
# a round are those of Intel's documents: a load is fused with its addition, a store's address with its data, a
# compare with its branch, and a copy is not executed (tests/feed/feed_costs.sh compares more with LLVM). Lines
# are read from memory, 180 clocks after the request, through 10 fill buffers (`vpmu machines`).
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run "${CC:-cc}"
cd "$scratch" || exit 1
unset VPMU_SEGMENT
rounds=100000 loads=2048 stride=320 latency=180 buffers=10
pages=$((loads * stride / 4096))

# Rings of pointers lie in the file, so no line of them is in a cache: each load misses once.
program() {	# program NAME; its code from stdin, and a ring of pointers behind it
	{
		printf '\t.globl _start\n_start:\n'
		cat
		printf '\tmov $60, %%eax\n\txor %%edi, %%edi\n\tsyscall\n'
		printf '\t.data\n\t.balign 4096\nring:\t.rept %d\n\t.quad . + %d\n\t.skip %d\n\t.endr\n' \
			$loads $stride $((stride - 8))
	} >"$1.S"
	${CC:-cc} -nostdlib -static -Wl,-z,noexecstack -o "$1" "$1.S" >cc 2>&1 ||
		{ cat cc; echo 'no static program can be linked here'; exit 77; }
}
program mix <<END
	mov \$$rounds, %ecx
1:	imul %rbx, %rax
	divsd %xmm1, %xmm0
	mov %rax, %rdx
	add 8(%rsp), %rsi
	mov %rsi, -8(%rsp)
	dec %ecx
	jnz 1b
END
program bytes <<END
	lea ring(%rip), %rdi
	mov \$1000, %ecx
	xor %eax, %eax
	rep stosb
END
program chase <<END
	mov \$$loads, %ecx
	lea ring(%rip), %rax
1:	mov (%rax), %rax
	dec %ecx
	jnz 1b
END
program stream <<END
	mov \$$loads, %ecx
	lea ring(%rip), %rax
1:	mov (%rax), %rdx
	add \$$stride, %rax
	dec %ecx
	jnz 1b
END

counts() {	# counts PROGRAM EVENT...: leaves lines "EVENT COUNT" in PROGRAM.counts
	local name=$1 events
	shift
	events=$(printf ',skl.%s' "$@")
	timeout 300 ipmu-run --on skl-4c8t --passes -e "${events#,},core_fixed.CPU_CLK_UNHALTED:CORE" \
		-- "./$name" >out 2>&1 </dev/null
	verdict "$name is counted" $?
	sed -n 's/^ *\(skl\|core_fixed\)[.]\([^ ]*\) *\([0-9]*\)$/\2 \3/p' out >"$name.counts"
}

near() {	# near PROGRAM EVENT WANT TOLERANCE, a number of occurrences
	local got
	got=$(awk -v e="$2" '$1 == e { print $2 }' "$1.counts")
	awk -v g="${got:-none}" -v w="$3" -v t="$4" \
		'BEGIN { exit !(g ~ /^[0-9]+$/ && g >= w - t && g <= w + t) }'
	verdict "$1: $2 is ${got:-not there}, wants $3, give or take $4" $?
}

# Issued: imul, divsd, a copy, load and addition, store, dec and jnz; and the start and the end. The division
# takes 14 clocks and the divider 4 of them. In a clock there is a micro-op, or none, by the rule of thresholds.
counts mix UOPS_ISSUED:ANY UOPS_RETIRED:RETIRE_SLOTS UOPS_EXECUTED:THREAD UOPS_ISSUED:STALL_CYCLES \
	CYCLE_ACTIVITY:STALLS_TOTAL ARITH:DIVIDER_ACTIVE
near mix UOPS_ISSUED:ANY $((6 * rounds + 4)) 0
near mix UOPS_RETIRED:RETIRE_SLOTS $((6 * rounds + 4)) 0
near mix UOPS_EXECUTED:THREAD $((7 * rounds + 3)) 0
near mix ARITH:DIVIDER_ACTIVE $((4 * rounds)) 0
clocks=$(awk '$1 == "CPU_CLK_UNHALTED:CORE" { print $2 }' mix.counts)
near mix CPU_CLK_UNHALTED:CORE $((14 * rounds)) $((rounds / 100))
near mix UOPS_ISSUED:STALL_CYCLES $((${clocks:-0} - 6 * rounds)) 100
near mix CYCLE_ACTIVITY:STALLS_TOTAL $((${clocks:-0} - 7 * rounds)) 100

# Each byte is a store, whose address and data are fused, and a micro-op that no port executes.
counts bytes UOPS_ISSUED:ANY UOPS_EXECUTED:THREAD
near bytes UOPS_ISSUED:ANY $((2 * 1000 + 6)) 0
near bytes UOPS_EXECUTED:THREAD $((2 * 1000 + 4)) 0

# Each load waits for the line of the one before, so one is under way at any time. The first load of a page
# walks the table, of which 13 clocks delay it. A round executes for 4 clocks. The first two loads are in two
# blocks of code, and do not wait for each other: hence the tolerance, of a load.
counts chase MEM_LOAD_RETIRED:L3_MISS L1D_PEND_MISS:PENDING L1D_PEND_MISS:PENDING_CYCLES L1D_PEND_MISS:FB_FULL \
	CYCLE_ACTIVITY:CYCLES_L1D_MISS CYCLE_ACTIVITY:CYCLES_L2_MISS CYCLE_ACTIVITY:CYCLES_L3_MISS \
	CYCLE_ACTIVITY:STALLS_L1D_MISS CYCLE_ACTIVITY:STALLS_L2_MISS CYCLE_ACTIVITY:STALLS_L3_MISS \
	OFFCORE_REQUESTS_OUTSTANDING:DEMAND_DATA_RD OFFCORE_REQUESTS_OUTSTANDING:L3_MISS_DEMAND_DATA_RD
waits=$((loads * latency + pages * 13)) load=$((latency + 13 + 18))
near chase MEM_LOAD_RETIRED:L3_MISS $loads 0
near chase L1D_PEND_MISS:FB_FULL 0 0
for event in L1D_PEND_MISS:PENDING L1D_PEND_MISS:PENDING_CYCLES CYCLE_ACTIVITY:CYCLES_L{1D,2,3}_MISS \
		OFFCORE_REQUESTS_OUTSTANDING:{,L3_MISS_}DEMAND_DATA_RD; do
	near chase $event $waits $load
done
for event in CYCLE_ACTIVITY:STALLS_L{1D,2,3}_MISS; do	# nothing waits for the first and the last load
	near chase $event $((waits - 4 * loads - 2 * latency)) $load
done

# All buffers are in use, but for the first ones: a load waits until the oldest line has come, a tenth of the
# latency after the one before.
counts stream L1D_PEND_MISS:PENDING L1D_PEND_MISS:PENDING_CYCLES L1D_PEND_MISS:FB_FULL \
	CYCLE_ACTIVITY:STALLS_L3_MISS
near stream L1D_PEND_MISS:FB_FULL $((loads - buffers)) $buffers
near stream L1D_PEND_MISS:PENDING_CYCLES $((loads * latency / buffers)) $((loads * latency / buffers / 20))
near stream L1D_PEND_MISS:PENDING $((loads * latency)) $((loads * latency / 20))

# Whatever a program does: loads that miss a farther level wait in no more clocks, stalls of a level are among
# the clocks of its loads and among all stalls, and the sum of entries is at least the clocks with one.
compile shared ../vpmu/false_sharing.c -O2 -pthread || exit 1
printf '#!/bin/sh\nseq 20000 | gzip -c >packed\n' >packing
chmod +x packing
for program in shared packing; do
	counts $program CYCLE_ACTIVITY:STALLS_TOTAL CYCLE_ACTIVITY:STALLS_L{1D,2,3}_MISS \
		CYCLE_ACTIVITY:CYCLES_L{1D,2,3}_MISS L1D_PEND_MISS:PENDING
	awk '{ n[$1] = $2 }
		function least(a, b) { if (!(n[a] >= n[b] && n[b] > 0)) { print a " < " b; bad = 1 } }
		END {
			c = "CYCLE_ACTIVITY:CYCLES_L"; s = "CYCLE_ACTIVITY:STALLS_"
			least("CPU_CLK_UNHALTED:CORE", c "1D_MISS"); least("CPU_CLK_UNHALTED:CORE", s "TOTAL")
			least(c "1D_MISS", c "2_MISS"); least(c "2_MISS", c "3_MISS")
			least(s "TOTAL", s "L1D_MISS"); least(s "L1D_MISS", s "L2_MISS")
			least(s "L2_MISS", s "L3_MISS"); least(c "1D_MISS", s "L1D_MISS")
			least(c "2_MISS", s "L2_MISS"); least(c "3_MISS", s "L3_MISS")
			least("L1D_PEND_MISS:PENDING", c "1D_MISS")
			exit bad
		}' $program.counts >>out
	verdict "$program: parts are no more than their whole" $?
done

# In a profile instructions have their micro-ops and stalls. No instruction has clocks without a micro-op.
timeout 300 ipmu-run --on skl-4c8t --profile -e skl.UOPS_EXECUTED:THREAD,skl.CYCLE_ACTIVITY:STALLS_L3_MISS \
	-e skl.CYCLE_ACTIVITY:STALLS_TOTAL -- ./chase >out 2>&1 </dev/null
grep -q '^ *100.0 % *100.0 % *100.0 % *_start' out &&
	grep -q 'no profile of skl.CYCLE_ACTIVITY:STALLS_TOTAL: it counts not each occurrence' out
verdict 'a profile of micro-ops and stalls' $?

finish
