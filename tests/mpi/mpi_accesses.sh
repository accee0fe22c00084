#!/bin/bash
# SPDX-License-Identifier: MIT
# Register accesses on a node do not depend on its ranks: 4 virtual nodes with 4, 8 and 32 ranks
# each, so 128 ranks in the end, with the real PAPI and component. Programs run natively: nothing
# counts, but every access to a device file of the machine is seen. Where there are no several nodes
# (namespaces not allowed; MPICH, see mpi_nodes.sh) the same on one.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
nodes=$mpi_dir/../nodes/nodes
compile api "-lipmu_mpi_$MPI" -lpapi
events=($imc.DRAM_DATA_READS intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
	intel_uncore:::skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL)
export MPI MPIRUN LD_LIBRARY_PATH=${LD_LIBRARY_PATH-} STUB_LACKS=
unset HWLOC_XMLFILE

count=1
if [ $MPI = openmpi ]; then
	trap '"$nodes" down "$scratch/nodes" 2>/dev/null; rm -rf "$scratch"' EXIT
	"$nodes" up 4 "$scratch/nodes" >"$scratch/up" 2>&1 && count=4 || cat "$scratch/up"
fi

cat >"$scratch/machine" <<-CODE
	#!/bin/sh
	exec "$vpmu" run --no-feed -m skl-4c8t -s "$scratch/segment.\$(hostname)" "\$@"
CODE
chmod +x "$scratch/machine"
run() {		# run RANKS-PER-NODE EVENT...
	local n=$(($1 * count))
	shift
	rm -rf "$scratch"/segment.*
	if [ $count = 1 ]; then
		ranks $n "$scratch/machine" "$scratch/api" plain "$@"
	else
		timeout $HANG_SECONDS env LD_PRELOAD="$waits" "$nodes" run "$scratch/nodes" $n "$scratch/machine" "$scratch/api" \
			plain "$@" </dev/null
	fi >"$scratch/out" 2>&1
}
accesses() {	# a line for each node
	local segment
	for segment in "$scratch"/segment.*; do
		case $segment in *.xml | *.state | *.system) continue ;; esac
		"$vpmu" regs -s "$segment" | sed -n 's/.*accesses: //p'
	done
}
rounds='4 8 32'
first_mpi || rounds='4 8'
same() {	# same NAME EVENT...: for so many ranks a node
	local name=$1 n now wanted=
	shift
	for n in $rounds; do
		run $n "$@"
		check "$name, $n ranks a node: all counted" lines $((n * count)) \
			"rank [0-9]+ event 0 node -1 package -1: [0-9]+, $count of $count"
		accesses >"$scratch/accesses"
		now=$(sort -u "$scratch/accesses")
		wanted=${wanted:-$now}
		echo "$name, $count nodes of $n ranks: $now"
		check "$name, $n ranks a node: each has its machine" \
			[ "$(wc -l <"$scratch/accesses")" = $count ]
		check "$name, $n ranks a node: as many accesses on each, and as with 4" \
			[ -n "$now" -a "$now" = "$wanted" ]
	done
	check "$name: this test sees accesses" grep -q '^[1-9]' "$scratch/accesses"
}
same uncore "${events[@]}"

# -- with a core event, which is every rank's own to count, the node's events are still the leader's
# alone: no other rank adds them in PAPI, which would make the component read registers
stub_papi
STUB_ASKED=$scratch/asked ranks 4 "$scratch/api" plain intel_uncore:::NODE intel_core:::RANK \
	>"$scratch/out" 2>&1
check 'with a core event: counted' lines 4 'rank [0-9]+ event 1 node -1 package -1: 10, 4 of 4'
asked() { grep " $1" "$scratch/asked" | cut -d ' ' -f 1 | sort -u | xargs; }
check 'each rank asks for its own events' [ "$(asked intel_core)" = '0 1 2 3' ]
check "only the leader for the node's" [ "$(asked intel_uncore)" = 0 ]
finish
