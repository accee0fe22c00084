#!/bin/bash
# SPDX-License-Identifier: MIT
# What only a kernel can show, on booted machines: CPUs that go and come back while they are counted
# on; suspend to RAM; whom counters count, and at which privilege level; what the kernel's settings
# forbid. Each gets a right number, or a refusal that names the cause.
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
inside skl-1c2t suspend --suspend

# A kernel's settings. The window of the memory controller is free on this board: 'reserve=' does what
# a driver does that claims it.
forbidden() {	# forbidden SETTINGS SAYS [SAYS_OF_MEMORY]: inside
	SAYS=$2 MEMORY=${3:-$2} inside skl-1c1t forbidden --no-feed --append "$1"
}
forbidden lockdown=integrity 'kernel lockdown (integrity) forbids to write MSR_UNC'
forbidden lockdown=confidentiality 'kernel lockdown (confidentiality) forbids to write MSR_UNC'
forbidden 'msr.allow_writes=off' 'msr.allow_writes is off: boot with msr.allow_writes=on'
forbidden 'iomem=strict reserve=0xfed10000,0x8000' '' 'boot with iomem=relaxed'
forbidden 'iomem=relaxed reserve=0xfed10000,0x8000' ''
exit "$failed"
