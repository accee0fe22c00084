#!/bin/bash
# SPDX-License-Identifier: MIT
# A thread with the smallest stack that POSIX permits, 16 KiB, opens the machine and counts (PAPI 7.0): topology,
# names, registers and journal fit beside what PAPI and the C library need.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -I"$STAGE/include" "$here/clients/small_stack.c" \
	-o "$scratch/small_stack" -L"$STAGE_LIB" -Wl,-rpath,"$STAGE_LIB" -lpapi -lpthread || exit 1
needs qemu-x86_64
for event in intel_uncore:::skl_unc_imc.DRAM_DATA_READS \
		intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I \
		intel_core:::skl.INST_RETIRED:ANY_P; do
	"$vpmu" run --strict -m skl-4c8t -- "$scratch/small_stack" "$event" >"$scratch/out" 2>&1
	verdict "$event" $?
	# 16 MiB in lines of 64 bytes are 262,144 loads that miss, and more instructions than that.
	count=$(sed -n 's/^[0-9]* bytes, rc 0, count //p' "$scratch/out")
	[ "${count:-0}" -ge 262144 ]
	verdict "$event: the lines" $?
	case $event in *INST_RETIRED*) continue ;; esac
	[ "${count:-0}" -le $((262144 * 102 / 100)) ]
	verdict "$event: nothing else" $?
done
finish
