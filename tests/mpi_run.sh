#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-mpi-run: usage, files, the timeline, and life beside another PMPI tool. PAPI is a stand-in
# with known counts, except where the virtual machine is used.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/mpi/environment.sh"
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
wrong 'no events' ipmu-mpi-run true
wrong 'no program' ipmu-mpi-run -e a
wrong 'milliseconds' ipmu-mpi-run -e a -o x --interval 0 true
wrong 'milliseconds' ipmu-mpi-run -e a -o x --interval 5s true
wrong 'needs -o' ipmu-mpi-run -e a --interval 5 true
wrong 'without an ending' ipmu-mpi-run -e a -o dir/ true
wrong 'ipmu-run -o - writes JSON' ipmu-mpi-run -e a -o - true
wrong 'try' ipmu-mpi-run --nonsense
wrong 'vpmu run' env VPMU_FEED=1 ipmu-mpi-run -e a true
ipmu-mpi-run -e a /nonexistent/program >"$scratch/out" 2>&1
check 'no such program' [ $? = 127 ]
ipmu-mpi-run -e a sh -c 'exit 5' >"$scratch/out" 2>&1
check "the program's status, of a program without MPI" [ $? = 5 ]
LD_PRELOAD= ipmu-mpi-run -e a,b -e c -o p sh -c 'echo "$IPMU_MPI_EVENTS $IPMU_MPI_OUTPUT"' \
	>"$scratch/out"
check 'lists add up, and the prefix is absolute' lines 1 "a,b,c $PWD/p"

# -- on the virtual machine; natively, with a small program that reads beside each rank, where another
# MPI has emulated ranks
if command -v qemu-x86_64 >/dev/null; then
	elsewhere
	job=("$vpmu" run --strict -m skl-4c8t "${BUILD:?}/$MPI/mpi_examples/stream" 65536 100)
	first_mpi || job=("$native" --strict -m skl-4c8t "$scratch/end" well)
	MEANWHILE="'$scratch/elsewhere' 0 reads 65536" ranks 2 ipmu-mpi-run -e $event -o "$scratch/vm" \
		--interval 10 "${job[@]}" >"$scratch/out" 2>&1
	check 'virtual machine: ends well' [ $? = 0 ]
	check 'the rate has the clock of the model' says 'model time .* uncore clocks at 1 GHz'
	check 'bandwidth' says 'memory read bandwidth .* GB/s +='
	check 'timeline' grep -q "^seconds,model seconds,$event package 0" \
		"$scratch/vm.node0.timeline.csv"
	# A row's reads x 64 by the model clocks of the same row, which add up to its second column.
	check 'bandwidth in the timeline' awk -F, '
		NR == 1 { ok = $2 == "model seconds" && $3 ~ /DRAM_DATA_READS package 0$/ &&
			$4 ~ /UNC_CLOCK:SOCKET package 0$/ &&
			$5 == "memory read bandwidth GB/s (model clock)" }
		NR > 1 { clocks += $4; rows++
			if ($2 * 1e9 - clocks > 2 || clocks - $2 * 1e9 > 2) ok = 0 }
		NR > 1 && !$4 && $5 != "" { ok = 0 }
		NR > 1 && $4 { want = 64 * $3 / $4; rates++
			if ($5 > want * 1.0001 || $5 < want * 0.9999) ok = 0 }
		END { exit !(ok && rows > 1 && rates > 0) }' "$scratch/vm.node0.timeline.csv"
	# reads x 64 / clocks = GB/s at 1 GHz
	check 'bandwidth is bytes by clocks' awk -F, '
		$1 == "job" && $5 ~ /DRAM_DATA_READS/ { reads = $7 }
		$1 == "info" && $5 == "seconds" { s = $7 }
		$1 == "job" && $5 == "memory read bandwidth" { got = $7 }
		END { want = reads * 64e-9 / s; exit !(reads > 0 && got > want * 0.999 &&
			got < want * 1.001) }' "$scratch/vm.csv"
	if first_mpi; then	# the clock has one name on all client processors
		reads=UNC_MC0_RDCAS_COUNT_FREERUN
		ranks 1 ipmu-mpi-run -e intel_uncore:::$reads,intel_uncore:::${reads/0/1} \
			"$vpmu" run -m tgl-4c8t "$scratch/end" well >"$scratch/out" 2>&1
		check 'Tiger Lake: bandwidth' says 'memory read bandwidth +[0-9].* GB/s +='
	fi
	ranks 3 ipmu-mpi-run -e ${event}X "$vpmu" run --no-feed -m skl-4c8t "$scratch/end" well \
		>"$scratch/out" 2>&1
	check 'an unknown event ends the job' [ $? != 0 ]
	check 'an unknown event is named, once' lines 1 ".*ipmu-mpi-run: .* no event ${event}X.*"
	ranks 2 "$vpmu" run -m skl-4c8t ipmu-mpi-run -e $event "$scratch/end" well \
		>"$scratch/out" 2>&1
	check 'inside the machine: refused' says 'say ipmu-mpi-run ... vpmu run'
