# SPDX-License-Identifier: MIT
# On a booted machine with a memory controller: what the kernel's settings let a program count. SAYS and
# MEMORY: why a register and the controller's window are refused; empty if they are not.
. "$SRCDIR/tests/guest/counting.sh"
mount -t securityfs none /sys/kernel/security

tried() {	# tried WHAT SAYS EVENT
	if [ -n "$2" ]; then
		refused "$1" "$2" "$HERE/counts" "intel_uncore:::$3"
	else
		counts "$1" "$HERE/counts" "intel_uncore:::$3"
	fi
}
tried 'a counter' "$SAYS" skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
tried 'the memory controller' "$MEMORY" skl_unc_imc.DRAM_DATA_READS
if [ -n "$SAYS" ]; then
	# What can be read is not kept back: nobody has counted, so nothing is left.
	heard=$(ipmu-restore 2>&1) || fail "ipmu-restore: $heard"
fi
finish
