#!/bin/bash
# SPDX-License-Identifier: MIT
# Reports of nodes that `ipmu-run --merge` joins, as anybody may have changed them: files that are not
# the caller's, numbers out of range and sums that overflow are refused or skipped by name, and
# 100,000 parts or 8,000 metrics are joined in time that grows with their number.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run python3
cd "$scratch" || exit 1
unset VPMU_SEGMENT
PATH=$STAGE/bin:$PATH
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=1 PMIX_NAMESPACE=j$$ \
	ipmu-run --on skl-4c8t -g MEM -o first true >out 2>err
[ -s first.json ]; verdict 'a node of two' $?
merge() {	# merge CASE...: these alone
	rm -rf m.* all.*
	python3 "$test_folder/merged.py" "$@"
	ipmu-run --merge m -o all >out 2>err </dev/null
	status=$?
}
refused() {	# refused CASE REGEX
	merge "$1"
	is "$1: status" 125 $status
	grep -qE "^ipmu-run: m.$1.json: cannot read $2: it is not as" err; verdict "$1: names it" $?
	[ ! -e all.json ]; verdict "$1: nothing is written" $?
}
merge same
is 'as it was' 0 $status
part="an event's parts"
for case in node node_behind package box cpu twice order big; do refused $case "$part"; done
refused ranks job
refused node_ranks 'nodes\[\].ranks'
refused ended job
refused outside job
refused status_low status
refused status_high status
rm -f m.* all.*
python3 "$test_folder/merged.py" half
sed 's/"host": "[^"]*"/"host": "b"/' m.half.json >m.second.json
ipmu-run --merge m -o all >out 2>err
is 'a sum over nodes: status' 125 $?
grep -q 'counts of all nodes are too large to add up' err; verdict 'a sum over nodes: says so' $?

# ---- files that a folder has by somebody else

merge same
mkfifo m.pipe.json
ln -s first.json m.link.json
mkdir m.folder.json
[ "$(id -u)" = 0 ] && cp m.same.json m.other.json && chown 65534 m.other.json
timeout "$HANG_SECONDS" ipmu-run --merge m -o all >out 2>err </dev/null
is 'files of others: status' 0 $?
for name in pipe link folder; do
	grep -q "^ipmu-run: m.$name.json: cannot read it: it is no regular file; ignoring it$" err
	verdict "a $name: ignored by name" $?
done
if [ "$(id -u)" = 0 ]; then
	grep -q '^ipmu-run: m.other.json: cannot read it: it belongs to another user; ignoring it$' err
	verdict "another user's: ignored by name" $?
fi
is 'files of others: one rank' 1 "$(python3 -c 'import json; print(json.load(open("all.json"))["ranks"])')"
ipmu-run --on skl-4c8t -g MEM -o whole true >out 2>err
ipmu-run --diff <(cat whole.json) whole.json >out 2>err
is 'a pipe of the user is compared' 0 $?
ipmu-run --show /dev/stdin >out 2>err < <(cat first.json)
is 'a pipe of the user is shown' 0 $?

# ---- many parts: what is quadratic takes minutes of CPU time

merge_many() {	# merge_many CASE PARTS SUM
	rm -rf m.* all.*
	python3 "$test_folder/merged.py" "$1"
	(ulimit -t 100; exec ipmu-run --merge m -o all >out 2>err </dev/null)
	is "$1: joined" 0 $?
	is "$1: parts and their sum" "$2 $3" "$(python3 -c 'import json
e = json.load(open("all.json"))["groups"][0]["events"][0]
print(len(e["parts"]), e["value"])')"
}
merge_many parts 100000 $((100000 * 99999 / 2))
merge_many metrics 1 "$(python3 -c 'import json
print(json.load(open("first.json"))["groups"][0]["events"][0]["value"])')"
rm -rf m.* all.*
python3 "$test_folder/merged.py" nodes
(ulimit -t 100; exec ipmu-run --show m.nodes.json -o all >out 2>err </dev/null)
is 'nodes: shown' 0 $?
is 'nodes: parts and their sum' '60000 40000 2' "$(python3 -c 'import json
e = json.load(open("all.json"))["groups"][0]["events"][0]
print(len(e["parts"]), e["value"], e["parts"][-1]["value"])')"
finish
