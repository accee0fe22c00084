#!/bin/bash
# SPDX-License-Identifier: MIT
# Beginning to count costs at most a third of the instructions that it did when each event was looked
# for in all of libpfm4's PMUs. What is printed is what `make bench` prints.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/support/verdict.sh"
needs valgrind
"${BASH:-bash}" "$(dirname "${BASH_SOURCE[0]}")/../bench/start" >"$scratch/out" 2>&1
verdict 'bench/start runs' $?
cat "$scratch/out"
awk '/ million instructions, before 53.7, ratio / { ok = $NF > 0.1 && $NF < 1 / 3 } END { exit !ok }' "$scratch/out"
verdict 'at most a third' $?
finish
