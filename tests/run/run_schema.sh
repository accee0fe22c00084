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
# One interpreter checks all of them in the end: it starts for a quarter of a second.
reports=()
keep() {	# keep WHAT FILE
	cp "$2" "${#reports[@]}.json" && reports+=("$1=${#reports[@]}.json")
	verdict "$1: a report" $?
}
report() {	# report WHAT MACHINE ARGUMENT...
	local what=$1 machine=$2
	shift 2
	rm -f r.json
	on "$machine" -o r "$@"
	keep "$what" r.json
}
report 'a profile' skl-4c8t -g MEM --profile true
report 'a group' skl-4c8t -g MEM true
cp r.json plain.json
cp r.csv plain.csv
PATH=$STAGE/bin:$PATH ipmu-run --show plain.json -o r >out 2>&1 && cmp plain.csv r.csv
verdict 'a group, shown again' $?
keep 'a group, shown again' r.json
report 'groups and events' skl-4c8t -g MEM,LLC -e skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL true
report 'runs in passes, each box' skl-4c8t -g LLC_STATES --per-box --passes -r 2 true
report 'each CPU' core2-4c -g CPI --per-cpu true
compile regions regions.c -pthread -I"$STAGE/include/ipmu" -L"$STAGE_LIB" -lipmu_region -Wl,-rpath,"$STAGE_LIB"
report 'regions' skl-4c8t -g MEM ./regions wrong
grep -q '"regions"' r.json
verdict 'regions: they are there' $?
report 'intervals' skl-4c8t -g MEM --interval 5 sleep 0.02
report 'packages' nhmex-2p16c32t -g MEM true
report 'a status' skl-4c8t -g MEM sh -c 'exit 7'
grep -q '^  "status":7,$' r.json
verdict 'a status: it is there' $?
# Each form of the report has the rule of the machine's clock, and a report that is shown again, too.
while IFS='|' read -r machine rule words; do
	report "the clock of $machine" "$machine" -g "$([ $machine = core2-4c ] && echo CPI || echo MEM)" true
	cp r.json clock.json
	PATH=$STAGE/bin:$PATH ipmu-run --show clock.json >shown 2>&1
	grep -q "^  \"clock_rule\":\"$rule\",\$" r.json && grep -q "^info,,clock,all,,,,$words\$" r.csv &&
		grep -q "A virtual machine: $words; wall time is not modelled[.]" r.html &&
		grep -q "model): $words; wall time is not modelled\$" shown
	verdict "the clock of $machine: each form has its rule" $?
	grep -q "$words; wall time" out || grep -q "$words; wall time" err
	verdict "the clock of $machine: the text has its rule" $?
done <<'END'
skl-4c8t|estimate|its clocks estimate time by a table of instructions
core2-4c|instruction|an instruction takes one of its clocks
END
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 report 'a job of one' skl-4c8t -g MEM true
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=1 PMIX_NAMESPACE=j$$ \
	report 'the first node of two' skl-4c8t -g MEM true
grep -q '"size":2,' r.json
verdict 'the first node of two: it is a job' $?

# The report of a processor is one whose origin is changed.
python3 "$test_folder/schema.py" "$docs" "${reports[@]}" >out 2>&1
is 'the schema' '0 ' "$? $(<out)"
finish
