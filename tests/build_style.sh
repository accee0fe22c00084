#!/bin/bash
# SPDX-License-Identifier: MIT
# What CONTRIBUTING.md agrees on and a machine can see: licence lines, width, size.
set -u
cd "${SRCDIR:-$(dirname "$0")/..}" || exit 1
rooms=(common hwloc_topo component virtual_pmu mpi_aggregation mpi_examples ipmu_run demo bench tests)
failed=0
fail() { echo "FAILED: $*"; failed=1; }

mapfile -t sources < <(find "${rooms[@]}" -name '*.[ch]' 2>/dev/null | LC_ALL=C sort)
mapfile -t scripts < <(find "${rooms[@]}" build-aux pfm_events .ci -type f \
	! -name '*.log' ! -name '*.tally' -exec grep -lIm1 '^#!/bin/' {} + 2>/dev/null | LC_ALL=C sort)
[ "${#sources[@]}" -gt 0 ] && [ "${#scripts[@]}" -gt 0 ] || fail 'no sources'
# Tables may be long, code may not.
LC_ALL=C awk '
	function columns(line,   n, at) {
		for (n = 0; at = index(line, "\t"); line = substr(line, at + 1))
			n = n + at - 1 + 8 - (n + at - 1) % 8
		return n + length(line)
	}
	function fail(what) { print "FAILED: " what; bad = 1 }
	FNR <= 3 && /SPDX-License-Identifier: MIT/ { licensed[FILENAME] = 1 }
	FILENAME !~ /\.[ch]$/ { next }
	columns($0) > 100 { fail(FILENAME ":" FNR ": " columns($0) " columns") }
	/[ \t\r]$/ { fail(FILENAME ":" FNR ": blank at the end") }
	/[;}]$/ && ++code[FILENAME] == 501 { fail(FILENAME ": more than 500 lines of code") }
	END {
		for (i = 1; i < ARGC; i++)
			if (!licensed[ARGV[i]]) fail(ARGV[i] ": no licence line")
		exit bad
	}' "${sources[@]}" "${scripts[@]}" || failed=1
for file in "${scripts[@]}"; do
	"$(sed -n '1s/^#!//p' "$file")" -n "$file" || fail "$file: syntax"
done
# Libraries are where configure was told.
grep -rnE '\$\{?STAGE\}?"?/lib' tests --include='*.sh' --include=environment.sh --include=run |
	grep -v build_style.sh && fail 'it is $STAGE_LIB that these mean'
exit "$failed"
