#!/bin/bash
# SPDX-License-Identifier: MIT
# Options for the caches of --on's machine: a sweep over 1 MiB, three times, misses in each pass
# where the LLC is smaller, and in the first one alone where it is larger. A line of code or two and
# the stack come on top.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run "${CC:-cc}"
cd "$scratch" || exit 1
unset VPMU_SEGMENT

lines=16384 sweeps=3
${CC:-cc} -nostdlib -static -Wl,-z,noexecstack -DLINES=$lines -DSWEEPS=$sweeps -o sweep "$test_folder/sweep.S" ||
	{ echo 'no static program can be linked here'; exit 77; }

misses() {	# misses OPTION...: LLC misses of the sweep, without the few of its code
	ipmu-run --on skl-4c8t "$@" -e skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I ./sweep >out 2>err
	awk -v lines=$lines '/READ_I/ { n = int($2 / lines); print n * lines, ($2 % lines <= 16 ? "" : $2 % lines) }' err
}
is 'the LLC of the machine' "$lines " "$(misses)"
is 'a smaller LLC' "$((sweeps * lines)) " "$(misses --llc 256K,16 --l2=32K,4)"
is 'the line is 64 bytes' "$((sweeps * lines)) " "$(misses --l1d 8K,8,64 --l1i 16K,8 --l2 32K,4 --llc 512K,16,64)"
ipmu-run --on skl-4c8t --seeds 2 --llc 256K,16 --l2 32K,4 --base base.json \
	-e skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I ./sweep >out 2>err
is 'each of several layouts' 0 $?
median=$(tr ',{[' '\n\n\n' <base.json | sed -n 's/^ *"value": *\([0-9]*\).*/\1/p' | head -1)
is 'their median' $((sweeps * lines)) $((median - median % lines))

refused() {	# refused WORDS OPTION...
	ipmu-run "${@:2}" true >out 2>err
	is "$1: status" 125 $?
	grep -qF -- "$1" err; verdict "$1: says so" $? "$(head -1 err)"
}
refused 'only a virtual machine has other caches' -g MEM --llc 1M,16
refused 'SIZE,WAYS[,LINE]' --on skl-4c8t -g MEM --llc 1M
refused '--roof 1: give the peaks' --on skl-4c8t -g MEM -o x --roof 1
refused 'give -o PREFIX as well' --on skl-4c8t -g MEM --roof 64,14.2
finish
