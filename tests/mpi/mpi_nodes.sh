#!/bin/bash
# SPDX-License-Identifier: MIT
# Several nodes, made by namespaces (tests/nodes/nodes): each node's counters are counted once.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
[ -x "$STAGE/bin/ipmu-run" ] || skip 'built without ipmu-run'
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
nodes=$mpi_dir/../nodes/nodes
compile reads "-lipmu_mpi_$MPI"
compile api "-lipmu_mpi_$MPI" -lpapi
compile end
elsewhere
reads=$imc.DRAM_DATA_READS

with() {	# with N: so many nodes from here on
	"$nodes" down "$scratch/nodes" 2>/dev/null
	"$nodes" up "$1" "$scratch/nodes" >"$scratch/up" 2>&1
	case $? in
	0) ;;
	77) cat "$scratch/up"; exit 77 ;;
	*) cat "$scratch/up"; exit 1 ;;
	esac
}
trap '"$nodes" down "$scratch/nodes" 2>/dev/null; rm -rf "$scratch"' EXIT
run() {		# run N COMMAND...: ranks dealt out to the nodes in turn
	timeout ${limit:-$HANG_SECONDS} env LD_PRELOAD="$waits" "$nodes" run "$scratch/nodes" "$@" \
		</dev/null >"$scratch/out" 2>&1
}
export MPI MPIRUN LD_LIBRARY_PATH=${LD_LIBRARY_PATH-} STUB_LACKS=
unset HWLOC_XMLFILE

# Debian's MPICH hangs in its end without what environment.sh has it preload.
if [ $MPI = mpich ]; then
	compile bare
	with 2
	for _ in 1 2 3; do
		limit=200 run 8 "$scratch/bare" ||
			skip 'a bare MPI program does not end across nodes: MPI_Finalize of this MPICH'
	done
fi

# -- virtual machines, one a node: what all ranks read by arithmetic, 5 % as on one node
with 2
for n in 4 8; do
	machine=$native mib=16
	! first_mpi || [ $n != 4 ] || machine="$vpmu run" mib=12
	# shellcheck disable=SC2086 # words
	run $n $machine --strict -m skl-4c8t "$scratch/reads" $mib $reads
	got=$(sed -n "s/^$reads //p" "$scratch/out")
	check "2 virtual nodes, $n ranks" within "$got" $((n * (mib << 20) / 64)) 5
	echo "2 nodes, $n ranks: $got lines read, $((n * (mib << 20) / 64)) by arithmetic"
done

# -- one report of both; a small program counts on each node
export MEANWHILE="env -i PATH='$PATH' '$vpmu' run -s \"\$VPMU_SEGMENT\" true"
run 4 "$vpmu" run --no-feed -m skl-4c8t -- ipmu-mpi-run -e $reads -o "$scratch/both" "$scratch/end" well
check 'one report' lines 1 '  4 ranks on 2 nodes'
check 'from MPI_Init' says '^  from MPI_Init to MPI_Finalize$'
check 'both nodes are in it' lines 1 ' +node 1: node1, 2 ranks'
check 'the job is the sum of the nodes' awk -F, -v event=$reads '
	$1 == "event" && $3 == event && $4 == "all" { job = $5 }
	$1 == "event" && $3 == event && $4 ~ /^node . package/ { sum += $5; if (!n++ || $5 < least) least = $5 }
	$1 == "event" && $3 == event && $4 ~ /^node .$/ { sum += $5; if (!n++ || $5 < least) least = $5 }
	END { exit !(n == 2 && least > 0 && job == sum) }' "$scratch/both.csv"
check 'complete' grep -q '^info,,complete,all,1,' "$scratch/both.csv"
check 'and nothing beside it' [ "$(cd "$scratch" && echo both.*)" = 'both.csv both.html both.json' ]

# Machines that outlive their ranks, as processors do: the registers of those that the launcher kills
# are restored afterwards.
cat >"$scratch/machine" <<-CODE
	#!/bin/sh
	export VPMU_TALLY=$scratch/tally
	exec "$vpmu" run --no-feed -m skl-4c8t -s "$scratch/segment.\$(hostname)" "\$@"
CODE
chmod +x "$scratch/machine"
restored() {	# no register of either machine is left changed, within $HANG_SECONDS
	local end=$((SECONDS + HANG_SECONDS)) node
	while :; do
		rm -f "$scratch/tally"
		for node in node0 node1; do
			"$nodes" on "$scratch/nodes" $node "$scratch/machine" true || return
		done
		awk -F '\t' '$4 { left = 1 } END { exit left || NR != 2 }' "$scratch/tally" && return
		[ $SECONDS -lt $end ] || return
		sleep 0.1
	done
}

