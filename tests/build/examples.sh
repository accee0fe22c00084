#!/bin/bash
# SPDX-License-Identifier: MIT
# The commands of docs/papi.md for the programs of examples/: each that counts reads an array of known
# length, and counts about as many lines from memory as it has; a wrong event is refused by name. The one
# that samples finds the function that reads.
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
command -v qemu-x86_64 >/dev/null || { echo 'SKIP: no qemu-x86_64'; exit 77; }
. "$STAGE/share/ipmu/env.sh"
ln -s "$SRCDIR/examples" "$scratch/examples"
cd "$scratch" || exit 1
lines=$((32 << 20 >> 6)) failed=0 tried=0

counted() {	# counted COMMAND: within 1 % of arithmetic, and the lines of the program's own start
	local got
	tried=$((tried + 1))
	bash -c "$1" >out 2>&1
	got=$(sed -n 's/^intel_uncore:::skl_unc_imc.DRAM_DATA_READS \([0-9]*\) .*/\1/p' out)
	[ "${got:-0}" -ge "$lines" ] && [ "$got" -le $((lines + lines / 100)) ] && return
	echo "FAILED: $1: '$got', $lines by arithmetic"
	cat out
	failed=1
}

refused() {	# refused COMMAND: of a wrong event, natively
	bash -c "$1 nothing" >out 2>&1 && { echo "FAILED: $1 nothing: succeeded"; failed=1; }
	grep -q '^nothing: ' out || { echo "FAILED: $1 nothing:"; cat out; failed=1; }
}

while IFS= read -r command; do
	case $command in
	cc* | gfortran*)
		command -v "${command%% *}" >/dev/null || { echo "not tried: $command"; rm -f count; continue; }
		bash -c "${command/ / -Wall -O2 }" || { echo "FAILED: $command"; failed=1; } ;;
	*./count*)
		continue ;;
	*python3*)
		counted "${command/python3//usr/bin/python3}"
		continue ;;
	esac
	counted 'vpmu run -m skl-4c8t -- ./count intel_uncore:::skl_unc_imc.DRAM_DATA_READS'
	refused 'vpmu run --no-feed -m skl-4c8t -- ./count'
done < <(sed -n 's/^    \(.*count[ .].*\)/\1/p' "$SRCDIR/docs/papi.md")
sampled() {	# sampled COMMAND: in turns of the same time, at most one tick in five is late
	local reads adds
	bash -c "$1" >out 2>&1
	read -r reads adds < <(sed -n 's/.*: \([0-9]*\) samples in reads(), \([0-9]*\) in adds().*/\1 \2/p' out)
	[ "${reads:-0}" -ge 5 ] && [ "$((5 * adds))" -le "$reads" ] && return
	echo "FAILED: $1"
	cat out
	failed=1
}

samples=0
while IFS= read -r command; do
	case $command in
	cc*) bash -c "${command/ / -Wall }" || { echo "FAILED: $command"; failed=1; } ;;
	'vpmu run'*) samples=$((samples + 1)) && sampled "$command" ;;
	esac
done < <(sed -n 's/^    \(.*[/ ]sample[ .].*\)/\1/p' "$SRCDIR/docs/papi.md")
[ "$samples" = 2 ] || { echo "FAILED: docs/papi.md has $samples events to sample by"; failed=1; }
[ "$tried" -ge 2 ] || { echo "FAILED: docs/papi.md has $tried programs to try"; failed=1; }
exit "$failed"
