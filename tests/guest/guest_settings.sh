#!/bin/bash
# SPDX-License-Identifier: MIT
# What a booted kernel's settings forbid is refused by a sentence that names the setting.
set -u
. "${SRCDIR:?}/tests/guest/environment.sh"
papi_program counts processes

# The window of the memory controller is free on this board: 'reserve=' does what a driver does that
# claims it.
forbidden() {	# forbidden SETTINGS SAYS [SAYS_OF_MEMORY]: inside
	SAYS=$2 MEMORY=${3:-$2} inside skl-1c1t forbidden --no-feed --append "$1"
}
forbidden lockdown=integrity 'kernel lockdown (integrity) forbids to write MSR_UNC'
forbidden lockdown=confidentiality 'kernel lockdown (confidentiality) forbids to write MSR_UNC'
forbidden 'msr.allow_writes=off' 'msr.allow_writes is off: boot with msr.allow_writes=on'
forbidden 'iomem=strict reserve=0xfed10000,0x8000' '' 'boot with iomem=relaxed'
forbidden 'iomem=relaxed reserve=0xfed10000,0x8000' ''
exit "$failed"
