#!/bin/bash
# SPDX-License-Identifier: MIT
#
# pfm_events/add-to-libpfm4 on a real libpfm4 tree: what it adds, what it
# refuses, and what the changed library then says about every documented event.
# LIBPFM4_SRC names a pristine libpfm4 source tree; it is only read.

set -u
LC_ALL=C
export LC_ALL

here=$(cd "$(dirname "$0")/.." && pwd)
add=$here/../pfm_events/add-to-libpfm4
families=$here/../pfm_events
ours=$families/skl_unc
mbox=$families/nhmex_mbox
mbox_tsv=$here/../facts/nehalem-ex-mbox/events.tsv
tsv=$here/../facts/skl-client-uncore/events.tsv
cbos=(cbo0 cbo1 cbo2 cbo3 cbo4 cbo5 cbo6 cbo7)

if [ -z "${LIBPFM4_SRC:-}" ]; then
	echo '1..0 # SKIP set LIBPFM4_SRC to a pristine libpfm4 source tree'
	exit 77
fi
if [ ! -f "$LIBPFM4_SRC/lib/pfmlib_common.c" ]; then
	echo "Bail out! LIBPFM4_SRC=$LIBPFM4_SRC is not a libpfm4 source tree"
	exit 1
fi

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

ok()
{
	passed=$((passed + 1))
	printf 'ok %d - %s\n' $((passed + failed)) "$1"
}

not_ok()
{
	failed=$((failed + 1))
	printf 'not ok %d - %s\n' $((passed + failed)) "$1"
	[ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/# /'
}

# is NAME GOT EXPECTED
is()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got:      $2
expected: $3"
	fi
}

# same NAME FILE FILE
same()
{
	local delta
	if delta=$(diff "$2" "$3" 2>&1); then
		ok "$1"
	else
		not_ok "$1" "$delta"
	fi
}

checksum()
{
	(cd "$1" && find . -type f -exec cksum {} + | sort -k 3)
}

# a fresh copy of the pristine tree
fresh()
{
	rm -rf "${scratch:?}/$1"
	cp -Rp "$LIBPFM4_SRC" "$scratch/$1"
}

# refuses NAME TREE TEXT: exit 1, TEXT in the message, nothing changed
refuses()
{
	local out rc=0 before after
	before=$(checksum "$2" 2>/dev/null)
	out=$("$add" "$2" 2>&1) || rc=$?
	after=$(checksum "$2" 2>/dev/null)
	is "$1: exit status" "$rc" 1
	case $out in
	*"$3"*)	ok "$1: says why" ;;
	*)	not_ok "$1: says why" "$out" ;;
	esac
	is "$1: one line" "$(printf '%s\n' "$out" | wc -l)" 1
	is "$1: tree unchanged" "$after" "$before"
}

# --- what it refuses ---

mkdir "$scratch/empty"
refuses 'empty directory' "$scratch/empty" 'include/perfmon/pfmlib.h is missing'
refuses 'no such directory' "$scratch/nowhere" 'nowhere is not a directory'

# damaged TREE FILE SED-PROGRAM: a fresh copy with FILE edited
damaged()
{
	fresh "$1"
	sed "$3" "$LIBPFM4_SRC/$2" >"$scratch/$1/$2"
}

damaged no_anchor lib/pfmlib_common.c '/&intel_x86_arch_support,/d'
refuses 'pfmlib_common.c without its anchor' "$scratch/no_anchor" \
	"lib/pfmlib_common.c: no line matches '^[ \\t]*&intel_x86_arch_support,'"
