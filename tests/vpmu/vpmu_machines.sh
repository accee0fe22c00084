#!/bin/bash
# SPDX-License-Identifier: MIT
# One machine of every family: its name, topology as hwloc reads it, CPU identity as a program
# sees it, events and registers. VPMU: the vpmu binary.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${VPMU:?set VPMU to the vpmu binary}"
export VPMU_TALLY=$scratch/tally	# registers are left changed on purpose

refused() {	# TEXT NAME
	local said
	said=$("$VPMU" regs -m "$2" 2>&1 >/dev/null)
	is "$2: status" 125 $?
	case $said in *"$1"*) ok ;; *) bad "$2: '$1' is not in '$said'" ;; esac
}

# names
clients=$(sed '1d; s/	.*//' "$SRCDIR/tests/data/clients.tsv")
for name in skl-1c1t skl-256c512t knc-1c4t knc-4c16t knc-60c240t knc-61c244t core2-2c core2-4c \
	    core2-16c nhmex-1p8c16t nhmex-4p32c64t nhmex-8p64c64t nhmex-2p8c8t p4-1c1t p4-1c2t \
	    p4-2p4t p4-2p2t p4-8p16t adl-1p4e6t adl-8p8e16t adln-4e4t mtl-1p4e2lp8t $clients; do
	"$VPMU" regs -m "$name" >"$scratch/regs" 2>&1
	is "$name is a machine" 0 $?
done
refused "1 to 61 cores" knc-62c248t
refused "1 to 61 cores" knc-0c0t
refused "use the form knc-4c16t" knc-4c8t
refused "unknown machine" knc-4c
refused "unknown machine" knc-1p4c16t
refused "a multiple of 2" core2-3c
refused "a multiple of 2" core2-0c
refused "2 to 16 cores" core2-18c
refused "unknown machine" core2-4c4t
refused "1 to 8 packages" nhmex-9p72c72t
refused "1 to 8 packages" nhmex-0p8c8t
refused "at most 8" nhmex-2p18c18t
refused "same number of cores" nhmex-3p8c8t
refused "nhmex-1p8c8t or nhmex-1p8c16t" nhmex-1p8c24t
refused "unknown machine" nhmex-8c16t
refused "1 to 8 packages" p4-9p18t
refused "p4-2p2t or p4-2p4t" p4-2p3t
refused "at most 1" p4-2c4t
refused "unknown machine" wsmex-1p8c16t	# there is no E7
refused "unknown machine" p4-2p2c4t
refused "unknown machine" p4-2t2p
refused "unknown machine" p4-02p4t
refused "unknown machine" p4-2p4t1
refused "unknown machine" p4
refused "1 to 8 P cores and 4 to 8 E cores, a multiple of 4" adl-8p6e22t
refused "use the form adl-8p8e16t or adl-8p8e24t" adl-8p8e20t
for family in skl cml knc core2 nhmex p4 $(sed "s/-.*//" <<<"$clients"); do
	"$VPMU" machines | grep -q "^$family-" && ok || bad "machines lists $family"
done
for family in knc core2 p4; do
	is "machines: $family has no LLC" 0 "$("$VPMU" machines | sed -n "/^$family-/,/fill buffers/p" | grep -c LLC)"
done

# what lstopo counts and shows: packages, NUMA nodes, L3s, L2s, cores, PUs; CPUs of the first core
topology() {	# NAME EXPECTED CPUS
	# shellcheck disable=SC2016
	"$VPMU" run --no-feed -m "$1" sh -c 'unset LD_PRELOAD
		for kind in package numanode l3 l2 core pu; do
			lstopo-no-graphics -i "$HWLOC_XMLFILE" --only $kind | grep -c "#"
		done' >"$scratch/kinds" 2>"$scratch/err"
	is "topology of $1" "$2" "$(paste -sd' ' "$scratch/kinds")"
	# shellcheck disable=SC2016
	is "CPUs of core 0 of $1" "$3" "$("$VPMU" run --no-feed -m "$1" sh -c 'unset LD_PRELOAD
		hwloc-calc -i "$HWLOC_XMLFILE" --po -I pu core:0' 2>&1)"
}
if command -v lstopo-no-graphics >/dev/null && command -v hwloc-calc >/dev/null; then
	topology skl-4c8t "1 1 1 4 4 8" "0,4"
	topology cml-10c20t "1 1 1 10 10 20" "0,10"
	topology knc-4c16t "1 1 0 4 4 16" "0,1,2,3"
	topology knc-60c240t "1 1 0 60 60 240" "0,1,2,3"
	topology core2-4c "2 1 0 2 4 4" "0"
	topology nhmex-4p32c64t "4 4 4 32 32 64" "0,32"
	topology nhmex-1p8c16t "1 1 1 8 8 16" "0,8"
	topology adl-8p8e24t "1 1 1 10 16 24" "0,1"
	topology mtl-6p8e2lp22t "1 1 1 9 16 22" "0,1"
	topology lnl-4p4e8t "1 1 1 5 8 8" "0"
	topology adln-8e8t "1 1 1 2 8 8" "0"
	# shellcheck disable=SC2016
	is "kinds of cores" "IntelAtom 0x00ff0000 IntelCore 0x0000ffff" \
		"$("$VPMU" run --no-feed -m adl-8p8e24t sh -c 'unset LD_PRELOAD
			lstopo-no-graphics -i "$HWLOC_XMLFILE" --cpukinds' |
		awk '/cpuset/ { set = $NF } /CoreType/ { print $NF, set }' | paste -sd' ')"
	topology p4-1c2t "1 1 0 1 1 2" "0,1"
	topology p4-2p4t "2 1 0 2 2 4" "0,2"
