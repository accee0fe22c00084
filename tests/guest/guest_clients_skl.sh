#!/bin/bash
# SPDX-License-Identifier: MIT
# The stock kernel's uncore driver counts what our component counts: Broadwell, Skylake and Comet Lake.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../guest/clients.sh"
on_machine bdw-2c2t BDW - uncore_cbox_0
on_machine skl-2c4t SKL - uncore_cbox_0
on_machine cml-10c10t SKL - uncore_cbox_0 5M
exit "$failed"
