#!/bin/bash
# SPDX-License-Identifier: MIT
# The stock kernel's uncore driver counts what our component counts: Ice Lake to Alder Lake.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../guest/clients.sh"
on_machine icl-2c2t ICL - uncore_clock
on_machine tgl-2c2t TGL 0x8C uncore_clock
on_machine tglh-2c2t TGL 0x8D uncore_clock
on_machine rkl-2c2t RKL - uncore_clock
on_machine adln-4e4t ADL - uncore_clock
on_machine adl-1p4e6t ADL - uncore_clock
exit "$failed"
