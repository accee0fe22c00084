#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-run in a job: its processes find each other without MPI, each node is counted once, whether the
# program calls MPI_Init or not. What is counted are programs of three instructions.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
[ -x "$STAGE/bin/ipmu-run" ] || skip 'built without ipmu-run'
compile end
mpi_dir=$(cd "$mpi_dir" && pwd)
cd "$scratch" || exit 1
event=skl_unc_clk.UNC_CLOCK:SOCKET
requests=skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL

count() {	# count NAME PART: of out.csv
	awk -F, -v name="$1" -v part="$2" '$1 == "event" && $3 == name && $4 == part { print $5; exit }' \
		out.csv
}
job() {		# job RANKS COMMAND...: to $scratch/out, $status
	ranks "$@" >out 2>&1
	status=$?
}
native="$vpmu run --no-feed -m skl-4c8t ipmu-run"

# -- sums: one process counts for all
if command -v qemu-x86_64 >/dev/null; then
	${CC:-cc} -nostdlib -static -o three "${SRCDIR:?}/tests/run/turns.S" || exit 1
	instructions=core_fixed.INST_RETIRED:ANY
	job 3 ipmu-run --on core2-4c -g CPI -o out ./three
	check 'three ranks: the status' [ $status = 0 ]
	check 'three ranks of three instructions' [ "$(count $instructions all)" = 9 ]
	check 'one report' [ "$(echo out.*)" = 'out.csv out.html out.json' ]
	check 'the report names the ranks' grep -qx 'info,,ranks,all,3,0,,' out.csv
	check 'metrics' grep -q '^metric,core_fixed/CPI,instructions per clock,all,1,' out.csv
	# Each rank has CPUs of its own; all of them are counted, each once, by one process.
	printf '#!/bin/sh\nexec taskset -c $((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} %% 2)) "$@"\n' >bound
	chmod +x bound
	if taskset -c 0 true 2>/dev/null && taskset -c 1 true 2>/dev/null; then
		job 3 ./bound ipmu-run --on core2-4c -g CPI --per-cpu -o out ./three
		check 'bound: all' [ "$(count $instructions all)" = 9 ]
		check 'bound: CPU 0' [ "$(count $instructions 'cpu 0')" = 6 ]
		check 'bound: CPU 1' [ "$(count $instructions 'cpu 1')" = 3 ]
	fi
fi

# -- programs of MPI, from their start to their end
job 3 $native -g MEM,LLC -e $requests -o out "$scratch/end" well
check 'MPI: the status' [ $status = 0 ]
check 'MPI: ranks' grep -q '^  "ranks":3,$' out.json
check 'MPI: complete' grep -q '^  "complete":true,$' out.json
check 'MPI: events beside groups' [ "$(count $requests all)" = 0 ]
check 'MPI: groups and their metrics' grep -q '^metric,skl_unc/LLC,' out.csv
for how in exit abort kill; do
	rm -f out.*
	job 3 $native -e $event -o out "$scratch/end" $how 1
	[ $how = exit ] || check "$how: the status" [ $status != 0 ]
	[ $how = exit ] || [ ! -e out.json ] ||
		check "$how: the report has it" differs grep -q '^  "status":0,$' out.json
done

job 2 $native -e $event -o - true
check '-o -: one report' lines 1 '  "ranks":2,'
check '-o -: no file' [ -z "$(find . -name '-*')" ]

# -- statuses and errors
job 2 $native -e $event sh -c 'exit 7'
check 'a status' [ $status = 7 ]
job 2 $native -e $event ./none
check 'not found: the status' [ $status = 127 ]
check 'not found: said' says './none: no such file'
job 2 $native -g PAGES true
check 'no such group: the status' [ $status = 125 ]
check 'no such group: said once' lines 1 'ipmu-run: no group PAGES here, other machines have it: .*'
job 2 $native -g LLC_STATES true
check 'does not fit: the status' [ $status = 125 ]
check 'does not fit: said once' lines 1 '  ask for less: they take 2 jobs'
for option in '-r 2' --passes; do
	job 2 $native -e $event $option true
	check "$option: the status" [ $status = 125 ]
	check "$option: said once" lines 1 'ipmu-run: -r and --passes run the program more than once, .*'
done

