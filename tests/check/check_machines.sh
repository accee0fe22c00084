#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-check on virtual machines of each family: nothing fails and nothing is lost in noise, the
# machine's rules are kept, and each PMU has its rows. Lines and instructions follow from the size of
# the buffer that the first lines say, and from the loops of kernels.c.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"

number() {	# number EVENT TEST CPUS: the count of that row
	awk -v e="$1" -v t="$2" -v c="$3" '$1 == e && $2 == t && $3 == c { print $4 }' "$scratch/out"
}
near() {	# near WHAT EXPECTED GOT: within a tenth
	awk -v want="$2" -v got="${3:-none}" 'BEGIN {
		exit !(got ~ /^[0-9]+$/ && got >= want * 0.9 && got <= want * 1.1) }'
	verdict "$machine: $1: $2, got ${3:-none}" $?
}
# The buffer has 4 MiB for each CPU of the machine, or twice its last-level cache: the smallest machines that
# have several cores, two threads of a core, or a core of each kind show the same as larger ones. What a program
# itself does is within the limits of events of cores on 24 MiB of six CPUs, not on 16 of four.
check() {	# check MACHINE PMU...
	local cache=() pmus=()
	machine=$1
	shift
	case $machine in skl*) cache=(--llc 1536K,16,64) ;; hsw* | adl* | nhmex*) cache=(--llc 1M,16,64) ;; esac
	# Events of both kinds of cores are counted by accuracy_hybrid and accuracy_cores.
	[[ $machine != adl* ]] || pmus=(-p '*_[uf]*')
	"$vpmu" run --strict --cpus 0 -m "$machine" "${cache[@]}" -- ipmu-check -o "$scratch/file" "${pmus[@]}" \
		>"$scratch/out" 2>"$scratch/err"
	verdict "$machine: status" $?
	is "$machine: stderr" '' "$(<"$scratch/err")"
	grep -qE '^[1-9][0-9]* passed, 0 failed, 0 noise, ' "$scratch/out"
	verdict "$machine: nothing failed" $?
	lines=$(sed -n 's/^geometry: .*, buffer of \([0-9]*\) KiB$/\1/p' "$scratch/out")
	lines=$((lines * 1024 / 64))
	for pmu; do
		grep -qE "^$pmu\..* (all|one) .* pass$" "$scratch/out"
		verdict "$machine: rows of $pmu" $?
	done
	grep -qE '^registers of .* restore .* pass$' "$scratch/out"
	verdict "$machine: registers were compared" $?
	# A file to send has the same, but for progress and notes.
	is "$machine: the file" "$(grep -v -e '^round ' -e '^note: ' "$scratch/out")" "$(<"$scratch/file")"
}

check skl-3c6t skl_unc_cbo skl_unc_arb skl_unc_clk skl_unc_imc skl core_fixed
near 'lines that are read' $lines "$(number skl_unc_imc.DRAM_DATA_READS read one)"
near 'lines that are chased by all' $lines "$(number skl_unc_imc.DRAM_DATA_READS chase all)"
near 'lines that are written' $lines "$(number skl_unc_imc.DRAM_DATA_WRITES write all)"
near 'lines past the caches' $lines "$(number skl_unc_imc.DRAM_DATA_WRITES nt-write one)"
near 'lines that miss' $lines "$(number skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I write one)"
near 'instructions' $((4 * lines)) "$(number core_fixed.INST_RETIRED:ANY read one)"
for pmu in skl_unc_cbo skl_unc_arb skl_unc_clk core_fixed ix86arch; do
	grep -qE "^$pmu\..* wrap .* pass$" "$scratch/out"
	verdict "wrap of $pmu" $?
done
is 'freezes' 3 "$(grep -cE '^skl_unc_.* freeze .* pass$' "$scratch/out")"

check hsw-1c2t hsw_unc_cbo hsw_unc_arb hsw_unc_clk hsw_unc_imc
check adl-1p4e5t adl_unc_imc adl_unc_imc_free_running adl_unc_arb adl_unc_clk core_fixed
check nhmex-1p1c2t nhmex_unc_mbox nhmex_unc_cbox
near 'lines that are read' $lines "$(number nhmex_unc_mbox.INFLIGHT_CMDS read one)"
near 'lines that are written' $((2 * lines)) "$(number nhmex_unc_mbox.BBOX_CMDS_ALL write one)"
near 'lines that miss' $lines "$(number nhmex_unc_cbox.LLC_MISSES:ALL write one)"
check core2-2c core core_fixed
check knc-1c4t knc
near 'loads' $lines "$(number knc.DATA_READ chase one)"
check p4-1c2t netburst_p
near 'instructions' $((3 * lines)) "$(number netburst_p.instr_retired:NBOGUSNTAG chase one)"

# -- a file has neither the host's name nor the user's
# Each step's line is written before the next one begins: a reader that leaves ends the program.
"$vpmu" run -m p4-1c2t --cpus 0 -- ipmu-check 2>/dev/null | grep -m 1 '^round ' >"$scratch/out"
[ "${PIPESTATUS[0]}" != 0 ] && grep -qx 'round 1: kernel read, one CPU' "$scratch/out"
verdict 'lines are written as they come' $?
! grep -qwF -e "$(uname -n)" -e "$(id -un)" "$scratch/file"
verdict 'no names of host and user in the file' $?
"$vpmu" run --no-feed -m p4-1c2t -- ipmu-check -o "$scratch/none/file" >"$scratch/out" 2>&1
is 'a file that cannot be written' 1 $?

# -- a counter that the kernel keeps for its watchdog costs the events of the cores, and no more: fixed
# counter 1 at ring 0 with its interrupt, SDM 18.2.2
"$vpmu" run -m skl-2c2t --cpus 0 --llc 1M,16,64 --set IA32_FIXED_CTR_CTRL=0x90 --set IA32_PERF_GLOBAL_CTRL=0x20000000F \
	-- ipmu-check -p '*_[uf]*' >"$scratch/out" 2>"$scratch/err"
is 'a watchdog: status' 0 $?
grep -qE '^core_fixed +open .* skipped$' "$scratch/out" &&
	grep -q 'kernel.nmi_watchdog=0' "$scratch/out"
verdict 'a watchdog is named' $?
grep -qE '^skl_unc_cbo\..* pass$' "$scratch/out"
verdict 'a watchdog: the uncore is checked' $?

# -- what is not permitted is reported, and nothing checked is no success
"$vpmu" run --no-feed --msr-safe -m hsw-2c4t -- ipmu-check >"$scratch/out" 2>&1
is 'an empty allowlist: status' 3 $?
grep -q 'allowlist' "$scratch/out"
verdict 'an empty allowlist is named' $?
"$vpmu" run -m hsw-1c2t --cpus 0 --llc 1M,16,64 -- ipmu-check -p '*_unc_clk' >"$scratch/out" 2>&1
is 'the clock alone: status' 0 $?
is 'the clock alone: PMUs' hsw_unc_clk "$(sed -n 's/^\([a-z_0-9]*\)\..* pass$/\1/p' "$scratch/out" | sort -u)"
"$vpmu" run --no-feed -m hsw-2c4t -- ipmu-check -p 'skl_*' >"$scratch/out" 2>&1
is 'no such PMU: status' 3 $?
grep -q 'no PMU of this machine that can be counted has such a name' "$scratch/out"
verdict 'no such PMU is said' $?
for wrong in -x --output argument; do
	ipmu-check $wrong >"$scratch/out" 2>&1
	is "ipmu-check $wrong" 2 $?
done
finish
