#!/bin/bash
# SPDX-License-Identifier: MIT
# PAPI's and libpfm4's own tools, unmodified, on the virtual Skylake client and on this machine.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"

# Natively, which is all that names, messages and formats take.
machine() {	# machine PROGRAM ARGUMENT... : on the virtual machine, output in $scratch/out
	"$vpmu" run --no-feed --strict -m skl-4c8t -- "$@" >"$scratch/out" 2>&1
}
counting() {	# the same with what it executes counted
	"$vpmu" run --strict -m skl-4c8t -- "$@" >"$scratch/out" 2>&1
}

# event-table rows as "pmu event umask", umask "-" where there is none
rows() {
	awk -F'\t' 'BEGIN { pmu["CBO"] = "skl_unc_cbo"; pmu["ARB"] = "skl_unc_arb"
			    pmu["FIXED"] = "skl_unc_clk"; pmu["IMC"] = "skl_unc_imc" }
		NR > 1 {
			n = split($1, part, ".")
			print pmu[$8], part[1], (n > 1 ? part[2] : "-"), $7 }' \
		"$SRCDIR/facts/skl-client-uncore/events.tsv"
}
[ "$(rows | grep -c '^skl_unc_')" = 28 ] || { echo 'the table of events has not 28 rows'; exit 1; }

# ---- listings

machine papi_native_avail
verdict 'papi_native_avail runs' $?
awk '/Native Events in Component: intel_uncore/ { on = 1 } /Native Events in Component: [^i]/ { on = 0 } on' \
	"$scratch/out" >"$scratch/list"
cp "$scratch/list" "$scratch/out"
missing=
while read -r pmu event umask _; do
	grep -q "intel_uncore:::$pmu\.$event " "$scratch/list" || missing="$missing $pmu.$event"
	[ "$umask" = - ] || grep -q ":$umask " "$scratch/list" || missing="$missing :$umask"
done < <(rows)
[ -z "$missing" ]
verdict "every event of the document is listed; missing:$missing" $?
# a unit mask's line is followed by its description
[ "$(grep -c '^| *:[A-Z]' "$scratch/list")" = 23 ]
verdict 'one entry for each unit mask' $?
# each name is followed by a line of description
awk '/^\| (intel_uncore:::| +:)/ { getline; if ($0 !~ /^\| +[A-Za-z]......../) { print; bad = 1 } n++ }
     END { exit bad || n < 34 }' "$scratch/list"
verdict 'each entry has a description' $?

machine papi_component_avail
[ "$(grep -A1 -E '^Name: *perf_event' "$scratch/out" | grep -c 'Disabled: perf_event support not detected')" = 2 ]
verdict "papi_component_avail: the host's perf_event and perf_event_uncore are not the machine's" $?
grep -A1 '^Name: *intel_uncore' "$scratch/out" | grep -q Disabled
[ $? = 1 ] && sed -n '/^Active components/,$p' "$scratch/out" | grep -q '^Name: *intel_uncore'
verdict 'papi_component_avail: active on the virtual machine' $?
# PMUs of this machine only, four slices of the C-Box among them
[ "$(sed -n '/^Active components/,$p' "$scratch/out" | grep -o 'skl_unc_cbo[0-9]' | tr '\n' ' ')" = \
	'skl_unc_cbo0 skl_unc_cbo1 skl_unc_cbo2 skl_unc_cbo3 ' ] && ! grep -q nhmex_unc "$scratch/out"
verdict 'papi_component_avail: the PMUs of this machine' $?
"$vpmu" run --no-feed -m hsw-4c8t -- papi_component_avail >"$scratch/out" 2>&1
grep -A1 '^Name: *intel_core' "$scratch/out" | grep -q 'PerfMon 2 was not found: .*with PerfMon 2$'
verdict 'papi_component_avail: why there is no intel_core' $?
papi_component_avail >"$scratch/out" 2>&1
grep -A1 '^Name: *intel_uncore' "$scratch/out" |
	grep -Eq 'Disabled: .*(supported: |modprobe|permission|not permitted|hypervisor)' ||
	sed -n '/^Active components/,$p' "$scratch/out" | grep -q '^Name: *intel_uncore'
