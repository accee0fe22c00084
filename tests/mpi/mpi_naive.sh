#!/bin/bash
# SPDX-License-Identifier: MIT
# IPMU_NODE_SUM: the sums that tools form over ranks and threads are the node's counts with it, and
# too many by the number of ranks and threads without.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
compile plain -lpapi -pthread
elsewhere
reads=$imc.DRAM_DATA_READS

plain() {	# plain RANKS THREADS: each rank reads $mib MiB; [$sum] [$reading] counts
	# shellcheck disable=SC2086 # words
	ranks "$1" $run --strict -m skl-4c8t -s "$scratch/segment" "$scratch/plain" $mib "$2" \
		$reads >"$scratch/out" 2>&1
	sum=$(sed -n 's/^sum \([0-9]*\), .* 0 failed$/\1/p' "$scratch/out")
	reading=$(sed -n 's/^sum .* \([0-9]*\) not 0, .*/\1/p' "$scratch/out")
	rm -f "$scratch/segment"
}
arithmetic() { echo $(($1 * (mib << 20) / 64)); }
sums() {	# sums RANKS THREADS FACTOR READING: 5 % as in mpi_sums.sh
	plain $1 $2
	name="$1 ranks of $2 threads, IPMU_NODE_SUM=${IPMU_NODE_SUM-}"
	check "$name" within "${sum:-}" $(($3 * $(arithmetic $1))) 5
	check "$name: who reads something" [ "${reading:-}" = "$4" ]
	echo "$name: $sum, $(arithmetic $1) by arithmetic"
}

cases='13 41 43'
first_mpi || cases=43	# which has the ranks and the threads that the others have
for case in $cases; do
	ranks_now=${case%?} threads=${case#?} run=$native
	mib=$((16 * threads))
	! first_mpi || [ $case != 13 ] || run="$vpmu run" mib=12
	unset IPMU_NODE_SUM
	sums $ranks_now $threads $((ranks_now * threads)) $((ranks_now * threads))
	export IPMU_NODE_SUM=first
	sums $ranks_now $threads 1 1
done

# -- without a launcher: processes of one session, of which the first has the lock
unset OMPI_COMM_WORLD_LOCAL_RANK MPI_LOCALRANKID
compile alone -lpapi
alone() { "$native" -m skl-4c8t -s "$scratch/segment" "$scratch/alone" "$@"; }
alone "$scratch/go" >"$scratch/first" 2>&1 &
first=$!
for ((i = 0; i < 30000; i++)); do
	[ -e "$scratch/go" ] && break
	sleep 0.05
done
check 'beside one that counts: 0' [ "$(alone 2>&1)" = zero ]
env IPMU_NODE_SUM= "$native" -m skl-4c8t -s "$scratch/segment" "$scratch/alone" >"$scratch/out" 2>&1
check 'beside it, with the variable empty' says '^counts$'
rm -f "$scratch/go"
wait $first
cp "$scratch/first" "$scratch/out"
check 'the first one counts' says '^counts$'
check 'its child does not' says '^child zero$'
check 'after it: counts' [ "$(alone 2>&1)" = counts ]
check 'no lock is left' differs ls "/dev/shm/ipmu-first-$(id -u)-session$(cut -d' ' -f6 /proc/$$/stat)" \
	2>/dev/null
for variable in OMPI_COMM_WORLD_LOCAL_RANK MPI_LOCALRANKID SLURM_LOCALID PALS_LOCAL_RANKID \
		FLUX_TASK_LOCAL_ID; do
	check "$variable=1" [ "$(env $variable=1 "$native" -m skl-4c8t "$scratch/alone" 2>&1)" = zero ]
	check "$variable=0" [ "$(env $variable=0 "$native" -m skl-4c8t "$scratch/alone" 2>&1)" = counts ]
done

# -- a value that means nothing is not ignored
IPMU_NODE_SUM=one "$vpmu" run --no-feed -m skl-4c8t papi_component_avail >"$scratch/out" 2>&1
IPMU_NODE_SUM=one "$vpmu" run --no-feed -m skl-4c8t papi_command_line $reads >>"$scratch/out" 2>&1
check 'a wrong value' differs says "Successfully added: $reads"
[ -x "$STAGE/bin/ipmu-run" ] || finish
IPMU_NODE_SUM=first ranks 2 "$vpmu" run --no-feed -m skl-4c8t ipmu-mpi-run -e $reads "$scratch/plain" 1 1 $reads \
	>"$scratch/out" 2>&1
check 'with ipmu-mpi-run: refused' says 'IPMU_NODE_SUM=first .*: unset it'
finish
