#!/bin/bash
# SPDX-License-Identifier: MIT
# A PAPI_read of n counters is n register reads and nothing else, and adds at most 600 instructions a
# counter to a bare loop of the same preads, of which each takes a thousand clocks in the kernel; each
# part of a measurement makes fewer accesses than LIKWID's documented numbers, but for the first and
# the stop. What is printed is what `make bench` prints. Times are printed, too, but not judged: they
# depend on the processor, and on what else it does.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

"${BASH:-bash}" "$here/../bench/registers" 1 >"$out" 2>&1 || { cat "$out"; exit 1; }
cat "$out"
grep -Eq '^read +11 +0 ' "$out" || fail 'a read of 11 counters is not 11 reads'
if command -v valgrind >/dev/null; then
	more=$(sed -n 's/^instructions.*more for each counter //p' "$out")
	[ "${more:-0}" -gt 50 ] && [ "$more" -le 600 ] || fail "$more instructions more for each counter"
else
	echo 'instructions are not counted: no valgrind here'
fi

row() {		# row NAME: accesses, LIKWID's accesses
	sed -n "s/^$1  *\([0-9]*\) *\([0-9]*\) *\([0-9]*\) *\([0-9]*\) .*/\1 \2 \3 \4/p" "$out" |
		awk '{ print $1 + $2, $3 + $4 }'
}
for name in init 'add events and start' read stop finalize 'all, once'; do
	read -r ours theirs <<<"$(row "$name")"
	# As many there. A stop checks whether others have counted meanwhile.
	case $name in init | stop) theirs=$((theirs + 1)) ;; esac
	[ "${ours:-999}" -gt 0 ] && [ "${ours:-999}" -lt "${theirs:-0}" ] ||
		fail "$name: $ours accesses, LIKWID $theirs"
done
exit "$failed"