damaged no_array lib/pfmlib_common.c 's/pfmlib_pmus\[\]/pfmlib_list[]/'
refuses 'pfmlib_common.c with another list' "$scratch/no_array" 'pfmlib_common.c: no line matches'
damaged twice lib/pfmlib_common.c 's/^.*&intel_x86_arch_support,.*/&\n&/'
refuses 'pfmlib_common.c with two anchors' "$scratch/twice" 'more than one line matches'
damaged cut lib/pfmlib_common.c '/&intel_x86_arch_support/q'
refuses 'pfmlib_common.c cut short' "$scratch/cut" "pfmlib_common.c: no line matches '^};'"
damaged no_mark include/perfmon/pfmlib.h '/MUST ADD NEW PMU MODELS HERE/d'
refuses 'pfmlib.h without the mark of new models' "$scratch/no_mark" 'pfmlib.h: no line matches'
damaged no_list README '/Intel architectural perfmon/d'
refuses 'README without its list' "$scratch/no_list" 'README: no line matches'
damaged no_skl lib/Makefile '/pfmlib_intel_skl\.c/d'
refuses 'Makefile without its anchor' "$scratch/no_skl" 'lib/Makefile: no line matches'
damaged no_tests tests/validate_x86.c 's/x86_test_events\[\]/events[]/'
refuses 'validate_x86.c without its table' "$scratch/no_tests" 'validate_x86.c: no line matches'
damaged foreign include/perfmon/pfmlib.h \
	's/^.*PFM_PMU_MAX[[:space:]].*/\tPFM_PMU_INTEL_SKL_UNC_CB0, \/* other *\/\n&/'
refuses 'enum value of someone else' "$scratch/foreign" \
	"pfmlib.h has 'PFM_PMU_INTEL_SKL_UNC_CB0,' already"
fresh other_file
echo '/* other */' >"$scratch/other_file/lib/events/intel_skl_unc_events.h"
refuses 'other file of the same name' "$scratch/other_file" 'intel_skl_unc_events.h exists'
fresh no_man
rm -rf "$scratch/no_man/docs/man3"
refuses 'incomplete tree' "$scratch/no_man" 'docs/man3 is missing'
rm -rf "${scratch:?}"/*/

rc=0
"$add" >/dev/null 2>&1 || rc=$?
is 'no argument: exit status' "$rc" 1
rc=0
"$add" --nonsense "$LIBPFM4_SRC" >/dev/null 2>&1 || rc=$?
is 'unknown option: exit status' "$rc" 1
rc=0
help=$("$add" --help) || rc=$?
is '--help: exit status' "$rc" 0
is '--help: names this family' "$(printf '%s\n' "$help" | grep -c '^Added:.*skl_unc')" 1

# --- what it adds ---

fresh 'a tree'
tree="$scratch/a tree"
rc=0
"$add" --check "$tree" >/dev/null || rc=$?
is '--check before: exit status' "$rc" 2
is '--check before: tree unchanged' "$(checksum "$tree")" "$(checksum "$LIBPFM4_SRC")"
rc=0
"$add" "$tree" >"$scratch/out" 2>&1 || rc=$?
is 'first run: exit status' "$rc" 0
is 'first run: nothing left behind' "$(find "$tree" -name '*add-to-libpfm4*')" ''
is 'first run: lines added, and five of Skylake changed' \
	"$(diff -r "$LIBPFM4_SRC" "$tree" | grep -c '^<')" \
	"$(cat "$families"/*/family | grep -c '^change')"
made=$scratch/made	# the families of client processors
"$families/client-tables" "$made"
# A line to change that is neither as it was nor as it becomes
cp -R "$LIBPFM4_SRC" "$scratch/other"
sed -i 's/0x4200,$/0x4300,/' "$scratch/other/lib/events/intel_skl_events.h"
before=$(checksum "$scratch/other")
"$add" "$scratch/other" >"$scratch/out" 2>&1
is 'another code: refused' "$?" 1
is 'another code: tree unchanged' "$(checksum "$scratch/other")" "$before"
is 'another code: named' "$(grep -c "no line '.ucode  = 0x4200,' in the row" "$scratch/out")" 1
rm -rf "$scratch/other"
is 'file modes kept' "$(stat -c %a "$tree/lib/Makefile")" \
	"$(stat -c %a "$LIBPFM4_SRC/lib/Makefile")"
