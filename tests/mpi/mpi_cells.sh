#!/bin/bash
# SPDX-License-Identifier: MIT
# Which rank's counts go into which sum, what is "not measured", and errors on every rank: with a
# PAPI whose counts are known (tests/mpi/papi_stub.c), on a machine of two packages.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
compile api "-lipmu_mpi_$MPI" -lpapi
stub_papi
unc=intel_uncore:::
core=intel_core:::

api() {		# api RANKS ARG...
	ranks "$1" "$scratch/api" "${@:2}" >"$scratch/out" 2>&1
	status=$?
}
all() {		# all RANKS EVENT VALUE: every rank has that sum over the job
	lines "$1" "rank [0-9]+ event $2 node -1 package -1: $3"
}

# -- packages: 1000 + 1010, once a node; ranks: 1 + 2 + .. + n
for how in plain begin twice shut; do
	for n in 4 1; do
		[ $n = 4 ] || [ $how = plain ] || continue
		api $n $how ${unc}NODE ${core}RANK
		check "$how, $n ranks" all $n 0 '2010, 2 of 2'
		check "$how, $n ranks" all $n 1 "$((n * (n + 1) / 2)), $n of $n"
		check "$how, $n ranks" lines 1 'rank 0 event 0 node 0 package 0: 1000, 1 of 1'
		check "$how, $n ranks" lines 1 'rank 0 event 0 node 0 package 1: 1010, 1 of 1'
		check "$how, $n ranks" lines 1 'rank [0-9]+ shape: .* leader 1'
		check "$how, $n ranks: one read at a time" differs says 'was (accepted|waited for)'
		[ ! -c /dev/full ] ||
			check "$how, $n ranks: a full disk" says '^rank 0 report to a full disk: rc -5'
	done
done
api 4 self ${unc}NODE ${core}RANK
check 'a communicator for each rank' lines 4 'rank [0-9]+ shape: 1 ranks, 1 nodes, 2 packages, .*'
check 'a communicator for each rank' all 4 0 '2010, 2 of 2'
check 'a communicator for each rank' lines 1 'rank 3 event 1 node -1 package -1: 4, 1 of 1'
api 5 odd ${core}RANK ${unc}NODE
check 'even ranks: 1 + 3 + 5' lines 3 'rank [024] event 0 node -1 package -1: 9, 3 of 3'
check 'odd ranks: 2 + 4' lines 2 'rank [13] event 0 node -1 package -1: 6, 2 of 2'

# -- errors: the same sentence on all ranks
error() {	# error NAME RANKS RC REGEX
	check "$1" lines "$2" "rank [0-9]+ init: $3 .*"
	check "$1: one sentence" [ "$(sed -n 's/^rank [0-9]* init: //p' "$scratch/out" | sort -u |
		wc -l)" = 1 ]
	check "$1" says "$4"
	check "$1: ends" [ "$status" = 0 ]
}
api 4 differ ${unc}NODE
error 'different lists' 4 -22 "different lists.*rank 0 'intel_uncore:::NODE', rank 3 'intel_uncore:::BUSY'"

first_mpi || finish	# what follows are words, and cells that have nothing to do with MPI

# mpi_nodes.sh has 32 ranks and more with any MPI.
api 32 plain ${unc}NODE ${core}RANK
check '32 ranks' all 32 0 '2010, 2 of 2'
check '32 ranks' all 32 1 '528, 32 of 32'

