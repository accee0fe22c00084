#!/bin/bash
# SPDX-License-Identifier: MIT
# A newer kernel's uncore driver counts what our component counts: Raptor Lake to Lunar Lake, the last
# two of which Linux 6.1 does not know. By `make check-guest-newer`.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/clients.sh"
on_machine rpl-1p4e6t ADL - uncore_clock
on_machine mtl-1p4e2lp8t MTL - uncore_cncu,uncore_sncu
on_machine arl-1p4e5t ARL - uncore_cncu,uncore_sncu
on_machine lnl-4p4e8t LNL - -
exit "$failed"
