#!/bin/bash
# SPDX-License-Identifier: MIT
# The demonstration as users run it: four threads, several passes. Its counts against arithmetic
# that is done here again, not against the ratios that it prints.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/stack.sh"
n=2097152 repetitions=2
tolerance=3	# per cent: as for one thread, see accuracy_stream.sh
requires "$vpmu" "set VPMU or STAGE"
passed=0 failed=0

verdict() {	# verdict NAME STATUS
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $1"
	fi
}

count() {	# count EVENT: third column of its row
	awk -v event="$1" '$1 == event { print $3 }' "$scratch/out"
}

# BIN is for the benchmarks' programs here
env -u BIN MACHINE="$machine" VPMU="$vpmu" OMP_NUM_THREADS=4 "$root/demo/run" \
	-n $n -r $repetitions >"$scratch/out" 2>"$scratch/err"
verdict 'it runs and verifies its arrays' $?
cat "$scratch/out" "$scratch/err"
array_lines=$((8 * n * repetitions / 64))
while read -r event arrays; do
	within "$(count "$event")" $((arrays * array_lines)) $tolerance
	verdict "$event within $tolerance % of $((arrays * array_lines))" $?
done <<EVENTS
skl_unc_imc.DRAM_DATA_READS 3
skl_unc_imc.DRAM_DATA_WRITES 1
skl_unc_imc.DRAM_IA_REQUESTS 4
skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL 4
skl_unc_arb.UNC_ARB_TRK_REQUESTS:WRITES 1
skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I 3
EVENTS
[ "$(grep -c ':READ_I:box=' "$scratch/out")" = 4 ]; verdict 'four slices' $?
[ "$(grep -c '^  slice [0-3] .*|#' "$scratch/out")" = 4 ]; verdict 'four bars' $?

# Anything else than the PMU's machine: PAPI's reason, and status 1.
# shellcheck disable=SC2086 # compiler options are words
${CC:-cc} -std=gnu11 -O2 ${OPENMP_CFLAGS--fopenmp} \
	${STAGE:+-I"$STAGE/include" -L"$STAGE_LIB" -Wl,-rpath,"$STAGE_LIB"} \
	"$root/demo/stream.c" -o "$scratch/stream" -lpapi
HWLOC_SYNTHETIC='pack:1 core:1 pu:1' "$scratch/stream" -n 100 >"$scratch/out" 2>"$scratch/err"
[ $? = 1 ] && grep -q 'component intel_uncore' "$scratch/err"
verdict 'without the PMU: the reason, and status 1' $?
"$scratch/stream" -n 0 >"$scratch/out" 2>&1
[ $? = 2 ]; verdict 'a wrong option gives 2' $?
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
