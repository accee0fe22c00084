#!/bin/bash
# SPDX-License-Identifier: MIT
# Ranks of one MPI job share one virtual machine: rank 0's node-wide count has the traffic of all.
set -u
MPI=${MPI:-${MPIS%% *}}
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"

"$MPICC" -O1 -o "$scratch/job" "$(dirname "${BASH_SOURCE[0]}")/mpi_job.c" -I"$STAGE/include" -L"$STAGE_LIB" -lpapi \
	-Wl,-rpath,"$STAGE_LIB" || { echo 'job.c does not compile'; exit 1; }
# 16 MiB a rank is more than the 8 MiB of last-level cache, so that each pass misses throughout;
# 5 % for what MPI itself moves in the two barriers.
for n in 1 3; do
	ranks $n "$vpmu" run -m skl-4c8t "$scratch/job" 16 >"$scratch/out" 2>&1
	sed -n 's/^segment //p' "$scratch/out" >>"$scratch/segments"
	reads=$(sed -n 's/^rc 0 reads \([0-9]*\)$/\1/p' "$scratch/out")
	wanted=$((n * (16 << 20) / 64))
	if [ "${reads:-0}" -ge $((wanted * 95 / 100)) ] && [ "${reads:-0}" -le $((wanted * 105 / 100)) ]
	then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		cat "$scratch/out"
	fi
	echo "$n ranks: ${reads:-no} lines read, $wanted by arithmetic"
done
# Of these jobs: others may run, or have been killed.
if [ "$(sort -u "$scratch/segments" | grep -c '^/dev/shm/')" != 2 ]; then
	echo 'the two jobs did not tell two segments:'
	cat "$scratch/segments"
	failed=$((failed + 1))
elif xargs ls <"$scratch/segments" 2>/dev/null | grep .; then
	echo 'a segment was left behind'
	failed=$((failed + 1))
else
	passed=$((passed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
