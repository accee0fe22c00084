#!/bin/bash
# SPDX-License-Identifier: MIT
# The model of a whole machine refuses an emulator that was made for other calls, names it and says
# what to do. Where the emulator is this program no machine is needed.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$scratch" || exit 1
compile emulator emulator.c -I"$root/virtual_pmu/guest" -ldl || exit 1
model=$STAGE_LIB/ipmu/libvpmu_guest.so
latest=$(sed -n 's/^#define VPMU_GUEST_VERSION //p' "$root/virtual_pmu/guest/calls.h")
said() {	# said VERSION: what is said to an emulator of that version; to out
	env -u VPMU_SEGMENT ./emulator "$model" "$1" 2>out
	is "$1: refused" 1 $?
}
for other in $((latest - 1)) $((latest + 1)); do
	said $other
	[ "$(wc -l <out)" = 1 ] && grep -q "^vpmu: the emulator $scratch/emulator was made for version" out &&
		grep -q "run 'make guest' in the build tree$" out
	verdict "another version: $other" $?
done
said "$latest"
is 'this version' 'vpmu: VPMU_SEGMENT names no machine' "$(cat out)"

"$VPMU" run --no-feed -m skl-2c2t ./emulator "$model" "$latest" 2>out
is 'this version with a machine' 0 $?
finish
