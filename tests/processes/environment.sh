# SPDX-License-Identifier: MIT
# Sourced by tests of whole programs that count on one machine: the program, counts.c, a machine that
# is kept, and its registers. With BOOTED_MACHINE it is the booted one on which the test runs, by the
# kernel's own device files. HERE then has both programs, counts.c and guest/registers.c, and the list of
# registers. Other users need the rights `given` to setpriv, and the devices.
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
if [ -n "${BOOTED_MACHINE-}" ]; then
	export IPMU_STATE_DIR=$segment.state
	new_machine() { :; }
	given=(--inh-caps=+sys_rawio --ambient-caps=+sys_rawio)
	give_devices() { chgrp "$1" /dev/cpu/*/msr && chmod 660 /dev/cpu/*/msr; }
	registers() { "$HERE/registers" <"$HERE/list"; }
	machine() { "$@"; }
else
	given=()
	new_machine() { "$vpmu" run --no-feed -m "$1" -s "$segment" -- true || exit 1; }
	registers() { "$vpmu" regs -s "$segment" --tsv | grep -v '^DRAM_' | cut -f 1,8; }
	machine() { "$vpmu" run --no-feed --strict -s "$segment" -- "$@"; }
fi

if [ -n "${BOOTED_MACHINE-}" ]; then
	install -m 755 "$HERE/counts" "$scratch/counts" || exit 1
else
	${CC:-gcc} -std=c11 -D_GNU_SOURCE -o "$scratch/counts" "$SRCDIR/tests/processes/counts.c" \
		-I"$STAGE/include" -L"$STAGE_LIB" -lpapi -Wl,-rpath,"$STAGE_LIB" || exit 1
fi
