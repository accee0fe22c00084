#!/bin/bash
# SPDX-License-Identifier: MIT
# perf that starts while our component counts, and the other way round: see meet.sh.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
command -v perf >/dev/null || { echo 'perf is missing: package linux-perf'; exit 77; }
program spin
papi_program counts processes
PMU=core inside core2-2c meet
cat out
PMU=cbo inside skl-2c4t meet
cat out
exit "$failed"