fi
ranks 2 ipmu-mpi-run -e $event "$scratch/end" well >"$scratch/out" 2>&1
if [ ! -e /dev/cpu/0/msr ]; then
	check 'without the PMU: the reason' says 'cannot be counted on node .*: component intel_uncore: '
fi

# -- two ranks of a stand-in PAPI
stub_papi
way=well
run() {		# run [NAME=VALUE]... : to $scratch/r.*
	rm -f "$scratch"/r.*
	ranks 2 env "$@" ipmu-mpi-run -e intel_uncore:::NODE,intel_core:::RANK -o "$scratch/r" \
		--interval 5 "$scratch/end" $way 0 >"$scratch/out" 2>&1
	check "$*: ends well" [ $? = 0 ]
	check "$*: node-wide, once" [ "$(job_count "$scratch/r.csv" intel_uncore:::NODE)" = 2010 ]
	check "$*: ranks, all" [ "$(job_count "$scratch/r.csv" intel_core:::RANK)" = 3 ]
	check "$*: one report" lines 1 'ipmu-mpi: 2 ranks on 1 node with 2 packages'
}
run A=B
check 'files' [ "$(cd "$scratch" && echo r.*)" = 'r.csv r.json r.node0.timeline.csv' ]
if command -v python3 >/dev/null; then
	check 'JSON' python3 - "$scratch/r.json" <<-'CODE'
		import json, sys
		r = json.load(open(sys.argv[1]))
		e = {x["name"]: x for x in r["events"]}
		node = e["intel_uncore:::NODE"]
		assert r["complete"] is True and r["ranks"] == 2 and r["packages"] == 2, r
		assert node["count"] == 2010 and node["measured"] == node["expected"] == 2, node
		assert [p["count"] for p in node["nodes"][0]["packages"]] == [1000, 1010], node
		assert node["unit"] == "lines" and not e["intel_core:::RANK"]["unit"], e
		assert e["intel_core:::RANK"]["count"] == 3 and r["clock"]["name"] == "wall", r
		assert 0 < r["clock"]["seconds"] < 300, r
	CODE
	check 'CSV' python3 - "$scratch/r.csv" <<-'CODE'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1])))
		counts = {r["package"]: int(r["value"]) for r in rows
			  if r["level"] == "package" and r["name"] == "intel_uncore:::NODE"}
		assert counts == {"0": 1000, "1": 1010}, rows
		assert all(None not in r and None not in r.values() for r in rows), rows
	CODE
fi

# -- numbers have a point in a program that has chosen a language with commas
if first_mpi && localedef -i de_DE -f UTF-8 "$scratch/de_DE.UTF-8" 2>"$scratch/out"; then
	way=nap
	run LOCPATH="$scratch" LC_ALL=de_DE.UTF-8
	way=well
	check 'commas: the table' grep -qE '^info,,,,seconds,s,[0-9]+\.[0-9]+(e-[0-9]+)?,,,,"wall clock"$' "$scratch/r.csv"
	check 'commas: JSON' grep -qE '^ *"seconds":[0-9]+\.[0-9]+(e-[0-9]+)?,?$' "$scratch/r.json"
	check 'commas: the timeline' [ "$(awk -F, '{ print NF }' "$scratch/r.node0.timeline.csv" | sort -u | wc -l)" = 1 ]
	check 'commas: the report' says '  time [0-9]+\.[0-9]+ s of wall clock'
