#!/bin/bash
# SPDX-License-Identifier: MIT
# The commands of docs/caches.md count what the page's arithmetic says; what a program's start adds
# stays below 5 % and 3,000 lines.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run "${CC:-cc}"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$scratch" || exit 1
unset VPMU_SEGMENT
cp "$root"/examples/*.c .

page=$root/docs/caches.md
while IFS= read -r command; do
	bash -c "$command" >out 2>&1
	is "$command" 0 $?
done < <(sed -n 's/^    \(cc .*\)/\1/p' "$page")

count() {	# count EVENT ARGUMENT...: of the page's command that ends so
	local command
	command=$(sed -n "s,^    \\(ipmu-run .*\\./${*:2}\\)\$,\\1,p" "$page")
	bash -c "$command" >out 2>&1
	awk -v event="$1" '$1 ~ event "$" { print $2 }' out
}
about() {	# about NAME COUNT EXPECTED
	verdict "$1: $2, $3 by arithmetic" $(($2 >= $3 && $2 - $3 <= $3 / 20 + 3000 ? 0 : 1))
}
n=104
about ijk "$(count REPLACEMENT matrix ijk)" $((n * n * n + n * n * n / 8 + n * n))
about ikj "$(count REPLACEMENT matrix ikj)" $((n * n * n / 8 + 2 * n * n / 8))
shared=$(count HITM_XCORE sharing near)
# A transfer of 50 clocks lasts 8 to 10 rounds of the other thread, and is two requests.
verdict "near: $shared of 2 x 100000 / 9" $((shared > 200000 / 10 && shared < 200000 / 8 ? 0 : 1))
about apart "$(count HITM_XCORE sharing apart)" 0
lines=524288 llc=131072 steps=1048576
about 'plain: reads' "$(count DRAM_DATA_READS stores plain)" $lines
about 'plain: writes' "$(count DRAM_DATA_WRITES stores plain)" $((lines - llc))
about 'around: reads' "$(count DRAM_DATA_READS stores around)" 0
about 'around: writes' "$(count DRAM_DATA_WRITES stores around)" $lines
about '16 KiB: L1 misses' "$(count L1_MISS sizes 16)" 0
about '128 KiB: L2 misses' "$(count L2_RQSTS:MISS sizes 128)" $((128 * 16))
about '4 MiB: LLC misses' "$(count READ_I sizes 4096)" $((4096 * 16))
# The list is made first, and the LLC still has a part of it then.
got=$(count READ_I sizes 32768)
verdict "32 MiB: LLC misses: $got" $((got > lines + steps - llc && got <= lines + steps + 3000 ? 0 : 1))
finish
