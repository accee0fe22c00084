#!/bin/bash
# SPDX-License-Identifier: MIT
# The stock kernel's uncore driver counts what our component counts: Sandy Bridge to Haswell.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../guest/clients.sh"
on_machine snb-4c4t SNB - uncore_cbox_0
on_machine ivb-2c4t IVB - uncore_cbox_0
on_machine hsw-2c2t HSW - uncore_cbox_0
exit "$failed"