verdict 'papi_component_avail: a reason and what to do on this machine, or active' $?

# ---- counting, by each spelling

spellings() {	# spellings PMU EVENT UMASK : the three names
	if [ "$3" = - ]; then
		printf 'intel_uncore:::%s\n' "$1.$2" "$1::$2" "$2"
	else
		printf 'intel_uncore:::%s\n' "$1.$2:$3" "$1::$2:$3" "$2.$3"
	fi
}

# A C-Box event and one of another unit at a time: they never need the same counter.
bad=
while read -r pmu event umask _ pmu2 event2 umask2 _; do
	mapfile -t names < <(spellings "$pmu" "$event" "$umask"
			     spellings "$pmu2" "$event2" "$umask2")
	machine papi_command_line "${names[@]}" && ! grep -Eq 'Failed|[Ee]rror' "$scratch/out" &&
		[ "$(grep -Ec ' :[[:space:]]+[0-9]+\(u\)' "$scratch/out")" = 6 ] ||
		bad="$bad $event:$umask $event2:$umask2"
done < <(paste -d' ' <(rows | grep '^skl_unc_cbo') <(rows | grep -v '^skl_unc_cbo'))
[ -z "$bad" ] && [ "$(rows | grep -c '^skl_unc_cbo')" = "$(rows | grep -vc '^skl_unc_cbo')" ]
verdict "papi_command_line counts every event in its three spellings; not:$bad" $?

counting papi_command_line intel_uncore:::skl_unc_clk.UNC_CLOCK:SOCKET
[ "$(sed -n 's/^intel_uncore:::skl_unc_clk.* : *\t\([0-9]*\)(u).*/\1/p' "$scratch/out")" -gt 1000 ]
verdict 'the clock advances' $?

# ---- bad input: PAPI's own message, and ours behind PAPI_VERBOSE

refuse() {	# refuse TEXT NAME...
	local text=$1
	shift
	PAPI_VERBOSE=1 "$vpmu" run --no-feed -m skl-4c8t -- papi_command_line "$@" >"$scratch/out" 2>&1
	[ "$(grep -c "PAPI Error: intel_uncore: .*$text" "$scratch/out")" = 1 ]
	verdict "refused with one message that says '$text'" $?
}
lookup=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP
refuse 'this machine has no PMU nhmex_unc_mbox$' intel_uncore:::nhmex_unc_mbox.CYCLES
IPMU_NODE_SUM=frist refuse "IPMU_NODE_SUM=frist: 'first' is the only value" $lookup:ANY_I
refuse 'has no event NO_SUCH' intel_uncore:::skl_unc_cbo.NO_SUCH
refuse 'no such qualifier as colour=3; unit masks: ' $lookup:ANY_I:colour=3
refuse 'no such qualifier as READ_M; unit masks: ' $lookup:ANY_I:READ_M
refuse 'is given twice' $lookup:ANY_I:package=0:package=0
refuse 'there is no package 9' $lookup:ANY_I:package=9
refuse 'out of range (c: 0 to 31)$' $lookup:ANY_I:c=32
refuse 'out of range (e: 0 or 1)$' $lookup:ANY_I:e=7
refuse 'collides with' $lookup:ANY_I $lookup:ANY_M $lookup:ANY_ES

# ---- the other tools

# It measures with PAPI_TOT_CYC, a core event, which this machine has not: it must get that far.
machine papi_cost -t 10
grep -q '^Cost of execution for PAPI start/stop, read and accum' "$scratch/out" &&
	grep -q '^PAPI_query_event' "$scratch/out"
