#!/bin/bash
# SPDX-License-Identifier: MIT
# What ipmu-run makes of its groups' formulas on virtual machines, against arithmetic, and for
# instructions and branches against callgrind: within 1 % if nothing else is said. The programs have
# no C library, so that arithmetic is of all that they do; caches are made small, so that small
# arrays exceed them. Waits that follow from the machine's stated latencies (vpmu machines): as many
# reads are under way as a core has fill buffers, so each costs latency / buffers clocks.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/stack.sh"
requires "$vpmu" "set VPMU or STAGE"
requires ipmu-run "it is built where muparser is"
requires valgrind "its callgrind is the other opinion"
requires qemu-x86_64 "what runs has to be counted"
lines=32768 doubles=$((32768 * 8)) sweeps=2 order=64 rounds=100000	# as in kernels.c
steps=$((sweeps * lines))
passed=0 failed=0
cd "$scratch" || exit 1

compile() {	# compile NAME OPTION...
	local name=$1
	shift
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -fno-tree-vectorize -fno-stack-protector "$@" \
		-o "$name" "$root/tests/run/$name.c" >cc 2>&1 && return
	cat cc
	echo "FAILED: $name.c does not compile"
	exit 1
}
compile kernels -nostdlib -static
compile hand_over

# run MACHINE:GEOMETRY GROUPS PROGRAM ARGUMENT...: to out.csv. The launcher is native and the program
# emulated, as with --on, which has no options for caches.
run() {
	local machine=${1%%:*} geometry=${1#*:} groups=$2
	shift 2
	what="$machine $*"
	rm -f out.csv out.json
	# shellcheck disable=SC2086
	"$vpmu" run --strict --no-feed -m "$machine" $geometry -- \
		ipmu-run --passes -g "$groups" -o out -- "$vpmu" run -- "$@" 2>err && return
	cat err
	echo "FAILED: $what does not run"
	failed=$((failed + 1))
}

# check GROUP NAME EXPRESSION [PERCENT]: the metric against awk's value of the expression
check() {
	local got want verdict
	read -r verdict want got < <(awk -F, -v g="$1" -v n="$2" -v p="${4:-1}" '
		$1 == "metric" && $2 == g && $3 == n && $4 == "all" { a = $5 }
		END {
			b = sprintf("%.9g", '"$3"') + 0
			d = a - b
			if (d < 0) d = -d
			near = d * 100 <= p * (b < 0 ? -b : b)
			printf "%s %.9g %s\n", a ~ /^[0-9.e+-]+$/ && near ? "near" : "far", b, a
		}' out.csv)
	if [ "$verdict" = near ]; then
		passed=$((passed + 1))
	else
		echo "FAILED: wants $want within ${4:-1} %:"
		failed=$((failed + 1))
	fi
	printf '%-26s %-44s %14s  %14s\n' "$what" "$1 $2" "${got:-none}" "$want"
}

# instructions KERNEL, branches KERNEL: callgrind's, of the whole program
callgrind() {
	[ -s "$1.cg" ] || valgrind -q --tool=callgrind --branch-sim=yes --callgrind-out-file="$1.cg" \
		./kernels "$1" >/dev/null 2>&1
	awk -v e="$2" '/^events:/ { for (i = 2; i <= NF; i++) name[i] = $i }
		/^totals:/ { for (i = 2; i <= NF; i++) if (name[i] == e) print $i }' "$1.cg"
}
instructions() { callgrind "$1" Ir; }
branches() { callgrind "$1" Bc; }

# -- Skylake client: memory 180 and write 60 clocks, 10 buffers; a clock is a nanosecond. Of the 8192
# lines that a copy leaves in the LLC half are dirty and not yet written. A copy is bound by its
# waits. A chase waits 180 clocks for each line, and 9 for a page that is none of the 64 in the
# translation buffer: it visits 512 pages in no order.
skl="skl-4c8t:--l2 64K,8,64 --llc 512K,16,64"
reads=$((2 * steps)) writes=$((steps - 4096))
run "$skl" MEM,LLC_READ,ARB ./kernels copy
time="($reads * 180 / 10 * 1e-9)" chased="(180 + 9 * (1 - 64 / 512))"
check skl_unc/MEM 'memory data' "64e-6 * ($reads + $writes)"
check skl_unc/MEM 'memory bandwidth' "64e-9 * ($reads + $writes) / $time"
check skl_unc/MEM 'read bandwidth' "64e-9 * $reads / $time"
check skl_unc/MEM 'write bandwidth' "64e-9 * $writes / $time"
check skl_unc/LLC_READ 'LLC read miss ratio' 1
check skl_unc/LLC_READ 'data of read misses' "64e-6 * $reads"
check skl_unc/ARB 'average residence' "(180 * $reads + 60 * $writes) / ($reads + $writes)"
run "$skl" MEM,LLC,ARB ./kernels pointers
check skl_unc/MEM 'memory data' "64e-6 * $steps"
check skl_unc/MEM 'read bandwidth' "64 / $chased"
check skl_unc/LLC 'LLC miss ratio' 1
check skl_unc/LLC 'LLC misses per second' "1e9 / $chased"
check skl_unc/LLC 'data of misses' "64e-6 * $steps"
check skl_unc/ARB 'average residence' 180
check skl_unc/ARB 'average entries' "180 / $chased"
check skl_unc/ARB 'requests per second' "1e9 / $chased"
run "$skl" CI ./kernels pointers
check skl/CI 'estimated clocks' "$chased * $steps"
run "tgl-4c8t:--l2 64K,8,64 --llc 512K,16,64" CI ./kernels pointers
check ix86arch/CI 'estimated clocks' "$chased * $steps"
# One sweep from memory and one from the LLC, in which a line takes 34 clocks.
run "skl-4c8t:--l2 64K,8,64" ARB ./kernels pointers
check skl_unc/ARB 'requests per second' \
	"1e9 * $lines / ($lines * ($chased + $chased - 180 + 34))"
run "$skl" MEM,LLC_READ,CLOCK ./kernels matrix
check skl_unc/MEM 'memory data' "64e-6 * $((3 * order * order / 8))"
check skl_unc/LLC_READ 'data of read misses' "64e-6 * $((3 * order * order / 8))"
check skl_unc/CLOCK 'uncore clock' 1
run "$skl" LLC_STATES ./kernels copy	# write-backs from the L2 find the line clean
check skl_unc/LLC_STATES 'not there' "$reads / ($reads + $steps)"
check skl_unc/LLC_STATES 'exclusive or shared' "$steps / ($reads + $steps)"
check skl_unc/LLC_STATES 'modified' 0
run "$skl" SNOOP_MISS,CLOCK ./kernels sweep	# all but those that are left
check skl_unc/SNOOP_MISS 'for an eviction' "($steps - 8192) / ($steps * (180 / 10) * 1e-9)"
check skl_unc/CLOCK 'clocks with a request' 1
run "$skl" BURST,COHERENT,SOURCES ./kernels isolated	# each miss is over before the next
check skl_unc/BURST 'clocks per burst' 180
check skl_unc/BURST 'requests per burst' 1
check skl_unc/COHERENT 'coherent entries per request' 1
check skl_unc/SOURCES 'share of the cores' 1
check skl_unc/SOURCES 'share of graphics' 0
check skl_unc/SOURCES 'share of devices' 0
run "skl-4c8t:--l2 1M,16,64" SNOOP,SNOOP_MISS ./hand_over	# each with what the program has beside
seconds=$(awk -F, '$1 == "info" && $3 == "time" { print $5 }' out.csv)
check skl_unc/SNOOP 'share of modified lines' 0.5
# 160 lines are of the C library, which both threads execute.
check skl_unc/SNOOP 'snoops that hit' "14336 / $seconds" 2
check skl_unc/SNOOP_MISS "for a core's request" "14336 / $seconds"

# -- The other client generations, one of each design, with the same caches and the same latencies.
for client in hsw-4c8t icl-4c8t tgl-4c8t rkl-8c16t; do
	unit=${client%%-*}_unc groups=MEM
	[ $client = hsw-4c8t ] && groups=MEM,LLC_READ,ARB
	[ $client = rkl-8c16t ] && groups=MEM,ARB
	buffers=12
	[ $client = hsw-4c8t ] && buffers=10
	run "$client:--l2 64K,8,64 --llc 512K,16,64" $groups ./kernels copy
	check $unit/MEM 'memory data' "64e-6 * ($reads + $writes)"
	check $unit/MEM 'read bandwidth' "64 / (180 / $buffers)"
	[ $client = tgl-4c8t ] && check tgl_unc/MEM 'share of the first controller' 0.5
	case $groups in *LLC_READ*)
		check $unit/LLC_READ 'LLC read miss ratio' 1
		check $unit/LLC_READ 'data of read misses' "64e-6 * $reads" ;;
	esac
	case $groups in *ARB*)
		check $unit/ARB 'average residence' \
			"(180 * $reads + 60 * $writes) / ($reads + $writes)" ;;
	esac
	[ $client = tgl-4c8t ] && continue
	run "$client:--l2 64K,8,64 --llc 512K,16,64" SOURCES,COHERENT ./kernels sweep
	check $unit/SOURCES 'share of the cores' 1
	check $unit/COHERENT 'coherent entries per request' 1
