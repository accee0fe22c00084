#!/bin/bash
# SPDX-License-Identifier: MIT
# Every event of every documented PMU on its virtual machine: listed by papi_native_avail, and
# counted by papi_command_line, one by one. Natively, for speed: that the registers count what a
# program executes is for the accuracy tests.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/support/verdict.sh"

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
	"$vpmu" run --no-feed --strict -m "$1" -- papi_command_line "$2" >"$scratch/one.$$" 2>&1 &&
		grep -Eq "^$2 :[[:space:]]+[0-9]+" "$scratch/one.$$" || echo "$2"
	rm -f "$scratch/one.$$"
}

machine() {	# machine NAME COMPONENT LEAST: at least so many names
	local bad
	"$vpmu" run --no-feed --strict -m "$1" -- papi_native_avail >"$scratch/out" 2>&1
	verdict "$1: papi_native_avail" $?
	names "$2" <"$scratch/out" | sort -u >"$scratch/names"
	echo "$1: $(wc -l <"$scratch/names") names"
	[ "$(wc -l <"$scratch/names")" -ge "$3" ]
	verdict "$1: at least $3 names are listed" $?
	bad=$(export -f count_one; export vpmu scratch
	      xargs -P 2 -I '{}' bash -c 'count_one "$0" "$1"' "$1" '{}' <"$scratch/names")
	[ -z "$bad" ]
	verdict "$1: not counted: $(echo $bad)" $?
}

# How many there must be: rows of the documents' tables, without what is marked unconfirmed.
machine knc-4c16t intel_core 59
machine core2-4c intel_core 60
machine p4-1c2t intel_core 165
machine nhmex-1p8c16t intel_uncore 117
machine skl-4c8t intel_uncore 28

for m in knc-60c240t p4-2p4t nhmex-4p32c64t; do
	"$vpmu" run --no-feed -m $m -- papi_component_avail >"$scratch/out" 2>&1 &&
		sed -n '/^Active components/,$p' "$scratch/out" | grep -q '^Name: *intel_'
	verdict "$m: a component of ours is active" $?
done
finish