# in the order of the families, which is an ABI
for f in $(sed '/^#/d' "$families/../facts/families"); do
	cat "$families/$f/family" "$made/$f/family" 2>/dev/null
done | awk -F '\t' '$1 == "pmu" { print "PFM_PMU_" $2 }' >"$scratch/want"
grep -B "$(wc -l <"$scratch/want")" 'MUST ADD NEW PMU MODELS HERE' "$tree/include/perfmon/pfmlib.h" |
	sed -n 's/^[[:space:]]*\(PFM_PMU_.*\),.*/\1/p' >"$scratch/got"
is 'enum values: eleven of Skylake, two M-Boxes and ten C-Boxes among them' \
	"$(grep -c 'SKL_UNC_\|NHMEX_UNC_' "$scratch/want")" 23
same 'enum values at the place that the file names' "$scratch/want" "$scratch/got"
rc=0
"$add" --check "$tree" >/dev/null || rc=$?
is '--check after: exit status' "$rc" 0
checksum "$tree" >"$scratch/sum1"
rc=0
out=$("$add" "$tree" 2>&1) || rc=$?
checksum "$tree" >"$scratch/sum2"
is 'second run: exit status' "$rc" 0
same 'second run: changes nothing' "$scratch/sum1" "$scratch/sum2"
case $out in
*'nothing changed'*) ok 'second run: says so' ;;
*)	not_ok 'second run: says so' "$out" ;;
esac

# an mv that fails at its fourth call
mkdir "$scratch/bin"
cat >"$scratch/bin/mv" <<'END'
#!/bin/sh
echo >>"$MV_CALLS"
[ "$(wc -l <"$MV_CALLS")" -ne 4 ] || exit 1
PATH=${PATH#*:}
exec mv "$@"
END
chmod +x "$scratch/bin/mv"
fresh full_disk
checksum "$scratch/full_disk" >"$scratch/sum3"
rc=0
out=$(MV_CALLS=$scratch/calls PATH=$scratch/bin:$PATH "$add" "$scratch/full_disk" 2>&1) || rc=$?
checksum "$scratch/full_disk" >"$scratch/sum2"
is 'failure in the middle: exit status' "$rc" 1
is 'failure in the middle: came after three moves' "$(wc -l <"$scratch/calls")" 4
same 'failure in the middle: everything put back' "$scratch/sum3" "$scratch/sum2"
case $out in
*'everything was put back'*) ok 'failure in the middle: says so' ;;
*)	not_ok 'failure in the middle: says so' "$out" ;;
esac
rm -rf "$scratch/full_disk"

cp -Rp "$tree" "$scratch/half"
cp "$LIBPFM4_SRC/docs/Makefile" "$scratch/half/docs/Makefile"
"$add" --check "$scratch/half" | grep -q 'incomplete'
is '--check tells of a half-done tree' $? 0
"$add" "$scratch/half" >/dev/null 2>&1
checksum "$scratch/half" >"$scratch/sum2"
same 'a half-done tree is completed' "$scratch/sum1" "$scratch/sum2"
rm -rf "$scratch/half"

# --- libpfm4's own tests, with the changed library ---

# libpfm4's makefiles do not work below a path with blanks
mv "$tree" "$scratch/tree"
tree=$scratch/tree

# The project's build has a libpfm4 of these very files, so that it is not made once more.
built_already()
{
	[ -x "${LIBPFM4_BUILD:-}/tests/validate" ] &&
	! diff -rq "$tree" "$LIBPFM4_BUILD" | grep -v "^Only in ${LIBPFM4_BUILD%/}[/:]"
}

ours()
{
	local tables
	tables=$(different 'events/*.h')
	different '*.c'
	grep -lF "${tables//events\//}" *.c
}

