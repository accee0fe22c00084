#!/bin/bash
# SPDX-License-Identifier: MIT
# 32 threads of one program start, read, reset and stop the same events through PAPI, 1,000 times each
# on the real CPUs, and 100 times emulated and counted as a whole; and one unloads PAPI while it
# counts. Nothing may be left in the registers, and no thread.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -I"$STAGE/include" "$here/clients/threads.c" \
	-o "$scratch/threads" -L"$STAGE_LIB" -Wl,-rpath,"$STAGE_LIB" -lpapi -lpthread || exit 1

${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -I"$STAGE/include" "$here/clients/unload.c" \
	-o "$scratch/unload" -Wl,-rpath,"$STAGE_LIB" -ldl || exit 1

# Is any event select or global control register other than 0? Switches of general counters are on at
# reset.
enabled() {
	"$vpmu" regs -s "$scratch/segment" --tsv | awk -F'\t' -v at_reset=IA32_PERF_GLOBAL_CTRL0xF '
		$1 ~ /PERFEVTSEL|GLOBAL_CTRL|FIXED_CTRL/ && $NF !~ /^0x0$/ && $1 $NF != at_reset' | grep .
}

run() {		# run NAME CYCLES OPTION IDLE: the last two may be empty
	local name=$1 cycles=$2
	rm -f "$scratch/segment"
	"$vpmu" run --strict -m skl-4c8t -s "$scratch/segment" $3 -- \
		"$scratch/threads" 32 "$cycles" $4 >"$scratch/out" 2>&1
	verdict "$name" $?
	grep -qx "32 x $cycles cycles, 0 failures" "$scratch/out"
	verdict "$name: every cycle" $?
	! enabled >>"$scratch/out"
	verdict "$name: registers" $?
}

needs qemu-x86_64
run threads 1000 --no-feed idle
run 'threads, emulated' 100 '' ''

unload() {	# unload NAME OPTION
	rm -f "$scratch/segment"
	"$vpmu" run $2 --strict -m skl-4c8t -s "$scratch/segment" -- timeout $HANG_SECONDS "$scratch/unload" \
		>"$scratch/out" 2>&1
	verdict "$1" $?
	grep -qx '1 0 gone' "$scratch/out"
	verdict "$1: threads while it counts, and after" $?
	! enabled >>"$scratch/out"
	verdict "$1: registers" $?
}

# If other threads may run where a thread counts, that is reported once a process, if PAPI's messages
# are on.
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -I"$STAGE/include" "$here/clients/sharing.c" \
	-o "$scratch/sharing" -L"$STAGE_LIB" -Wl,-rpath,"$STAGE_LIB" -lpapi -lpthread || exit 1

sharing() {	# sharing HOW LINES: so many warnings
	PAPI_VERBOSE=1 "$vpmu" run --no-feed --strict -m core2-4c -- "$scratch/sharing" "$1" \
		>"$scratch/out" 2>&1
	verdict "sharing CPUs, $1" $?
	grep -qx '0 failures' "$scratch/out"
	verdict "sharing CPUs, $1: every set" $?
	[ "$(grep -c 'intel_core: event sets of two threads count on CPU [0-3]' "$scratch/out")" = "$2" ]
	verdict "sharing CPUs, $1: $2 warnings" $?
}

sharing free 1
sharing pair 1
sharing bound 0
sharing named 0
sharing alone 0
env -u PAPI_VERBOSE "$vpmu" run --no-feed --strict -m core2-4c -- "$scratch/sharing" free \
	>"$scratch/out" 2>&1 && [ "$(cat "$scratch/out")" = '0 failures' ]
verdict 'sharing CPUs: not a word unasked' $?

unload unloading --no-feed
unload 'unloading, emulated' ''
finish
