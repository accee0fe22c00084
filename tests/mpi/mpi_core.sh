#!/bin/bash
# SPDX-License-Identifier: MIT
# Core events over ranks, counted by the real PAPI on a virtual Core 2, and M-Box metrics on a
# virtual Xeon 7500.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
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

# -- the report has counts; `ipmu-run --show` adds the metrics of the groups whose events these are
if [ -x "$STAGE/bin/ipmu-run" ]; then
	compile api "-lipmu_mpi_$MPI" -lpapi
	unc=intel_uncore:::skl_unc_
	REPORT=$scratch/r ranks 2 "$vpmu" run -m skl-4c8t "$scratch/api" plain \
		${unc}imc.DRAM_DATA_READS ${unc}imc.DRAM_DATA_WRITES ${unc}clk.UNC_CLOCK:SOCKET \
		>"$scratch/out" 2>&1
	check 'a report of counts: written' says '^rank 0 writes: rc 0$'
	check 'a report of counts: on which clock' says "^  time of the machine's clock "
	ipmu-run --show "$scratch/r.json" -o "$scratch/shown" >"$scratch/out" 2>&1
	check 'shown: the status' [ $? = 0 ]
	check 'shown: the ranks' says '^  2 ranks on 1 node$'
	check 'shown: the group' says '^  skl_unc/MEM: '
	check 'shown: its metric' awk -F, '
		$1 == "event" && $2 == "" { count[$3] = $5 }
		$1 == "info" && $3 == "time" { seconds = $5 }
		$1 == "metric" && $3 == "memory data" { data = $5; n++ }
		END { clock = count["skl_unc_clk.UNC_CLOCK:SOCKET"]
			sum = count["skl_unc_imc.DRAM_DATA_READS"] + count["skl_unc_imc.DRAM_DATA_WRITES"]
			off = data - 64e-6 * sum
			exit !(n == 1 && clock > 0 && seconds >= 1e-9 * clock && off * off < 1e-12) }' \
		"$scratch/shown.csv"
	ipmu-run --show "$scratch/shown.json" -o "$scratch/again" >"$scratch/out" 2>&1
	check 'shown again: the same' cmp "$scratch/shown.csv" "$scratch/again.csv"
	ipmu-run --diff "$scratch/r.json" "$scratch/r.json" --limit 0% >"$scratch/out" 2>&1
	check 'a report of counts: compared' [ $? = 0 ]
	ipmu-run --show "$scratch/r.csv" >"$scratch/out" 2>&1
	check 'no report: said' says "^ipmu-run: $scratch/r.csv: cannot read it: no JSON"
	ipmu-run --show "$scratch/r.json" true >"$scratch/out" 2>&1
	check 'a program to show: said' says "^ipmu-run: --show shows a file: unexpected argument 'true'$"
	sed 's/"passes":1/"passes":2/' "$scratch/r.json" >"$scratch/p.json"
	ipmu-run --show "$scratch/p.json" >"$scratch/out" 2>&1
	check 'two passes: refused' says '^ipmu-run: .*p.json: cannot read its counts: they are means of several runs or passes'
fi

# -- a program that counts by itself under ipmu-run: the same event counts in both, and if its own
# does not fit with ipmu-run's, the error names the process that counts
if [ -x "$STAGE/bin/ipmu-run" ]; then
	lookup=skl_unc_cbo.UNC_CBO_CACHE_LOOKUP
	both() {	# both EVENT: counted by the program, beside two of ipmu-run, which are all counters
		ranks 2 "$vpmu" run --no-feed -m skl-4c8t ipmu-run -e $lookup:READ_I,$lookup:WRITE_M \
			"$scratch/api" plain intel_uncore:::$1 >"$scratch/out" 2>&1
	}
	both $lookup:READ_I
	check 'under ipmu-run: counted' lines 2 'rank [0-9]+ event 0 node -1 package -1: [0-9]+, 1 of 1'
	both $lookup:ANY_I
	check 'under ipmu-run, no counter left: not measured' lines 2 \
		'rank [0-9]+ event 0 node -1 package -1: not measured, 0 of 1'
	check 'under ipmu-run, no counter left: told' says 'box 0 is used by process [0-9]+ \(ipmu-run\), for '
	check 'under ipmu-run, no counter left: its own report' says "^    $lookup:WRITE_M +0$"