# different PATTERN: files of lib/ that are not the pristine tree's
different()
{
	comm -23 <(cksum $1 | sort) <(cd "$LIBPFM4_SRC/lib" && cksum $1 | sort) | sed 's/.* //'
}

build()
{
	if built_already; then
		tree=$LIBPFM4_BUILD
	else
		make -C "$tree/lib" DBG=-g libpfm.a && make -C "$tree/tests" DBG=-g &&
		make -C "$tree/examples" DBG=-g
	fi
}

if build >"$scratch/build" 2>&1; then
	ok 'library, tests and examples build'
else
	not_ok 'library, tests and examples build' "$(tail -n 20 "$scratch/build")"
	printf '%d passed, %d failed\n' "$passed" "$failed"
	exit 1
fi

# warnings TREE FILE...: what the compiler says of them with libpfm4's own options, without -Werror
warnings()
{
	local objects=("${@:2}")
	(make -B -C "$1/lib" DBG='-Wall -Wextra -Wno-unused-parameter' "${objects[@]/%.c/.o}" 2>&1 ||
		echo "error: make: status $?") |
		sed -n 's/:[0-9]*:[0-9]*: \(warning\|error\):/: \1:/p; /^error:/p' | sort
}

# Newer compilers warn of lines that libpfm4 has already: only new warnings count.
fresh pristine
readarray -t changed < <(cd "$scratch/tree/lib" && ours | sort -u)
readarray -t before < <(cd "$scratch/pristine/lib" && ls "${changed[@]}" 2>/dev/null)
warnings "$scratch/pristine" "${before[@]}" >"$scratch/want"
warnings "$scratch/tree" "${changed[@]}" >"$scratch/got"
is 'what was added or changed gives no new warning' \
	"$(comm -13 "$scratch/want" "$scratch/got")" ''

rc=0
"$tree/tests/validate" >"$scratch/validate" 2>&1 || rc=$?
if [ "$rc" -eq 0 ]; then
	ok 'tests/validate passes'
else
	not_ok 'tests/validate passes' "$(grep -v 'Passed$' "$scratch/validate")"
fi
is 'tests/validate checked our eleven tables' \
	"$(grep -c 'checking skl_unc_.*: Passed$' "$scratch/validate")" 11
is 'tests/validate ran our goldens' \
	"$(sed -n 's/^[[:space:]]*\([0-9]*\) x86 events: 0 errors$/\1/p' "$scratch/validate")" \
	"$(($(grep -c '\.name *=' "$LIBPFM4_SRC/tests/validate_x86.c") +
	$(cat "$families"/*/goldens_*.tsv "$made"/*/goldens_*.tsv | grep -vc '^#')))"
# Three generations together have all kinds of PMUs; their goldens were worked out by hand.
golden_rows() { sed '/^#/d; s/[0-9]::/N::/' "$1" | sort; }	# of units that are alike, any one
for file in "$here"/pfm/goldens/*.tsv; do
	is "${file##*/}: the rows that were made by hand are among those that are computed" \
		"$(comm -23 <(golden_rows "$file") <(golden_rows "$made"/*/"${file##*/}"))" ''
done
is 'goldens: every row of the TSV' \
	"$(goldens=$(cut -f 1 "$ours/goldens_skl_unc.tsv")
	shopt -s nocasematch
	awk -F '\t' 'NR > 1 { print $1 }' "$tsv" | while read -r event; do
		regex="::${event/./[:.]}"$'(\n|$)'
		[[ $goldens =~ $regex ]] || echo "$event"
	done)" ''

# --- every row of the TSV on every PMU that has it ---

# pmus UNIT
pmus()
{
	case $1 in
	CBO)	printf 'skl_unc_%s\n' "${cbos[@]}" ;;
	ARB)	echo skl_unc_arb ;;
	FIXED)	echo skl_unc_clk ;;
	IMC)	echo skl_unc_imc ;;
	esac
}

