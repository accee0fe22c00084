#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-mpi-run, the short name of ipmu-run --from-mpi-init: usage, files, intervals, and programs that count by
# themselves. PAPI is a stand-in with known counts, except where the virtual machine is used.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
[ -x "$STAGE/bin/ipmu-run" ] || skip 'built without ipmu-run'
compile end
event=intel_uncore:::skl_unc_imc.DRAM_DATA_READS

# -- usage
wrong() {	# wrong REGEX ARG...: status 125, and says so
	local regex=$1
	shift
	"$@" >"$scratch/out" 2>&1
	check "$*: status" [ $? = 125 ]
	check "$*" says "$regex"
}
wrong '^ipmu-mpi-run: nothing to count' ipmu-mpi-run true
wrong 'no program' ipmu-mpi-run -e a
wrong 'milliseconds' ipmu-mpi-run -e a -o x --interval 0 true
wrong 'milliseconds' ipmu-mpi-run -e a -o x --interval 5s true
wrong 'without an extension' ipmu-mpi-run -e a -o dir/ true
wrong 'try' ipmu-mpi-run --nonsense

# -- on the virtual machine; natively, with a small program that reads beside each rank, where another
# MPI has emulated ranks
if command -v qemu-x86_64 >/dev/null; then
	elsewhere
	run=("$vpmu" run --) job=("${BUILD:?}/$MPI/mpi_examples/stream" 65536 100)
	first_mpi || run=() job=("$scratch/end" well)
	WORK=$scratch/elsewhere MEANWHILE="'$scratch/elsewhere' 0 reads 65536" ranks 2 \
		"$vpmu" run --no-feed --strict -m skl-4c8t -- ipmu-mpi-run -g MEM -e $event \
		-o "$scratch/vm" --interval 2 -- "${run[@]}" "${job[@]}" >"$scratch/out" 2>&1
	check 'virtual machine: ends well' [ $? = 0 ]
	check "the time is that of the machine's clock" says "time of the machine's clock"
	check 'bandwidth' says 'read bandwidth .* GB/s +='
	check 'there is one page' [ "$(cd "$scratch" && echo vm.*)" = 'vm.csv vm.html vm.json' ]
	# A row's reads x 64 by the row's time on the machine's clock, in which it is 1 GHz
	check 'bandwidth in the intervals' awk -F, '
		$1 == "event interval" && $3 ~ /DRAM_DATA_READS/ && $2 ~ /MEM/ && $4 == "all" {
			reads[$12] = $5; took[$12] = $12 - $11 }
		$1 == "metric interval" && $3 == "read bandwidth" && $4 == "all" && $5 != "" {
			want = took[$12] ? 64e-9 * reads[$12] / took[$12] : 0; n++
			if (want && ($5 > want * 1.0001 || $5 < want * 0.9999)) bad = 1
			rates += want > 0 }
		END { exit bad || n < 2 || !rates }' "$scratch/vm.csv"
	check 'bandwidth is bytes by time' awk -F, '
		$1 == "event" && $3 ~ /DRAM_DATA_READS/ && $4 == "all" { reads = $5 }
		$1 == "info" && $3 == "time" { s = $5 }
		$1 == "metric" && $3 == "read bandwidth" && $4 == "all" { got = $5 }
		END { want = reads * 64e-9 / s; exit !(reads > 0 && got > want * 0.999 &&
			got < want * 1.001) }' "$scratch/vm.csv"
	ranks 2 ipmu-mpi-run --on skl-4c8t -g LLC -o - "$scratch/end" well >"$scratch/out" 2>"$scratch/err"
	check 'JSON on stdout' grep -q '^  "from_mpi_init":true,$' "$scratch/out"
	check 'JSON on stdout: no text' differs grep -q 'ipmu-run:' "$scratch/err"
fi
ranks 2 ipmu-mpi-run -e $event "$scratch/end" well >"$scratch/out" 2>&1
if [ ! -e /dev/cpu/0/msr ]; then
	check 'without the PMU: the reason, once' lines 1 'ipmu-mpi-run: nothing to count with here: .*'
fi

# -- two ranks of a stand-in PAPI
stub_papi
export STUB_GROWS=1	# from one reading to the next, 1000 and 1010 in the two packages
way=well options=
count() { awk -F, -v name="$1" '$1 == "event" && $3 == name && $4 == "all" { print $5 }' "$scratch/r.csv"; }
run() {		# run [NAME=VALUE]... : to $scratch/r.*
	rm -f "$scratch"/r.*
	# shellcheck disable=SC2086 # words
	ranks 2 env "$@" ipmu-mpi-run -e intel_uncore:::NODE,intel_core:::RANK -o "$scratch/r" \
		$options "$scratch/end" $way 0 >"$scratch/out" 2>&1
	check "$*: ends well" [ $? = 0 ]
	check "$*: node-wide, once" [ "$(count intel_uncore:::NODE)" = 2010 ]
	check "$*: from MPI_Init" says '^  from MPI_Init to MPI_Finalize$'
	check "$*: one report" lines 1 '  2 ranks on 1 node'
}
run A=B
check 'files' [ "$(cd "$scratch" && echo r.*)" = 'r.csv r.html r.json' ]
if command -v python3 >/dev/null; then
	check 'JSON' python3 - "$scratch/r.json" <<-'CODE'
		import json, sys
		r = json.load(open(sys.argv[1]))
		e = {x["name"]: x for g in r["groups"] for x in g["events"]}
		node = e["intel_uncore:::NODE"]
		assert r["complete"] is True and r["ranks"] == 2 and r["from_mpi_init"] is True, r
		assert "reason" not in r and r["nodes"][0]["ranks"] == 2, r
		assert node["value"] == 2010, node
		assert [(p["package"], p["value"]) for p in node["parts"]] == [(0, 1000), (1, 1010)], node
		assert 0 < r["seconds"]["value"] < 300, r
	CODE
fi

# -- numbers have a point in a program that has chosen a language with commas
if first_mpi && localedef -i de_DE -f UTF-8 "$scratch/de_DE.UTF-8" 2>"$scratch/out"; then
	run LOCPATH="$scratch" LC_ALL=de_DE.UTF-8
	check 'commas: the table' grep -qE '^info,,time,all,[0-9]+\.?[0-9]*(e-[0-9]+)?,' "$scratch/r.csv"
	check 'commas: the report' says '  time [0-9]+\.[0-9]+ s'
fi

way=threads
run C=D

# -- a program that PAPI is linked into, and that counts by itself: the two do not know each other
compile api "-lipmu_mpi_$MPI" -lpapi
ranks 2 ipmu-mpi-run -e intel_uncore:::NODE -o "$scratch/r" "$scratch/api" plain intel_uncore:::NODE \
	>"$scratch/out" 2>&1
check 'a program with ipmu_mpi.h: counted' [ "$(count intel_uncore:::NODE)" = 2010 ]
check 'a program with ipmu_mpi.h: counts' lines 2 'rank [0-9]+ event 0 node -1 package -1: [0-9]+, 2 of 2'
finish