done
run "rkl-8c16t:--l2 64K,8,64 --llc 512K,16,64" BURST ./kernels isolated
check rkl_unc/BURST 'clocks per burst' 180

# -- Hybrid clients: memory 180 clocks, 16 buffers. A page is 8 KiB of a controller's lines, and each of
# two controllers has 32 banks, which are empty at first. Data are counted in units of 32 bytes.
for client in adl-3p4e10t mtl-3p4e2lp9t arl-3p4e7t lnl-4p4e8t; do
	unit=${client%%-*}_unc what_reads=' of reads'
	hybrid="$client:--l2 64K,8,64 --llc 512K,16,64"
	case $unit in mtl_unc | arl_unc) what_reads= ;; esac
	run "$hybrid" PAGES ./kernels sweep
	check $unit/PAGES "page hit ratio$what_reads" "1 - 64 / 8192" 0.1
	check $unit/PAGES "page empty ratio$what_reads" "2 * 32 / $steps"
	check $unit/PAGES "page miss ratio$what_reads" "64 / 8192 - 2 * 32 / $steps" 10
	[ $unit = arl_unc ] || run "$hybrid" LATENCY ./kernels sweep
	case $unit in
	adl_unc | mtl_unc)
		check $unit/LATENCY 'read latency' 180
		check $unit/LATENCY 'reads under way' 16 ;;
	lnl_unc)
		check $unit/LATENCY 'wait in the controller' 0
		check $unit/LATENCY 'clocks between reads' '2 * 180 / 16' ;;
	esac
	[ $unit = adl_unc ] && continue
	run "$hybrid" DATA,MEM ./kernels copy
	check $unit/DATA 'data moved' "64e-6 * ($reads + $writes)"
	check $unit/DATA 'data read' "64e-6 * $reads"
	check $unit/DATA 'data written' "64e-6 * $writes"
	check $unit/DATA 'share of writes' "$writes / ($reads + $writes)"
	check $unit/DATA 'data bandwidth' "64 * ($reads + $writes) / ($reads * 180 / 16)"
	check $unit/DATA 'data of a read command' 64
	check $unit/DATA 'data of a write command' 64
	check $unit/MEM 'memory data' "64e-6 * ($reads + $writes)"
