#!/bin/bash
# SPDX-License-Identifier: MIT
# IPMU_DEBUG=registers: a line an access. The machine counts accesses by itself and has names,
# addresses and values of its own; the trace has to agree with all of these. Without the variable
# there is no line, and an unknown word in it is reported once.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${STAGE:?the staged tree}"
line='^ipmu: (CPU|package) [0-9]+ (read|write) 0x[0-9A-F]+ [A-Z][A-Za-z0-9_]* 0x[0-9A-F]+ '
line+='\([a-z ]+(, in [^)]*|, failed: errno [0-9]+)?\)$'

# Each PAPI opens components at its own time, and msr-safe refuses what its list does not have.
traced() {	# traced PATTERN: how many accesses of that kind were made
	grep -E "^ipmu: $1" "$scratch/trace" | grep -vc 'failed: errno'
}
counted() {	# counted WORD: the machine's own count of them
	sed -nE "s/^machine .* accesses:(.*) ([0-9]+) $1[,;].*/\2/p" "$scratch/regs"
}
same() {	# same WHAT PATTERN WORD
	is "$title: $1" "$(counted "$3")" "$(traced "$2")"
}

# Of all registers that were traced the machine has the name at the address, and those of a package
# that were written hold what was written last.
compare_registers() {
	awk '
		FNR == NR { if ($2 ~ /^(0x|pci:|BAR\+)/) {
				address = $2; sub(/^.*\+/, "", address)
				sub(/^0x0*/, "0x", address)
				name[toupper(address)] = $1; scope[$1] = $6; value[$1] = $7 }
			next }
		/^ipmu: (CPU|package) / {
			n++
			if (name[toupper($5)] != $6) { print "the machine has no " $6 " at " $5; bad = 1 }
			if ($4 == "write" && scope[$6] == "package") last[$6] = $7 }
		END {
			for (r in last)
				if (last[r] != value[r]) {
					print r " was left with " last[r] ", the machine has " value[r]
					bad = 1 }
			exit bad || !n }' "$scratch/regs" "$scratch/trace"
}

run() {		# run TITLE MACHINE "VPMU'S OPTIONS" EVENT...
	title=$1
	local machine=$2 options=$3
	shift 3
	rm -rf "$scratch"/segment*
	IPMU_DEBUG=registers "$vpmu" run --no-feed --strict -m "$machine" --cpus "$(all_cpus "$machine")" $options \
		-s "$scratch/segment" -- papi_command_line "$@" >"$scratch/out" 2>"$scratch/trace"
	verdict "$title: counts" $?
	"$vpmu" regs -s "$scratch/segment" >"$scratch/regs"
	same writes 'CPU [0-9]+ write' wrmsr
	# msr-safe reads a register itself before each write, to keep what its mask leaves out.
	same reads "CPU [0-9]+ (read$([[ $options = *msr-safe* ]] && echo '|write'))" rdmsr
	same 'PCI configuration space' 'package [0-9]+ read .*PCI' PCI
	is "$title: lines of another form" '' "$(grep '^ipmu:' "$scratch/trace" | grep -vE "$line")"
	compare_registers >"$scratch/out"
	verdict "$title: names, addresses and last values are the machine's" $?
	for purpose in open start read stop restore 'look for foreign use'; do
		grep -q "($purpose[,)]" "$scratch/trace"
		verdict "$title: accesses for: $purpose" $?
	done
}

cbo=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I
run 'one by one' skl-4c8t \
	'--set MSR_UNC_CBO_2_PERFCTR0=0x123456 --set MSR_UNC_CBO_1_PERFEVTSEL0=0x80' $cbo intel_uncore:::skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL \
	intel_uncore:::skl_unc_imc.DRAM_DATA_READS
! grep -q 'in a batch' "$scratch/trace"
verdict 'no batch without the device' $?
# One counter of the window: it is read when counting starts, by the client and before it stops.
is 'reads of the window, at the start and of PAPI_stop' 2 \
	"$(traced 'package 0 read 0x5050 DRAM_DATA_READS 0x0 \((start|read|stop), in the window\)')"

