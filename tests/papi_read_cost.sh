#!/bin/bash
# SPDX-License-Identifier: MIT
# A PAPI_read of n counters is n register reads and nothing else, and takes at most 1.25 times a bare
# loop of the same preads; each part of a measurement makes fewer accesses than LIKWID's documented
# numbers, but for the first and the stop. What is printed is what `make bench` prints.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# The machine's other work can spoil a median of 41 rounds: then once more, and once more.
for _ in 1 2 3; do
	"${BASH:-bash}" "$here/../bench/registers" 41 >"$out" 2>&1 || { cat "$out"; exit 1; }
	ratio=$(sed -n 's/.* ratio \([0-9.]*\)$/\1/p' "$out")
	awk -v r="${ratio:-9}" 'BEGIN { exit !(r <= 1.25) }' && break
done
cat "$out"
awk -v r="${ratio:-9}" 'BEGIN { exit !(r > 0.5 && r <= 1.25) }' ||
	fail "PAPI_read takes $ratio times the preads"
grep -Eq '^read +11 +0 ' "$out" || fail 'a read of 11 counters is not 11 reads'

row() {		# row NAME: accesses, LIKWID's accesses
	sed -n "s/^$1  *\([0-9]*\) *\([0-9]*\) *\([0-9]*\) *\([0-9]*\) .*/\1 \2 \3 \4/p" "$out" |
		awk '{ print $1 + $2, $3 + $4 }'
}
for name in init 'add events and start' read stop finalize 'all, once'; do
	read -r ours theirs <<<"$(row "$name")"
	# As many there. A stop looks whether others have counted meanwhile.
	case $name in init | stop) theirs=$((theirs + 1)) ;; esac
	[ "${ours:-999}" -gt 0 ] && [ "${ours:-999}" -lt "${theirs:-0}" ] ||
		fail "$name: $ours accesses, LIKWID $theirs"
done
exit "$failed"
