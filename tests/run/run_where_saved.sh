#!/bin/bash
# SPDX-License-Identifier: MIT
# Profiles in reports that are read again: `ipmu-run --show` writes the same tables, --merge and the
# first node of a job add those of two nodes up, and a profile that somebody has changed is refused by
# the member's name. One node reads 100000 lines of 64 bytes in a function, the other one 200000.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run vpmu python3 "${CC%% *}"
ldd "$(command -v ipmu-run)" | grep -q libdw || { echo 'ipmu-run was built without libdw'; exit 77; }
cd "$scratch" || exit 1
unset VPMU_SEGMENT
cp "$test_folder/reads.c" . && $CC -g -O1 -o reads reads.c || exit 1
ranked() {	# ranked RANK PREFIX ARGUMENT...: a node of two with one rank
	OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=1 \
		PMIX_NAMESPACE=j$$ "${apart[@]}" ipmu-run --on skl-4c8t -g LLC_READ,MEM -o "$2" "${@:3}"
}
apart=()
tables() {	# tables WHAT REPORT...
	python3 "$test_folder/where_tables.py" "$@" >out 2>&1
	verdict "$1 ${*:2}" $?
}

# ---- one report

ranked 0 one --data ./reads 2>one.err
is 'a node of two: status' 0 $?
ipmu-run --show one.json -o again 2>again.err
is 'shown: status' 0 $?
tables same one again
cmp <(sed -n '/^  where:/,/^  written/p' one.err | grep -v '^  written') \
	<(sed -n '/^  where:/,/^  written/p' again.err | grep -v '^  written')
verdict 'text: the same tables' $?
for text in '<h2>Where: skl_unc/LLC_READ</h2>' '<code>reads</code>'; do
	grep -q -- "$text" again.html
	verdict "page: $text" $?
done

# ---- two nodes: the second one reads twice as much

ranked 1 two --data ./reads again 2>err
mkdir m
nodes=(one.*.json)
cp "${nodes[0]}" m/n.one.json
nodes=(two.*.json)
cp "${nodes[0]}" m/n.two.json
ipmu-run --merge m/n -o all 2>err
is 'merged: status' 0 $?
tables sum m/n.one m/n.two all
python3 - <<-'END'
	import json
	j = json.load(open("m/n.two.json"))
	del j["profile"]
	json.dump(j, open("m/n.two.json", "w"))
END
ipmu-run --merge m/n -o all 2>err
is 'a node without a profile: status' 0 $?
grep -q '^ipmu-run: 1 of 2 reports have no profile: the joined report has none$' err
verdict 'a node without a profile: says so' $?
! grep -q '"profile"' all.json
verdict 'a node without a profile: none' $?

# ---- changed by somebody: refused by name, and odd names do no harm

refused() {	# refused CASE MEMBER
	python3 "$test_folder/where_change.py" "$1" && ipmu-run --show changed.json -o bad >out 2>err
	is "$1: status" 125 $?
	grep -qE "^ipmu-run: changed.json: cannot read $2: it is not as 'ipmu-run -o'" err
	verdict "$1: names it" $?
	[ ! -e bad.json ]
	verdict "$1: nothing is written" $?
}
refused kind 'profile'
for case in list huge text; do refused $case "a list of profile's counts"; done
refused moved "profile: the counts of its functions do not add up to 'profiled'"
refused line 'profile\.functions'
refused processes 'profile\.processes'
for case in event twice fewer; do refused $case 'profile\.events'; done
for case in storage blocks; do refused $case 'profile\.data'; done
refused address 'profile\.contended'
refused lost 'profile\.lost'
python3 "$test_folder/where_change.py" odd && ipmu-run --show changed.json -o odd >out 2>err
is 'odd names: status' 0 $?
! LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' err
verdict 'odd names: no control characters on the terminal' $?
grep -q '&lt;i&gt;' odd.html && ! grep -q '<i>' odd.html
verdict 'odd names: escaped on the page' $?

# ---- the first node of a job that runs adds up while both are there: nodes have their own /dev/shm

shown_apart=(unshare --mount --map-root-user sh -c 'mount -t tmpfs none /dev/shm && exec "$@"' sh)
if ! "${shown_apart[@]}" true 2>out; then
	echo "skipped: two nodes that run: $(tail -n 1 out)"
	finish
fi
both() {	# both OPTION: the second node has a profile, the first one with that option
	rm -f live.*
	(apart=("${shown_apart[@]}"); ranked 1 live --data ./reads again) >second 2>&1 &
	ranked 0 live "$@" ./reads >out 2>&1
	is "two nodes that run, ${1:-without a profile}: status" 0 $?
	wait $!
	grep -q '^  2 ranks on 2 nodes$' out
	verdict "two nodes that run, ${1:-without a profile}: both are there" $?
}
both
! grep -q '"profile"' live.json
verdict 'without a profile on one node: none' $?
both --data
tables live live
finish
