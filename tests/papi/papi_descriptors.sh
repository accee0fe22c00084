#!/bin/bash
# SPDX-License-Identifier: MIT
# A program closes every descriptor while it counts, or replaces it, and uses the numbers for files of
# its own, as daemons do. Its files stay as they are, its descriptors stay open, the count is lost with
# that cause, and no register stays changed. So it is with few descriptors, where those of the library
# have low numbers, and with many.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -I"$STAGE/include" "$here/clients/descriptors.c" \
	-o "$scratch/descriptors" -L"$STAGE_LIB" -Wl,-rpath,"$STAGE_LIB" -lpapi || exit 1
cbo=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_MESI
core=intel_core:::skl.INST_RETIRED:ANY_P

# Is any event select or global control register other than at reset?
enabled() {
	"$vpmu" regs -s "$scratch/segment" --tsv | awk -F'\t' -v at_reset=IA32_PERF_GLOBAL_CTRL0xF '
		$1 ~ /PERFEVTSEL|GLOBAL_CTRL|FIXED_CTRL/ && $NF !~ /^0x0$/ && $1 $NF != at_reset' | grep .
}

run() {		# run EVENT WAY LIMIT OPTION...
	local event=$1 way=$2 limit=$3 name
	shift 3
	name="$way ${event%%:*} with $limit descriptors${1:+, $*}"
	rm -rf "$scratch/segment" "$scratch/files"
	mkdir "$scratch/files"
	(ulimit -n "$limit"
	PAPI_VERBOSE=1 "$vpmu" run --strict -m skl-4c8t -s "$scratch/segment" "$@" -- \
		"$scratch/descriptors" "$event" "$scratch/files" "$way") >"$scratch/out" 2>&1
	verdict "$name" $?
	! enabled >>"$scratch/out"
	verdict "$name: registers" $?
	case $way in read | stop | closed | replace)
		grep -q "the program has closed this library's descriptors" "$scratch/out"
		verdict "$name: the cause" $? ;;
	esac
}

needs qemu-x86_64
for event in "$cbo" "$core"; do
	for way in read stop closed replace between exit fork; do
		run "$event" "$way" 1024 --no-feed
		run "$event" "$way" 64 --no-feed
	done
	run "$event" read 1024
	run "$event" stop 64
	run "$event" replace 1024
	run "$event" fork 64
done

# Without a state directory the registers are restored from memory.
export IPMU_STATE_DIR=none
run "$cbo" stop 1024 --no-feed
run "$core" exit 1024 --no-feed
finish