fi

# the CPU's identity, by the instruction: vendor, family, model; and not a word from QEMU
if command -v "${VPMU_QEMU:-qemu-x86_64}" >/dev/null && compile "$scratch/id" identity.c; then
	while read -r name family model; do
		is "identity of $name" "GenuineIntel $family $model hypervisor 0" \
			"$("$VPMU" run -m "$name" "$scratch/id" 2>&1)"
	done <<-END
		skl-4c8t 6 94
		cml-10c20t 6 165
		snb-4c8t 6 42
		ivb-4c8t 6 58
		hsw-4c8t 6 60
		bdw-4c8t 6 71
		knc-4c16t 11 1
		core2-4c 6 15
		nhmex-1p8c16t 6 46
		adl-8p8e24t 6 151
		rpl-8p16e32t 6 183
		adln-8e8t 6 190
		mtl-6p8e2lp22t 6 170
		arl-8p16e24t 6 198
		lnl-4p4e8t 6 189
		p4-1c2t 15 4
		p4-2p4t 15 4
	END
fi

# events and registers: as many as the tables of facts have, and a reason for what is not driven
lines() { "$VPMU" "$@" | tail -n +2 | wc -l; }
is "Knights Corner's events" 63 "$(($(lines events -m knc-4c16t) - 1))"	# the last line counts
is "Knights Corner's registers" 9 "$(lines regs -m knc-4c16t)"
is "Core 2's registers, and DEBUGCTL" 14 "$(lines regs -m core2-4c)"
# What is driven: all of Skylake's uncore but requests of graphics and devices, and as many as
# docs/pmus.md states.
is "Skylake's events that are not driven" 'DRAM_GT_REQUESTS DRAM_IO_REQUESTS ' \
	"$("$VPMU" events -m skl-4c8t |
		awk '$1 ~ /^(CBO|ARB|IMC)$/ && $6 != "yes" { print $2 }' | sort | tr '\n' ' ')"
is "Knights Corner's events that are driven" 46 "$("$VPMU" events -m knc-4c16t | awk '$6 == "yes"' | wc -l)"
for name in knc-4c16t core2-4c; do
	"$VPMU" events -m "$name" | awk '$5 == "no" || $6 == "no" || $7 == "no"' | \
		grep -v 'stays 0: ' >"$scratch/unsaid"
	is "$name: no reason given" "" "$(cat "$scratch/unsaid")"
done
"$VPMU" regs -m knc-4c16t --tsv | grep -q "^IA32_PERF_GLOBAL_OVF_CTRL	0x2E	32	WO	0x3	thread	" &&
	ok || bad "regs shows a write-only register"

# devices: nothing of another family, and a kept segment keeps core and thread registers
if command -v wrmsr >/dev/null; then
	"$VPMU" run --no-feed -m knc-4c16t rdmsr 0x700 >/dev/null 2>&1
	is "a Skylake register on Knights Corner" 4 $?
	"$VPMU" run --no-feed -m knc-4c16t head -c 4 /sys/bus/pci/devices/0000:00:00.0/config \
		>/dev/null 2>&1
	is "no host bridge there" 1 $?
	"$VPMU" run --no-feed -m knc-4c16t -s "$scratch/kept" wrmsr -p 5 0x21 0x123456789a
	"$VPMU" run --no-feed -s "$scratch/kept" wrmsr -p 5 0x10 77
	for cpu in 4 5 6 8; do
		"$VPMU" run --no-feed -s "$scratch/kept" rdmsr -d -p $cpu 0x21
		"$VPMU" run --no-feed -s "$scratch/kept" rdmsr -d -p $cpu 0x10
	done >"$scratch/values" 2>&1
	is "a thread's counter, a core's TSC" "0 77 78187493530 77 0 77 0 0" \
		"$(paste -sd' ' "$scratch/values")"
	"$VPMU" run --no-feed -s "$scratch/kept" rdmsr -p 0 0x2e 2>&1 |
		grep -q 'read of a write-only register' && ok || bad "write-only is told"
	"$VPMU" run --no-feed -m knc-4c16t wrmsr -p 3 0x28 0x41001f 2>&1 |
		grep -q 'code 0x1f umask 0x00 on IA32_PerfEvtSel0: stays 0: the pipeline' &&
		ok || bad "an undriven event is told"
fi

# Plugins of hwloc, which has its topology without them, take longer than the rest of a start; and
# who wants them has them.
loaded() {	# loaded OPTION... : plugins that a program on the machine loads
	env "$@" LD_DEBUG=files "$VPMU" run -m skl-4c8t -- pmutopo 2>&1 >"$scratch/shown" |
		grep -c 'calling init: .*/hwloc_[a-z_]*\.so'
}
is "plugins of hwloc that are loaded" 0 "$(loaded -u HWLOC_PLUGINS_PATH)"
grep -q '4 cores' "$scratch/shown" || bad "pmutopo shows no topology"
is "a path of one's own is kept" /own \
	"$(HWLOC_PLUGINS_PATH=/own "$VPMU" run -m skl-4c8t -- printenv HWLOC_PLUGINS_PATH)"

finish
