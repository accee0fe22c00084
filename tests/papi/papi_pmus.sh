#!/bin/bash
# SPDX-License-Identifier: MIT
# Every event of every documented PMU on its virtual machine: listed by papi_native_avail, and
# counted one by one, all of them by one process, every sixtieth by papi_command_line too. Natively,
# for speed: that the registers count what a program executes is for the accuracy tests.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${STAGE:?the staged tree}" "${SRCDIR:?the source tree}"
"${CC:-cc}" -std=c11 -D_GNU_SOURCE -I"$STAGE/include" "$SRCDIR/tests/clients/each.c" \
	-o "$scratch/each" -L"$STAGE_LIB" -lpapi -Wl,-rpath,"$STAGE_LIB" || exit 1

# Names in the listing: an event alone where it has no unit masks, else one per unit mask.
names() {	# names COMPONENT <LISTING
	awk -v component="$1" '
		function flush() { if (event != "" && !masks) print event; event = "" }
		index($2, component ":::") == 1 { flush(); event = $2; masks = 0; next }
		/^\|     :/ && event != "" { print event $2; masks = 1 }
		/^ Native Events in Component:/ { flush() }
		END { flush() }'
}

count_one() {	# count_one MACHINE NAME: prints the name if it was not counted
	local said
	said=$("$vpmu" run --no-feed --strict -m "$1" -- papi_command_line "$2" 2>&1) &&
		[[ $'\n'$said =~ $'\n'"$2 :"[[:space:]]+[0-9]+ ]] || echo "$2"
}

machine() {	# machine NAME COMPONENT LEAST: at least so many names
	local bad
	"$vpmu" run --no-feed --strict -m "$1" -- papi_native_avail >"$scratch/out" 2>&1
	verdict "$1: papi_native_avail" $?
	names "$2" <"$scratch/out" | sort -u >"$scratch/names"
	echo "$1: $(wc -l <"$scratch/names") names"
	[ "$(wc -l <"$scratch/names")" -ge "$3" ]
	verdict "$1: at least $3 names are listed" $?
	# libpfm4 gives it a mask of agents, SDM Table 19-23 another sub-field: it is refused.
	sed -i '/core\.BUSQ_EMPTY:ALL_AGENTS$/d' "$scratch/names"
	"$vpmu" run --no-feed --strict -m "$1" -- "$scratch/each" <"$scratch/names" >"$scratch/bad" \
		2>"$scratch/out"
	verdict "$1: all are tried" $?
	bad=$(cat "$scratch/bad")
	[ -z "$bad" ] && grep -qx "$(wc -l <"$scratch/names") counted" "$scratch/out"
	verdict "$1: not counted: $bad" $?
	bad=$(awk 'NR % 60 == 1' "$scratch/names" | while read -r name; do
		count_one "$1" "$name" </dev/null
	done)
	[ -z "$bad" ]
	verdict "$1: not counted by papi_command_line: ${bad//$'\n'/ }" $?
}

# How many there must be: rows of the documents' tables, without what is marked unconfirmed.
machine knc-4c16t intel_core 59
machine core2-4c intel_core 60
machine p4-1c2t intel_core 165
machine nhmex-1p8c16t intel_uncore 143
machine skl-4c8t intel_uncore 28
machine icl-4c8t intel_core 10
machine snb-4c8t intel_uncore 43
machine icl-4c8t intel_uncore 8
machine adl-8p8e24t intel_uncore 39
machine ptl-4p8e4lp16t intel_uncore 34
machine nvl-8p16e4lp28t intel_uncore 11

# libpfm4's spelling, without a component: PAPI queries the component that has published the PMU.
for name in skl-4c8t=skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:READ_I \
		rkl-8c16t=rkl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL \
		adl-8p8e24t=adl_unc_imc1::UNC_M_CAS_COUNT_RD nhmex-1p8c16t=nhmex_unc_mbox::CYCLES; do
	"$vpmu" run --no-feed -m "${name%%=*}" -- papi_command_line "${name#*=}" >"$scratch/out" 2>&1 &&
		grep -q "^${name#*=} :" "$scratch/out"
	verdict "$name is counted" $?
done

for m in knc-60c240t p4-2p4t nhmex-4p32c64t; do
	"$vpmu" run --no-feed -m $m -- papi_component_avail >"$scratch/out" 2>&1 &&
		sed -n '/^Active components/,$p' "$scratch/out" | grep -q '^Name: *intel_'
	verdict "$m: a component of ours is active" $?
done
finish
