#!/bin/bash
# SPDX-License-Identifier: MIT
#
# pfm_events/add-to-libpfm4 on a real libpfm4 tree: what it adds, what it
# refuses, and what the changed library then says about every documented event.
# LIBPFM4_SRC names a pristine libpfm4 source tree; it is only read.

set -u
LC_ALL=C
export LC_ALL

here=$(cd "$(dirname "$0")" && pwd)
add=$here/../pfm_events/add-to-libpfm4
ours=$here/../pfm_events/skl_unc
tsv=$here/data/skl-client-uncore.events.tsv
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
damaged no_list lib/pfmlib_common.c 's/pfmlib_pmus\[\]/pfmlib_list[]/'
refuses 'pfmlib_common.c with another list' "$scratch/no_list" 'pfmlib_common.c: no line matches'
damaged twice lib/pfmlib_common.c 's/^.*&intel_x86_arch_support,.*/&\n&/'
refuses 'pfmlib_common.c with two anchors' "$scratch/twice" 'more than one line matches'
damaged cut lib/pfmlib_common.c '/&intel_x86_arch_support/q'
refuses 'pfmlib_common.c cut short' "$scratch/cut" "pfmlib_common.c: no line matches '^};'"
damaged no_max include/perfmon/pfmlib.h '/^[[:space:]]*PFM_PMU_MAX/d'
refuses 'pfmlib.h without PFM_PMU_MAX' "$scratch/no_max" 'pfmlib.h: no line matches'
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
is 'first run: only lines added' \
	"$(diff -r "$LIBPFM4_SRC" "$tree" | grep -c '^<')" 0
is 'file modes kept' "$(stat -c %a "$tree/lib/Makefile")" \
	"$(stat -c %a "$LIBPFM4_SRC/lib/Makefile")"
is 'enum values directly before PFM_PMU_MAX' \
	"$(grep -n 'PFM_PMU_INTEL_SKL_UNC_\|^[[:space:]]PFM_PMU_MAX' "$tree/include/perfmon/pfmlib.h" |
	awk -F : 'NR == 1 { n = $1 } $1 != n++ { bad = 1 } END { print NR, bad + 0 }')" '12 0'
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

build()
{
	(cd "$tree/lib" && make libpfm.a) && (cd "$tree/tests" && make) &&
	(cd "$tree/examples" && make)
}

if build >"$scratch/build" 2>&1; then
	ok 'library, tests and examples build'
else
	not_ok 'library, tests and examples build' "$(tail -n 20 "$scratch/build")"
	printf '%d passed, %d failed\n' "$passed" "$failed"
	exit 1
fi

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
	$(($(grep -c '\.name *=' "$LIBPFM4_SRC/tests/validate_x86.c") +
	$(grep -c '\.name *=' "$ours/validate_skl_unc.txt")))
is 'goldens: every row of the TSV' \
	"$(awk -F '\t' 'NR > 1 { print $1 }' "$tsv" | while read -r event; do
		grep -qi "::${event/./[:.]}\"" "$ours/validate_skl_unc.txt" || echo "$event"
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

is 'ANY_MESI as in the fact sheet' "$("$tree/examples/check_events" \
	skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI | awk '/^Codes/ { print $3 }')" 0x508f34

# libpfm4 tells no one about counters: look at the table
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

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
