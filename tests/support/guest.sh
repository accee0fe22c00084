# SPDX-License-Identifier: MIT
# Sourced by tests/guest_*.sh after verdict.sh: they need what `make guest` builds and downloads.
guest=${STAGE_LIB:?libraries of the staged tree}/ipmu/guest
[ -x "$guest/qemu-system-x86_64" ] && [ -f "$guest/kernel/vmlinux" ] ||
	{ echo "make guest has not been run"; exit 77; }
# Seconds that a machine has: what runs longer is ended before the test's own time is over.
# shellcheck disable=SC2034
limit=$((${TEST_TIMEOUT:-1800} * 9 / 10))
