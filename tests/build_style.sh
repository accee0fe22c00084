#!/bin/bash
# SPDX-License-Identifier: MIT
# What CONTRIBUTING.md agrees on and a machine can see: licence lines, width, size.
set -u
cd "${SRCDIR:-$(dirname "$0")/..}" || exit 1
rooms=(common hwloc_topo component virtual_pmu mpi_aggregation mpi_examples ipmu_run demo bench tests)
failed=0
fail() { echo "FAILED: $*"; failed=1; }

mapfile -t sources < <(find "${rooms[@]}" -name '*.[ch]' 2>/dev/null | LC_ALL=C sort)
mapfile -t scripts < <(find "${rooms[@]}" build-aux pfm_events .ci -type f -exec \
	grep -lIm1 '^#!/bin/' {} + 2>/dev/null | LC_ALL=C sort)
[ "${#sources[@]}" -gt 0 ] && [ "${#scripts[@]}" -gt 0 ] || fail 'no sources'
for file in "${sources[@]}" "${scripts[@]}"; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: MIT' || fail "$file: no licence line"
done
for file in "${sources[@]}"; do
	expand "$file" | awk -v file="$file" '
		length($0) > 100 { print file ":" NR ": " length($0) " columns"; bad = 1 }
		/[ \t\r]$/ { print file ":" NR ": blank at the end"; bad = 1 }
		END { exit bad }' || failed=1
	# Tables may be long, code may not.
	[ "$(grep -c '[;}]$' "$file")" -le 500 ] || fail "$file: more than 500 lines of code"
done
for file in "${scripts[@]}"; do
	"$(sed -n '1s/^#!//p' "$file")" -n "$file" || fail "$file: syntax"
done
# Libraries are where configure was told.
grep -rnE '\$\{?STAGE\}?"?/lib' tests --include='*.sh' --include=environment.sh --include=run |
	grep -v build_style.sh && fail 'it is $STAGE_LIB that these mean'
exit "$failed"
