#!/bin/bash
# SPDX-License-Identifier: MIT
# Core events over ranks, counted by the real PAPI on a virtual Core 2, and M-Box metrics on a
# virtual Xeon 7500.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/mpi/environment.sh"
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
compile splits "-lipmu_mpi_$MPI"
compile end
elsewhere
splits=intel_core:::core.L1D_SPLIT:LOADS
instructions=intel_core:::core_fixed.INST_RETIRED

# -- each rank on a CPU of its own: (1 + .. + n) N; MPI itself splits hardly a load
each=200000
for n in 1 2 4; do
	run=$native
	! first_mpi || [ $n != 2 ] || run="$vpmu run"
	# shellcheck disable=SC2086 # words
	ranks $n $run --strict -m core2-4c "$scratch/splits" $each $splits $instructions \
		>"$scratch/out" 2>&1
	got=$(sed -n "s/^$splits \([0-9]*\) of $n ranks$/\1/p" "$scratch/out")
	wanted=$((each * n * (n + 1) / 2))
	check "core2-4c, $n ranks" within "${got:-}" $wanted 2
	echo "core2-4c, $n ranks: $got split loads, $wanted by arithmetic"
	# four instructions a turn of the loop, at the very least three
	got=$(sed -n "s/^$instructions \([0-9]*\) of $n ranks$/\1/p" "$scratch/out")
	check "core2-4c, $n ranks: instructions" [ "${got:-0}" -gt $((3 * wanted)) ]
	check "core2-4c, $n ranks: nothing to say" differs says 'bind the ranks'
done
ranks 2 "$vpmu" run --no-feed --strict -m core2-4c "$scratch/splits" $each together $splits >"$scratch/out" 2>&1
check 'unbound ranks: said' says 'may run on the same CPUs.*bind the ranks'
for key in cpu CPU; do
	ranks 2 "$vpmu" run --no-feed --strict -m core2-4c "$scratch/splits" $each together \
		$splits:$key=0 >"$scratch/out" 2>&1
	check "with $key=N: not said" differs says 'bind the ranks'
done

# -- ranks of a node look at the machine once: hwloc_topology_load, counted beside what MPI itself does
cat >"$scratch/loads.c" <<'CODE'
	#include <dlfcn.h>
	#include <stdio.h>
	#include <stdlib.h>
	int hwloc_topology_load(void *topology);
	int hwloc_topology_load(void *topology)
	{
		int (*real)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "hwloc_topology_load");
		FILE *f = fopen(getenv("LOADS"), "a");
		if (f) {
			fputs("load\n", f);
			fclose(f);
		}
		return real(topology);
	}
CODE
cat >"$scratch/bare.c" <<'CODE'
	#include <mpi.h>
	int main(int argc, char **argv)
	{
		MPI_Init(&argc, &argv);
		return MPI_Finalize();
	}
CODE
${CC:-cc} -std=gnu11 -shared -fPIC -o "$scratch/loads.so" "$scratch/loads.c" -ldl || exit 1
"$MPICC" -o "$scratch/bare" "$scratch/bare.c" || exit 1
printf '#!/bin/sh\nLD_PRELOAD=%s:$LD_PRELOAD exec "$@"\n' "$scratch/loads.so" >"$scratch/counting"
chmod +x "$scratch/counting"
export LOADS=$scratch/loads
loads() {	# loads N COMMAND...
	: >"$LOADS"
	# A guardian may look as well, when another rank is still at it.
	IPMU_MPI_GUARDIAN=0 ranks $1 "$vpmu" run --no-feed -m core2-4c "$scratch/counting" "${@:2}" >"$scratch/out" 2>&1
	grep -c load "$LOADS"
}
for n in 1 4; do
	bare=$(loads $n "$scratch/bare")
	now=$(loads $n "$scratch/splits" 10 $splits)
	check "$n ranks: one look at the machine" [ $((now - bare)) = 1 ]
done
check 'and the ranks count' says "$splits [0-9]+ of 4 ranks"