# expected encoding from the columns: the register's fields, enable and
# interrupt (bits 22 and 20) as libpfm4 always sets them; for the memory
# controller the offset
while IFS=$'\t' read -r event code umask _ required _ _ unit _; do
	[ "$event" != event ] || continue
	case $code in
	BAR+*)	value=$((${code#BAR+})) ;;
	*)	value=$((code | umask << 8 | 1 << 22 | 1 << 20)) ;;
	esac
	case $required in
	THR=*)	value=$((value | ${required#THR=} << 24)) ;;
	esac
	for pmu in $(pmus "$unit"); do
		printf '%s::%s 0x%x\n' "$pmu" "${event/./:}" "$value"
	done
done <"$tsv" | sort >"$scratch/expected"
is 'TSV rows expanded: 14 on 8 C-boxes, 8 + 1 + 5 others' "$(wc -l <"$scratch/expected")" 126

LIBPFM_ENCODE_INACTIVE=1
export LIBPFM_ENCODE_INACTIVE
cut -d ' ' -f 1 "$scratch/expected" | xargs "$tree/examples/check_events" |
	awk '/^Requested Event:/ { name = $3 } /^Codes/ { print name, $3 }' |
	sort >"$scratch/got"
same 'check_events: code, unit mask and threshold of every row' \
	"$scratch/expected" "$scratch/got"

# the manual's spelling
sed 's/\(::[^:]*\):/\1./' "$scratch/expected" | cut -d ' ' -f 1 |
	xargs "$tree/examples/check_events" | awk '/^Codes/ { print $3 }' | sort >"$scratch/got"
cut -d ' ' -f 2 "$scratch/expected" | sort >"$scratch/want"
same 'check_events: EVENT.UMASK gives the same codes' "$scratch/want" "$scratch/got"

for pmu in $(pmus CBO) skl_unc_arb skl_unc_clk skl_unc_imc; do
	"$tree/examples/showevtinfo" -L -E "$pmu::"
done | awk '{ print $2, $1 }' | sort >"$scratch/got"
same 'showevtinfo: these events and no others' "$scratch/expected" "$scratch/got"

is 'ANY_MESI as worked out by hand' "$("$tree/examples/check_events" \
	skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI | awk '/^Codes/ { print $3 }')" 0x508f34

# libpfm4 does not report counters: check the table
awk -F '\t' '$8 == "CBO" || $8 == "ARB" {
	sub(/\..*/, "", $1)
	print $1, ($4 == "0" ? "0x1" : $4 == "0,1" ? "0x3" : "?")
}' "$tsv" | sort -u >"$scratch/want"
awk '/\.name *= "UNC_(CBO|ARB)/ { split($0, q, "\""); name = q[2] }
	/\.cntmsk/ && name { gsub(/[ ,]/, ""); split($0, q, /[=\/]/); print name, q[2]; name = "" }' \
	"$tree/lib/events/intel_skl_unc_events.h" | sort >"$scratch/got"
same 'counters of each event' "$scratch/want" "$scratch/got"

# bad NAME EVENT TEXT
bad()
{
	local out rc=0
	out=$("$tree/examples/check_events" "$2" 2>&1) || rc=$?
	case $rc:$out in
	0:*)	not_ok "$1" "$out" ;;
	*"$3"*)	ok "$1" ;;
	*)	not_ok "$1" "$out" ;;
	esac
}

bad 'c=32 is refused' skl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL:c=32 'invalid event attribute value'
bad 'two unit masks are refused' \
	skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:READ_I:ANY_M \
	'invalid combination of model specific features'
bad 'unknown unit mask is refused' \
	skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:READ_X 'invalid event attribute'
bad 'ninth C-box is refused' skl_unc_cbo8::UNC_CBO_CACHE_LOOKUP:ANY_I 'event not found'

# --- the misprinted names of Knights Corner, the fixed counters of Core 2 ---