# -- application contexts, of which each has options: one report cannot have those of two
contexts() {
	local other
	for other in '-g LLC' '-g MEM -r 2' '-g MEM --per-box --interval 5 -o out'; do
		job 1 $native -g MEM true : -n 2 $native $other true
		check "contexts, $other: the status" [ $status = 125 ]
		check "contexts, $other: said once" lines 1 "ipmu-run: one job has one report: rank [012] has \
the options '(-g MEM|$other)', and rank [012] '(-g MEM|$other)': give all application contexts the same"
	done
	job 1 $native -g MEM true : -n 1 $native -g MEM -- sh -c 'exit 0'
	check 'contexts of the same options' [ $status = 0 ]
	check 'contexts of the same options: a report' says '^  2 ranks on 1 node$'
}
# The mpirun of Open MPI 5.0.7, Debian 13's, crashes with two contexts of any program.
{ job 1 true : -n 1 true; } 2>/dev/null
if [ $status = 139 ]; then
	echo "application contexts are not tried: $("$MPIRUN" --version | head -n 1) crashes with them"
else
	contexts
fi

# -- a rank that a signal ends: what the node had counted until then is reported, and is not all
rm -f out.*
job 2 $native -e $event -o out sh -c '[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 0 ] || kill -TERM $$; sleep 0.2'
check 'a killed rank: the status' [ $status != 0 ]
[ ! -e out.json ] || check 'a killed rank: not complete' grep -q '^  "complete":false,$' out.json

# -- beside one that is not ours: counted after a while, and reported
printf '#!/bin/sh\n[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 1 ] && exec sleep 0.1\nexec "$@"\n' >first
chmod +x first
job 2 ./first $native -e $event true
check 'one of two: the status' [ $status = 0 ]
check 'one of two: said' says '^  1 rank on 1 node; INCOMPLETE: of 2$'

# -- several nodes
nodes=$mpi_dir/../nodes/nodes
trap '"$nodes" down "$scratch/nodes" 2>/dev/null; rm -rf "$scratch"' EXIT
"$nodes" up 2 "$scratch/nodes" >up 2>&1
case $? in
0) ;;
77) cat up; finish ;;	# the rest has run
*) cat up; exit 1 ;;
esac
export MPI MPIRUN LD_LIBRARY_PATH=${LD_LIBRARY_PATH-} STUB_LACKS=
unset HWLOC_XMLFILE
across() {	# across RANKS COMMAND...: dealt out to the two nodes in turn
	rm -f out.*
	timeout ${limit:-$HANG_SECONDS} env LD_PRELOAD="${preload-}" "$nodes" run "$scratch/nodes" "$@" \
		</dev/null >out 2>&1
	status=$?
}
if [ -x three ]; then
	across 3 ipmu-run --on core2-4c -g CPI -o out ./three
	check 'two nodes: the status' [ $status = 0 ]
	check 'two nodes: one report, nothing beside it' [ "$(echo out.*)" = 'out.csv out.html out.json' ]
	check 'two nodes: the job' [ "$(count $instructions all)" = 9 ]
	check 'two nodes: node 0' [ "$(count $instructions 'node 0')" = 6 ]
	check 'two nodes: node 1' [ "$(count $instructions 'node 1')" = 3 ]
	check 'two nodes: their ranks' grep -qx 'info,,ranks,node 1,1,0,,node1' out.csv
	check 'two nodes: a metric of each' grep -q \
		'^metric,core_fixed/CPI,instructions per clock,node 1,1,' out.csv
	check 'two nodes: a row for each on the page' [ "$(grep -c '<td>node 1</td>' out.html)" = 4 ]
	command -v lstopo-no-graphics >/dev/null && check 'two nodes: the page draws node 0' \
		[ "$(grep -o '>INST[A-Z_:]* [0-9]*<' out.html | grep -o '[0-9]*<' | paste -sd' ')" = '6< 6<' ]
	check 'two nodes: complete' grep -q '^  "complete":true,$' out.json
	mv out.json base.json
	across 3 ipmu-run --on core2-4c -g CPI -o out --compare base.json --limit $instructions=0% ./three
	check 'two nodes, compared: the status' [ $status = 0 ]
	check 'two nodes, compared: once' lines 1 '  0 of 1 with a limit failed'
	across 2 ipmu-run --on core2-4c -g CPI -o out --compare base.json ./three
	check 'two nodes, a rank less: the status' [ $status != 0 ]
	check 'two nodes, a rank less' says "the number of ranks differs: '3' in base.json, '2' in this run"
fi
# Two packages each: a sum for the node, beside them.
across 4 "$vpmu" run --no-feed -m nhmex-2p16c32t ipmu-run -g MEM -o out true
check 'packages of nodes' [ "$(awk -F, '$1 == "event" && $3 ~ /INFLIGHT/ { print $4 }' out.csv |
	paste -sd,)" = 'all,node 0 package 0,node 0 package 1,node 1 package 0,node 1 package 1,node 0,node 1' ]
