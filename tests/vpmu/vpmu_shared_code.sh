#!/bin/bash
# SPDX-License-Identifier: MIT
# A program writes code through one mapping of a file and executes it through another one: what it
# executes is the new code, however the mappings come and change. Each call returns the number that
# was written last. The instructions that such a change takes are counted once.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 ipmu-run "${CC:-cc}"

compile "$scratch/code" shared_code.c -O1 -pthread || exit 1

"$scratch/code" >"$scratch/out"
verdict 'natively' $?
for machine in skl-4c8t snb-4c8t nhmex-2p4c8t; do
	"$vpmu" run -m $machine "$scratch/code" >"$scratch/out" 2>&1
	verdict "$machine" $?
done

counted() {	# counted MACHINE WAY ROUNDS
	ipmu-run --on "$1" -q -e core_fixed.INST_RETIRED:ANY -o "$scratch/report" -- "$scratch/code" \
		"$2" "$3" >"$scratch/out" 2>&1
	awk -F, '$3 == "core_fixed.INST_RETIRED:ANY" { print $5 }' "$scratch/report.csv"
}
for machine in skl-4c8t core2-4c; do
	for way in one two; do
		is "$machine, $way: instructions of 1000 rounds" 7000 \
			$(($(counted $machine $way 2500) - $(counted $machine $way 1500)))
	done
done
finish
