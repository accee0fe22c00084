#!/bin/bash
# SPDX-License-Identifier: MIT
# Messages that a rank sends for one start, stop and read: counted by Open MPI's own monitoring, as
# the difference between a program that does it twice and one that does it once, on 4 nodes. On
# average they must not grow with the ranks of a node: 1, 4 and 16.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
nodes=$mpi_dir/../nodes/nodes
compile api "-lipmu_mpi_$MPI" -lpapi
stub_papi
"$nodes" up 4 "$scratch/nodes" >"$scratch/up" 2>&1 || { cat "$scratch/up"; exit 77; }
trap '"$nodes" down "$scratch/nodes" 2>/dev/null; rm -rf "$scratch"' EXIT
export MPI MPIRUN STUB_LACKS=
export OMPI_MCA_pml=ob1,monitoring OMPI_MCA_pml_monitoring_enable=1 \
	OMPI_MCA_pml_monitoring_enable_output=3 \
	OMPI_MCA_pml_monitoring_filename=$scratch/sent

sent() {	# sent N HOW: to $scratch/HOW the total and the most of a rank, of the whole program
	rm -f "$scratch"/sent.*
	timeout $HANG_SECONDS env LD_PRELOAD="$waits" "$nodes" run "$scratch/nodes" $1 "$scratch/api" $2 intel_uncore:::NODE \
		intel_core:::RANK </dev/null >"$scratch/out" 2>&1
	check "$1 ranks, $2: counted" lines $1 'rank [0-9]+ event 0 node -1 package -1: 8040, 8 of 8'
	check "$1 ranks: a profile each" [ "$(ls "$scratch"/sent.*.prof | wc -l)" = $1 ]
	awk '/^[EI]\t/ { n[FILENAME] += $6; all += $6 } END {
		for (f in n) if (n[f] > most) most = n[f]
		print all + 0, most + 0 }' "$scratch"/sent.*.prof >"$scratch/$2"
}
per_rank() {	# per_rank N: of one start, stop and read; in hundredths
	sent $1 twice
	sent $1 plain
	paste "$scratch/twice" "$scratch/plain" | awk -v n=$1 '{
		printf "%d ranks: %.2f messages a rank, at most %d; the whole program %.2f\n", n,
			($1 - $3) / n, $2 - $4, $3 / n }'
	result=$(paste "$scratch/twice" "$scratch/plain" | awk -v n=$1 '{
		printf "%d\n", 100 * ($1 - $3) / n }')
}
per_rank 4
one=$result
per_rank 16
few=$result
per_rank 64
many=$result
check 'this test sees messages' [ "${one:-0}" -gt 0 ]
# In trees n - 1 of n ranks send: 15/16 beside 3/4. What grew with the logarithm would be 4/2.
check 'messages a rank do not grow' [ "${many:-9999}" -le $((few * 135 / 100)) ]
finish