# Debian's MPICH may fail or hang in MPI_Finalize across nodes (see mpi_nodes.sh): three short tries.
limit=$HANG_SECONDS preload=
[ $MPI = mpich ] && limit=200 preload=$waits
for try in 1 2 3; do
	across 2 "$vpmu" run --no-feed -m skl-4c8t ipmu-run -g MEM -o out "$scratch/end" well
	[ $status != 0 ] && [ $MPI = mpich ] || break
done
unset limit preload
check 'MPI on two nodes' grep -q '^  "complete":true,$' out.json

first_mpi || finish	# what follows is between our processes

# -- nodes meet in files: no socket listens, and what others have laid beside it is left alone
cat >stranger <<-'CODE'
	#!/bin/bash
	until [ -e met ] || [ "$(hostname)" = node0 ]; do sleep 0.1; done
	[ "$(hostname)" = node0 ] || exit 0
	until [ -e out.node1.job ]; do sleep 0.1; done
	ss -Hltnp >listening
	echo x >out.x.job
	cp out.job out.killed.job	# nobody holds its lock
	cp base.json out.older.json
	echo '{' >out.cut.json
	touch met
CODE
chmod +x stranger
[ -e base.json ] || echo '{}' >base.json
across 2 "$vpmu" run --no-feed -m skl-4c8t ipmu-run -e $event -o out "$scratch/stranger"
check 'strangers beside it: complete' grep -q '^  "complete":true,$' out.json
check 'strangers beside it: the program was there' [ -e met ]
# Launchers listen, and Hydra's children inherit that.
check 'no socket of ours listens' [ "$(grep '"ipmu-run"' listening | grep -cv hydra)" = 0 ]
check 'of the meeting nothing is left' [ "$(echo out.*)" = \
	'out.csv out.cut.json out.html out.json out.killed.job out.older.json out.x.job' ]

# -- intervals: each node has its own, and keeps them
across 2 "$vpmu" run --no-feed -m skl-4c8t ipmu-run -e $event --interval 50 -o out sleep 0.2
for node in node0 node1; do
	check "intervals: those of $node" grep -q '^event interval,' out.$node.csv
done
check 'intervals: the job' grep -q '^  "complete":true,$' out.json

# A report of an earlier job that had the same name is none of this one.
cp out.node1.json earlier
cat >reuses <<-'CODE'
	#!/bin/bash
	[ "$(hostname)" = node0 ] || exit 0
	sed "s/\"id\":[^,]*,/\"id\":\"$(awk '{ print $NF }' out.job)\",/; s/\"host\":\"node1\"/\"host\":\"older\"/" earlier >out.older.json
	touch -d '1 hour ago' out.older.json
CODE
chmod +x reuses
across 2 "$vpmu" run --no-feed -m skl-4c8t ipmu-run -e $event -o out "$scratch/reuses"
check 'a job of the same name: its nodes alone' says '^  2 ranks on 2 nodes$'
check 'a job of the same name: its file stays' [ -s out.older.json ]

# A copy of a node's report counts nothing a second time. It is there once the node has ended: before
# that it would stand for the node.
cat >copies <<-'CODE'
	#!/bin/bash
	[ "$(hostname)" = node0 ] || exit 0
	until grep -qsF "$(awk '{ print $NF }' out.job)" out.node1.json; do sleep 0.1; done
	sed "s/\"id\":[^,]*,/\"id\":\"$(awk '{ print $NF }' out.job)\",/" earlier >out.copy.json
CODE
chmod +x copies
across 2 "$vpmu" run --no-feed -m skl-4c8t ipmu-run -e $event -o out "$scratch/copies"
check 'a node twice: its ranks once' says '^  2 ranks on 2 nodes$'
check 'a node twice: named' says '^ipmu-run: out.*json: ignoring this report: .* one node is there twice$'

# A node may replace its report after the first node has read it. A lease says when that opens it.
printf '#!/bin/sh\n[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} != 2 ] || exec true\nexec "$@"\n' >two
printf '#!/bin/sh\nexec python3 "%s/tests/mpi/replaces.py"\n' "$SRCDIR" >replaces
chmod +x replaces two
across 3 ./two "$vpmu" run --no-feed -m skl-4c8t ipmu-run -e $event -o out "$scratch/replaces"
if [ -e leaseless ]; then
	echo 'a replaced report is not tried: this file system has no leases'
