#!/bin/bash
# SPDX-License-Identifier: MIT
# Containers, filters and users on booted machines: who is kept from CPUs, devices or rights, and who
# may write registers, for a counter of CPUs and for one of a package.
set -u
. "${SRCDIR:?}/tests/guest/environment.sh"
program device_list
papi_program counts processes
"$CC" -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -o deny.so "$SRCDIR/tests/guest/deny.c" || exit 1

EVENT=intel_core:::core.INSTRUCTION_RETIRED:u PLACE=cpu inside core2-4c confined --no-feed
EVENT=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I PLACE='' \
	inside skl-2c4t confined --no-feed
exit "$failed"
