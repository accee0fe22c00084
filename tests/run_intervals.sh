#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-run --interval: the intervals of a run have no gaps, and their counts add up to the run's,
# exactly; the plots of the page; registers are read for them and for nothing else.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/run/on_machine.sh"
needs ipmu-run
cd "$scratch" || exit 1
event=skl_unc_clk.UNC_CLOCK:SOCKET

on skl-4c8t -e $event --interval 0 -o f true; is '0' 125 $?
says '0' '--interval 0: give a number of milliseconds from 1 to 86400000'
on skl-4c8t -e $event --interval 1s -o f true; is 'a unit' 125 $?
on skl-4c8t -e $event --interval 10 true; is 'nowhere to write' 125 $?
says 'nowhere to write' 'give -o PREFIX as well'

# -- sums: of each event, part, run and pass
sums() {	# sums FILE: what does not add up
	awk -F, 'NR == 1 { if ($0 != "kind,group,name,part,value,deviation,unit,formula,run,pass,begin,end") print; next }
	NF != 12 { print NF " columns: " $0 }
	$1 == "event" { total[$2 "," $3 "," $4] = $5 }
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
if command -v qemu-x86_64 >/dev/null; then
	seq 20000 >numbers
	ipmu-run --on skl-4c8t -g MEM,LLC_READ --per-box -e skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL \
		--interval 4 -o f sort -n numbers >out 2>err
	is 'emulated' 0 $?
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
# A counter that is set back while nobody but an interval's reading looks: what it tells once stays.
if command -v qemu-x86_64 >/dev/null && command -v wrmsr >/dev/null; then
	ipmu-run --on skl-4c8t -e $event --interval 2 -o l sh -c 'for i in 1 2 3 4 5 6; do sleep 0.02
		[ $i = 3 ] && wrmsr -p 0 0x395 0; done; :' 2>err
	is 'a loss: status' 125 $?
	says 'a loss' "$event.*the counter was set back from outside"
	is 'a loss: no count' '' "$(awk -F, '$1 == "event" { print $5 }' l.csv)"
	is 'a loss: nor in the last interval' '' \
		"$(awk -F, '$1 == "event interval" { x = $5 } END { print x }' l.csv)"
	is 'a loss: those before are known' known \
		"$(awk -F, '$1 == "event interval" && $5 > 0 { x = "known" } END { print x }' l.csv)"
fi
on nhmex-2p16c32t -g MEM,PAGES -r 2 --interval 5 -o g sleep 0.2
is 'two runs in which nothing is counted: nothing is said' '' "$(complaints)"
is 'two runs: sums' '' "$(sums g.csv)"
is 'two runs: each has its rows' '1 2' \
	"$(awk -F, '$1 == "event interval" { print $9 }' g.csv | sort -u | paste -sd' ')"
on skl-4c8t -g LLC_STATES --passes --interval 5 -o g sleep 0.2
is 'passes: sums' '' "$(sums g.csv)"
is 'passes: each has its rows' '1 2' \
	"$(awk -F, '$1 == "event interval" { print $10 }' g.csv | sort -u | paste -sd' ')"
on core2-4c -g CPI --per-cpu --interval 5 -o g sleep 0.2
is 'CPUs: sums' '' "$(sums g.csv)"
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
	on skl-4c8t -g BAD --interval 5 -o g sleep 0.2
	is 'a bad name is plotted' '' "$(complaints)"
	is 'and is no markup' 0 "$(grep -ciE '<(b|i)>' g.html)"
	mkdir bin
	printf '#!/bin/sh\nexit 2\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$scratch/bin:$PATH on skl-4c8t -e $event --interval 5 -o g sleep 0.2
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
is 'no gnuplot: the table' '' "$(sums h.csv)"

# -- register accesses: while the program runs, those of the intervals alone
cat >look <<-'END'
	look() { vpmu regs -s "$VPMU_SEGMENT" | sed -n 's/.*accesses: \([0-9]*\) rdmsr.*/\1/p'; }
	before=$(look) now=$before
	for ((i = 0; i < 3 || i < 600 && now - before < $1; i++)); do sleep 0.1; now=$(look); done
	echo $((now - before))
END
accesses() {	# accesses LEAST OPTION...: how many in 0.3 s, or until there are as many
	"$vpmu" run --no-feed -m skl-4c8t -- ipmu-run -g CLOCK "${@:2}" bash look "$1" 2>err
}
is 'no accesses' 0 "$(accesses 0 -o k)"
[ "$(accesses 3 -o k --interval 20)" -ge 3 ]; is 'accesses of intervals' 0 $?
finish