ipmu-allowlist -m skylake-client >"$scratch/allowed" || exit 1
run 'in batches' skl-4c8t "--msr-safe=$scratch/allowed" $cbo
[ "$(counted batches)" -gt 0 ] && [ "$(traced '.*, in a batch')" -gt "$(counted batches)" ]
verdict 'accesses of batches are traced one by one' $?

run 'each CPU' core2-4c '' intel_core:::core.L2_LINES_IN:SELF
is 'CPUs that are programmed' '0 1 2 3' \
	"$(sed -n 's/^ipmu: CPU \([0-9]*\) write .*(start.*/\1/p' "$scratch/trace" | sort -u | xargs)"

# A counter that has its old value again must not count on: what switches all of them on is restored
# after their selects.
run 'general counters' skl-2c2t '' intel_core:::ix86arch.BRANCH_INSTRUCTIONS_RETIRED
is 'selects that are restored with the switch on' 0 "$(awk '/\(restore[,)]/ && $4 == "write" {
	if ($6 == "IA32_PERF_GLOBAL_CTRL" && $7 != "0x0") on[$3] = 1
	if ($6 == "IA32_PERFEVTSEL0" && on[$3]) late++ } END { print late + 0 }' "$scratch/trace")"

# ---- the wrap guard, and what a killed program has left behind

if [ -x "$STAGE/bin/ipmu-run" ]; then
	# 32 bits at 938 MHz wrap after 4.6 s: the guard reads after a quarter of that.
	IPMU_DEBUG=registers "$vpmu" run --no-feed --strict -m skl-4c8t -- ipmu-run \
		-e intel_uncore:::skl_unc_imc.DRAM_DATA_READS bash -c 'for ((i = 0; i < 30000; i++)); do
			grep -q "(guard," "$0" && exit; sleep 0.1; done' "$scratch/trace" \
		>"$scratch/out" 2>"$scratch/trace"
	[ "$(traced 'package 0 read 0x5050 DRAM_DATA_READS 0x0 \(guard, in the window\)')" -ge 1 ]
	verdict 'reads of the guard' $?

	# The first is killed by the program that it counts; the second finds its counter programmed.
	killed="ipmu-run -e $cbo -- sh -c 'kill -9 \$PPID'"
	IPMU_DEBUG=registers "$vpmu" run --no-feed --strict -m skl-4c8t -- bash -c \
		"env -u IPMU_DEBUG $killed; papi_command_line $cbo" >"$scratch/out" 2>"$scratch/trace"
	# 334060-001 Table 2-7: EN is bit 22, ANY_I 0x88 of event 0x34; Table 2-2: EN is bit 29.
	expected=$(printf '%s ' MSR_UNC_CBO_{0..3}_PERFEVTSEL0=0x408834 \
		MSR_UNC_PERF_GLOBAL_CTRL=0x20000000)
	is 'what the recovery finds' "${expected% }" "$(awk '/\(recovery\)/ && $6 !~ /PERFCTR/ {
		print $6 "=" $7 }' "$scratch/trace" | sort -u | xargs)"
fi

# ---- without the variable

quiet() {	# quiet WHAT LINES [VARIABLE=VALUE]
	env -u IPMU_DEBUG ${3:+"$3"} "$vpmu" run --no-feed -m skl-4c8t -- papi_command_line $cbo \
		2>&1 >/dev/null | grep '^ipmu:' >"$scratch/said"
	is "$1: lines" "$2" "$(wc -l <"$scratch/said")"
}
quiet 'without the variable' 0
quiet 'an empty variable' 0 IPMU_DEBUG=
quiet 'a word that it does not know' 1 IPMU_DEBUG=register
grep -q "IPMU_DEBUG=register: 'registers' is the only word" "$scratch/said"
verdict 'the word is named, and the one there is' $?
finish
