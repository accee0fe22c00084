#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-run --from-mpi-init: what is counted is what ranks do between their MPI_Init and their
# MPI_Finalize. Ranks run natively on a virtual machine and have programs of three instructions
# emulated there, so each count is arithmetic.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
[ -x "$STAGE/bin/ipmu-run" ] || skip 'built without ipmu-run'
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
compile region
compile end
mpi_dir=$(cd "$mpi_dir" && pwd)
cd "$scratch" || exit 1
${CC:-cc} -nostdlib -static -o three "$mpi_dir/../run/turns.S" || exit 1
instructions=core_fixed.INST_RETIRED:ANY

count() {	# count PART: instructions in out.csv
	awk -F, -v name=$instructions -v part="$1" \
		'$1 == "event" && $3 == name && $4 == part { print $5; exit }' out.csv
}
job() {		# job RANKS COMMAND...: to out and $status, on a new machine
	rm -f out.* segment
	export WORK="env -i PATH='$PATH' '$vpmu' run -s '$scratch/segment' '$scratch/three'"
	ranks "$@" >out 2>&1
	status=$?
}
on="$vpmu run --no-feed -m core2-4c -s segment"
counted="$on ipmu-run --from-mpi-init -g CPI -o out"
json() { grep -q "^  \"$1\":$2,\?\$" out.json; }