fi

# -- without an interval there is no timeline
rm -f "$scratch"/r.*
ranks 1 ipmu-mpi-run -e intel_uncore:::NODE -o "$scratch/r" "$scratch/end" well 0 >"$scratch/out" 2>&1
check 'no interval: files' [ "$(cd "$scratch" && echo r.*)" = 'r.csv r.json' ]

# -- a tool that has MPI_Init and MPI_Finalize itself, and ends PAPI before MPI: before us and after
cat >"$scratch/tool.c" <<-'CODE'
	#include <mpi.h>
	#include <stdio.h>
	void PAPI_shutdown(void);
	#pragma weak PAPI_shutdown
	int MPI_Init(int *argc, char ***argv)
	{
		int rc = PMPI_Init(argc, argv);
		fprintf(stderr, "the tool saw MPI_Init\n");
		return rc;
	}
	int MPI_Init_thread(int *argc, char ***argv, int wanted, int *got)
	{
		int rc = PMPI_Init_thread(argc, argv, wanted, got);
		fprintf(stderr, "the tool saw MPI_Init_thread\n");
		return rc;
	}
	int MPI_Finalize(void)
	{
		fprintf(stderr, "the tool saw MPI_Finalize\n");
		if (PAPI_shutdown)
			PAPI_shutdown();
		return PMPI_Finalize();
	}
CODE
"$MPICC" -shared -fPIC -o "$scratch/tool.so" "$scratch/tool.c" || exit 1
run LD_PRELOAD="$scratch/tool.so"
check 'the tool works, too' lines 2 'the tool saw MPI_Init'
check 'the tool works, too' lines 2 'the tool saw MPI_Finalize'
way=threads
run C=D
run LD_PRELOAD="$scratch/tool.so"
check 'a tool with threads' lines 2 'the tool saw MPI_Init_thread'
way=well

# -- where nothing can hang on MPI_COMM_SELF, the end is MPI_Finalize, ours or a tool's
cat >"$scratch/bare.c" <<-'CODE'
	#include <mpi.h>
	int PMPI_Comm_set_attr(MPI_Comm comm, int key, void *value)
	{
		(void)comm, (void)key, (void)value;
		return MPI_ERR_OTHER;
	}
CODE
"$MPICC" -shared -fPIC -o "$scratch/bare.so" "$scratch/bare.c" || exit 1
run LD_PRELOAD="$scratch/bare.so"
run LD_PRELOAD="$scratch/tool.so:$scratch/bare.so"

export LATER=$scratch/tool.so
cat >"$scratch/later" <<-'CODE'
	#!/bin/sh
	LD_PRELOAD=$LD_PRELOAD:$LATER exec "$@"
CODE
chmod +x "$scratch/later"
ranks 2 ipmu-mpi-run -e intel_uncore:::NODE -o "$scratch/r" "$scratch/later" "$scratch/end" well \
	>"$scratch/out" 2>&1
check 'a tool after us' [ "$(job_count "$scratch/r.csv" intel_uncore:::NODE)" = 2010 ]
check 'a tool after us' lines 2 'the tool saw MPI_Init'

# -- Fortran's MPI_Init is another one
if command -v gfortran >/dev/null; then
	cat >"$scratch/f.f90" <<-'CODE'
		program f
		  include 'mpif.h'
		  integer :: rc
		  call mpi_init(rc)
		  call mpi_finalize(rc)
		end program
	CODE
	if "$MPIFORT" -o "$scratch/f" "$scratch/f.f90" >"$scratch/out" 2>&1; then
		ranks 2 ipmu-mpi-run -e intel_uncore:::NODE "$scratch/f" >"$scratch/out" 2>&1
		check 'Fortran' says 'intel_uncore:::NODE +2010'
	fi
fi
finish