is 'tests/validate checked the fixed counters, and knc with two names more' \
	"$(grep -c 'checking core_fixed (3 events): Passed$\|checking knc (61 events): Passed$' \
		"$scratch/validate")" 2

# codes NAME...: what check_events says, without the enable and interrupt bits
codes()
{
	"$tree/examples/check_events" "$@" | awk '/^Requested Event:/ { name = $3 }
		/^Codes/ { print name, $3 }' | while read -r name code; do
		printf '%s 0x%x\n' "$name" $((code & ~0x500000))
	done
}

# every name that the document has, printed or meant; both privilege levels are the default
awk -F '\t' '$7 == "S" {
	print $1, $2, $3
	if ($8 != "-")
		print $8, $2, $3
}' "$here/../facts/knc/events.tsv" | while read -r event code umask; do
	printf 'knc::%s 0x%x\n' "$event" $((umask << 8 | code | 0x30000))
done | sort >"$scratch/want"
is 'knc: 59 events of the document and two misprints' "$(wc -l <"$scratch/want")" 61
cut -d ' ' -f 1 "$scratch/want" | xargs "$tree/examples/check_events" >"$scratch/out" 2>&1
codes $(cut -d ' ' -f 1 "$scratch/want") | sort >"$scratch/got"
same 'knc: check_events: codes of every name' "$scratch/want" "$scratch/got"
is 'knc: a misprint comes back as it is meant' \
	"$(grep -c '^Actual *Event: knc::L1_DATA_PF2:\|^Actual *Event: knc::L2_DATA_PF1_MISS:' \
		"$scratch/out")" 4

cat >"$scratch/want" <<'END'
knc::L1_DATA_PFI2:u:t:c=3 0x3210037
core_fixed::INST_RETIRED.ANY 0x300c0
core_fixed::CPU_CLK_UNHALTED.CORE 0x3003c
core_fixed::CPU_CLK_UNHALTED.REF 0x30300
core_fixed::INST_RETIRED.ANY:u 0x100c0
core_fixed::CPU_CLK_UNHALTED.CORE:k 0x2003c
core_fixed::UNHALTED_REFERENCE_CYCLES 0x30300
END
codes $(cut -d ' ' -f 1 "$scratch/want") >"$scratch/got"
same 'core_fixed: codes and privilege levels' "$scratch/want" "$scratch/got"
(awk -F '\t' '$4 ~ /^FIXED/ { sub(/\./, ":", $1); print "core_fixed::" $1 }' \
	"$here/../facts/core2-fixed/events.tsv"
echo core_fixed::UNHALTED_REFERENCE_CYCLES) | sort >"$scratch/want"
"$tree/examples/showevtinfo" -L core_fixed:: | sort >"$scratch/got"
same 'core_fixed: the documented events, and a name of the core PMU' "$scratch/want" "$scratch/got"
bad 'core_fixed: no threshold' core_fixed::INST_RETIRED:ANY:c=1 'invalid event attribute'
bad 'core_fixed: the clock needs a unit mask' core_fixed::CPU_CLK_UNHALTED 'unit mask'

# On a Core 2, names without a PMU stay those of libpfm4's own core PMU, the only one that is there.
if command -v qemu-x86_64 >/dev/null; then
	(unset LIBPFM_ENCODE_INACTIVE
	qemu-x86_64 -cpu core2duo "$tree/examples/check_events" INST_RETIRED:LOADS 2>/dev/null |
		sed -n '/^Detected PMU/,/^Total/p;/^PMU *:/p' | grep -o 'Intel .*') >"$scratch/got"
	printf '%s\n' 'Intel Core"]' 'Intel Core' >"$scratch/want"
	same 'core_fixed: not present with perf_event' "$scratch/want" "$scratch/got"
fi

# --- M-Boxes of the Xeon 7500 and E7 ---

is 'tests/validate checked both M-Boxes, unconfirmed events hidden' \
	"$(grep -c 'checking nhmex_unc_mbox[01] (20 events): Passed$' "$scratch/validate")" 2

