#!/bin/bash
# SPDX-License-Identifier: MIT
# Instructions that return a program's CPU: CPUID's APIC numbers against what /proc and /sys say,
# RDTSCP and RDPID against sched_setaffinity, and on Knights Corner RDTSC against MSR 10H and SPFLT
# against what is counted. VPMU: the vpmu binary.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${VPMU:?set VPMU to the vpmu binary}"
needs "${VPMU_QEMU:-qemu-x86_64}"
export VPMU_TALLY=$scratch/tally	# registers are left changed on purpose

compile "$scratch/place" place.c -O1 || exit 1
compile "$scratch/knc" spflt.c -O1 || exit 1

go() { "$VPMU" run "$@" >"$scratch/out" 2>"$scratch/err"; }
places() {	# places MACHINE CPUS [AUX]
	go -m "$1" "$scratch/place" ${3:+"$3"}
	is "$1" "0 $2 CPUs, 0 wrong" "$? $(cat "$scratch/out")"
	is "$1: messages" "" "$(cat "$scratch/err")"
}
places skl-4c8t 8 1
places cml-10c20t 20 1
places adl-8p8e24t 24 3
places mtl-6p8e2lp22t 22 3
places icl-4c8t 8 2
places nhmex-2p8c16t 16 1
places p4-2p4t 4
places knc-61c244t 244
places core2-4c 4

go -m knc-61c244t "$scratch/knc"
is "knc: status" 0 $?
# While the preference is on: the loop's 2,000, and the SPFLT that ends it.
is "SPFLT: counts, and the register" "0 2001 0 1 8000000000000001" "$(sed -n 1p "$scratch/out")"
is "RDTSC and its MSR" "1 1 1" "$(sed -n 2p "$scratch/out")"
clocks=$(sed -n 3p "$scratch/out")
[ "$clocks" -ge 1000 ] && [ "$clocks" -lt 100000 ] && ok || bad "$clocks clocks of a loop of 1000 rounds"
is "knc: the TSC runs while a program sleeps, and RDTSC is still its MSR" "1 1" "$(sed -n 4p "$scratch/out")"
go -m skl-4c8t "$scratch/knc" alone
is "SPFLT on another machine: SIGILL" 132 $?
finish
