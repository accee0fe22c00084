#!/bin/bash
# SPDX-License-Identifier: MIT
# The MPI examples: what they compute is right, and what they are counted to move is what arithmetic
# says, with the library inside and from outside.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
[ -x "$STAGE/bin/ipmu-run" ] || skip 'built without ipmu-run'
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
examples=${BUILD:?}/$MPI/mpi_examples
[ -x "$examples/stream-counted" ] || skip 'the examples are not built'
on_machine() { ranks "$1" "${@:2}" >"$scratch/out" 2>&1; }
printed() { awk -v event="$1" '$1 == event { print $2 }' "$scratch/out"; }
percent=5

# Ranks with 3 arrays of 4 MiB each: one rank's do not stay in 8 MiB either, whoever runs when
n=524288 sweeps=3 ranks=4
first_mpi || ranks=2	# each takes seconds
on_machine $ranks "$vpmu" run --strict -m skl-4c8t "$examples/stream-counted" $n $sweeps
check 'stream: reads' within "$(printed $imc.DRAM_DATA_READS)" $((ranks * sweeps * 3 * n / 8)) $percent
check 'stream: writes' within "$(printed $imc.DRAM_DATA_WRITES)" $((ranks * sweeps * n / 8)) $percent
check 'stream: result' differs says wrong
cat "$scratch/out"

if first_mpi; then
	# The whole program: 3 arrays are written first, one sweep more. Half of the cache's lines at most
	# are carried out, which longer runs make up for.
	n=524288 sweeps=6
	counted=("$vpmu" run --no-feed --strict -m skl-4c8t -- ipmu-mpi-run)
	on_machine 2 "${counted[@]}" -e $imc.DRAM_DATA_READS,$imc.DRAM_DATA_WRITES -o "$scratch/s" \
		-- "$vpmu" run -- "$examples/stream" $n $sweeps
	check 'stream from outside: reads' within "$(job_count "$scratch/s.csv" $imc.DRAM_DATA_READS)" \
		$((2 * (3 + 3 * (sweeps + 1)) * n / 8)) $percent
	check 'stream from outside: writes' within "$(job_count "$scratch/s.csv" $imc.DRAM_DATA_WRITES)" \
		$((2 * (3 + sweeps + 1) * n / 8)) $percent

	# 2 grids of 1200 x 1200 doubles: 22 MiB; read one, fetch and write the other
	n=1200
	on_machine 2 "$vpmu" run --strict -m skl-4c8t "$examples/jacobi-counted" $n 4
	check 'jacobi: reads' within "$(printed $imc.DRAM_DATA_READS)" $((4 * 2 * n * n / 8)) $percent
	check 'jacobi: writes' within "$(printed $imc.DRAM_DATA_WRITES)" $((4 * n * n / 8)) $percent
	cat "$scratch/out"
fi

# Natively: the results do not depend on the ranks, and CG finds the known solution.
for n in 1 3 4; do
	on_machine $n "$examples/jacobi" 100 50
	check "jacobi, $n ranks: change after 50 iterations" says 'last change 0\.0[0-9]+'
	change=$(sed -n 's/.*last change \([0-9.]*\);.*/\1/p' "$scratch/out")
	first=${first:-$change}
	check "jacobi, $n ranks: the same change" [ "$change" = "$first" ]
	on_machine $n "$examples/cg" 40 500
	check "cg, $n ranks: the solution" says 'error [0-9.]+e-(0[89]|1[0-9])'
done
finish