done

# -- Xeon 7500: memory 220 clocks, 10 buffers, two M-Boxes; pages of 8 KiB of a box's lines
nhmex="nhmex-1p8c16t:--l2 64K,8,64 --llc 768K,24,64"
writes=$((steps - 6144))
run "$nhmex" MEM ./kernels copy
time="($(instructions copy) * 1e-9)"
check nhmex_unc_mbox/MEM 'memory data' "64e-6 * ($reads + $writes)"
check nhmex_unc_mbox/MEM 'memory bandwidth' "64e-9 * ($reads + $writes) / $time"
run "$nhmex" MEM,PAGES,LATENCY ./kernels sweep
check nhmex_unc_mbox/MEM 'memory bandwidth' "64 / (220 / 10)"
check nhmex_unc_mbox/PAGES 'page hit ratio' "1 - 64 / 8192"
# ten reads are under way, in two boxes
check nhmex_unc_mbox/LATENCY 'reads of one index in the queue' '10 / 2'
check nhmex_unc_mbox/LATENCY 'clocks between commands' "2 * 220 / 10"
run "$nhmex" LLC ./kernels pointers
check nhmex_unc_cbox/LLC 'LLC miss ratio' 1
check nhmex_unc_cbox/LLC 'LLC misses per second' '1e9 / (220 / 10)'
check nhmex_unc_cbox/LLC 'data of misses' "64e-6 * $steps"

