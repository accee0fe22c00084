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

# faulty FAULT STATUS SENTENCE ROWS: on four slices; rows that have to fail, and no others
faulty() {
	FAULT=$1 VPMU_LIBDIR=$scratch/lib "$vpmu" run -m skl-4c4t --cpus 0 --llc 1M,16,64 -- ipmu-check -p 'skl_unc_*' >"$scratch/out" 2>&1
	is "$1: status" "$2" $?
	grep -qF "$3" "$scratch/out"
	verdict "$1: $3" $?
	is "$1: rows that fail" "$4" "$(failing)"
}
cbo=skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
arb=skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL
reads=skl_unc_imc.DRAM_DATA_READS
writes=skl_unc_imc.DRAM_DATA_WRITES
rows() {	# rows EVENT TEST...
	printf "$1 %s\n" "${@:2}" | sort
}

faulty none 0 ' 0 failed, 0 noise, 0 skipped' ''
faulty slices 1 'as if 2 of 4 boxes were counted' "$(rows $cbo read write chase wrap)"
faulty narrow 1 'MSR_UNC_CBO_0_PERFCTR0 (0x706) does not have the 44 bits' \
	"$(rows $arb freeze wrap; rows $cbo freeze wrap)"
faulty wide 1 'MSR_UNC_ARB_PERFCTR0 (0x3B0) does not wrap after the 44 bits' \
	"$(rows $arb freeze wrap; rows $cbo freeze wrap)"
faulty dead 1 'dead: it counts nothing' "$(rows $writes nt-write write)"
faulty unit 1 '2 times as much: another unit' "$(rows $reads chase read write)"
finish