# -- M-Boxes: reading a line after the other finds pages open; hits, misses and empty banks are all
# accesses there are
mbox=intel_uncore:::nhmex_unc_mbox
pages() {	# pages EVENT...: to $scratch/m.csv
	rm -f "$scratch"/m.*
	ranks 2 ipmu-mpi-run -e "$(printf "$mbox.%s," "$@")" -o "$scratch/m" \
		"$vpmu" run --no-feed --strict -m nhmex-1p8c16t "$scratch/end" well \
		>"$scratch/out" 2>&1
}
ratio() { awk -F, '$1 == "job" && $5 == "M-Box page hit ratio" { print $7 }' "$scratch/m.csv"; }
formula() {	# formula EVENT...: PAGE_HIT by the sum of these
	awk -F, -v under="$*" -v got="$(ratio)" '
		BEGIN { n = split(under, names, " ") }
		$1 == "job" { count[$5] = $7 }
		END {
			for (i = 1; i <= n; i++) sum += count["'$mbox'." names[i]]
			want = sum ? count["'$mbox'.PAGE_HIT"] / sum : -1
			exit !(got > 0.5 && got <= 1 && got > want - 1e-6 && got < want + 1e-6) }' \
		"$scratch/m.csv"
}
export LIBPFM_NHMEX_UNCONFIRMED=1 MEANWHILE="'$scratch/elsewhere' 0 reads 8192"
pages PAGE_HIT PAGE_EMPTY PAGE_MISS FVC_EV0:BBOX_CMDS_READS
check 'M-Box page hit ratio' formula PAGE_HIT PAGE_EMPTY PAGE_MISS
check 'its formula' says 'M-Box page hit ratio .* = PAGE_HIT / \(PAGE_HIT \+ PAGE_EMPTY \+ PAGE_MISS\)'
check 'hits, empty banks and misses are at least the reads' awk -F, '$1 == "job" { count[$5] = $7 }
	END { m = "'$mbox'."; reads = count[m "FVC_EV0:BBOX_CMDS_READS"]
		all = count[m "PAGE_HIT"] + count[m "PAGE_EMPTY"] + count[m "PAGE_MISS"]
		exit !(reads > 0 && all >= reads) }' \
	"$scratch/m.csv"
unset LIBPFM_NHMEX_UNCONFIRMED
pages PAGE_HIT PAGE_EMPTY
check 'without the unconfirmed row' formula PAGE_HIT PAGE_EMPTY
check 'it is an upper bound' says 'M-Box page hit ratio .*at most'
pages PAGE_HIT
check 'not enough for a ratio' differs says 'page hit ratio'
pages PAGE_HIT PAGE_EMPTY PAGE_MISS
check 'an unconfirmed row is refused by default' says 'has no event .*PAGE_MISS'
unset MEANWHILE

# -- events that are not there: what to do, in the component's own words where it has some.
list="'vpmu run -m skl-4c8t papi_native_avail'"
lookup=skl_unc_cbo.UNC_CBO_CACHE_LOOKUP
while IFS=$'\t' read -r names said; do
	ranks 1 ipmu-mpi-run -e "$names" "$vpmu" run --no-feed -m skl-4c8t "$scratch/end" well \
		>"$scratch/out" 2>&1
	check "$names" lines 1 "ipmu-mpi-run: node .* $said"
done <<-TABLE
	nosuch	has no event nosuch; $list lists them
	intel_uncore:::nosuch	has no event intel_uncore:::nosuch; $list lists them
	none:::nosuch	has no event none:::nosuch; $list lists them
	skl_unc_cbo.NONE	.*: skl_unc_cbo has no event NONE: papi_native_avail lists its events
	$lookup:READ_I:box=9	.*: there is no box 9, skl_unc_cbo has 4 in package 0, counted from 0
	$lookup:READ_I,$lookup:WRITE_M,$lookup:ANY_I	cannot count .* with the events before it: .* collides with .*
TABLE
finish