# -- a node that dies leaves what the others have. Hydra does not end a job of several nodes when a
# rank is killed, and where one aborts it leaves only that rank's node the time to write.
counted() { grep -q "^event,,$reads,\(all\|node 0\),[1-9][0-9]*," "$1"; }
if [ $MPI = openmpi ]; then
	run 4 "$scratch/machine" ipmu-mpi-run -e $reads -o "$scratch/died" "$scratch/end" kill 3
	check 'node 0 has its counts' counted "$scratch/died.csv"
else
	run 4 "$scratch/machine" ipmu-mpi-run -e $reads -o "$scratch/died" "$scratch/end" abort 3
	check 'node 1 has its counts' awk -v event="\"$reads\"" 'index($0, event) { seen = 1 }
		seen && /"value":[1-9]/ { found = 1; exit } END { exit !found }' "$scratch/died.node1.json"
	check 'and no table, as in the end' [ ! -e "$scratch/died.node1.csv" ]
	check 'and says why it has no more' grep -q 'MPI_Abort was called by rank 3' "$scratch/died.node1.json"
fi
check 'the registers are restored' restored
check 'incomplete' grep -q '"complete":false' "$scratch/died.json"

# -- nodes of different kinds, and an event that one lacks: a sentence on each rank, no hang
cat >"$scratch/mixed" <<-CODE
	#!/bin/sh
	[ "\$(hostname)" = node0 ] && exec "\$@"
	exec "$vpmu" run --no-feed -m skl-4c8t "\$@"
CODE
chmod +x "$scratch/mixed"
run 4 "$scratch/mixed" "$scratch/api" plain $reads
check 'different kinds' lines 4 'rank [0-9]+ init: -18 the nodes are of different kinds: node0 .*'

stub_papi
STUB_LACKS=node1,intel_uncore:::HALF
run 4 "$scratch/api" plain intel_uncore:::NODE intel_uncore:::HALF
check 'a node lacks it' lines 4 'rank [0-9]+ init: -2 node node1 has no event intel_uncore:::HALF; papi_native_avail lists them'

# -- sums with known counts: 2010 a node
STUB_LACKS=
run 5 "$scratch/api" plain intel_uncore:::NODE intel_core:::RANK
check '2 nodes' lines 5 'rank [0-9]+ event 0 node -1 package -1: 4020, 4 of 4'
check '2 nodes' lines 5 'rank [0-9]+ event 1 node -1 package -1: 15, 5 of 5'
check '2 nodes' lines 1 'rank 0 event 1 node 1 package -1: 6, 2 of 2'
check '2 nodes' lines 2 'rank [0-9]+ shape: .* leader 1'

# -- in a report as ipmu-run has it, and once more by --show
values() { sed -n 's/^event,,\(intel_[a-z]*:::\)\?\([A-Z]*\),\([^,]*\),\([0-9]*\),.*/\2 \3 \4/p' "$1"; }
REPORT=$scratch/two run 5 "$scratch/api" plain intel_uncore:::NODE intel_core:::RANK
check '2 nodes: the report' [ "$(values "$scratch/two.csv" | paste -sd,)" = "NODE all 4020,\
NODE node 0 package 0 1000,NODE node 0 package 1 1010,NODE node 1 package 0 1000,NODE node 1 package 1 1010,\
NODE node 0 2010,NODE node 1 2010,RANK all 15,RANK node 0 9,RANK node 1 6" ]
check '2 nodes: shown' ipmu-run --show "$scratch/two.json" -o "$scratch/shown"
check '2 nodes: shown, the same' cmp <(values "$scratch/two.csv") <(values "$scratch/shown.csv")
with 4
n=128
first_mpi || n=32
run $n "$scratch/api" plain intel_uncore:::NODE intel_core:::RANK
check "4 nodes, $n ranks" lines $n 'rank [0-9]+ event 0 node -1 package -1: 8040, 8 of 8'
check "4 nodes, $n ranks" lines $n "rank [0-9]+ event 1 node -1 package -1: $((n * (n + 1) / 2)), $n of $n"
check "4 nodes, $n ranks" lines 4 'rank [0-9]+ shape: .* leader 1'

# -- containers: one kernel, several shared-memory groups
for i in 1 2 3; do
	"$nodes" on "$scratch/nodes" node$i umount /proc/sys/kernel/random/boot_id
done
"$nodes" on "$scratch/nodes" node0 umount /proc/sys/kernel/random/boot_id
run 8 "$scratch/api" plain intel_uncore:::NODE intel_core:::RANK
check 'one kernel is one node' lines 8 'rank [0-9]+ shape: 8 ranks, 1 nodes, 2 packages, .*'
check 'one kernel is counted once' lines 8 'rank [0-9]+ event 0 node -1 package -1: 2010, 2 of 2'
check 'one kernel has one leader' lines 1 'rank [0-9]+ shape: .* leader 1'
finish
