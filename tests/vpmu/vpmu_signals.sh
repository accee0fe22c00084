#!/bin/bash
# SPDX-License-Identifier: MIT
# Signal handlers of programs on the virtual machine: their stack is aligned, sigaction and signal
# answer as they do natively, and each real-time signal is delivered.
set -u
here=$(dirname "${BASH_SOURCE[0]}")/..
vpmu=${VPMU:-${STAGE:+$STAGE/bin/}vpmu}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
command -v qemu-x86_64 >/dev/null || { echo 'no qemu-x86_64 here'; exit 77; }
failed=0
# Frame pointers show where the stack was; the second way links with another signal().
for way in -D_GNU_SOURCE -D_XOPEN_SOURCE=700; do
	${CC:-cc} -std=c11 $way -O1 -fno-omit-frame-pointer "$here/vpmu/signals.c" \
		-o "$scratch/signals" || exit 1
	for run in '' "$vpmu run --no-feed -m skl-2c4t --" "$vpmu run -m skl-2c4t --"; do
		if ! $run "$scratch/signals" >"$scratch/out" 2>&1; then
			failed=$((failed + 1))
			echo "FAILED: $way, ${run:-natively}"
			sed 's/^/  | /' "$scratch/out"
		fi
	done
done
${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -pthread "$here/vpmu/realtime.c" -o "$scratch/realtime" || exit 1
for run in '' "$vpmu run --no-feed -m skl-2c4t --" "$vpmu run -m skl-2c4t --"; do
	if ! $run timeout "$HANG_SECONDS" "$scratch/realtime" >"$scratch/out" 2>&1; then
		failed=$((failed + 1))
		echo "FAILED: real-time signals, ${run:-natively}"
		sed 's/^/  | /' "$scratch/out"
	fi
done
echo "$failed failed"
[ "$failed" = 0 ]