# -- Core 2: L2 hits 14 clocks, memory 200, 8 buffers; 64 translations
core2="core2-4c:--llc 512K,16,64"
run "$core2" CPI,L1 ./kernels copy
check core/L1 'L1 lines per access' 1/8
check core/L1 'L1 lines per 1000 instructions' "1000 * $reads / $(instructions copy)"
check core/L1 'data from the L2' "64e-6 * $reads"
run "$core2" CPI,L2 ./kernels pointers
check core_fixed/CPI 'clocks per instruction' "$steps * 200 / 8 / $(instructions pointers)"
check core_fixed/CPI 'instructions per clock' "$(instructions pointers) / ($steps * 200 / 8)"
check core/L2 'L2 miss ratio' 1
check core/L2 'L2 misses per 1000 instructions' "1000 * $steps / $(instructions pointers)"
check core/L2 'data of misses' "64e-6 * $steps"
# Reads arrive latency / buffers clocks apart: so one stall per read, of that time without the
# instructions between.
stall() { echo "($1 / 8 - $(instructions "$2") / $3)"; }	# stall LATENCY KERNEL LINES
stalls() {	# stalls MACHINE GROUP LATENCY KERNEL LINES
	run "$1" STALL ./kernels "$4"
	check "$2/STALL" 'average stall' "$(stall "$3" "$4" "$5")" 5
}
run "$core2" STALL,FREQUENCY ./kernels pointers
check core/STALL 'share of stalled clocks' "$(stall 200 pointers $steps) / (200 / 8)"
check core/STALL 'average stall' "$(stall 200 pointers $steps)" 5
check core_fixed/FREQUENCY 'core clocks per reference clock' 1
stalls "$core2" core 200 sweep $steps
stalls "$core2" core 200 near $lines
run core2-4c: CPI ./kernels pointers	# the second sweep is from the L2
check core_fixed/CPI 'clocks per instruction' \
	"($lines * 200 / 8 + $(instructions pointers) / 2) / $(instructions pointers)"
run "$core2" TLB ./kernels sweep
check core/TLB 'DTLB misses per 1000 instructions' "1000 * $steps / 64 / $(instructions sweep)"
check core/TLB 'page walks per 1000 instructions' "1000 * $steps / 64 / $(instructions sweep)"
run "$core2" BRANCH ./kernels branches
check core/BRANCH 'misprediction ratio' 1/6
check core/BRANCH 'branches per instruction' "$(branches branches) / $(instructions branches)"
check core/BRANCH 'mispredictions per 1000 instructions' "1000 * $rounds / 2 / $(instructions branches)"
run "$core2" VECTOR,CPI ./kernels vectors
check core/VECTOR 'share in vectors' 2/3
check core/VECTOR 'double operations per instruction' "5 * $rounds / $(instructions vectors)"
check core_fixed/CPI 'clocks per instruction' 1

