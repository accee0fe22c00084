#!/bin/bash
# SPDX-License-Identifier: MIT
# Ranks that count by libipmu_mpi put files of their own in the place of its descriptors: nothing is
# written into the files or closed, the counts are not known, and no register stays changed.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
compile descriptors "-lipmu_mpi_$MPI"
mkdir "$scratch/files"
ranks 2 "$vpmu" run --no-feed --strict -m skl-4c8t -s "$scratch/segment" "$scratch/descriptors" \
	"$scratch/files" intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_MESI \
	intel_core:::skl.INST_RETIRED:ANY_P >"$scratch/out" 2>&1
check 'the ranks end' [ $? = 0 ]
check 'every descriptor' lines 2 'rank [01]: some replaced, 0 touched'
check 'the counts' lines 2 'rank [01] event 0: 0 of 1'
check 'the counts' lines 2 'rank [01] event 1: 0 of 2'
enabled() {
	"$vpmu" regs -s "$scratch/segment" --tsv | awk -F'\t' -v at_reset=IA32_PERF_GLOBAL_CTRL0xF '
		$1 ~ /PERFEVTSEL|GLOBAL_CTRL|FIXED_CTRL/ && $NF !~ /^0x0$/ && $1 $NF != at_reset' | grep .
}
check 'no register is left enabled' differs enabled
finish
