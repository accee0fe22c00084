# SPDX-License-Identifier: MIT
# Sourced by tests of whole programs that count on one machine: the program, counts.c, a machine that
# is kept, and its registers.
: "${STAGE:?the staged tree}" "${SRCDIR:?}"
vpmu=${VPMU:-$STAGE/bin/vpmu}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() {
	echo "FAILED: $*"
	failed=1
	tail -n 15 "$scratch"/*.out "$scratch/out" 2>/dev/null | sed 's/^/  | /'
}

segment=$scratch/machine
registers() { "$vpmu" regs -s "$segment" --tsv | grep -v '^DRAM_' | cut -f 1,8; }
machine() { "$vpmu" run --no-feed --strict -s "$segment" -- "$@"; }

${CC:-gcc} -std=c11 -D_GNU_SOURCE -o "$scratch/counts" "$SRCDIR/tests/processes/counts.c" \
	-I"$STAGE/include" -L"$STAGE_LIB" -lpapi -Wl,-rpath,"$STAGE_LIB" || exit 1
