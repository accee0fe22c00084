#!/bin/bash
# SPDX-License-Identifier: MIT
# What only a kernel can show, on booted machines: CPUs that go and come back while they are counted
# on; whom counters count, and at which privilege level. Each gets a right number, or a refusal that
# names the cause.
set -u
. "${SRCDIR:?}/tests/guest/environment.sh"
program spin
papi_program counts processes

inside core2-4c core_away --no-feed --append cpu0_hotplug
inside core2-4c core_cpus
# As it brings a CPU up again the kernel writes a bit that this processor's document reserves.
grep -q "violations\? of the register rules by the kernel's own drivers, not by programs" err ||
	fail "core2-4c: the kernel's own writes are not told apart: $(cat err)"
inside skl-2c4t package_cpus --append cpu0_hotplug
exit "$failed"
