#!/bin/bash
# SPDX-License-Identifier: MIT
# Sums over the ranks of one virtual node: what all of them read is counted once, however many they
# are and wherever they run, and only one of them touches the registers.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
compile reads "-lipmu_mpi_$MPI"
elsewhere
reads=$imc.DRAM_DATA_READS
misses=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I

# 12 MiB a rank and more are more than the 8 MiB of last-level cache, so that each pass misses
# throughout; 5 % as in tests/vpmu/vpmu_mpi.sh for what MPI itself moves, and for the start of the small
# programs (5000 lines). Ranks that move bring 2 % more: all that they use besides the array comes
# once more to where they are.
run=$native mib=16
emulated() { run="$vpmu run" mib=12 "$@"; }
counts() {	# counts NAME RANKS [move]
	local name=$1 n=$2 wanted=$(($2 * (mib << 20) / 64)) percent=$((${3:+2} + 5))
	shift 2
	rm -f "$scratch/segment"
	# shellcheck disable=SC2086 # words
	ranks $n $run --strict -m skl-4c8t -s "$scratch/segment" "$scratch/reads" $mib "$@" \
		$reads $misses >"$scratch/out" 2>&1
	for event in $reads $misses; do
		got=$(sed -n "s/^$event //p" "$scratch/out")
		check "$name: $n ranks" within "$got" $wanted $percent
		printf '%-10s %d ranks %-56s %9s, %d by arithmetic\n' "$name" $n $event "$got" $wanted
	done
}

accesses() {	# device accesses of the whole run
	"$vpmu" regs -s "$scratch/segment" |
		sed -n 's/.*accesses: \([0-9]*\) rdmsr, \([0-9]*\) wrmsr, \([0-9]*\) PCI.*/\1 \2 \3/p'
}

# Is any event select register other than 0? Switches of general counters are on at reset.
enabled() {
	"$vpmu" regs -s "$scratch/segment" --tsv | awk -F'\t' -v at_reset=IA32_PERF_GLOBAL_CTRL0xF '
		$1 ~ /PERFEVTSEL|GLOBAL_CTRL|FIXED_CTRL/ && $NF !~ /^0x0$/ && $1 $NF != at_reset' | grep .
}

one=
for n in 1 2 8; do
	counts unbound $n
	check "$n ranks: no register is left enabled" differs enabled
	now=$(accesses)
	one=${one:-$now}
	echo "           rdmsr, wrmsr, PCI reads on the node: $now"
	check "$n ranks: register accesses as with one" [ -n "$now" -a "$now" = "$one" ]
done
first_mpi || finish	# where ranks run is the kernel's business
counts migrating 4 move
binding=core counts bound 2
# Four unbound emulated ranks are those of mpi_examples.sh.
binding=core emulated counts bound 4
finish
