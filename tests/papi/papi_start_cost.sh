#!/bin/bash
# SPDX-License-Identifier: MIT
# A start of counting costs at most a quarter of the instructions that it did with a search of all of
# libpfm4's PMUs for each event; with PAPI 7.2 and newer, which read tables of presets for each of our
# PMUs, at most 0.35 of them. What is printed is what `make bench` prints; most of it is hwloc's
# plugins, where there are some.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs valgrind
"${BASH:-bash}" "$(dirname "${BASH_SOURCE[0]}")/../../bench/start" >"$scratch/out" 2>&1
verdict 'bench/start runs' $?
cat "$scratch/out"
limit=0.35 ours=0.006
case $(papi_version) in *' 7.0.'* | *' 7.1.'*) limit=0.25 ours=0.005 ;; esac
awk -v limit=$limit '/ million instructions, before 53.7, ratio / { ok = $NF > 0.02 && $NF < limit }
	END { exit !ok }' "$scratch/out"
verdict "at most $limit of that" $?

# On a processor that no family takes: what our components do in PAPI_library_init, but for
# libpfm4's start, which is that of the perf_event component otherwise. PAPI 7.0's own takes 14
# million instructions where a processor has presets. Half a percent of that is the limit, 0.6 with PAPI 7.2; 1.5 %
# more is what PAPI takes to read the map of its memory, in which hwloc and its libraries are.
sed 's/GenuineIntel/NoneOfThem/' "$TEST_DATA/topo/skl-4c8t.xml" >"$scratch/none.xml"
compile "$scratch/starts" starts.c -I"$STAGE/include" -L"$STAGE_LIB" -lpapi -Wl,-rpath,"$STAGE_LIB"
verdict 'the program builds' $?
# The dynamic linker and the caller's environment have no part in it.
env -i "PATH=$PATH" LD_BIND_NOW=1 HWLOC_XMLFILE="$scratch/none.xml" valgrind --tool=callgrind --compress-strings=no \
	--toggle-collect=glue_init_component --callgrind-out-file="$scratch/callgrind" \
	"$scratch/starts" >"$scratch/out" 2>&1
verdict 'PAPI starts' $?
awk -v ours=$ours '/^cfn=pfm_initialize$/ { getline; getline; start += $2 }
	/^(summary|totals):/ { n = $2 }
	END { print "our components: " n " instructions, among them " start " of libpfm4"
		n -= start
		exit !(start > 10000 && n > 0 && n < ours * 14e6) }' "$scratch/callgrind"
verdict "at most $ours of 14 million" $?

# PAPI queries all components for a name without one: both of ours, of which one has no machine.
"$VPMU" run --no-feed --strict -m skl-4c8t -- valgrind --tool=callgrind --compress-strings=no \
	--callgrind-out-file="$scratch/callgrind" "$scratch/starts" UNC_CBO_CACHE_LOOKUP:READ_I >"$scratch/out" 2>&1
verdict 'an event without a component is added' $?
loads=$(awk -F '[= ]' '/^cfn=hwloc_topology_load$/ { getline; n += $2 } END { print n + 0 }' \
	"$scratch/callgrind")
is 'discoveries of the topology' 1 "$loads"
finish
