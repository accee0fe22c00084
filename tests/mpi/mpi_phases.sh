#!/bin/bash
# SPDX-License-Identifier: MIT
# Regions by name in an MPI program: its copy and read phases on one node and on two, within 0.5 % of
# arithmetic, in text, table, JSON and page. Then ranks that come apart, and one that is killed.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
[ -x "$STAGE/bin/ipmu-run" ] || skip 'built without ipmu-run'
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
command -v python3 >/dev/null || skip 'no python3'
nodes=$(realpath "$mpi_dir/../nodes/nodes")
"$MPICC" -std=c11 -O3 -DUSE_IPMU_REGION -I"$STAGE/include" -o "$scratch/phases" \
	"${SRCDIR:?}/mpi_examples/phases.c" -L"$STAGE_LIB" -lipmu_region -Wl,-rpath,"$STAGE_LIB" || exit 1
cd "$scratch" || exit 1

cat >judge.py <<'CODE'
# judge.py PREFIX LINES RANKS NODES: the lines of one array, of all ranks and sweeps
import csv, json, re, sys
prefix, lines, ranks, nodes = sys.argv[1], *map(int, sys.argv[2:])
rows = list(csv.DictReader(open(prefix + ".csv")))
regions = {r["name"]: r for r in json.load(open(prefix + ".json"))["regions"]}
text, page = open("out").read(), open(prefix + ".html").read()
bad = 0

def check(what, good, *seen):
    global bad
    if not good:
        bad += 1
        print("FAILED:", what, *seen)

def value(region, name, part="all"):
    return float(next(r["value"] for r in rows if r["region"] == region and r["name"] == name and
                      r["part"] == part and r["kind"].endswith(" region")))

def in_json(region, list_name, name):
    return next(i["value"] for i in regions[region]["groups"][0][list_name] if i["name"].endswith(name))

def near(what, got, wanted):
    check(what, abs(got - wanted) <= 0.005 * wanted, got, "for", wanted)

reads, writes = "skl_unc_imc.DRAM_DATA_READS", "skl_unc_imc.DRAM_DATA_WRITES"
near("copy reads", value("copy", reads), 2 * lines)
near("copy writes", value("copy", writes), lines)
near("read reads", value("read", reads), lines)
check("read writes", value("read", writes) <= 0.005 * lines, value("read", writes))
for region in "copy", "read":
    moved = 64e-9 * (value(region, reads) + value(region, writes))
    rate = value(region, "memory bandwidth")
    check("GB/s are bytes over time", abs(rate - moved / value(region, "time")) < 1e-6 * rate, rate)
    check("calls", value(region, "calls") == ranks == regions[region]["calls"])
    check("JSON has the table's GB/s", abs(in_json(region, "metrics", "memory bandwidth") - rate) < 1e-6 * rate)
    check("JSON has the table's reads", in_json(region, "events", reads) == value(region, reads))
    check("JSON has all ranks", [r["rank"] for r in regions[region]["ranks"]] == list(range(ranks)) or
          {r["rank"] for r in regions[region]["ranks"]} == set(range(ranks)))
    shown = "%.6g" % rate
    section = page.split("<h2>Region %s</h2>" % region)[1].split("</section>")[0]
    on_page = re.sub("<[^>]*>", "", section)
    check("the page has them", "%.4g GB/s" % rate in on_page, shown)
    part = text.split("  region %s: " % region)[1].split("  region ")[0]
    check("the text has them", re.search(r"memory bandwidth +%s GB/s" % re.escape(shown), part), shown)
    check("the text has the calls", part.startswith("%d calls of %d ranks" % (ranks, ranks) if ranks > 1 else "1 call, "))
    check("nobody is called apart", "entered apart" not in part, part)
    if nodes > 1:
        for node in range(nodes):
            near("%s of node %d" % (region, node), value(region, reads, "node %d package 0" % node),
                 value(region, reads) / nodes)
