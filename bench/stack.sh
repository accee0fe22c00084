# SPDX-License-Identifier: MIT
# Sourced by bench/run and the accuracy tests: finds the programs, runs one kernel either way.
#
# STAGE      prefix of the whole stack: vpmu, PAPI with the component
# VPMU       the vpmu command (default: STAGE/bin/vpmu, else from PATH)
# BIN        folder of the compiled workloads.c, or WORKLOADS: the program itself; with neither it
#            is compiled for the occasion, by CC
# MACHINE    the virtual machine (default skl-4c8t)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
vpmu=${VPMU:-${STAGE:+$STAGE/bin/}vpmu}
machine=${MACHINE:-skl-4c8t}
workloads=${WORKLOADS:-${BIN:+$BIN/workloads}}
llc=8388608,16,64	# of both; scripts may change it
read_i=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
export LC_ALL=C		# numbers with a point
# From 2.40 on, glibc's memset of a large block bypasses the caches; cachegrind has no such stores.
export GLIBC_TUNABLES=glibc.cpu.x86_memset_non_temporal_threshold=0xfffffffffffffff
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

skip() {
	echo "skipped: $*" >&2
	exit 77
}

# requires PROGRAM WHY-IT-IS-NEEDED
requires() {
	command -v "$1" >/dev/null 2>&1 || skip "no $1 here ($2)"
}

# workloads_compile OPTIMISATION PROGRAM
workloads_compile() {
	${CC:-cc} -std=c11 -D_GNU_SOURCE "$1" -g ${OPENMP_CFLAGS--fopenmp} \
		${STAGE:+-I"$STAGE/include" -L"${STAGE_LIB:-$STAGE/lib}" -Wl,-rpath,"${STAGE_LIB:-$STAGE/lib}"} \
		"$root/bench/workloads.c" -o "$2" -lpapi >"$scratch/cc" 2>&1 && return
	echo "workloads.c does not compile:" >&2
	cat "$scratch/cc" >&2
	exit 1
}

workloads_find() {
	[ -z "$workloads" ] || return 0
	workloads=$scratch/workloads
	workloads_compile -O2 "$workloads"
}

# virtual_program PROGRAM ARGUMENT... : on the virtual machine; fails if a register rule was broken
virtual_program() {
	"$vpmu" run --strict -m "$machine" --l1i 32768,8,64 --l1d 32768,8,64 --llc $llc -- "$@"
}

# virtual_run ARGUMENT... : the workloads program there
virtual_run() {
	virtual_program "$workloads" "$@"
}

# cachegrind_program OUTFILE PROGRAM ARGUMENT... : under cachegrind
cachegrind_program() {
	local out=$1
	shift
	valgrind -q --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=$llc \
		--cachegrind-out-file="$out" "$@"
}

# cachegrind_run OUTFILE ARGUMENT... : the workloads program there
cachegrind_run() {
	local out=$1
	shift
	cachegrind_program "$out" "$workloads" "$@"
}

# cachegrind_misses OUTFILE FUNCTION : its last-level misses, ILmr + DLmr + DLmw
cachegrind_misses() {
	awk -v want="fn=$2" '
		/^events:/ { for (i = 2; i <= NF; i++) column[$i] = i }
		/^fn=/ { inside = $1 == want; next }
		inside && /^[0-9+-]/ { sum += $column["ILmr"] + $column["DLmr"] + $column["DLmw"] }
		END { printf "%d\n", sum }' "$1"
}

# count_of EVENT : its count in the output of workloads on stdin; nothing if it is not there
count_of() {
	awk -v event="$1" '$1 == event { print $2 }'
}

# within A B PERCENT : true if both are numbers and |A - B| <= PERCENT % of B, B > 0
within() {
	awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN {
		if (a !~ /^[0-9.]+$/ || b !~ /^[0-9.]+$/ || b <= 0) exit 1
		d = a > b ? a - b : b - a
		exit !(d * 100 <= p * b) }'
}

percent() {	# percent A B : how much A is off from B
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%+.2f %%", b ? 100 * (a - b) / b : 0 }'
}

median() {
	printf '%s\n' "$@" | sort -n | awk '{ v[NR] = $1 }
		END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
