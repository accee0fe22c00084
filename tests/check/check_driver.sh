#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-check beside a driver of the kernel's: its counts stand in the table, are those of arithmetic, and the
# registers that it leaves changed are no failure of ours. The driver is a stand-in (tests/check/driver.c).
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64
export VPMU_TALLY=$scratch/tally	# the driver changes registers

${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -fPIC -shared "${SRCDIR:?}/tests/check/driver.c" \
	-o "$scratch/driver.so" -ldl >"$scratch/out" 2>&1
verdict 'the driver is built' $?
for box in 0 1; do
	mkdir -p "$scratch/drivers/uncore_cbox_$box"
	echo $box >"$scratch/drivers/uncore_cbox_$box/type"
	echo 0 >"$scratch/drivers/uncore_cbox_$box/cpumask"
done
DRIVERS=$scratch/drivers "$vpmu" run -m skl-2c2t --llc 1M,16,64 -- env LD_PRELOAD="$scratch/driver.so" \
	ipmu-check -p 'skl_unc_cbo' >"$scratch/out" 2>&1
is status 0 $?
grep -qE '^[1-9][0-9]* passed, 0 failed, 0 noise, ' "$scratch/out"
verdict 'nothing failed' $?
grep -qE '^registers of skl_unc +restore .* pass$' "$scratch/out"
verdict 'registers are as they were' $?

# Columns: event, test, CPUs, count, expected, ratio, perf. Each line that is touched misses once.
lines=$(($(sed -n 's/^geometry: .*, buffer of \([0-9]*\) KiB$/\1/p' "$scratch/out") * 1024 / 64))
for test in read write chase; do
	for cpus in one all; do
		awk -v test=$test -v cpus=$cpus -v lines="$lines" '
			$1 == "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I" && $2 == test && $3 == cpus { got = $7 }
			END { exit !(got >= lines && got <= 1.1 * lines) }' "$scratch/out"
		verdict "perf's lines of $test, $cpus: $lines" $?
	done
done
finish
