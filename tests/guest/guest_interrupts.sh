#!/bin/bash
# SPDX-License-Identifier: MIT
# HW_INT_RCV of a booted Core 2 is what its kernel has in /proc/interrupts: between the fewest and the
# most that it can have been, on a CPU that has little but its timer's, and beside a task that sleeps
# and wakes.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../guest/environment.sh"
papi_program interrupts
event=intel_core:::core.HW_INT_RCV

check() {	# check NUMBER WHAT: the answer of this number
	local counted least most
	read -r counted least most < <(
		awk -v n="$1" '$1 == "counted" && ++i == n { print $2, $4, $6 }' out)
	[ "${counted:-0}" -ge "${least:-1}" ] && [ "$counted" -le "$most" ] && [ "$least" -ge 200 ] ||
		fail "$2: ${counted:-nothing} counted, ${least:-none} to ${most:-none} by the kernel"
}
boot core2-2c <<-END
	./interrupts 1 200 $event:cpu=1
	taskset 1 sh -c 'while :; do sleep 0.001; done' & other=\$!
	./interrupts 0 400 $event:cpu=0
	kill \$other
END
check 1 'the timer'
check 2 'beside another task'
exit "$failed"