# -- what is before and after is not counted: n ranks and 2, and one more for each number of a rank
for n in 1 2 '2 threads' 4; do
	way=${n#[0-9]} n=${n%% *}
	# shellcheck disable=SC2086 # words
	job $n $counted "$scratch/region" 3 2 1 $way
	check "$n ranks $way: the status" [ $status = 0 ]
	check "$n ranks $way: instructions" [ "$(count all)" = $((3 * (2 * n + n * (n - 1) / 2))) ]
	check "$n ranks $way: complete" json complete true
	check "$n ranks $way: said" says '^  from MPI_Init to MPI_Finalize$'
done
check 'one report with its page' [ "$(echo out.*)" = 'out.csv out.html out.json' ]
check 'the page says it' grep -q 'Counted from MPI_Init to MPI_Finalize\.' out.html
check 'metrics' grep -q '^metric,core_fixed/CPI,instructions per clock,all,1,' out.csv

# -- parts, and intervals without a gap: they add up to the whole
job 2 $counted --per-cpu "$scratch/region" 1 4 1
check 'per CPU: all' [ "$(count all)" = 27 ]
check 'per CPU: their sum' [ "$(awk -F, -v name=$instructions '$1 == "event" && $3 == name &&
	$4 ~ /^cpu/ { sum += $5 } END { print sum }' out.csv)" = 27 ]
# Ten programs of 10000004 instructions, of which each takes 5 ms and more of the machine's clock. A
# loop is read when it ends, and the clock stands still until the next one begins.
${CC:-cc} -nostdlib -static -DTURNS=5000000 -o loop "$mpi_dir/../run/turns.S" || exit 1
cp three only-three && cp loop three
job 1 $counted --interval 1 "$scratch/region" 1 10 1
mv only-three three
check 'intervals: all' [ "$(count all)" = 100000040 ]
check 'intervals: they begin at 0, end with the time, have no gaps and add up' awk -F, -v name=$instructions '
	$1 == "info" && $3 == "time" { all = $5 }
	$1 == "event interval" && $3 == name {
		if ($11 - end > 1e-9 || end - $11 > 1e-9) bad = 1
		end = $12; sum += $5; n++ }
	END { exit !(n > 2 && !bad && sum == 100000040 && end - all < 2e-9 && all - end < 2e-9) }' out.csv
rm -f segment
ranks 2 "$vpmu" run --no-feed -m skl-4c8t ipmu-run --from-mpi-init -g LLC,MEM --per-box -o out \
	"$scratch/end" well >out 2>&1
check 'per box: four of them' [ "$(grep -c '^event,skl_unc/LLC,skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I,package 0 box ' out.csv)" = 4 ]

# -- a rank that comes late is waited for, and one whose program does not use MPI is not
cat >late <<-'CODE'
	#!/bin/sh
	[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 0 ] || sleep 1
	exec "$@"
CODE
chmod +x late
job 2 $counted "$scratch/late" "$scratch/region" 1 2 1
check 'a late rank' [ "$(count all)" = 15 ]

# -- no MPI_Init, or none that can be seen: from start to end
job 3 $counted "$scratch/late" sh -c "$WORK"
check 'no MPI: the status' [ $status = 0 ]
check 'no MPI: all' [ "$(count all)" = 9 ]
check 'no MPI: complete' json complete true
check 'no MPI: said' says 'from start to end: MPI_Init was not called'
job 2 $counted sh -c "exit 5"
check 'no MPI: the status of the program' [ $status = 5 ]

# -- a program under a shell, under one that closes what it does not know, and without a launcher
cat >closes <<-'CODE'
	#!/bin/bash
	for fd in /proc/self/fd/*; do
		fd=${fd##*/}
		[ "$fd" -lt 3 ] || [ "$fd" = "${PMI_FD-}" ] || eval "exec $fd>&-"
	done
	"$@"
CODE
chmod +x closes
job 2 $counted "$scratch/closes" "$scratch/region" 1 2 1
check 'descriptors closed' [ "$(count all)" = 15 ]
rm -f segment out.*
timeout $HANG_SECONDS $counted "$scratch/region" 3 2 1 >out 2>&1
check 'no launcher: the status' [ $? = 0 ]
check 'no launcher' [ "$(count all)" = 6 ]
timeout $HANG_SECONDS $counted -r 3 "$scratch/region" 3 2 1 >out 2>&1
check 'no launcher, three runs: each' [ "$(awk -F, -v name=$instructions '$1 == "event run" && $3 == name {
	print $5 }' out.csv | paste -sd' ')" = '6 6 6' ]

# -- a tool before ours, which has MPI_Init and MPI_Finalize itself, and calls PMPI_Init
"$MPICC" -shared -fPIC -o tool.so "$mpi_dir/pmpi.c" || exit 1
printf '#!/bin/sh\nLD_PRELOAD=%s:$LD_PRELOAD exec "$@"\n' "$scratch/tool.so" >before
printf '#!/bin/sh\nLD_PRELOAD=$LD_PRELOAD:%s exec "$@"\n' "$scratch/tool.so" >after
chmod +x before after
for where in before after; do
	job 2 $counted "$scratch/$where" "$scratch/region" 3 2 1
	check "a tool $where: counted" [ "$(count all)" = 15 ]
	check "a tool $where: sees" lines 2 'the tool saw MPI_Init'
	check "a tool $where: sees" lines 2 'the tool saw MPI_Finalize'
done

# -- a program that loads MPI with a plugin, for that alone
"$MPICC" -shared -fPIC -o plugin.so "$mpi_dir/plugin.c" && ${CC:-cc} -std=gnu11 -o loads "$mpi_dir/loads.c" -ldl || exit 1
job 2 $counted "$scratch/loads" "$scratch/plugin.so"
check 'a plugin: the status' [ $status = 0 ]
check 'a plugin' [ "$(count all)" = 6 ]

# -- what was counted from MPI_Init is not compared with what was counted from the start
job 1 $counted "$scratch/region" 1 1 1
mv out.json base.json
job 1 $counted --compare base.json --limit 0% "$scratch/region" 1 1 1
check 'compared with its like: the status' [ $status = 0 ]
job 1 $on ipmu-run -g CPI -o out --compare base.json "$scratch/region" 1 1 1
check 'compared with the whole: the status' [ $status = 125 ]
check 'compared with the whole: said' says "the counting from MPI_Init differs: 'true' in base.json, ''"

# -- Fortran's MPI_Init and MPI_Finalize are others
if command -v gfortran >/dev/null; then
	if "$MPIFORT" -o f "$mpi_dir/region.f90" >out 2>&1; then
		job 2 $counted "$scratch/f"
		check 'Fortran' [ "$(count all)" = 6 ]
	fi
fi

# -- an emulated rank: what it loads across lines, which MPI hardly does (as in mpi_core.sh)
if first_mpi; then
	"$MPICC" -O1 -o splits "$mpi_dir/split_loads.c" || exit 1
	for command in "ipmu-run --on core2-4c --from-mpi-init -e core.L1D_SPLIT:LOADS -o out" \
			"ipmu-run --from-mpi-init -e core.L1D_SPLIT:LOADS -o out $vpmu run -m core2-4c" \
			"$vpmu run -m core2-4c ipmu-run --from-mpi-init -e core.L1D_SPLIT:LOADS -o out"; do
		[[ $command != 'ipmu-run --from'* ]] || command="$vpmu run --no-feed -m core2-4c ${command%-m core2-4c}"
		# shellcheck disable=SC2086 # words
		job 1 $command ./splits
		got=$(awk -F, '$1 == "event" && $4 == "all" { print $5 }' out.csv)
		check "emulated, $command" within "$got" 200000 2
		echo "emulated: $got split loads, 200000 by arithmetic"
	done
fi

# -- two nodes: each has a region of its own
nodes=$mpi_dir/../nodes/nodes
trap '"$nodes" down "$scratch/nodes" 2>/dev/null; rm -rf "$scratch"' EXIT
"$nodes" up 2 "$scratch/nodes" >up 2>&1
case $? in
0) ;;
77) cat up; finish ;;	# the rest has run
*) cat up; exit 1 ;;
esac
export MPI MPIRUN LD_LIBRARY_PATH=${LD_LIBRARY_PATH-}
printf '#!/bin/sh\nWORK="env -i PATH=\x27$PATH\x27 %s run -s $VPMU_SEGMENT %s" exec "$@"\n' \
	"$vpmu" "$scratch/three" >own
chmod +x own
limit=$HANG_SECONDS preload=
[ $MPI = mpich ] && limit=200 preload=$waits
for try in 1 2 3; do	# of Debian's MPICH: see mpi_nodes.sh
	rm -f out.*
	timeout $limit env LD_PRELOAD=$preload "$nodes" run "$scratch/nodes" 4 "$vpmu" run --no-feed \
		-m core2-4c ipmu-run --from-mpi-init -g CPI -o out "$scratch/own" "$scratch/region" 3 2 1 \
		</dev/null >out 2>&1
	status=$?
	[ $status != 0 ] && [ $MPI = mpich ] || break
done
check 'two nodes: the status' [ $status = 0 ]
check 'two nodes: the job' [ "$(count all)" = 42 ]
check 'two nodes: complete' json complete true
finish
