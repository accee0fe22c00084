#!/bin/bash
# SPDX-License-Identifier: MIT
# The verdict of docs/ci.md's recipe on pairs of programs with one known effect each: the slow one fails,
# from its side the fast one passes, and harmless changes pass. Which event shows the effect follows from
# the program; tests/run/pairs.c has them.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run python3
cd "$scratch" || exit 1
export XDG_CONFIG_HOME=$scratch/config
unset VPMU_SEGMENT
build() {	# build FILE OPTION...
	local to=$1
	shift
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -fno-if-conversion -pthread -Wall "$@" -o "$to" \
		"${SRCDIR:?}/tests/run/pairs.c" && return
	echo 'pairs.c cannot be compiled here'
	exit 77
}
mkdir other-folder
build pairs
build other-folder/pairs
build changed -DHARMLESS
limit=('--limit' 'estimated clocks=+1%')

# fast, slow, and the event that tells them apart
while read -r fast slow event; do
	for one in $fast $slow; do
		ipmu-run --on skl-4c8t -g CI --name pair --base $one.json -o $one -- ./pairs $one >out 2>err
		is "$one" 0 $?
	done
	# The arguments differ, which is the point.
	ipmu-run --diff $fast.json $slow.json --force "${limit[@]}" --format json >loss 2>err
	is "$fast to $slow is a loss" 122 $?
	ipmu-run --diff $slow.json $fast.json --force "${limit[@]}" >out 2>err
	is "$slow to $fast is a gain" 0 $?
	is "$fast to $slow: $event" True "$(python3 - "$event" <<-'END'
		import json, sys
		items = {i["name"].split(".")[-1]: i for i in json.load(open("loss"))["items"]}
		wanted = items[sys.argv[1]]
		print(wanted["new"] > 1.15 * wanted["old"] and wanted["new"] - wanted["old"] > 1000)
	END
	)"
done <<'END'
rows columns L1D:REPLACEMENT
array list L1D:REPLACEMENT
sorted random BR_MISP_RETIRED:ALL_BRANCHES
padded shared UNC_CBO_XSNP_RESPONSE:HITM_XCORE
few many INST_RETIRED:ANY
END

# -- harmless: another folder, another function, another name in the environment, another place to write to
passes() {	# passes WHAT COMMAND...
	local what=$1
	shift
	"$@" >out 2>err; is "$what passes" 0 $?
}
compare=(ipmu-run --on skl-4c8t --name pair --compare rows.json "${limit[@]}" --)
passes 'another folder' "${compare[@]}" ./other-folder/pairs rows
passes 'an absolute path' "${compare[@]}" "$PWD/pairs" rows
passes 'an unused function' "${compare[@]}" ./changed rows
passes 'a longer environment' env CI_JOB_URL=https://example.org/a/long/name/of/a/job/1234567 "${compare[@]}" ./pairs rows
passes 'another order of variables' env -i HOME="$HOME" PATH="$PATH" "${compare[@]}" ./pairs rows
finish
