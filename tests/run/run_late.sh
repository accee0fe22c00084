#!/bin/bash
# SPDX-License-Identifier: MIT
# The ipmu-run of a rank that comes when the other rank's program has been running for long, as on a
# busy machine: it belongs to the job all the same. Two ranks without MPI, natively.
set -u
: "${STAGE:?the staged tree}" "${VPMU:?the vpmu command}"
[ -x "$STAGE/bin/ipmu-run" ] || { echo 'built without ipmu-run'; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0
check() {	# check WHAT COMMAND...
	"${@:2}" && return
	echo "FAILED: $1"
	tail out.* report.json
	failed=1
}
rank() {	# rank NUMBER PROGRAM
	OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=late.$$ \
		"$VPMU" run --no-feed -m skl-4c8t -s segment -- ipmu-run -g MEM -o report sh -c "$2" >"out.$1" 2>&1
}

rank 0 'touch begun; until [ -e late ]; do sleep 0.1; done' &
first=$!
until [ -e begun ] || ! kill -0 $first; do sleep 0.1; done
sleep 4			# longer than the first rank's ipmu-run waits for others
rank 1 'touch late'
check 'the late rank ends well' [ $? = 0 ]
check "the late rank's program has run" [ -e late ]
touch late
wait $first
check 'the first rank ends well' [ $? = 0 ]
check 'the report has both' grep -q '^  2 ranks on 1 node' out.0
check 'the report is complete' grep -q '^  "complete":true,$' report.json
exit $failed
