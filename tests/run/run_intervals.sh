#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-run --interval: the intervals of a run have no gaps, and their counts add up to the run's,
# exactly; the plots of the page; registers are read for them and for nothing else.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run
cd "$scratch" || exit 1
event=skl_unc_clk.UNC_CLOCK:SOCKET

on skl-4c8t -e $event --interval 0 -o f true; is '0' 125 $?
says '0' '--interval 0: give a number of milliseconds from 1 to 86400000'
on skl-4c8t -e $event --interval 1s -o f true; is 'a unit' 125 $?

# A busy host may not let the intervals' reader run during a short program: its size doubles until each
# run and pass has enough of them.
intervals() {	# intervals LEAST PREFIX COMMAND... SIZE
	local size=${!#} most=$((64 * ${!#})) status
	for ((; size <= most; size *= 2)); do
		"${@:3:$#-3}" $size >out 2>err
		status=$?
		[ "$(awk -F, '$1 == "event interval" { n[$3 "," $4 "," $9 "," $10]++ }
		END { for (k in n) if (!least || n[k] < least) least = n[k]
			print least + 0 }' "$2.csv")" -lt "$1" ] || break
	done
	return $status
}
# On a machine its clock is that of intervals, and advances only while a program is emulated.
emulated() {	# emulated MACHINE ARGUMENT...: the program is a loop of some ten milliseconds
	intervals 2 g ipmu-run --on "$1" "${@:2}" sh -c 'i=0; while [ $i -lt $0 ]; do i=$((i + 1)); done' 2000
}
sorting() {
	seq "$1" >numbers
	ipmu-run --on skl-4c8t -g MEM,LLC_READ --per-box -e skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL \
		--interval 4 -o f sort -n numbers
}
have_qemu=$(command -v qemu-x86_64)

# -- sums: of each event, part, run and pass
sums() {	# sums FILE: what does not add up
	awk -F, 'NR == 1 { if ($0 != "kind,group,name,part,value,deviation,unit,formula,run,pass,begin,end") print; next }
	NF != 12 { print NF " columns: " $0 }
	$3 == "runs" { runs = $5 }
	$1 == "event" { total[$2 "," $3 "," $4] = $5 * runs }
	$1 == "event interval" {
		key = $2 "," $3 "," $4 "," $9 "," $10
		if ($11 + 0 != end[key] + 0 || $12 <= $11) print "a gap: " $0
		end[key] = $12
		sum[$2 "," $3 "," $4] += $5
		n[key]++
	}
	END { for (k in total) if (sum[k] != total[k]) print k ": " sum[k] ", not " total[k]
		for (k in n) { m++; if (n[k] < 2) print k ": one interval" }
		if (!m) print "no intervals" }' "$1"
}
if [ -n "$have_qemu" ]; then
	intervals 2 f sorting 20000; is 'emulated' 0 $?
	is 'emulated: nothing is said' '' "$(complaints)"
	is 'emulated: sums' '' "$(sums f.csv)"
	# At least reads, clock, requests, and two events of four slices.
	[ "$(awk -F, '$1 == "event" && $5 > 0' f.csv | wc -l)" -ge 13 ]; is 'emulated: counts' 0 $?
	# Of the machine's clock, each interval's bandwidth is its bytes by its nanoseconds.
	awk -F, '$1 == "event interval" && $3 ~ /DATA_READS/ { r[$11] = $5 }
	$1 == "event interval" && $3 ~ /DATA_WRITES/ { w[$11] = $5 }
	$1 == "event interval" && $3 ~ /UNC_CLOCK/ { t[$11] = $5 }
	$1 == "metric interval" && $3 == "memory bandwidth" { b[$11] = $5; n++ }
	END { for (i in b) { if (!t[i]) { if (b[i] != "") print "of no time: " b[i]; continue }
		x = 64 * (r[i] + w[i]) / t[i] - b[i]; if (x * x > 1e-18) print i ": " b[i] }
		if (!n) print "none" }' f.csv >out
	is 'the bandwidth of intervals' '' "$(cat out)"
	if command -v python3 >/dev/null; then
		python3 - >out 2>&1 <<-'CODE'
			import csv, json
			r = json.load(open("f.json"))
			assert r["interval_ms"] == 4, r["interval_ms"]
			assert r["interval_clock"] == "machine", r["interval_clock"]
			(t,) = r["timelines"]
			assert t["run"] == t["pass"] == 1 and t["end_ns"] == sorted(t["end_ns"])
			total = {}
			for g in r["groups"]:
			    for e in g["events"]:
			        total[e["name"]] = [p["value"] for p in e["parts"]]
			assert len(t["events"]) == len(total) == 6, t["events"]
			for e in t["events"]:
			    sums = [sum(p["counts"]) for p in e["parts"]]
			    assert sums == total[e["name"]], e["name"]
			    assert all(len(p["counts"]) == len(t["end_ns"]) for p in e["parts"])
			rows = [x for x in csv.DictReader(open("f.csv")) if x["kind"] == "event interval"
			    and x["name"].endswith("DATA_READS")]
			assert [round(float(x["end"]) * 1e9) for x in rows] == t["end_ns"]
		CODE
		verdict 'JSON' $?
	fi
fi
# A constant load: reads of lines in a random order, of which none comes again within what the LLC
# holds but by chance. From the start on an interval is as long as the uncore's clock says, on any
# host; and no interval has more misses than lookups, or another bandwidth.
if [ -n "$have_qemu" ] && compile load load.c -O2; then
	intervals 5 c ipmu-run --on skl-4c8t -g MEM,LLC_READ --interval 4 -o c ./load 2000000
	is 'constant: nothing is said' '' "$(complaints)"
	is 'constant: sums' '' "$(sums c.csv)"
	awk -F, '$1 == "info" && $3 == "time" { time = $5 }
	$1 == "event interval" && $3 ~ /UNC_CLOCK/ { last = $12; d = ($12 - $11) * 1e9 - $5
		if (d * d > 1) print "a clock of " $5 " in " $11 " to " $12 }
	$1 == "metric interval" && $3 ~ /ratio/ { n++; if ($5 > 1) print "ratio " $5 " at " $12 }
	END { if (n < 5) print n + 0 " intervals"; if (last - time > 1e-8 || time - last > 1e-8)
		print last " is the end, and " time " the time" }' c.csv >out
	is 'constant: one clock' '' "$(cat out)"
	awk -F, '$1 == "metric interval" && $3 == "read bandwidth" { b[n++] = $5 }
	END { for (i = int(n / 2); i < n - 1; i++) { if (!least || b[i] < least) least = b[i]
			if (b[i] > most) most = b[i] }
		if (!least || most > 1.05 * least) print least " to " most }' c.csv >out
	is 'constant: flat' '' "$(cat out)"
fi
# Each run begins on a fresh machine: dirty lines of the one before would be written back by the next.
if [ -x load ]; then
	ipmu-run --on skl-4c8t -g MEM -o one ./load 100000 write >out 2>err
	ipmu-run --on skl-4c8t -g MEM -r 3 -o r ./load 100000 write >out 2>err
	is 'three runs: nothing is said' '' "$(complaints)"
	once=$(awk -F, '$1 == "event" { print $3 "," $5 }' one.csv)
	for run in 1 2 3; do
		is "run $run: as the only one" "$once" \
			"$(awk -F, -v run=$run '$1 == "event run" && $9 == run { print $3 "," $5 }' r.csv)"
	done
	is 'three runs: columns' 12 "$(awk -F, '{ print NF }' r.csv | sort -u | paste -sd' ')"
	is 'three runs: metrics of each' 12 "$(grep -c '^metric run,skl_unc/MEM,' r.csv)"
	! command -v python3 >/dev/null || python3 - >out 2>&1 <<-'CODE'
		import json
		one, r = (json.load(open(name))["groups"][0] for name in ("one.json", "r.json"))
		assert len(r["events"]) == 3 and len(r["metrics"]) == 4, r
		assert [x["values"] for k in ("events", "metrics") for x in r[k]] == [
			[x["value"]] * 3 for k in ("events", "metrics") for x in one[k]], r
	CODE
	verdict 'three runs: JSON' $?
fi
# A machine on which another program runs is not made a fresh one, and that is said.
if [ -n "$have_qemu" ]; then
	"$vpmu" run --no-feed -m skl-4c8t -- sh -c 'vpmu run -- sh -c "echo up; exec sleep 1800" >up & other=$!
		until [ -s up ]; do sleep 0.05; done
		ipmu-run -g MEM -r 2 vpmu run -- true; kill $other; wait $other' >out 2>err
	says 'a machine in use' '^ipmu-run: the runs share one virtual machine: '
fi
# A counter that is set back while only an interval's reading reads it: what is reported once stays.
if [ -n "$have_qemu" ] && command -v wrmsr >/dev/null; then
	known() { awk -F, '$1 == "event interval" && $5 > 0 { x = "known" } END { print x }' l.csv; }
	for turns in 1000 4000 16000 64000; do
		ipmu-run --on skl-4c8t -e $event --interval 1 -o l sh -c 'for i in 1 2 3 4 5 6; do n=0
			while [ $n -lt $0 ]; do n=$((n + 1)); done; [ $i = 3 ] && wrmsr -p 0 0x395 0; done; :' \
			$turns 2>err
		status=$?
		[ $status$(known) != 125known ] || break
	done
	is 'a loss: status' 125 $status
	says 'a loss' "$event.*the counter was set back from outside"
	is 'a loss: no count' '' "$(awk -F, '$1 == "event" { print $5 }' l.csv)"
	is 'a loss: nor in the last interval' '' \
		"$(awk -F, '$1 == "event interval" { x = $5 } END { print x }' l.csv)"
	is 'a loss: those before are known' known "$(known)"
fi
if [ -n "$have_qemu" ]; then
	emulated nhmex-2p16c32t -g MEM,PAGES -r 2 --interval 2 -o g
	is 'two runs: nothing is said' '' "$(complaints)"
	is 'two runs: sums' '' "$(sums g.csv)"
	is 'two runs: each has its rows' '1 2' \
		"$(awk -F, '$1 == "event interval" { print $9 }' g.csv | sort -u | paste -sd' ')"
	emulated skl-4c8t -g LLC_STATES --passes --interval 2 -o g
	is 'passes: sums' '' "$(sums g.csv)"
	is 'passes: each has its rows' '1 2' \
		"$(awk -F, '$1 == "event interval" { print $10 }' g.csv | sort -u | paste -sd' ')"
	emulated core2-4c -g CPI --per-cpu --interval 2 -o g
	is 'CPUs: sums' '' "$(sums g.csv)"
fi
on skl-4c8t -e $event --interval 1000 -o g true
is 'shorter than one' 1 "$(grep -c '^event interval' g.csv)"
on skl-4c8t -e $event --interval 20 -o g ./none; is 'not found' 127 $?

# -- plots
if command -v gnuplot >/dev/null; then
	cp f.html page.html 2>/dev/null || on skl-4c8t -g MEM -e $event --interval 4 -o page sleep 0.5
	is 'plots, wide and narrow' "$(grep -c 'class="wide-plot"' page.html)" \
		"$(grep -c 'class="narrow-plot"' page.html)"
	grep -q '<figcaption>memory bandwidth in intervals of 4 ms</figcaption>' page.html
	is 'of the bandwidth' 0 $?
	grep -q '<figcaption>skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL per second in intervals of 4 ms<' page.html
	is 'of an event' 0 $?
	is 'lines of the slices, wide and narrow' 8 "$(sed -n '/LLC read miss ratio in interv/,/figure>/p' page.html |
		grep -c '>package 0 box [0-3]<')"
	export XDG_CONFIG_HOME=$scratch/config
	mkdir -p config/ipmu/groups/skl_unc
	printf '%s\n' 'title: x' "event: A = $event" "metric: <b>'\"\`id\` [<i>'\$] = A + 1" 'tells: x' \
		'misleads: x' >config/ipmu/groups/skl_unc/BAD
	emulated skl-4c8t -g BAD --interval 2 -o g
	is 'a bad name is plotted' '' "$(complaints)"
	is 'and is no markup' 0 "$(grep -ciE '<(b|i)>' g.html)"
	mkdir bin
	printf '#!/bin/sh\nexit 2\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$scratch/bin:$PATH emulated skl-4c8t -e $event --interval 2 -o g
	is 'gnuplot fails: status' 0 $?
	says 'gnuplot fails' '^ipmu-run: the page has no timelines: gnuplot failed'
fi
mkdir -p few
for tool in sleep sh lstopo-no-graphics; do
	command -v $tool >/dev/null && ln -sf "$(command -v $tool)" few
done
ipmu=$(command -v ipmu-run)
PATH=$scratch/few "$vpmu" run --no-feed -m skl-4c8t -- "$ipmu" -e $event --interval 5 -o h sleep 0.2 2>err
is 'no gnuplot: status' 0 $?
is 'no gnuplot' 'ipmu-run: the page has no timelines: there is no gnuplot (install gnuplot-nox)' \
	"$(complaints)"
grep -q 'No timelines: there is no gnuplot' h.html; is 'no gnuplot: the page says so' 0 $?
grep -q '^event interval,' h.csv; is 'no gnuplot: the table' 0 $?

# -- registers are read for intervals, and once a second where there is a terminal: else not at all
accesses() {	# accesses TURNS OPTION...: those of a whole run
	"$vpmu" run --no-feed -m skl-4c8t -- sh -c 'turns=$1; shift; ipmu-run -g CLOCK "$@" vpmu run -- \
		sh -c "i=0; while [ \$i -lt $turns ]; do i=\$((i + 1)); done" 2>err
		vpmu regs -s "$VPMU_SEGMENT"' - "$@" | sed -n 's/.*accesses: \([0-9]*\) rdmsr.*/\1/p'
}
if [ -n "$have_qemu" ]; then
	without=$(accesses 2000 -o k)
	is 'accesses of a long interval' "$without" "$(accesses 2000 -o k --interval 10000)"
	for turns in 2000 8000 32000 128000; do		# three intervals of three counters
		more=$(($(accesses $turns -o k --interval 2) - without))
		[ $more -lt 9 ] || break
	done
	[ $more -ge 9 ]; is 'accesses of intervals' 0 $?
fi
finish
