#!/bin/bash
# SPDX-License-Identifier: MIT
# Groups CPI, BRANCH and LLC count on each client processor from Skylake on, by these names: a sweep
# over 32 MiB, once, whose lines all miss. LLC is the uncore's where that has it, else the core's.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run "${CC:-cc}"
cd "$scratch" || exit 1
unset VPMU_SEGMENT
export XDG_CONFIG_HOME=$scratch

lines=$(((32 << 20) / 64))
${CC:-cc} -nostdlib -static -Wl,-z,noexecstack -DLINES=$lines -DSWEEPS=1 -o sweep "$test_folder/sweep.S" ||
	{ echo 'no static program can be linked here'; exit 77; }
instructions=$((1 + 2 + 4 * lines + 2 + 3)) branches=$((lines + 1))

counted() {	# counted EVENT: of err, the first
	awk -v event="$1" '$1 ~ event "$" && !n++ { print $2 }' err
}
for machine in skl-4c8t:skl_unc cml-10c20t:skl_unc icl-4c8t:ix86arch tgl-4c8t:ix86arch rkl-8c16t:ix86arch \
		adl-8p8e24t:ix86arch adln-8e8t:ix86arch mtl-6p8e2lp22t:ix86arch arl-8p16e24t:ix86arch lnl-4p4e8t:ix86arch; do
	pmu=${machine#*:} machine=${machine%:*}
	ipmu-run --on "$machine" -g CPI,BRANCH,LLC ./sweep >out 2>err
	is "$machine: status" 0 $?
	is "$machine: instructions" $instructions "$(counted INST_RETIRED:ANY)"
	is "$machine: branches" $branches "$(counted BRANCH.*RETIRED)"
	grep -q "^  $pmu/LLC: " err; verdict "$machine: $pmu/LLC" $?
	misses=$(counted 'LOOKUP:ANY_I|LLC_MISSES')
	[ "$misses" -ge "$lines" ] && [ "$misses" -le $((lines + 10)) ]; verdict "$machine: $misses misses" $?
done
ipmu-run --on skl-4c8t -g ix86arch/LLC ./sweep >out 2>err; is "the core's, by its PMU: status" 0 $?
grep -q '^  ix86arch/LLC: ' err; verdict "the core's, by its PMU" $?
ipmu-run --on icl-4c8t -g CACHE ./sweep >out 2>err; is 'the name of before: status' 0 $?
grep -q '^  ix86arch/LLC: ' err; verdict 'the name of before' $?
mkdir -p ipmu/groups/other && cp "$(dirname "$(dirname "$(command -v ipmu-run)")")"/share/ipmu/groups/skl_unc/LLC ipmu/groups/other/
ipmu-run --on skl-4c8t -g LLC ./sweep >out 2>err; is 'two of one name: status' 125 $?
grep -q 'two groups are named LLC here: say ' err; verdict 'two of one name' $?

finish
