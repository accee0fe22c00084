#!/bin/bash
# SPDX-License-Identifier: MIT
# Launchers' variables stand in one header.
set -u
root=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
cc=${CC:-gcc}
ours=common/launchers.h
failed=0
fail() { echo "FAILED: $*"; failed=1; }

list() {	# list HEADER MACRO: its names, one a line, in their order
	printf '#include "%s"\n%s\n' "$root/$1" "$2" | $cc -E -P -x c - | tr ',' '\n' |
		sed -n 's/^[[:blank:]]*"\([A-Za-z_]*\)"[[:blank:]]*$/\1/p'
}

# elsewhere HEADER LIST-OF-NAMES FOLDER...: files besides the header that have one of the names
elsewhere() {
	local header=$1 names=$2
	shift 2
	(cd "$root" && grep -rnwF --include='*.[ch]' "$names" "$@" | grep -v "^$header:") &&
		fail "names that stand in $header stand there, too"
}
elsewhere $ours "$(for m in RANKS LOCAL_RANKS JOBS ALLOCATIONS; do list $ours LAUNCHER_$m; done)" \
	common component hwloc_topo mpi_aggregation measure ipmu_run virtual_pmu

# Every launcher that has a variable for the local rank has one for the rank.
ranks=" $(list $ours LAUNCHER_RANKS | tr '\n' ' ')"
while read -r launcher; do
	[[ $ranks = *" $launcher"* ]] || fail "LAUNCHER_RANKS has nothing of ${launcher%_}"
done < <(list $ours LAUNCHER_LOCAL_RANKS | sed 's/_.*/_/; s/^MPI_$/PMI_/')
exit "$failed"
