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
cat >reads.c <<-'END'
	#include <stdlib.h>
	static volatile char *a;
	__attribute__((noinline)) static void reads(long from)
	{
	    for (long i = 0; i < 100000; i++) (void)a[64 * (from + i)];
	}
	int main(int argc, char **argv)
	{
	    (void)argv;
	    a = calloc(200001, 64);	/* the first line has the allocator's header */
	    reads(1);
	    if (argc > 1) reads(100001);
	    return 0;
	}
END
$CC -g -O1 -o reads reads.c || exit 1
ranked() {	# ranked RANK PREFIX ARGUMENT...: a node of two with one rank
	OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=1 \
		PMIX_NAMESPACE=j$$ "${apart[@]}" ipmu-run --on skl-4c8t -g LLC_READ,MEM -o "$2" "${@:3}"
}
apart=()
cat >tables.py <<-'END'
	import csv, json, sys
	def profile(name): return json.load(open(name + ".json"))["profile"]
	def table(p, kind):	# functions and data by what they are
	    rows = {}
	    for r in p[kind]:
	        key = tuple(r.get(k) for k in ("function", "storage", "name", "file", "line"))
	        key += () if r["file"] else (r.get("object"),)
	        old = rows.get(key, [0] * len(r["counts"]))
	        rows[key] = [a + b for a, b in zip(old, r["counts"])]
	    return rows
	def added(a, b):
	    return {k: [x + y for x, y in zip(a.get(k, [0] * 99), b.get(k, [0] * 99))
	                if k in a or k in b][:len((a.get(k) or b.get(k)))] for k in set(a) | set(b)}
	what, *files = sys.argv[1:]
	p = [profile(f) for f in files]
	if what == "same":
	    assert p[0] == p[1]
	    rows = [sorted(map(tuple, csv.reader(open(f + ".csv")))) for f in files]
	    assert rows[0] == rows[1]
	if what in ("sum", "live"):
	    whole = p[-1]
	    for e in whole["events"]:
	        assert e["profiled"] is None or e["counted"] in (None, e["profiled"]), e
	    i = [e["name"].split(".")[-1] for e in whole["events"]].index("UNC_CBO_CACHE_LOOKUP:READ_I")
	    reads = [f["counts"][i] for f in whole["functions"] if f["function"] == "reads"]
	    assert len(reads) == 1 and 300000 <= reads[0] <= 300192, reads
	    lines = [l["counts"][i] for l in whole["lines"] if l["function"] == "reads" and l["line"] == 5]
	    assert len(lines) == 1 and 300000 <= lines[0] <= 300192, lines
	    assert whole["processes"] == 2, whole["processes"]
	if what == "sum":
	    for kind in "functions", "data":
	        assert table(p[2], kind) == added(table(p[0], kind), table(p[1], kind)), kind
END
tables() {	# tables WHAT REPORT...
	python3 tables.py "$@" >out 2>&1
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

cat >change.py <<-'END'
	import copy, json, sys
	base = json.load(open("one.json"))
	def f(p): return p["functions"][0]
	def events(p): return p["events"]
	cases = dict(
	    kind=lambda p: [],
	    list=lambda p: f(p)["counts"].pop(),
	    huge=lambda p: f(p)["counts"].__setitem__(0, 1e300),
	    text=lambda p: f(p)["counts"].__setitem__(0, "7"),
	    moved=lambda p: f(p)["counts"].__setitem__(0, f(p)["counts"][0] + 1),
	    line=lambda p: f(p).update(line=-1),
	    processes=lambda p: p.update(processes=-1),
	    event=lambda p: events(p)[0].update(name="none"),
	    twice=lambda p: events(p).__setitem__(0, dict(events(p)[1])),
	    fewer=lambda p: events(p).pop(),
	    storage=lambda p: p["data"][0].update(storage="disk"),
	    blocks=lambda p: p["data"][0].update(blocks=-1),
	    address=lambda p: p.update(contended=[dict(address="4100", modified=1, unmodified=0, sides=[])]),
	    lost=lambda p: p.update(lost=[dict(what="calls", times=-1)]),
	    odd=lambda p: (f(p).update(function="a\x1b[2Jb\u009b<i>,\n\"", file="=1\x07"),
	                   p.update(lost=[dict(what="\x1b[2J", times=1)])))
	j = copy.deepcopy(base)
	if cases[sys.argv[1]](j["profile"]) == []: j["profile"] = []
	json.dump(j, open("changed.json", "w"))
END
refused() {	# refused CASE MEMBER
	python3 change.py "$1" && ipmu-run --show changed.json -o bad >out 2>err
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
python3 change.py odd && ipmu-run --show changed.json -o odd >out 2>err
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
