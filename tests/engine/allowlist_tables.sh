#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-allowlist against the documents' tables under facts: every register once, its writable
# bits and no others.
set -u
: "${STAGE:?the staged tree}" "${TEST_DATA:?tests/data}"
list=$STAGE/bin/ipmu-allowlist
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# Lines of a table as "0xADDR 0xMASK NAME". Not allowed for this use: the time stamp counter and
# DEBUGCTL, which the engine does not use. By hand, beyond the column of the writable bits: flags
# cleared by writing 1 and what cannot be read have all bits, since msr-safe merges a masked write
# with what it reads; so have counters that extend a sign (IA32_PMCn); what no event needs has none
# (IA32_DS_AREA, PEBS of Core 2, the address filter); PMU_ISS has the bits that its note gives,
# PEBS_ENABLE too, but not those that make the CPU write records (26:25); "unknown" bits are below.
expected() {	# expected TABLE
	"${SRCDIR:?}/facts/registers" "$1" | awk -F '\t' '
	function hex(s) { s = substr(s, 3); while (length(s) < 16) s = "0" s; return "0x" toupper(s) }
	NR > 1 && $2 ~ /^0x/ && $1 !~ /TIME_STAMP_COUNTER|DEBUGCTL/ {
		all = "0xFFFFFFFFFFFFFFFF"
		mask = hex($5)
		if ($4 == "RW1C" || $4 == "WO" || $1 ~ /^IA32_PMC/) mask = all
		if ($1 ~ /^IA32_(DS_AREA|PEBS_ENABLE)|_(MM_CFG|ADDR_MATCH|ADDR_MASK)/) mask = hex("0x0")
		if ($1 == "MSR_PEBS_ENABLE") mask = hex("0x1019FFF")
		if ($1 ~ /_PMU_ISS$/) mask = hex("0x3FF")
		if ($5 == "unknown") mask = "unknown"
		split($1, name, " ")
		print hex($2), mask, name[1]
	}' | sort
}

printed() {	# printed MACHINE
	"$list" --machine "$1" | awk '/^0x/ {
		a = substr($1, 3); while (length(a) < 16) a = "0" a
		print "0x" toupper(a), $2, $4 }' | sort
}

compare() {	# compare MACHINE TABLE ROWS [NAMES-LEFT-OUT]
	expected "$2" | grep -Evw "${4:-NONE}" >"$scratch/want"
	printed "$1" >"$scratch/got"
	[ "$(wc -l <"$scratch/want")" = "$3" ] || fail "$1: the table has not $3 rows"
	[ -z "$(cut -d' ' -f1 "$scratch/got" | uniq -d)" ] || fail "$1: an address twice"
	# Bits that no table of Intel confirms: the line must be there, its bits within 32.
	grep ' unknown ' "$scratch/want" | while read -r address _ name; do
		grep -q "^$address 0x00000000[0-9A-F]* $name$" "$scratch/got" ||
			echo "$1: $name is not there, or has bits beyond its width"
	done >"$scratch/bad"
	[ ! -s "$scratch/bad" ] || fail "$(cat "$scratch/bad")"
	grep ' unknown ' "$scratch/want" | cut -d' ' -f1 >"$scratch/unknown"
	if [ -s "$scratch/unknown" ]; then
		for f in want got; do
			grep -v -F -f "$scratch/unknown" "$scratch/$f" >"$scratch/$f.known"
			mv "$scratch/$f.known" "$scratch/$f"
		done
	fi
	diff "$scratch/want" "$scratch/got" || fail "$1: differs from facts/$2/registers.tsv"
}

compare skylake-client skl-client-uncore 41
compare knights-corner knc 8
compare core2 core2-fixed 13
compare nehalem-ex nehalem-ex-mbox 175 'C[89]_MSR_PMON_[A-Z_0-9]*'
compare prescott netburst 84 'MSR_IQ_ESCR[01]'
compare pentium4 netburst 86
# By hand, from the SDM: MSR_M1_PMON_ZDP of Westmere-EX; fixed counters of any CPU.
printed westmere-ex | grep -q '^0x0000000000000CEB 0x0000000001FFFFFF M1_MSR_PMU_ZDP_CTL_FVC$' ||
	fail 'westmere-ex: ZDP_CTL_FVC'
# The two C-Boxes that a Xeon E7 has more, by hand from the SDM.
printed westmere-ex | grep -q '^0x0000000000000FDB 0x0000FFFFFFFFFFFF C9_MSR_PMON_CTR_5$' ||
	fail 'westmere-ex: C-Box 9'
printed architectural | grep -q '^0x000000000000038D 0x0000000000000FFF IA32_FIXED_CTR_CTRL$' ||
	fail 'architectural: FIXED_CTR_CTRL'
# Figures of the SDM and of perfmon, by hand: full-width counters, selects, a parameter.
for line in '00000000000004C1 0x0000FFFFFFFFFFFF IA32_A_PMC0' \
		'000000000000018D 0x00000000FFFFFFFF IA32_PERFEVTSEL7' \
		'000000000000038F 0x00000007000000FF IA32_PERF_GLOBAL_CTRL' \
		'00000000000001A7 0x0000003FFFFF8FFF MSR_OFFCORE_RSP_1'; do
	printed skylake-cores | grep -q "^0x$line$" || fail "skylake-cores: $line"
done

# What msr-safe takes: two numbers a line, remarks from # on.
"$list" -l | while read -r machine _; do
	"$list" -m "$machine" | grep -Evq '^(#.*|0x[0-9A-F]{8} 0x[0-9A-F]{16} # [A-Za-z0-9_]+)$' &&
		echo "$machine: a line that msr-safe does not take"
done >"$scratch/bad"
[ ! -s "$scratch/bad" ] || fail "$(cat "$scratch/bad")"
machines=$("$list" -l | wc -l)
families=$(grep -c '^FAMILY(' "$SRCDIR/component/engine/pmu/family_list.h")
[ "$machines" = "$families" ] || fail "ipmu-allowlist --list has $machines machines of $families families"

# This machine: the one that the topology describes.
HWLOC_XMLFILE=$TEST_DATA/topo/skl-4c8t.xml "$list" >"$scratch/here" || fail 'a Skylake'
grep -q '^0x00000E01 ' "$scratch/here" || fail 'a Skylake has its uncore'
# One that the documents are not about: it is named, as is what to do.
sed 's/name="CPUModelNumber" value="[0-9]*"/name="CPUModelNumber" value="85"/' \
	"$TEST_DATA/topo/skl-4c8t.xml" >"$scratch/unknown.xml"
HWLOC_XMLFILE=$scratch/unknown.xml "$list" >"$scratch/here" 2>"$scratch/err"
[ $? = 1 ] && [ ! -s "$scratch/here" ] || fail 'registers of a processor that is not known'
grep -q '^ipmu-allowlist: .* GenuineIntel family 6 model 0x55 has no supported PMU: .*--list$' "$scratch/err" ||
	fail "an unknown processor: $(cat "$scratch/err")"
"$list" -m nonsense >/dev/null 2>"$scratch/err"
[ $? = 2 ] || fail 'a wrong machine is no wrong usage'
grep -q 'ipmu-allowlist --list' "$scratch/err" || fail 'no hint'
"$list" >/dev/full 2>/dev/null && fail 'a full disk is not noticed'
exit "$failed"