fi

# -- M-Boxes: reading a line after the other finds pages open; hits, misses and empty banks are all
# accesses there are
[ -x "$STAGE/bin/ipmu-run" ] || finish
mbox=nhmex_unc_mbox
pages() {	# pages OPTION...: to $scratch/m.csv
	rm -f "$scratch"/m.*
	ranks 2 "$vpmu" run --no-feed --strict -m nhmex-1p8c16t -- ipmu-mpi-run "$@" -o "$scratch/m" \
		"$scratch/end" well >"$scratch/out" 2>&1
}
export LIBPFM_NHMEX_UNCONFIRMED=1 MEANWHILE="'$scratch/elsewhere' 0 reads 8192"
pages -g PAGES -e $mbox.PAGE_MISS,$mbox.FVC_EV0:BBOX_CMDS_READS
check 'M-Box page hit ratio' awk -F, '
	$1 == "event" && $4 == "all" { count[$3] = $5 }
	$1 == "metric" && $3 == "page hit ratio" && $4 == "all" { got = $5 }
	END { want = count["'$mbox'.PAGE_HIT"] / count["'$mbox'.INFLIGHT_CMDS"]
		exit !(got > 0.5 && got <= 1 && got > want - 1e-6 && got < want + 1e-6) }' "$scratch/m.csv"
check 'hits, empty banks and misses are at least the reads' awk -F, '
	$1 == "event" && $4 == "all" { count[$3] = $5 }
	END { m = "'$mbox'."; reads = count[m "FVC_EV0:BBOX_CMDS_READS"]
		all = count[m "PAGE_HIT"] + count[m "PAGE_EMPTY"] + count[m "PAGE_MISS"]
		exit !(reads > 0 && all >= reads) }' "$scratch/m.csv"
# 8 MiB each
check 'the reads are those of both ranks' awk -F, '
	$1 == "event" && $4 == "all" && $3 ~ /BBOX_CMDS_READS/ { got = $5 }
	END { want = 2 * 8192 * 16; exit !(got > want * 0.95 && got < want * 1.05) }' "$scratch/m.csv"
unset LIBPFM_NHMEX_UNCONFIRMED
pages -e $mbox.PAGE_MISS
check 'an unconfirmed row is refused by default' says 'has no event .*PAGE_MISS'
unset MEANWHILE
first_mpi || finish

# -- events that are not there: what to do, in the component's own words where it has some, once
list="'vpmu run -m skl-4c8t papi_native_avail'"
lookup=skl_unc_cbo.UNC_CBO_CACHE_LOOKUP
while IFS=$'\t' read -r names said; do
	ranks 2 "$vpmu" run --no-feed -m skl-4c8t ipmu-mpi-run -e "$names" "$scratch/end" well \
		>"$scratch/out" 2>&1
	check "$names" lines 1 "ipmu-mpi-run: $said"
done <<-TABLE
	nosuch	no event nosuch here: $list lists them
	intel_uncore:::nosuch	no event intel_uncore:::nosuch here: $list lists them
	none:::nosuch	none:::nosuch: only events of intel_core and intel_uncore count what another process does
	skl_unc_cbo.NONE	skl_unc_cbo has no event NONE: $list lists its events
	$lookup:READ_I:box=9	.*: there is no box 9, skl_unc_cbo has 4 in package 0, counted from 0
	$lookup:READ_I,$lookup:WRITE_M,$lookup:ANY_I	these events do not fit into the counters at once: .* collides with .*
TABLE
finish
