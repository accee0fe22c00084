#!/bin/bash
# SPDX-License-Identifier: MIT
# Reports of ipmu-run match docs/report.schema.json, by python3-jsonschema: of one run and of several, in
# passes, by box, with intervals, of a job, of a program that fails. Reports with a member too many, too
# few or of another type do not. docs/report.md names each member of the report itself.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run python3
python3 -c 'import jsonschema' 2>/dev/null || { echo 'no python3-jsonschema here'; exit 77; }
docs=${SRCDIR:?}/docs
cd "$scratch" || exit 1
matches() {	# matches FILE
	python3 - "$docs/report.schema.json" "$1" >out 2>&1 <<-'CODE'
		import json, jsonschema, sys
		schema, report = (json.load(open(name)) for name in sys.argv[1:])
		jsonschema.Draft202012Validator.check_schema(schema)
		jsonschema.Draft202012Validator(schema).validate(report)
	CODE
}
report() {	# report WHAT MACHINE ARGUMENT...
	local what=$1 machine=$2
	shift 2
	rm -f r.json
	on "$machine" -o r "$@"
	matches r.json
	verdict "$what" $?
}
report 'a group' skl-4c8t -g MEM true
cp r.json plain.json
cp r.csv plain.csv
PATH=$STAGE/bin:$PATH ipmu-run --show plain.json -o r >out 2>&1 && cmp plain.csv r.csv && matches r.json
verdict 'a group, shown again' $?
report 'groups and events' skl-4c8t -g MEM,LLC -e skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL true
report 'runs in passes, each box' skl-4c8t -g LLC_STATES --per-box --passes -r 2 true
report 'each CPU' core2-4c -g CPI --per-cpu true
report 'intervals' skl-4c8t -g MEM --interval 5 sleep 0.02
report 'packages' nhmex-2p16c32t -g MEM true
report 'a status' skl-4c8t -g MEM sh -c 'exit 7'
grep -q '^  "status":7,$' r.json
verdict 'a status: it is there' $?
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 report 'a job of one' skl-4c8t -g MEM true
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=1 PMIX_NAMESPACE=j$$ \
	report 'the first node of two' skl-4c8t -g MEM true
cp r.json job.json
grep -q '"size":2,' job.json
verdict 'the first node of two: it is a job' $?
# Of a processor: what the schema has for it, with a report whose origin is changed.
python3 - plain.json silicon.json <<-'CODE'
	import json, sys
	r = json.load(open(sys.argv[1]))
	r["virtual"], r["model_version"] = False, None
	json.dump(r, open(sys.argv[2], "w"))
CODE
matches silicon.json
verdict 'a processor' $?

wrong() {	# wrong WHAT PYTHON: r is the report of a job
	python3 - job.json wrong.json "$2" <<-'CODE'
		import json, sys
		r = json.load(open(sys.argv[1]))
		exec(sys.argv[3])
		json.dump(r, open(sys.argv[2], "w"))
	CODE
	if matches wrong.json; then bad "$1: the schema takes it"; else ok; fi
}
wrong 'a member too many' 'r["more"] = 1'
wrong 'a member too few' 'del r["groups"]'
wrong 'a part too many' 'r["groups"][0]["events"][0]["parts"][0]["core"] = 1'
wrong 'a count that is text' 'r["groups"][0]["events"][0]["value"] = "1"'
wrong 'another schema' 'r["schema"] = 2'
wrong 'a job without nodes' 'del r["nodes"]'
wrong 'no such clock' 'r["job"]["clock"] = "sun"'

# Members of the report, of a group, an event, a metric, a part and a job stand in the page.
for member in $(python3 - "$docs/report.schema.json" <<-'CODE'
	import json, sys
	s = json.load(open(sys.argv[1]))
	objects = [s, s["properties"]["job"]] + [s["$defs"][n] for n in ("group", "event", "metric", "part", "timeline")]
	print(*sorted({m for o in objects for m in o["properties"]} - {"run", "events", "metrics"}))
	CODE
); do
	grep -q "\`$member\`" "$docs/report.md" || bad "docs/report.md does not explain $member"
done
ok
finish
