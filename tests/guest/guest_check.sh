#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-check on a booted Skylake client, beside the drivers that the stock kernel has for its slices,
# arbiter and memory controller: nothing fails, and perf's column has what both arithmetic and the
# component say.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../guest/environment.sh"

boot skl-2c2t --l2 256K,8,64 --llc 1M,16,64 <<'END' || exit 1
echo 0 >/proc/sys/kernel/nmi_watchdog
ipmu-check -p '*_unc_*'
echo "status $?"
END
grep -qx 'status 0' out || fail "status: $(grep '^status' out)"
lines=$(sed -n 's/^geometry: .*, buffer of \([0-9]*\) KiB$/\1/p' out)
lines=$((${lines:-0} * 1024 / 64))
[ "$lines" -gt 0 ] || fail "no geometry: $(cat out err)"

perf() {	# perf EVENT TEST: that column, for one CPU
	awk -v e="$1" -v t="$2" '$1 == e && $2 == t && $3 == "one" { print $7 }' out
}
# A booted machine's kernel uses memory as well.
within 'slices' "$(perf skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I read)" $lines 10
within 'slices, chased' "$(perf skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I chase)" $lines 10
within 'arbiter' "$(perf skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL read)" $lines 10
within 'memory, read' "$(perf skl_unc_imc.DRAM_DATA_READS read)" $lines 10
within 'memory, written' "$(perf skl_unc_imc.DRAM_DATA_WRITES nt-write)" $lines 10
exit "$failed"
