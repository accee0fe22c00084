#!/bin/bash
# SPDX-License-Identifier: MIT
# What launchers call a process is written down once on each side of the border between the virtual
# machine and the rest, and both sides agree.
set -u
root=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
cc=${CC:-gcc}
ours=common/launchers.h theirs=virtual_pmu/tool/launchers.h
failed=0
fail() { echo "FAILED: $*"; failed=1; }

list() {	# list HEADER MACRO: its names, one a line, in their order
	printf '#include "%s"\n%s\n' "$root/$1" "$2" | $cc -E -P -x c - | tr ',' '\n' |
		sed -n 's/^[[:blank:]]*"\([A-Za-z_]*\)"[[:blank:]]*$/\1/p'
}

same() {	# same MACRO-OF-OURS MACRO-OF-THEIRS: neither is empty
	diff <(list $ours "$1") <(list $theirs "$2") && [ -n "$(list $ours "$1")" ] ||
		fail "$1 and $2 differ"
}
same LAUNCHER_LOCAL_RANKS VPMU_LOCAL_RANKS
same LAUNCHER_JOBS VPMU_JOBS

# elsewhere HEADER LIST-OF-NAMES FOLDER...: files besides the header that have one of the names
elsewhere() {
	local header=$1 names=$2
	shift 2
	(cd "$root" && grep -rnwF --include='*.[ch]' "$names" "$@" | grep -v "^$header:") &&
		fail "names that stand in $header stand there, too"
}
elsewhere $ours "$(for m in RANKS LOCAL_RANKS JOBS ALLOCATIONS; do list $ours LAUNCHER_$m; done)" \
	common component hwloc_topo mpi_aggregation
elsewhere $theirs "$(for m in LOCAL_RANKS JOBS; do list $theirs VPMU_$m; done)" virtual_pmu

# Who finds a local rank finds a rank: every launcher that has the one has the other.
ranks=" $(list $ours LAUNCHER_RANKS | tr '\n' ' ')"
while read -r launcher; do
	[[ $ranks = *" $launcher"* ]] || fail "LAUNCHER_RANKS has nothing of ${launcher%_}"
done < <(list $ours LAUNCHER_LOCAL_RANKS | sed 's/_.*/_/; s/^MPI_$/PMI_/')
exit "$failed"