verdict 'papi_cost starts, and ends at the missing PAPI_TOT_CYC' $?
# PAPI's own presets are of its CPU component, which has none here. From 7.2 on there are those of the
# components, which docs/papi.md lists: seven of intel_core, five of intel_uncore.
presets=12
case $(papi_version) in *' 7.0.'* | *' 7.1.'*) presets=0 ;; esac
machine papi_avail -a
grep -q "^Of $presets available events" "$scratch/out"
verdict "papi_avail: $presets presets" $?
if command -v qemu-x86_64 >/dev/null; then
	counting papi_mem_info && [ "$(sed -n '/^L3 Unified/,$s/ *Total size: *//p' "$scratch/out")" = '8192 KB' ]
	verdict "papi_mem_info: the machine's caches by CPUID" $?
	counting lscpu && grep -Eq 'L3.* 8 MiB' "$scratch/out"
	verdict "lscpu: the machine's" $?
fi
machine papi_xml_event_info -n && grep -q 'skl_unc_cbo.UNC_CBO_CACHE_LOOKUP' "$scratch/out"
verdict 'papi_xml_event_info lists our events' $?
machine papi_native_avail -c -i intel_uncore && grep -q 'skl_unc_imc.DRAM_DATA_READS' "$scratch/out" &&
	! grep '<NA>' "$scratch/out"
verdict 'papi_native_avail -c can add every event' $?
machine papi_native_avail -e $lookup:READ_I && grep -q "Event name: *$lookup:READ_I" "$scratch/out"
verdict 'papi_native_avail -e' $?
machine papi_native_avail -e $lookup &&
	grep -q 'qualifiers: package=0, box=0-3, e, i, c=0-31, .*unit mask: ANY_MESI$' "$scratch/out"
verdict 'papi_native_avail -e tells qualifiers, ranges and the default unit mask' $?

"$vpmu" run --no-feed -m skl-4c8t -- env LIBPFM_ENCODE_INACTIVE=1 \
	check_events skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI >"$scratch/out" 2>&1 &&
	grep -Eiq '0x508f34' "$scratch/out"
verdict 'check_events encodes' $?
# libpfm4's settings: either an event is listed and counts, or neither, and a sentence says why.
settings() {	# settings VARIABLE=VALUE VISIBLE-PMU... : of skl_unc_imc and skl_unc_arb
	local setting=$1 event pmu here
	shift
	for event in skl_unc_imc.DRAM_DATA_READS skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL; do
		pmu=${event%.*} here=1
		[[ " $* " != *" $pmu "* ]] || here=0
		machine env "$setting" papi_native_avail -i intel_uncore
		grep -q "intel_uncore:::${event%%:*} " "$scratch/out"
		[ $? = $here ]
		verdict "$setting: $pmu is listed: $here" $?
		machine env "$setting" PAPI_VERBOSE=1 papi_command_line "intel_uncore:::$event"
		grep -q 'Successfully added' "$scratch/out"
		[ $? = $here ] && { [ $here = 0 ] || grep -q "$setting hides $pmu: unset it" "$scratch/out"; }
		verdict "$setting: $pmu counts: $here" $?
	done
}
settings LIBPFM_FORCE_PMU=knc
settings LIBPFM_DISABLED_PMUS=skl_unc_imc skl_unc_arb
settings LIBPFM_PROC_CPUINFO=/dev/null skl_unc_imc skl_unc_arb
settings LIBPFM_ENCODE_INACTIVE=0 skl_unc_imc skl_unc_arb
LIBPFM_DISABLED_PMUS=skl_unc_imc machine papi_component_avail
sed -n '/^Active components/,$p' "$scratch/out" | grep -q 'no skl_unc_imc: LIBPFM_DISABLED_PMUS=' &&
	! grep -q '^ .*skl_unc_clk, skl_unc_imc' "$scratch/out"
verdict 'papi_component_avail: which setting hides a PMU' $?

showevtinfo -L -E skl_unc_arb:: >"$scratch/out" 2>&1 &&
	grep -q 'skl_unc_arb::UNC_ARB_TRK_REQUESTS:WRITES' "$scratch/out"
verdict 'showevtinfo knows the PMU' $?

finish
