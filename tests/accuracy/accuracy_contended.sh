#!/bin/bash
# SPDX-License-Identifier: MIT
# False sharing is visible: threads that increment neighbouring words move the line at least once in
# 50 increments, twice the increments move it twice as often (within 20 %), and words with a line of
# their own move less than once in 1,000 increments. Quiet, and beside two busy processes. A locked
# increment moves the line once at most, and each fourth does, at least. Lines that go from thread to
# thread at a barrier move at each barrier, and not at each increment.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/stack.sh"
requires "$vpmu" "set VPMU or STAGE"
requires ipmu-run "it is built where muparser is"
requires qemu-x86_64 "what runs has to be counted"
passed=0 failed=0
cd "$scratch" || exit 1
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -pthread -o contended "$root/tests/run/contended.c" || exit 1

# moves MACHINE EVENT THREADS INCREMENTS-OF-EACH LINES
moves() {
	"$vpmu" run --strict --no-feed -m "$1" -- ipmu-run -e "$2" -o out -- \
		"$vpmu" run -- ./contended "$3" "$4" "$5" 2>err || { cat err >&2; return 1; }
	awk -F, '$1 == "event" && $4 == "all" { print $5 }' out.csv
	rm -f out.*
}

check() {	# check WHAT CONDITION
	if awk "BEGIN { exit !($2) }"; then
		passed=$((passed + 1))
	else
		echo "FAILED: $1: $2"
		failed=$((failed + 1))
	fi
}

each=50000
try() {		# try MACHINE EVENT THREADS
	local what="$1, $3 threads" all=$((each * $3)) one two apart
	one=$(moves "$@" $each 0) && two=$(moves "$@" $((2 * each)) 0) && apart=$(moves "$@" $each 1) ||
		{ failed=$((failed + 1)); return; }
	printf '%-22s %8d in %7d increments, %8d in twice as many; %5d apart\n' "$what" "$one" "$all" \
		"$two" "$apart"
	check "$what, shared" "$one >= $all / 50"
	check "$what, growth" "$two >= 0.8 * 2 * $one && $two <= 1.2 * 2 * $one"
	check "$what, apart" "$apart < $all / 1000"
}

for threads in 2 8; do
	[ $threads = 2 ] && pairs=core2-2c || pairs=core2-8c	# two cores share an L2, and a package
	try skl-8c16t skl_unc_cbo.UNC_CBO_XSNP_RESPONSE:HITM_XCORE $threads
	try $pairs core.CMP_SNOOP:BOTH_CORES:INVALIDATE $threads
done
try knc-8c32t knc.SNP_HITM_L2 4

for threads in 2 4 8; do
	all=$((each * threads))
	count=$(moves skl-8c16t skl_unc_cbo.UNC_CBO_XSNP_RESPONSE:HITM_XCORE $threads $each 4) || count=0
	echo "$threads threads, locked: $count in $all increments"
	check "$threads threads, locked" "$count >= $all / 4 && $count <= $all"
done

# A line moves at each of the turns of 1,000 increments, and the barrier's own line a few times more.
# Threads that arrive together may not have waited: then a turn counts as contended.
turns() {	# turns LINES WHAT
	local moved=$((each * 4 / 1000)) count
	count=$(moves skl-8c16t skl_unc_cbo.UNC_CBO_XSNP_RESPONSE:HITM_XCORE 4 $each "$1") ||
		{ failed=$((failed + 1)); return; }
	echo "4 threads with a barrier ($2): $count in $((each * 4)) increments, $moved turns"
	check "4 threads, barrier ($2)" "$count >= 0.9 * $moved && $count < $each * 4 / 5"
}
turns 2 "the kernel's"
turns 3 PAUSE
busy=()
for _ in 1 2; do
	while :; do :; done &
	busy+=($!)
done
trap 'kill "${busy[@]}"; rm -rf "$scratch"' EXIT
try skl-8c16t skl_unc_cbo.UNC_CBO_XSNP_RESPONSE:HITM_XCORE 4
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
