#!/bin/bash
# SPDX-License-Identifier: MIT
# Suspend to RAM on a booted machine, while somebody counts.
set -u
. "${SRCDIR:?}/tests/guest/environment.sh"
papi_program counts processes
inside skl-1c2t suspend --suspend
exit "$failed"
