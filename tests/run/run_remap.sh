#!/bin/bash
# SPDX-License-Identifier: MIT
# A large block that grows is moved by pages, as natively: realloc() and mremap() copy nothing. A block
# of 32 MiB is written once, by lines, so 524,288 lines are read from memory, whether or not it grows
# afterwards. A copy would read as many again.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run "${CC:-cc}"
export VPMU_TALLY=$scratch/tally

compile "$scratch/grow" grow.c -O1 || exit 1

lines=524288 most=$((524288 + 5242))
for way in none realloc mremap mremap-both; do
	ipmu-run --on skl-4c8t -e skl_unc_imc.DRAM_DATA_READS -- "$scratch/grow" $way >"$scratch/out" 2>&1
	verdict "$way: runs" $?
	reads=$(awk '$1 ~ /DRAM_DATA_READS/ { gsub(",", "", $2); print $2 }' "$scratch/out")
	[ "${reads:-0}" -ge $lines ] && [ "$reads" -le $most ]
	verdict "$way: ${reads:-no} lines read, $lines to $most are right" $?
done
finish
