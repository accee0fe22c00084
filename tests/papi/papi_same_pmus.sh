#!/bin/bash
# SPDX-License-Identifier: MIT
# PMUs and groups of each virtual machine: a native program, as ipmu-run is with --on, sees what an
# emulated one sees, and each machine whose model has counters of cores has a PMU of cores.
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
while read -r m; do
	emulated=$(pmus "$m" </dev/null)
	[ -n "$emulated" ] || bad "$m: no PMU"
	is "$m: PMUs of a native program" "$emulated" "$(pmus "$m" --no-feed </dev/null)"
	is "$m: groups with --on" "$(groups "$m" "$vpmu" run -m "$m" -- ipmu-run --groups </dev/null)" \
		"$(groups "$m" ipmu-run --on "$m" --groups </dev/null)"
	"$vpmu" events -m "$m" | grep -Eq '^(PMC|P54C|CRU)' && cores=1 || cores=0
	is "$m: PMUs of cores" $cores "$(grep -c intel_core <<<"$emulated")"
done <"$scratch/machines"
finish
