#!/bin/bash
# SPDX-License-Identifier: MIT
# The core PMUs, the M-Boxes and the C-Boxes through PAPI, on kernels whose counts follow from cachegrind or
# arithmetic. Cachegrind runs here and now, for the kernel's function alone; the measured region has PAPI_start
# and PAPI_stop besides. Tolerances: 2 % for what is counted exactly, on kernels so long that PAPI's own
# instructions stay below it, with those of the thread that reads counters before they wrap: on a busy machine it
# wakes up meanwhile. 3 % for misses, whose caches PAPI's code disturbs.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/stack.sh"
requires valgrind "its cachegrind is the other opinion"
requires "$vpmu" "set VPMU or STAGE"
workloads_find
passed=0 failed=0 exact=2
# Enough to keep PAPI's own instructions below half a per cent; the walk goes 16 times around 8 MiB.
steps=$((1 << 21)) sweeps=2
declare -A size=([stream]="-r $sweeps" [matmul]='-s 48' [chase]="-s $((1 << 20)) -r $steps")

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

options=()
check() {	# check MACHINE KERNEL [EVENT WANT PERCENT]...: all of them in one run
	local machine=$1 kernel=$2 got event events=()
	shift 2
	for event; do
		[[ $event != *:::* ]] || events+=(-e "$event")
	done
	# shellcheck disable=SC2086 # options are words
	"$vpmu" run --strict -m "$machine" "${options[@]}" -- "$workloads" -k "$kernel" ${size[$kernel]} "${events[@]}" \
		>"$scratch/out" 2>"$scratch/err" || cat "$scratch/out" "$scratch/err"
	while [ $# -gt 0 ]; do
		got=$(count_of "$1" <"$scratch/out")
		if [ "$2" -gt 10000 ] && within "${got:-none}" "$2" "$3"; then
			passed=$((passed + 1))
		else
			echo "FAILED: wants $2 within $3 %"
			failed=$((failed + 1))
		fi
		printf '%-13s %-7s %-52s %10s  wanted %10s  %s\n' "$machine" "$kernel" "${1#*:::}" \
			"${got:-none}" "$2" "$(percent "${got:-0}" "$2")"
		shift 3
	done
}

# Knights Corner: 32 KiB, 8 ways; two counters.
k=intel_core:::knc
for kernel in stream matmul chase; do
	simulate $kernel 32768,8,64
	[ $kernel = chase ] || check knc-4c16t $kernel $k.INSTRUCTIONS_EXECUTED "$(column $kernel Ir)" $exact \
		$k.BRANCHES "$(($(column $kernel Bc Bi)))" $exact
done
check knc-4c16t matmul $k.DATA_READ_MISS "$(column matmul D1mr)" 3
# each step of the chase leaves the L2 (half a MiB) as well: 1 million words are 8 MiB
check knc-4c16t chase $k.DATA_READ_MISS "$(column chase D1mr)" 3 $k.L2_READ_MISS $steps 3
check knc-4c16t chase $k.DATA_READ "$(column chase Dr)" $exact $k.L2_DATA_READ_MISS_MEM_FILL $steps 3
# Each sweep writes an array of 8 MiB, which leaves the L2 modified: once for the core, whichever of its
# threads count
check knc-4c16t stream $k.DATA_READ_MISS "$(column stream D1mr)" 3 \
	$k.L2_VICTIM_REQ_WITH_DATA $((sweeps * (1 << 20) * 8 / 64)) 3

# Core 2: 32 KiB, 8 ways. The architectural event for last-level misses, this core, demand: sweeps
# of b, c and a, of 8 MiB each, through 4 MiB.
llc=(intel_core:::core.LAST_LEVEL_CACHE_MISSES $((3 * sweeps * (1 << 20) * 8 / 64)) 3)
check core2-4c stream intel_core:::core_fixed.INST_RETIRED:ANY "$(column stream Ir)" $exact \
	intel_core:::core.BRANCH_INSTRUCTIONS_RETIRED "$(column stream Bc Bi)" $exact "${llc[@]}"

# NetBurst: 16 KiB, 8 ways, which instructions and branches do not depend on.
n=intel_core:::netburst_p
simulate chase 16384,8,64
check p4-1c2t stream $n.instr_retired:NBOGUSNTAG "$(column stream Ir)" $exact \
	$n.branch_retired:MMNP:MMNM:MMTP:MMTM "$(column stream Bc Bi)" $exact
check p4-1c2t chase $n.BSQ_cache_reference:RD_2ndL_MISS $steps 3 \
	$n.replay_event:L1_LD_MISS "$(column chase D1mr)" 3
# Instructions that carry a tag have a unit mask of their own.
check p4-1c2t chase $n.front_end_event:NBOGUS:tag=loads "$(column chase Dr)" $exact \
	$n.instr_retired:NBOGUSNTAG:NBOGUSTAG "$(column chase Ir)" $exact

# Xeon 7500: what stream moves, over both memory controllers. 3 MiB of cache: arrays of 4 MiB.
m=intel_uncore:::nhmex_unc_mbox
options=(--llc 3M,24,64)
lines=$(((1 << 19) * 8 / 64))
size[stream]="-s $((1 << 19)) -r 1 -w 1"
check nhmex-1p8c16t stream $m.FVC_EV0:BBOX_CMDS_WRITES $lines 3
# The slices miss what the controllers read, in three spellings. The chase goes around 8 MiB that the
# fill has left modified in the cache, so each step hits there.
u=intel_uncore:::
check nhmex-1p8c16t stream ${u}nhmex_unc_cbox::LLC_MISSES $((3 * lines)) 3 \
	${u}nhmex_unc_cbox.LLC_MISSES:ALL $((3 * lines)) 3 ${u}LLC_MISSES.ALL $((3 * lines)) 3 \
	$m.FVC_EV0:BBOX_CMDS_READS $((3 * lines)) 3
options=()
check nhmex-1p8c16t chase ${u}nhmex_unc_cbox::LLC_HITS $steps 3 \
	${u}nhmex_unc_cbox.LLC_HITS:MODIFIED $steps 3 ${u}LLC_HITS.ALL $steps 3
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
