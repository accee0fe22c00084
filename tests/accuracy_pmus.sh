#!/bin/bash
# SPDX-License-Identifier: MIT
# The core PMUs and the M-Boxes through PAPI, on kernels whose counts cachegrind or arithmetic knows.
# Cachegrind runs here and now, for the kernel's function alone; the measured region has PAPI_start
# and PAPI_stop besides. Tolerances: 1 % for what is counted exactly, on kernels so long that PAPI's
# own few thousand instructions stay below it; 3 % for misses, whose caches PAPI's code disturbs.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../bench/stack.sh"
requires valgrind "its cachegrind is the other opinion"
requires "$vpmu" "set VPMU or STAGE"
workloads_find
passed=0 failed=0
# An eighth of its rows: enough to keep PAPI's own instructions below a per mille.
declare -A size=([stream]='' [matmul]='-s 192' [chase]='')

# simulate KERNEL D1 : cachegrind with that data cache; column NAME of the kernel's function
simulate() {
	valgrind -q --tool=cachegrind --cache-sim=yes --branch-sim=yes --I1=32768,8,64 --D1="$2" \
		--LL=4194304,16,64 --cachegrind-out-file="$scratch/cg.$1" "$workloads" -k "$1" ${size[$1]} \
		>"$scratch/out" 2>&1 || { cat "$scratch/out"; exit 1; }
}
column() {	# column KERNEL NAME...: their sum
	local kernel=$1
	shift
	awk -v want="fn=${kernel}_kernel" -v names="$*" '
		BEGIN { n = split(names, name) }
		/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i }
		/^fn=/ { inside = $1 == want; next }
		inside && /^[0-9+-]/ { for (i = 1; i <= n; i++) sum += $at[name[i]] }
		END { printf "%d\n", sum }' "$scratch/cg.$kernel"
}

check() {	# check MACHINE KERNEL EVENT WANT PERCENT
	local got
	"$vpmu" run --strict -m "$1" -- "$workloads" -k "$2" ${size[$2]} -e "$3" >"$scratch/out" 2>"$scratch/err" ||
		cat "$scratch/out" "$scratch/err"
	got=$(count_of "$3" <"$scratch/out")
	if [ "$4" -gt 10000 ] && within "${got:-none}" "$4" "$5"; then
		passed=$((passed + 1))
	else
		echo "FAILED: wants $4 within $5 %"
		failed=$((failed + 1))
	fi
	printf '%-13s %-7s %-52s %10s  wanted %10s  %s\n' "$1" "$2" "${3#*:::}" "${got:-none}" "$4" \
		"$(percent "${got:-0}" "$4")"
}

# Knights Corner: 32 KiB, 8 ways.
k=intel_core:::knc
for kernel in stream matmul chase; do
	simulate $kernel 32768,8,64
	check knc-4c16t $kernel $k.INSTRUCTIONS_EXECUTED "$(column $kernel Ir)" 1
	check knc-4c16t $kernel $k.BRANCHES "$(($(column $kernel Bc Bi)))" 1
	check knc-4c16t $kernel $k.DATA_READ_MISS "$(column $kernel D1mr)" 3
done
check knc-4c16t chase $k.DATA_READ "$(column chase Dr)" 1
# each step of the chase leaves the L2 (half a MiB) as well: 4 million words are 32 MiB
check knc-4c16t chase $k.L2_READ_MISS $((1 << 22)) 3
check knc-4c16t chase $k.L2_DATA_READ_MISS_MEM_FILL $((1 << 22)) 3
# 4 sweeps write an array of 8 MiB, which leaves the L2 modified: once for the core, whichever of its
# threads count
check knc-4c16t stream $k.L2_VICTIM_REQ_WITH_DATA $((4 * (1 << 20) * 8 / 64)) 3

# Core 2: 32 KiB, 8 ways.
for kernel in stream matmul chase; do
	check core2-4c $kernel intel_core:::core_fixed.INST_RETIRED:ANY "$(column $kernel Ir)" 1
	check core2-4c $kernel intel_core:::core.BRANCH_INSTRUCTIONS_RETIRED "$(column $kernel Bc Bi)" 1
done
# The architectural event for last-level misses, this core, demand: 4 sweeps of b, c and a, of
# 8 MiB each, through 4 MiB
check core2-4c stream intel_core:::core.LAST_LEVEL_CACHE_MISSES $((3 * 4 * (1 << 20) * 8 / 64)) 3

# NetBurst: 16 KiB, 8 ways.
n=intel_core:::netburst_p
for kernel in stream matmul chase; do
	simulate $kernel 16384,8,64
	check p4-1c2t $kernel $n.instr_retired:NBOGUSNTAG "$(column $kernel Ir)" 1
	check p4-1c2t $kernel $n.branch_retired:MMNP:MMNM:MMTP:MMTM "$(column $kernel Bc Bi)" 1
done
check p4-1c2t chase $n.BSQ_cache_reference:RD_2ndL_MISS $((1 << 22)) 3
check p4-1c2t chase $n.replay_event:L1_LD_MISS "$(column chase D1mr)" 3

# Xeon 7500: what stream moves, over both memory controllers. 24 MiB of cache: arrays of 32 MiB.
m=intel_uncore:::nhmex_unc_mbox
lines=$(((1 << 22) * 8 / 64))
for row in "$m.FVC_EV0:BBOX_CMDS_READS 3" "$m.FVC_EV0:BBOX_CMDS_WRITES 1"; do
	event=${row% *}
	"$vpmu" run --strict -m nhmex-1p8c16t -- "$workloads" -k stream -s $((1 << 22)) -r 1 -w 1 \
		-e "$event" >"$scratch/out" 2>"$scratch/err" || cat "$scratch/out" "$scratch/err"
	got=$(count_of "$event" <"$scratch/out")
	within "${got:-none}" $((${row#* } * lines)) 3
	if [ $? = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo FAILED:; fi
	printf '%-13s %-7s %-52s %10s  wanted %10s\n' nhmex-1p8c16t stream "${event#*:::}" \
		"${got:-none}" $((${row#* } * lines))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
