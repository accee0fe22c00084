#!/bin/bash
# SPDX-License-Identifier: MIT
# What the M-Boxes of a virtual Xeon 7500 with two packages count of one sweep through 64 MiB,
# against arithmetic: 2^20 lines are read; with writing, all are written back but the 24 MiB that
# stay in the L3; memory is that of the package that touched it first, whoever sweeps; and each 8 KiB
# page of a box's lines is opened once. Within 1 %: the program does some little things besides.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/stack.sh"
machine=nhmex-2p16c32t	# CPU 0 is in package 0, CPU 8 in package 1
requires "$vpmu" "set VPMU or STAGE"
export VPMU_TALLY=$scratch/tally	# its program leaves its counters programmed on purpose
lines=$((1 << 20)) kept=$((24 << 20 >> 6)) pages=$((64 << 20 >> 13))
few=$((lines / 100))
passed=0 failed=0

if ! ${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -g -fno-tree-vectorize \
		"$root/tests/accuracy/memory.c" -o "$scratch/memory" >"$scratch/cc" 2>&1; then
	cat "$scratch/cc"
	echo "FAILED: memory.c does not compile"
	exit 1
fi

run() {		# run read|write HOME WORK OTHER
	what="$1, home CPU $2, worker CPU $3"
	"$vpmu" run --strict -m $machine -- "$scratch/memory" "$@" >"$scratch/out" 2>"$scratch/err" &&
		return
	cat "$scratch/out" "$scratch/err"
	echo "FAILED: $what does not run"
	failed=$((failed + 1))
	: >"$scratch/out"
}

count() {	# count home|other EVENT
	awk -v w="$1" -v e="$2" '$1 == w && $2 == e { print $3 }' "$scratch/out"
}

tell() {	# tell STATUS EVENT GOT WANT
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED:"
	fi
	printf '%-30s %-18s %8s  wants %s\n' "$what" "$2" "${3:-none}" "$4"
}

check() {	# check EVENT GOT WANT
	within "${2:-none}" "$3" 1
	tell $? "$1" "$2" "$3"
}

check_few() {	# check_few EVENT GOT
	[ "${2:-$few}" -lt $few ]
	tell $? "$1" "$2" "less than $few"
}

for work in read write; do
	for cpus in '0 0 8' '0 8 8' '8 0 0' '8 8 0'; do
		# shellcheck disable=SC2086
		run $work $cpus
		reads=$(count home reads)
		writes=$(($(count home commands) - reads))
		check "reads at home" "$reads" $lines
		check_few "commands elsewhere" "$(count other commands)"
		opened=$(($(count home misses) + $(count home empty)))
		check "all page results" $(($(count home hits) + opened)) $((reads + writes))
		if [ $work = write ] && [ "${cpus:0:1}" != "${cpus:2:1}" ]; then
			check "writes at home" $writes $((lines - kept))
		elif [ $work = read ] && [ "${cpus:0:1}" != "${cpus:2:1}" ]; then
			check_few "writes at home" $writes
			check "pages opened" $opened $pages
		elif [ $work = read ]; then	# what was left by filling the array
			check "writes at home" $writes $kept
		else
			check "writes at home" $writes $lines
		fi
	done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
