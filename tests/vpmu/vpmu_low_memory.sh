#!/bin/bash
# SPDX-License-Identifier: MIT
# MAP_32BIT: mappings lie below 2 GiB, as natively, and apart from each other. Other mappings are as before.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 "${CC:-cc}"

compile "$scratch/low" map_32bit.c -O1 || exit 1

"$scratch/low" >"$scratch/out"
verdict 'natively' $?
"$vpmu" run -m skl-4c8t "$scratch/low" >"$scratch/out" 2>&1
verdict 'on the machine' $?
finish
