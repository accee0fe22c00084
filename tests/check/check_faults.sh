#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-check on a virtual machine with a fault: it fails, names the fault, and nothing else. The
# machine is a feed of this test's own, with tests/check/faults.c in it; without a fault it passes.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${STAGE_LIB:?}" "${BUILD:?}" "${SRCDIR:?}" "${BUILDDIR:?}"
export VPMU_TALLY=$scratch/tally	# a counter that loses bits cannot be restored

mkdir "$scratch/lib"
ln -s "$STAGE_LIB"/ipmu/* "$scratch/lib"
rm "$scratch/lib/libvpmu_feed.so"
# shellcheck disable=SC2046 # libraries are words
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -fPIC -shared -I"$SRCDIR/virtual_pmu" \
	-o "$scratch/lib/libvpmu_feed.so" "$SRCDIR/tests/check/faults.c" \
	-Wl,--whole-archive "$BUILD/lib/libvpmu_feed.a" -Wl,--no-whole-archive \
	"$BUILD/lib/libvpmu.a" -Wl,--wrap=vpmu_rdmsr -Wl,--wrap=vpmu_wrmsr \
	-Wl,--wrap=vpmu_counter_apply -Wl,--wrap=vpmu_bulk_of \
	-Wl,--wrap=vpmu_dram $(sed -n 's/^ZYDIS_LIBS = //p' "$BUILDDIR/Makefile") \
	>"$scratch/out" 2>&1
verdict 'a feed with faults is built' $?

failing() { sed -n 's/^\([^ ]*\) *\([a-z-]*\) .* FAIL$/\1 \2/p' "$scratch/out" | sort -u; }

# faulty FAULTS STATUS ROWS SENTENCE...: on two slices; rows that have to fail, and no others
faulty() {
	local faults=$1 sentence
	FAULT=$1 VPMU_LIBDIR=$scratch/lib "$vpmu" run -m skl-2c2t --cpus 0 --llc 1M,16,64 -- ipmu-check -p 'skl_unc_*' >"$scratch/out" 2>&1
	is "$faults: status" "$2" $?
	is "$faults: rows that fail" "$3" "$(failing)"
	for sentence in "${@:4}"; do
		grep -qF "$sentence" "$scratch/out"
		verdict "$faults: $sentence" $?
	done
}
cbo=skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
arb=skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL
reads=skl_unc_imc.DRAM_DATA_READS
writes=skl_unc_imc.DRAM_DATA_WRITES
rows() {	# rows EVENT TEST...
	printf "$1 %s\n" "${@:2}"
}

faulty none 0 '' ' 0 failed, 0 noise, 0 skipped'
# Faults of different rows are on one machine.
faulty 'slices dead' 1 "$({ rows $cbo read write chase wrap; rows $writes nt-write write; } | sort)" \
	'as if 1 of 2 boxes were counted' 'dead: it counts nothing'
faulty 'narrow unit' 1 "$({ rows $arb freeze wrap; rows $cbo freeze wrap; rows $reads chase read write; } | sort)" \
	'MSR_UNC_CBO_0_PERFCTR0 (0x706) does not have the 44 bits' '2 times as much: another unit'
faulty wide 1 "$({ rows $arb freeze wrap; rows $cbo freeze wrap; } | sort)" \
	'MSR_UNC_ARB_PERFCTR0 (0x3B0) does not wrap after the 44 bits'
finish
