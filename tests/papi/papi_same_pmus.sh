#!/bin/bash
# SPDX-License-Identifier: MIT
# PMUs and groups of each virtual machine: each machine whose model has counters of cores has a PMU of cores.
# On five of them a native program, as ipmu-run is with --on, sees what an emulated one sees. MACHINES=all, a
# number as the seed of a choice, or the names of machines say which.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${STAGE:?the staged tree}"

pmus() {	# pmus MACHINE [--no-feed]: COMPONENT PMU...
	"$vpmu" run ${2:+"$2"} -m "$1" -- papi_component_avail 2>/dev/null |
		sed -n '/^Active components/,$p' | awk '/^Name: *intel_/ { component = $2 }
			component && sub(/^.*PMUs supported: /, "") { at = 1 }
			!NF { component = ""; at = 0 }
			at { print component, $0 }'
}
groups() {	# groups MACHINE ARGUMENT...: names of groups
	"${@:2}" 2>&1 | sed -n 's/^  \([A-Z][A-Z0-9_]*  ([a-z0-9_]*)\):.*/\1/p'
}

"$vpmu" machines | sed -n 's/^  \([a-z][a-z0-9-]*\): "VirtualPMU.*/\1/p' >"$scratch/machines"
[ "$(wc -l <"$scratch/machines")" -ge 20 ]
verdict 'machines are listed' $?
machines=${MACHINES:-$RANDOM}
case $machines in
all) machines=$(<"$scratch/machines") ;;
[0-9]*)
	echo "MACHINES=$machines chooses"
	machines=$(awk -v seed="$machines" 'BEGIN { srand(seed) } { print rand(), $1 }' "$scratch/machines" |
		sort | sed -n '1,5s/.* //p')
	;;
esac
echo "emulated programs on" $machines
while read -r m; do
	native=$(pmus "$m" --no-feed </dev/null)
	[ -n "$native" ] && ok || bad "$m: no PMU"
	"$vpmu" events -m "$m" | grep -Eq '^(PMC|P54C|CRU)' && cores=1 || cores=0
	is "$m: PMUs of cores" $cores "$(grep -c intel_core <<<"$native")"
	[[ " ${machines//$'\n'/ } " = *" $m "* ]] || continue
	is "$m: PMUs of an emulated program" "$native" "$(pmus "$m" </dev/null)"
	is "$m: groups with --on" "$(groups "$m" "$vpmu" run -m "$m" -- ipmu-run --groups </dev/null)" \
		"$(groups "$m" ipmu-run --on "$m" --groups </dev/null)"
done <"$scratch/machines"
finish
