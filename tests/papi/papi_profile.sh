#!/bin/bash
# SPDX-License-Identifier: MIT
# PAPI_profil and PAPI_sprofil on both components: of two functions that take turns of the same CPU
# time, the one that makes the event happen gets the hits.
#
# PAPI polls: a hit is the function that runs at the first of its ticks, 10 ms of CPU time apart,
# that finds the count past the threshold. `hot` has 2 turns of 125 ms and passes the threshold in
# each 10 ms, so it gets 25 hits; the tick after each of its turns may find `cold`: 2.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
here=$(dirname "${BASH_SOURCE[0]}")/..
needs qemu-x86_64

${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -g ${STAGE:+-I"$STAGE/include" -L"$STAGE_LIB"} \
	"$here/papi/profile.c" -o "$scratch/profile" -lpapi \
	${STAGE:+-Wl,-rpath,"$STAGE_LIB"} || exit 1

number() {	# number API FUNCTION
	sed -n "s/^$1 .*$2 \([0-9]*\).*/\1/p" "$scratch/out"
}

profile() {	# profile MACHINE EVENT...
	local machine=$1 hot cold
	shift
	"$vpmu" run --strict -m "$machine" -- "$scratch/profile" "$1" 1000 "${@:2}" \
		>"$scratch/out" 2>&1
	verdict "$machine: runs" $?
	for api in profil sprofil; do
		hot=$(number $api hot) cold=$(number $api cold)
		echo "$machine $api: hot $hot cold $cold"
		[ "${hot:-0}" -ge 12 ] && [ "$hot" -le 50 ]
		verdict "$machine $api: hot gets about 25 hits" $?
		[ "${cold:-99}" -le 5 ] && [ "$((5 * cold))" -le "${hot:-0}" ]
		verdict "$machine $api: cold gets few" $?
	done
	[ "$(sed -n 's/^ended //p' "$scratch/out")" = "$(number profil all)" ]
	verdict "$machine: a profile that has ended gets no more hits" $?
}

profile skl-4c8t intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I \
	intel_uncore:::skl_unc_clk.UNC_CLOCK:SOCKET
profile core2-4c intel_core:::core.LLC_MISSES intel_core:::core_fixed.INST_RETIRED:ANY
finish