# -- Knights Corner: memory 300 clocks, 8 buffers; SSE stands in for the vector unit
knc="knc-4c16t:--l2 64K,8,64"
run "$knc" L1 ./kernels copy
check knc/L1 'L1 miss ratio' 1/8
check knc/L1 'data of misses' "64e-6 * $reads"
run "$knc" L2,CPI ./kernels pointers
check knc/L2 'L2 read miss ratio' 1
check knc/L2 'data of read misses' "64e-6 * $steps"
# The directory keeps the places of lines that no core has any more: they come from memory.
check knc/CPI 'clocks per instruction' "$steps * 300 / 8 / $(instructions pointers)"
stalls "$knc" knc 300 pointers $steps
stalls "$knc" knc 300 sweep $steps
stalls "$knc" knc 300 near $lines
run "$knc" TLB,WALKS,CODE_WALKS ./kernels sweep	# the second sweep finds its 512 pages in the TLB
check knc/TLB 'page walks per access' 1/64
check knc/WALKS 'share of long walks' 1/2
check knc/CODE_WALKS 'share of long walks' 1
run "$knc" WALKS ./kernels copy			# 1024 pages are too many for it
check knc/WALKS 'share of long walks' 1
run "$knc" PAIRING ./kernels vectors
check knc/PAIRING 'share in the V pipe' 0
check knc/PAIRING 'share of vector instructions in the V pipe' 0
# The first lines have left the L2 of the first core when the second reads them; 14336 have not.
run "knc-4c16t:--l2 1M,16,64" FILLS ./hand_over 4	# and 4 % are the C library's
check knc/FILLS 'reads filled by another core' "14336 / (4 * 14336 + 16384 - 14336 / 2)" 5
run "$knc" FILLS ./kernels copy
check knc/FILLS 'reads filled by another core' 0
check knc/FILLS 'writes filled by another core' 0
run "$knc" BRANCH ./kernels branches
check knc/BRANCH 'misprediction ratio' 1/6
run "$knc" VECTOR,CPI ./kernels vectors
check knc/VECTOR 'elements per vector instruction' 5/3
check knc/CPI 'clocks per instruction' 1
check knc/CPI 'instructions per clock' 1

# -- Pentium 4: memory 250 clocks, 8 buffers
p4="p4-2p4t:--llc 512K,16,64"
run "$p4" CPI,L2 ./kernels pointers
check netburst/CPI 'clocks per instruction' "$steps * 250 / 8 / $(instructions pointers)"
check netburst/CPI 'instructions per clock' "$(instructions pointers) / ($steps * 250 / 8)"
check netburst/L2 'L2 read miss ratio' 1
check netburst/L2 'data of read misses' "64e-6 * $steps"
run "$p4" STALL ./kernels pointers
check netburst/STALL 'share of stalled clocks' "$(stall 250 pointers $steps) / (250 / 8)"
check netburst/STALL 'average stall' "$(stall 250 pointers $steps)" 5
stalls "$p4" netburst 250 sweep $steps
stalls "$p4" netburst 250 near $lines
run "$p4" LOAD_MISS ./kernels copy
check netburst/LOAD_MISS 'L1 load miss ratio' 1/8
check netburst/LOAD_MISS 'L2 load miss ratio' 1/8
check netburst/LOAD_MISS 'L1 misses that miss the L2' 1
run "$p4" TLB ./kernels sweep
check netburst/TLB 'walks for data per 1000 instructions' "1000 * $steps / 64 / $(instructions sweep)"
run "$p4" BRANCH,WRONG_PATH ./kernels branches	# 20 micro-ops behind each wrong prediction
check netburst/BRANCH 'misprediction ratio' 1/6
bogus="(20 * $rounds / 2)"
check netburst/WRONG_PATH 'share of bogus micro-ops' "$bogus / ($bogus + $(instructions branches))"
check netburst/WRONG_PATH 'bogus micro-ops per retired one' "$bogus / $(instructions branches)"
run "$p4" VECTOR ./kernels vectors
check netburst/VECTOR 'share in vectors' 2/3
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
