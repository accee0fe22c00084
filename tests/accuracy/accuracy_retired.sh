#!/bin/bash
# SPDX-License-Identifier: MIT
# Instructions and clocks counted alone, where the feed has them from the thread's clock, and beside
# branches, where it counts each block: equal to each other, and the instructions to arithmetic. A
# repeated string instruction is one, however many bytes it moves.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run gzip "${CC:-cc}"
cd "$scratch" || exit 1
unset VPMU_SEGMENT

${CC:-cc} -nostdlib -static -Wl,-z,noexecstack -o strings "$test_folder/strings.S" || { echo 'no static program can be linked here'; exit 77; }
# Before a turn's three rounds: 4, 3 and 1 more in each 300th, 5; then a mov in two of the rounds.
turns=3000
expected=$((3 + turns * (4 + 3 + 5 + 3 * 3 + 2 + 2) + turns / 300 + 3))

counts() {	# counts GROUPS COMMAND...: instructions, clocks, LLC lookups and misses
	ipmu-run --on skl-4c8t -g "$@" 2>&1 >/dev/null </dev/null |
		awk '/^    (core_fixed|skl_unc_cbo)[.]/ && !had[$1]++ { printf "%s ", $2 }'
}
both() {	# both NAME COMMAND...
	local name=$1
	shift
	alone=$(counts CPI,LLC -- "$@")
	case $alone in [1-9]*' '[1-9]*' '*' '*' ') ok ;; *) bad "$name: not counted: '$alone'" ;; esac
	beside="$(counts CPI,LLC,BRANCH -- "$@" | cut -d' ' -f1-4) "
	if [ "$name" = script ]; then	# clocks, then without them
		awk -v a="$(cut -d' ' -f2 <<<"$alone")" -v b="$(cut -d' ' -f2 <<<"$beside")" \
			'BEGIN { exit !(a - b <= a / 100000 && b - a <= a / 100000) }'
		verdict "$name: clocks '$alone' and '$beside'" $?
		alone=$(cut -d' ' -f1,3,4 <<<"$alone") beside=$(cut -d' ' -f1,3,4 <<<"$beside")
	fi
	is "$name: beside branches" "$alone" "$beside"
}
# Processes that run one after another share fill buffers for a moment: of 14 runs of the script on a
# busy host one had 69 clocks more of 37 million.
both strings ./strings
is 'strings: instructions' $expected "${alone%% *}"
seq 20000 | tr 1-5 a-e >text
both gzip gzip -c text
both script sh -c 'gzip -c text >packed; gzip -dc packed'

finish