sys.exit(bad > 0)
CODE
n=1310720 sweeps=2	# 10 MiB: an array is larger than the caches, whichever rank runs when
job() {		# job RANKS COMMAND...
	ranks "$@" >out 2>&1
}
of="-g MEM --on skl-4c8t"
all='1 4'
first_mpi || all=2	# each takes seconds
for r in $all; do
	# shellcheck disable=SC2086 # words
	job "$r" ipmu-run $of -o on ./phases $n $sweeps
	check "$r ranks: the status" [ $? = 0 ]
	check "$r ranks: counts of both phases" python3 judge.py on $((n / 8 * sweeps * r)) "$r" 1
	check "$r ranks: the result" differs says wrong
done
if first_mpi && "$nodes" up 2 "$scratch/nodes" >up 2>&1; then
	trap '"$nodes" down "$scratch/nodes" 2>/dev/null; rm -rf "$scratch"' EXIT
	export MPI MPIRUN
	timeout $HANG_SECONDS env LD_PRELOAD="$waits" "$nodes" run "$scratch/nodes" 4 \
		"$vpmu" run --no-feed -m skl-4c8t -- ipmu-run -g MEM -o two -- \
		"$vpmu" run -- ./phases $n $sweeps </dev/null >out 2>&1
	check '2 nodes: one report' lines 1 '  4 ranks on 2 nodes'
	check '2 nodes: counts of both phases' python3 judge.py two $((n / 8 * sweeps * 4)) 4 2
	ipmu-run --show two.json -o shown >shown.out 2>&1
	check '2 nodes: --show has the same regions' [ "$(grep ' region,' two.csv)" = "$(grep ' region,' shown.csv)" ]
	"$nodes" down "$scratch/nodes" 2>/dev/null
else
	cat up 2>/dev/null
fi

# -- natively on the machine, without its emulator: the same messages by a socket. A rank that is in its
# region while the other one waits outside, then the other way round.
cat >apart.c <<'CODE'
#include <mpi.h>
#include <ipmu/ipmu_region.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int turn = 0; argc < 2 && turn < ranks; turn++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (turn == rank) {
			ipmu_region_begin("turn");
			system(getenv("WORK"));
			ipmu_region_end("turn");
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (argc > 1) {
		ipmu_region_begin("killed");
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 1)
			raise(SIGKILL);
		sleep(1);
		ipmu_region_end("killed");
	}
	MPI_Finalize();
	return 0;
}
CODE
"$MPICC" -std=gnu11 -I"$STAGE/include" -o apart apart.c -L"$STAGE_LIB" -lipmu_region \
	-Wl,-rpath,"$STAGE_LIB" || exit 1
printf '.globl _start\n_start: mov $5000000, %%ecx\n1: dec %%ecx\njnz 1b\nmov $60, %%eax\nxor %%edi, %%edi\nsyscall\n' >loop.s
${CC:-cc} -nostdlib -static -o loop loop.s || exit 1
export WORK="env -i PATH='$PATH' '$vpmu' run -s '$scratch/segment' '$scratch/loop'"
job 2 "$vpmu" run --no-feed -m core2-4c -s segment ipmu-run -e core_fixed.INST_RETIRED:ANY -o a ./apart
check 'in turns: the counts are those of both' grep -q '^event region,,core_fixed.INST_RETIRED:ANY,all,20000008,' a.csv
check 'in turns: both are named' says '^    ranks entered apart: rank [01] was inside for (4[0-9]|5[0-9]) % of that time, rank [01] for (4[0-9]|5[0-9]) %$'
check 'in turns: the page says it' grep -q 'class="warn">ranks entered apart: rank ' a.html
rm -f segment
job 2 "$vpmu" run --no-feed -m core2-4c -s segment ipmu-mpi-run -e core_fixed.INST_RETIRED:ANY -o k ./apart killed
check 'a killed rank: its region is reported' grep -q '^info region,,calls,all,2,0,,,killed$' k.csv
check 'a killed rank: and is incomplete' grep -q '^info,,complete,all,0,0,,"\?rank 1 ended by signal 9, SIGKILL' k.csv
check 'a killed rank: its call has no end' grep -q '^info region,,calls without an end,all,[12],' k.csv
finish