# mbox_rows MARKS: "EVENT:UMASK CNT_CTL [sub-control]" of the rows with these marks. A counter that
# is enabled and wraps: 0x41; the fields of ZDP_CTL_FVC as in the guide's Table 2-89.
mbox_rows()
{
	local event code required mark field value sub
	while IFS=$'\t' read -r event code _ _ required _ mark _; do
		[[ $mark == [$1] ]] || continue
		case $code in
		inc_sel=*)	value=$((0x41 | ${code#*=} << 9)) ;;
		*)	value=$((0xc1 | ${code#*=} << 19)) ;;
		esac
		sub=
		for field in ${required//;/ }; do
			case $field in
			*.evnt[0-3]=*)	field=${field#*.evnt}
				sub=$((sub | ${field#*=} << 11 + 3 * ${field%=*})) ;;
			*.bcmd=*)	sub=$((sub | ${field#*=} << 5)) ;;
			*.resp=*)	sub=$((sub | ${field#*=} << 8)) ;;
			*\[*:*\]=*)	sub=$((sub | ${field#*=} << $(expr "$field" : '.*:\([0-9]*\)'))) ;;
			esac
		done
		event=${event/./:}
		printf '%s 0x%x' "${event//./_}" "$value"
		[ -z "$sub" ] || printf ' 0x%x' "$sub"
		echo
	done <"$mbox_tsv"
}

# mbox_codes PMU ROWS: what check_events says of the events of that file, sorted. Those with two codes
# come first: it frees a wild pointer when one of them comes after an event with one.
mbox_codes()
{
	"$tree/examples/check_events" $(awk -v pmu="$1" 'NF > 2 { print pmu "::" $1 }
		NF == 2 { last = last " " pmu "::" $1 } END { print last }' "$2") |
		awk '/^Requested Event:/ { name = $3; sub(/.*::/, "", name) }
			/^Codes/ { print name, $3 (NF > 3 ? " " $4 : "") }' | sort
}

mbox_rows SCDK | sort >"$scratch/rows"
is 'M-Box: rows of the TSV that are confirmed' "$(wc -l <"$scratch/rows")" 117
for box in 0 1; do
	mbox_codes nhmex_unc_mbox$box "$scratch/rows" >"$scratch/got"
	same "M-Box $box: check_events: codes of every row" "$scratch/rows" "$scratch/got"
	"$tree/examples/showevtinfo" -L -E "nhmex_unc_mbox$box::" | sed 's/.*:://' | sort >"$scratch/got"
	(cut -d ' ' -f 1 "$scratch/rows" && echo RAW) | sort >"$scratch/want"
	same "M-Box $box: showevtinfo: these events and no others" "$scratch/want" "$scratch/got"
done
is 'M-Box: goldens for every row' "$(goldens=$(cut -f 1 "$mbox/goldens_nhmex_mbox.tsv")
	while read -r event _; do
		[[ $goldens$'\n' = *nhmex_unc_mbox[01]::"$event"$'\n'* ]] || echo "$event"
	done <"$scratch/rows")" ''

bad 'M-Box: an unconfirmed event is refused' nhmex_unc_mbox0::PAGE_MISS 'event not found'
bad 'M-Box: an unconfirmed unit mask is refused' nhmex_unc_mbox0::BCMD_SCHEDQ_OCCUPANCY:ALL \
	'invalid event attribute'
bad 'M-Box: a third one is refused' nhmex_unc_mbox2::CYCLES 'event not found'

# --- C-Boxes: unit mask << 8 | code of the TSV, with enable and interrupt ---

awk -F '\t' 'NR > 1 { sub(/\./, ":", $1); print $1, $2, $3 == "-" ? 0 : $3 }' \
	"$here/../facts/nehalem-ex-cbox/events.tsv" | while read -r event code umask; do
	printf '%s 0x%x\n' "$event" $((0x500000 | umask << 8 | code))
done | sort >"$scratch/rows"
is 'C-Box: rows of the TSV' "$(wc -l <"$scratch/rows")" 25
for box in 0 9; do
	mbox_codes nhmex_unc_cbox$box "$scratch/rows" >"$scratch/got"
	same "C-Box $box: check_events: codes of every row" "$scratch/rows" "$scratch/got"
	"$tree/examples/showevtinfo" -L -E "nhmex_unc_cbox$box::" | sed 's/.*:://' | sort >"$scratch/got"
	cut -d ' ' -f 1 "$scratch/rows" | sort >"$scratch/want"
	same "C-Box $box: showevtinfo: these events and no others" "$scratch/want" "$scratch/got"
done
is 'C-Box: goldens for every row' "$(goldens=$(cut -f 1 "$families/nhmex_cbox/goldens_nhmex_cbox.tsv")
	while read -r event _; do
		[[ $goldens$'\n' = *nhmex_unc_cbox[0-9]::"$event"$'\n'* ]] || echo "$event"
	done <"$scratch/rows")" ''
bad 'C-Box: an eleventh one is refused' nhmex_unc_cbox10::SNPS 'event not found'

# validator SED: what the M-Boxes' own validator says of a table with that mistake, and its status
mkdir -p "$scratch/mistake/events"
cp "$tree/lib/pfmlib_intel_nhmex_mbox.c" "$scratch/mistake/validator.c"
cat >>"$scratch/mistake/validator.c" <<'END'
int main(void)
{
	return intel_nhmex_unc_mbox0_support.validate_table(NULL, stdout) != PFM_SUCCESS;
}
END
validator()
{
	sed "$1" "$tree/lib/events/intel_nhmex_mbox_events.h" \
		>"$scratch/mistake/events/intel_nhmex_mbox_events.h"
	${CC:-cc} -D_GNU_SOURCE -w -I"$tree/lib" -I"$tree/include" -DCONFIG_PFMLIB_ARCH_X86 \
		-DCONFIG_PFMLIB_ARCH_X86_64 -o "$scratch/mistake/validator" \
		"$scratch/mistake/validator.c" "$tree/lib/libpfm.a" 2>&1 &&
		"$scratch/mistake/validator"
	echo "status $?"
}
is 'M-Box: validator: the table as it is' "$(validator '')" 'status 0'
is 'M-Box: validator: a unit mask twice' \
	"$(validator '/\.uname = "OPEN"/s/OPEN/CLOSED/')" \
	'event CYCLES_PGT_STATE umask CLOSED :: stands there twice
status 1'
is 'M-Box: validator: a unit mask without a description' \
	"$(validator '/\.uname = "OPEN"/{n;s/"[^"]*"/""/}')" \
	'event CYCLES_PGT_STATE umask1 :: no name or description
status 1'

LIBPFM_NHMEX_UNCONFIRMED=1
export LIBPFM_NHMEX_UNCONFIRMED
is 'M-Box: all rows of the TSV on request' \
	"$("$tree/examples/showevtinfo" -L -E nhmex_unc_mbox0:: | wc -l)" \
	"$(($(wc -l <"$mbox_tsv") - 1 + 1))"
is 'tests/validate passes with them' \
	"$("$tree/tests/validate" 2>&1 | grep -c 'mbox[01] (37 events): Passed$\|All tests passed')" 3
# by hand from values that LIKWID alone has: PLD is the upper half
cat >"$scratch/want" <<'END'
CYCLES_PGT_STATE:OPEN 0x2800c1 0x40
DRAM_CMD:RAS 0x1441 0x20000000000
PAGE_MISS 0x2641
THERM_TRP_UP:GT_LO 0x841 0x88
END
mbox_codes nhmex_unc_mbox0 "$scratch/want" >"$scratch/got"
same 'M-Box: some of them' "$scratch/want" "$scratch/got"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