# -- what is written: the same sums, as ipmu-run writes them
if command -v python3 >/dev/null; then
	REPORT=$scratch/r api 2 plain ${unc}NODE
	check 'files: complete' grep -q '^  "complete":true,$' "$scratch/r.json"
	REPORT=$scratch/r api 2 plain ${unc}NODE ${core}RANK
	check 'files: written' lines 1 'rank 0 writes: rc 0'
	check 'files: JSON' python3 - "$scratch/r.json" <<-'CODE'
		import json, sys
		r = json.load(open(sys.argv[1]))
		assert r["complete"] is False and r["lost"].endswith("bind the ranks") and r["ranks"] == 2, r
		assert 0 < r["seconds"]["value"] < 300 and r["job"]["clock"] == "wall", r
		assert r["program"][1:] == ["plain", "intel_uncore:::NODE", "intel_core:::RANK"], r
		group, = r["groups"]
		node, rank = group["events"]
		assert (node["name"], node["value"]) == ("intel_uncore:::NODE", 2010), node
		assert [(p["package"], p["value"]) for p in node["parts"]] == [(0, 1000), (1, 1010)], node
		assert (rank["name"], rank["value"]) == ("intel_core:::RANK", 3), rank
	CODE
	check 'files: CSV' python3 - "$scratch/r.csv" <<-'CODE'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1])))
		counts = {r["part"]: int(r["value"]) for r in rows if r["name"] == "intel_uncore:::NODE"}
		assert counts == {"all": 2010, "package 0": 1000, "package 1": 1010}, rows
		assert all(None not in r and None not in r.values() for r in rows), rows
	CODE
	if python3 -c 'import jsonschema' 2>/dev/null; then
		check 'files: the schema' python3 - "${SRCDIR:?}/docs/report.schema.json" "$scratch/r.json" <<-'CODE'
			import json, jsonschema, sys
			schema, report = (json.load(open(name)) for name in sys.argv[1:])
			jsonschema.Draft202012Validator(schema).validate(report)
		CODE
	fi
fi

# -- one package, by name, beside all of them
for key in package PACKAGE; do
	api 2 plain ${unc}NODE ${unc}NODE:$key=1
	check "$key=1" all 2 1 '1010, 1 of 1'
	check "$key=1" all 2 0 '2010, 2 of 2'
done

# -- not measured is not 0
api 2 plain ${unc}HALF
check 'a package that cannot be reached' all 2 0 '1000, 1 of 2'
check 'a package that cannot be reached' lines 1 \
	'rank 0 event 0 node 0 package 1: not measured, 0 of 1'
check 'the report says so' lines 1 ' +package 1 +not known'
check 'the report says so' lines 1 " +${unc}HALF +not known"
check 'the report says why' says 'cannot count intel_uncore:::HALF:package=1'
api 2 plain ${unc}BUSY
check 'counters that cannot be started' all 2 0 'not measured, 0 of 2'
check 'the report says why' says 'cannot start the counters of intel_uncore'
api 4 plain ${core}ODD
check 'ranks that cannot count: 2 + 4' all 4 0 '6, 2 of 4'
check 'the report says why' says 'node 0 .*: cannot start the counters of intel_core'
api 4 plain ${core}EVEN
check 'ranks that cannot count: 1 + 3' all 4 0 '4, 2 of 4'
check 'the report says why, and which rank' says 'node 0 .*: rank 1: cannot start the counters of intel_core'
api 2 early ${unc}NODE
check 'PAPI shut down while counting' all 2 0 'not measured, 0 of 2'

# -- more errors
api 4 plain ${unc}NODE ${unc}NONSENSE
error 'unknown event' 4 -2 'no event intel_uncore:::NONSENSE'
api 4 plain ${core}NONSENSE
error 'unknown core event' 4 -2 'no event intel_core:::NONSENSE'
api 4 fewer ${unc}NODE ${core}RANK
error 'a shorter list' 4 -22 "rank 3 'intel_uncore:::NODE'; give all the same"
api 4 fewer ${unc}NODE
error 'an empty list' 4 -22 'rank 3: 0 events'
api 3 plain ${unc}NODE ${unc}NODE
error 'an event twice' 3 -22 'intel_uncore:::NODE is in the list twice'
api 3 plain ${unc}NODE ${unc}FULL
error 'events that collide' 3 -28 'cannot count intel_uncore:::FULL:package=0: '
api 3 plain ${unc}NODE:package=7
error 'a package that is not there' 3 -2 'no event intel_uncore:::NODE:package=7'
api 3 plain ${unc}HALF:package=1
error 'a package that has no such counter' 3 -19 'cannot count intel_uncore:::HALF:package=1'
api 2 memory ${unc}NODE ${core}RANK
starved=$(grep -c '^rank 1 init: ' "$scratch/out")
check 'no memory: in many places' [ "$starved" -ge 8 ]
check 'no memory: -ENOMEM, whose it was, on all ranks' lines $((2 * starved)) \
	'rank [01] init: -12 .*out of memory.*'
check 'no memory at first: counted later' all 2 0 '2010, 2 of 2'
HWLOC_XMLFILE=$scratch/none api 3 plain ${unc}NODE
check 'a topology that cannot be read' lines 3 'rank [0-9]+ init: -[0-9]+ .*HWLOC_XMLFILE.*'
finish