else
	check 'a replaced report: once' says '^  3 ranks on 3 nodes$'
	check 'a replaced report: the newer one' grep -q '^info,,ranks,node [12],1,0,,newer$' out.csv
fi

# -- a node that runs longer than the first waits for strangers
across 2 "$vpmu" run --no-feed -m skl-4c8t ipmu-run -e $event -o out \
	sh -c '[ "$(hostname)" = node0 ] || exec sleep 4'
check 'a slow node: complete' grep -q '^  "complete":true,$' out.json

# -- where the nodes do not see the same folder each has a report, and --merge joins them
cat >apart <<-'CODE'
	#!/bin/sh
	mkdir -p apart.$(hostname); cd apart.$(hostname) && exec "$@"
CODE
chmod +x apart
across 2 ./apart "$vpmu" run --no-feed -m skl-4c8t ipmu-run -e $event -o out true
check 'apart: a report each' [ -s apart.node0/out.csv -a -s apart.node1/out.node1.csv ]
check 'apart: marked' grep -q '^  "complete":false,$' apart.node0/out.json
check 'apart: what to do' says '^ipmu-run: 1 of 2 ranks are not in the report: .* --merge out.? adds them$'
across 2 ./apart "$vpmu" run --no-feed -m skl-4c8t ipmu-run -e $event --compare "$scratch/apart.node0/out.json" true
check 'apart, compared: the status' [ $status != 0 ]
check 'apart, compared' says 'have not reached the first node of the job, which compares$'
if [ -x three ]; then
	rm -rf apart.node*
	across 3 ./apart ipmu-run --on core2-4c -g CPI -o out "$scratch/three"
	mv apart.node1/out.node1.json apart.node0
	cd apart.node0 || exit 1
	merge() {	# merge ARGUMENT...: to $scratch/out, $status
		ipmu-run "$@" >"$scratch/out" 2>&1
		status=$?
	}
	merge --merge out
	check 'merged: the status' [ $status = 0 ]
	check 'merged: the ranks' says '^  3 ranks on 2 nodes$'
	check 'merged: the job' [ "$(count $instructions all)" = 9 ]
	check 'merged: node 0' [ "$(count $instructions 'node 0')" = 6 ]
	check 'merged: node 1' [ "$(count $instructions 'node 1')" = 3 ]
	check 'merged: a metric of the job' grep -q '^metric,core_fixed/CPI,instructions per clock,all,1,' out.csv
	check 'merged: complete' grep -q '^  "complete":true,$' out.json
	cp out.csv first.csv
	merge --merge out
	check 'merged again: the same' cmp out.csv first.csv
	sed 's/"id":[^,]*,/"id":"another",/' out.node1.json >out.node2.json
	merge --merge out
	check 'another job: the status' [ $status = 125 ]
	check 'another job: named' says 'out.node2.json: it is of another job than out.node0.json'
	cp out.node1.json out.node2.json
	merge --merge out
	check 'a node twice: named' says 'with its ranks there are 4, but the job had 3: one node is there twice'
	head -c 300 out.node1.json >out.node2.json
	merge --merge out
	check 'a cut file: named' says 'out.node2.json: .* the file is cut'
	sed 's/core_fixed.INST/core_fixed.INSX/' out.node1.json >out.node2.json
	merge --merge out
	check 'other events: named' says 'out.node2.json: its events are not those of out.node0.json'
	cp out.json out.node2.json
	merge --merge out -o - --
	check 'no node: ignored' says 'out.node2.json: ignoring this report: it is not of one node of a job'
	check 'no node: ignored, the others merged' says '^  "ranks":3,$'
	merge --merge nothing
	check 'nothing to merge' says 'no nothing.NODE.json of a job.s node is there'
	merge --merge out true
	check 'a program to merge' says "unexpected argument 'true'"
	# A thousand nodes of one rank each, by changing the size in copies of node 1.
	mkdir many && cd many || exit 1
	awk '{ all = all $0 "\n" } END { gsub(/"size":3/, "\"size\":1000", all)
		for (i = 0; i < 1000; i++) {
			report = all
			gsub(/"host":"node1"/, "\"host\":\"n" i "\"", report)
			printf "%s", report >("out.n" i ".json")
			close("out.n" i ".json")
		} }' ../out.node1.json
	merge --merge out
	check 'a thousand nodes: the job' [ "$(count $instructions all)" = 3000 ]
	cd "$scratch" || exit 1
fi
finish
