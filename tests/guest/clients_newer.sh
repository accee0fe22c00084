#!/bin/bash
# SPDX-License-Identifier: MIT
# A newer kernel's uncore driver counts what our component counts: Raptor Lake to Nova Lake. Linux 6.1
# does not know Arrow Lake and Lunar Lake; Panther Lake and Nova Lake need Linux 7.0, which has all of
# their units. By `make check-guest-newer`.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/clients.sh"
on_machine rpl-1p4e6t ADL - uncore_clock
on_machine mtl-1p4e2lp8t MTL - uncore_cncu,uncore_sncu
on_machine arl-1p4e5t ARL - uncore_cncu,uncore_sncu
on_machine lnl-4p4e8t LNL - -
release=$(sed -n 's/^linux-image-\([0-9]*\)\..*/\1/p' "${GUEST_KERNEL:-/}/package" 2>/dev/null)
if [ "${release:-0}" -ge 7 ]; then
	on_machine ptl-4p8e4lp16t PTL - uncore_cncu_0 3M
	on_machine nvl-8p16e4lp28t NVL - - 3M
else
	echo 'Panther Lake and Nova Lake: not this kernel, they need Linux 7.0'
fi
exit "$failed"
