#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-run as its user meets it: the program keeps its status, signals and streams; reports and
# files; what is wrong is said, and what to do. Natively on a virtual machine's registers
# (`vpmu run --no-feed`) where it does not matter what is counted.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$scratch" || exit 1
export XDG_CONFIG_HOME=$scratch/config
event=skl_unc_clk.UNC_CLOCK:SOCKET

refused() {	# refused REGEX ARGUMENT...: with the status of our own errors
	local regex=$1
	shift
	on skl-4c8t "$@"
	is "$*: status" 125 $?
	says "$*" "$regex"
}

# -- usage
refused 'nothing to count: give -g' true
refused 'give a number of runs from 1 to 1000' -g MEM -r 0 true
refused 'give a number of runs from 1 to 1000' -g MEM -r 2x true
for prefix in dir/ . dir/..; do
	refused "'$prefix': give a file name prefix without an extension" -g MEM -o $prefix true
done
refused 'an empty name between commas' -g MEM, true
refused "try 'ipmu-run --help'" --nonsense
refused 'runs no program' --groups true
refused 'this is a virtual machine already' --on skl-4c8t -g MEM true
refused 'cannot write none/x.csv: No such file' -g MEM -o none/x true
ipmu-run --help >out; is '--help' 0 $?
while read -r status command; do		# of commands that run a program, and of others
	command -v ${command%% *} >out || continue
	$command >/dev/full 2>err </dev/null; is "$command, on a full disk" $status $?
	says "$command, on a full disk" 'standard output: No space left on device'
	[[ $command != vpmu* ]] || continue	# whose machine is beyond the limit, too
	(ulimit -f 0; exec $command 2>&1 >>limited </dev/null) | cat >err
	is "$command, by a limit" $status "${PIPESTATUS[0]}"
	says "$command, by a limit" 'standard output: File too large'
done <<'END'
125 ipmu-run --help
125 vpmu run --no-feed ipmu-run --groups
125 ipmu-mpi-run --version
1 ipmu-restore --help
1 pmutopo --version
1 ipmu-allowlist --help
END
ipmu-run --version >out; is '--version' "ipmu-run ${VERSION:-$(sed 's/.* //' out)}" "$(cat out)"

# -- the program: its status, arguments, streams
on skl-4c8t -e $event sh -c 'exit 7'; is 'its status' 7 $?
on skl-4c8t -e $event -- sh -c 'kill -USR1 $$'; is 'killed by a signal' $((128 + 10)) $?
says 'killed by a signal' ': exit status 138 [(]128 [+] signal 10, User defined signal 1[)]$'
on skl-4c8t -e $event -o dies sh -c 'kill -SEGV $$'; is 'killed, a page' $((128 + 11)) $?
grep -q 'exit status 139 (128 + signal 11, Segmentation fault)</p>' dies.html; verdict 'killed, a page' $?
grep -q '"status": *139,' dies.json; verdict 'killed: the number for programs' $?
says 'killed, the text' '^  INCOMPLETE: a signal ended the program$'
grep -q 'Incomplete: a signal ended the program' dies.html; verdict 'killed, the page: incomplete' $?
is 'killed: not complete' '"complete":false info,,complete,all,0,0,,' \
	"$(grep -o '"complete":[a-z]*' dies.json) $(grep ,complete, dies.csv)"
on skl-4c8t -e $event sh -c 'exit 255'; says 'no signal' ': exit status 255$'
on skl-4c8t -e $event ./none; is 'not found' 127 $?
says 'not found' './none: no such file'
on skl-4c8t -e $event surely-no-such-program; is 'not found in PATH' 127 $?
says 'not found in PATH' 'surely-no-such-program: no such program in PATH'
ipmu-run --on skl-4c8t -e $event '' 2>err; is 'no name' 127 $?; says 'no name' 'an empty word names no program'
: >text; on skl-4c8t -e $event ./text; is 'not executable' 126 $?
says 'not executable' "./text: it is not executable: 'chmod \+x'"
on skl-4c8t -e $event /tmp; is 'a folder' 126 $?; says 'a folder' '/tmp: a folder is not a program'
printf '#!/none/sh\n' >lame; chmod +x lame
on skl-4c8t -e $event ./lame; is 'no interpreter' 127 $?
says 'no interpreter' './lame: what executes it is not there'
printf '#!/bin/sh -e\necho "$0 $2"\n' >script; chmod +x script
on skl-4c8t -e $event ./script a 'b c'; is 'a script, with arguments' './script b c' "$(cat out)"
is 'its stdin' input "$(echo input | "$vpmu" run --no-feed ipmu-run -e $event -o f cat 2>err)"
is 'its stderr' noise "$("$vpmu" run --no-feed ipmu-run -e $event sh -c 'echo noise >&2' 2>&1 | head -n 1)"
is 'no descriptors but its own' '0 1 2' "$("$vpmu" run --no-feed ipmu-run -e $event \
	sh -c 'for fd in 0 1 2 3 4 5 6 7 8 9; do (: <&$fd) 2>/dev/null && printf "%s " $fd; done' \
	2>err </dev/null | sed 's/ $//')"
# It may ignore signals; those that the launcher gets are its own.
"$vpmu" run --no-feed ipmu-run -e $event sh -c \
	'trap "echo got; exit 9" TERM; echo up; while :; do sleep 0.05; done' >up 2>err &
for _ in $(seq 30000); do [ -s up ] && break; sleep 0.05; done
for child in $(<"/proc/$!/task/$!/children"); do
	[ "$(<"/proc/$child/comm")" != ipmu-run ] || kill -TERM "$child"
done
wait $!; is 'SIGTERM is passed on' 9 $?
is 'SIGTERM is passed on: handled' 'up got' "$(paste -sd' ' up)"
says 'a report after a signal' "$event +[0-9]"

# A signal that ends the program ends the runs as well; what was complete is reported.
on skl-4c8t -e $event -r 3 sh -c 'echo run; kill -INT $$'; is 'a signal ends the runs' 130 $?
is 'a signal ends the runs: once' run "$(paste -sd' ' out)"
says 'a signal ends the runs' 'ended by a signal: 0 of 3 complete runs'
on skl-4c8t -e $event -r 3 -o some sh -c '[ -e once ] && kill -INT $$; >once'; is 'the second of three' 130 $?
says 'the second of three' 'ended by a signal: 1 of 3 complete runs'
is 'the second of three: not complete' '"complete":false' "$(grep -o '"complete":[a-z]*' some.json)"
on skl-4c8t -g LLC_STATES --passes -r 2 sh -c 'kill -INT $$'; is 'within passes' 130 $?
says 'within passes' 'ended by a signal: 0 of 2 complete runs'
on skl-4c8t -e $event -r 2 sh -c 'echo run; exit 3'; is 'a status does not end the runs' 3 $?
is 'a status does not end the runs: twice' 'run run' "$(paste -sd' ' out)"

# -- its environment: what ipmu-run is preloaded with is not for an emulated program
if type -P qemu-x86_64 >/dev/null; then
	other=$(${CC:-cc} -print-file-name=libm.so.6)
	for preload in '' "$other"; do
		LD_PRELOAD=$preload ipmu-run --on core2-4c -e core_fixed.INST_RETIRED:ANY -o - sh -c \
			'echo "${LD_PRELOAD-}" >preloaded' >out 2>err
		is "LD_PRELOAD=$preload" "$preload" "$(cat preloaded)"
	done
fi

# -- the report, and files
on skl-4c8t -g MEM -r 3 true; is 'repeated' 0 $?
says 'repeated' '^ipmu-run: true: 3 runs$'
says 'repeated' 'DRAM_DATA_READS +0 +\+- 0.00 %'
rm -f f.*; echo old >f.csv; ln -s target f.json
on skl-4c8t -g MEM,LLC --per-box -e $event,skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL -o f true
is 'files: status' 0 $?
says 'files: the text as well' 'DRAM_DATA_READS +0$'; says 'files: what was written' '^  written: f.csv, f.json, f.html$'
is 'files' 'f.csv f.html f.json' "$(echo f.*)"
is 'files: complete' '"complete":true info,,complete,all,1,0,,' \
	"$(grep -o '"complete":[a-z]*' f.json) $(grep ,complete, f.csv)"
[ ! -e target ] && ok || bad 'a link that had the name of a file was followed'
is 'CSV: columns' 8 "$(awk -F, '{ print NF }' f.csv | sort -u | paste -sd' ')"
is 'CSV: boxes' 4 "$(grep -c '^event,skl_unc/LLC,skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I,package 0 box' f.csv)"
if command -v python3 >/dev/null; then
	python3 - >out 2>&1 <<-'CODE'
		import json
		r = json.load(open("f.json"))
		assert r["status"] == 0 and r["runs"] == r["passes"] == 1 and r["virtual"], r
		assert [(g["pmu"], g["name"]) for g in r["groups"]] == [
			("skl_unc", "MEM"), ("skl_unc", "LLC"), (None, None)], r
		llc = r["groups"][1]["events"][0]
		assert [p["box"] for p in llc["parts"]] == [0, 1, 2, 3] and llc["value"] == 0, llc
		bandwidth = r["groups"][0]["metrics"][0]
		assert bandwidth["unit"] == "GB/s" and bandwidth["value"] is None, bandwidth
	CODE
	verdict JSON $?
fi

on skl-4c8t -g MEM -o - echo 'of the program'; is '-o -: status' 0 $?
is '-o -: no text, no files' '|f.csv f.html f.json' "$(cat err)|$(echo f.*)$(ls -A | grep '^-')"
is '-o -: the program comes first' 'of the program' "$(head -n 1 out)"
if command -v python3 >/dev/null; then
	sed 1d out | python3 -c 'import json, sys
r = json.load(sys.stdin)
assert r["command"] == "echo of the program" and r["groups"][0]["name"] == "MEM", r'
	verdict '-o -: JSON' $?
fi
"$vpmu" run --no-feed -m skl-4c8t -- ipmu-run -g MEM -o - true >/dev/full 2>err
is '-o -, on a full disk' '125 1' "$? $(grep -c 'standard output: No space left on device' err)"

# A long command is shown in part: of 200 bytes "true" and " word" 39 times, and a part of the 40th.
on skl-4c8t -e $event -o f true $(yes word | head -n 20000)
says 'a long command' '^ipmu-run: true( word){39} \.\.\. and 19960 more$'
on skl-4c8t -e $event sh -c ": $(printf 'word%.0s' {1..100})"
says 'a long argument' '^ipmu-run: sh -c : (word)+w?o?r?\.\.\.$'

# -- killed: nothing half-written is left, and what was there stays
mkdir killed; echo old >killed/f.csv
VPMU_TALLY=$scratch/tally on skl-4c8t -g MEM -o killed/f sh -c 'kill -KILL $PPID'	# registers stay changed
is 'killed' 137 $?
is 'killed: files' 'f.csv old' "$(ls -A killed | paste -sd' ') $(cat killed/f.csv)"

# -- core events: the CPUs that the program may use
on core2-4c -g CPI --per-cpu -o f true
is 'each CPU' 'all cpu 0 cpu 1 cpu 2 cpu 3' \
	"$(awk -F, '$1 == "event" && $3 ~ /INST/ { print $4 }' f.csv | paste -sd' ')"
"$vpmu" run --no-feed -m core2-4c --cpus 1,3 -- ipmu-run -g CPI --per-cpu -o f true
is 'CPUs that may be used' 'all cpu 1 cpu 3' \
	"$(awk -F, '$1 == "event" && $3 ~ /INST/ { print $4 }' f.csv | paste -sd' ')"
# One package has the work: the other one is shown as well, with 0.
ipmu-run --on nhmex-2p4c8t -e nhmex_unc_mbox.INFLIGHT_CMDS -o idle true >out 2>err
is 'packages of the report' 'package 0 package 1 ' "$(sed -n 's/^      \(package [01]\)  .*/\1/p' err | sort | tr '\n' ' ')"
is 'an idle package' 1 "$(grep -cE '^      package [01] +0$' err)"
on nhmex-2p16c32t -g MEM -o f true
is 'each package' 'all package 0 package 1' \
	"$(awk -F, '$1 == "event" && $3 ~ /INFLIGHT/ { print $4 }' f.csv | paste -sd' ')"

# -- IPMU_DEBUG's lines reach the user from start to stop as well
IPMU_DEBUG=registers on skl-4c8t -e $event true
says 'IPMU_DEBUG' 'MSR_UNC_PERF_GLOBAL_CTRL'; says 'IPMU_DEBUG: the report' "$event +[0-9]"

# -- while the program runs no register is touched; run_intervals.sh sees a timeline's reads
cat >accesses <<-'END'
	look() { vpmu regs -s "$VPMU_SEGMENT" | sed -n 's/.*accesses: \([^;]*\);.*/\1/p'; }
	before=$(look)
	for i in $(seq "$1"); do sleep 0.1; after=$(look); [ "$before" = "$after" ] || break; done
	case $before in [1-9]*) ;; *) echo "no accesses: $before"; exit ;; esac
	[ "$before" = "$after" ] && echo none || echo some
END
on skl-4c8t -g LLC -e $event sh accesses 4
is 'register accesses while the program runs' none "$(cat out)"

# -- what the machine does not drive; a free-running counter has no enable by which it would know
on skl-4c8t -e skl_unc_imc.DRAM_GT_REQUESTS true
says 'a free-running event' '^vpmu: skl-4c8t: a free-running counter .* does not drive: DRAM_GT_REQUESTS: '
on snb-4c8t -e snb_unc_imc.DRAM_IO_REQUESTS,snb_unc_imc.DRAM_DATA_READS true
is 'two of them, one driven' DRAM_IO_REQUESTS "$(sed -n 's/.*does not drive: \([A-Z_]*\).*/\1/p' err)"
on skl-4c8t -r 2 -e skl.RESOURCE_STALLS:ALL true
is 'an event of all CPUs, in two runs: one line' 1 "$(grep -c 'does not drive' err)"
on arl-8p16e24t -e arl_unc_imc.UNC_M_CAS_COUNT_RD:c=255:i true
says "Arrow Lake's threshold" 'code 0x22 umask 0x00 on MC0_PERFEVTSEL0: thresholds are not modelled'

# -- what does not fit
refused 'ANY_ES.*collides with.*ANY_M' -g LLC_STATES true
says 'what fits is named' '^  fit together: .*:ANY_MESI .*:ANY_M$'
says 'what does not is named' '^  not with these: .*:ANY_ES .*:ANY_I$'
says 'the option is named' '--passes run the program 2 times'
refused 'HITM_XCORE.*collides with|HIT_XCORE.*collides with' -g LLC,SNOOP true
says 'a clock of both is named once' '^  not with these: [^ ]*:HIT_XCORE [^ ]*:HITM_XCORE$'
on skl-4c8t -g LLC_STATES --passes sh -c 'echo run'; is 'passes' 'run run' "$(paste -sd' ' out)"
says 'passes' 'not counted at the same time: 2 passes'
# Two threads of a core share the two registers that select this event.
on p4-2p4t -g L2 --per-cpu true; is 'threads that share registers: refused' 125 $?
says 'threads that share registers' 'cpu=2 collides with .*cpu=0: .* in MSR_BSU_ESCR0'
on p4-2p4t -g CPI,L2 --per-cpu --passes -o f true; is 'threads that share registers' 0 $?
is 'threads that share registers: all is counted' '16 of 16' "$(awk -F, \
	'$1 == "event" && $4 ~ /^cpu/ { n++; known += $5 == "0" } END { print known " of " n }' f.csv)"
on skl-4c8t -g LLC,LLC_STATES,MEM --passes -o f true	# what two groups ask for is counted once
is 'passes of groups' 2 "$(awk -F, '$3 == "passes" { print $5 }' f.csv)"
mkfifo fifo
"$vpmu" run --no-feed -m skl-4c8t sh -c 'ipmu-run -g LLC sh -c "echo up; read x" <>fifo >busy 2>&1 &
	for _ in $(seq 30000); do [ -s busy ] && break; sleep 0.05; done
	ipmu-run -g LLC_READ true; s=$?; echo >fifo; wait; exit $s' 2>err
is 'somebody else counts' 125 $?
says 'somebody else counts' 'is used by process [0-9]+ \(ipmu-run\)'

# -- events and groups that are not there
refused 'only events of intel_core and intel_uncore' -e perf:::INSTRUCTIONS true
refused 'no group none/MEM here' -g none/MEM true
if [ ! -e /dev/cpu/0/msr ]; then	# no group is this machine's, and none has that name anyway
	ipmu-run -g PAGEZ true 2>err; is 'no such group, no machine: status' 125 $?
	says 'no such group, no machine' "^ipmu-run: no group PAGEZ; nearest: PAGES: 'ipmu-run --groups' lists them$"
fi
# Without descriptors it is unknown whether the group exists: the reason is reported.
: >few
for n in 5 6 7 8; do
	"$vpmu" run --no-feed -m skl-4c8t -- bash -c "ulimit -n $n; exec ipmu-run -g MEM true" >>few 2>&1
	"$vpmu" run --no-feed -m skl-4c8t -- bash -c "ulimit -n $n; exec ipmu-run --groups" >>few 2>&1
done
is 'few descriptors: no wrong word' 0 "$(grep -c 'no group MEM' few)"
grep -qE '^ipmu-run: (error: )?/.*: Too many open files' few; verdict 'few descriptors: the reason' $?
is 'few descriptors: said once each' 2 "$(grep -c '/package-0.*: Too many open files' few)"
IPMU_NODE_SUM=first refused 'IPMU_NODE_SUM=first .*unset it' -g MEM true
on skl-4c8t --groups; is '--groups' 0 $?
grep -q '^  MEM  (skl_unc): ' out && grep -q '^    read bandwidth \[GB/s\] = 64e-9' out &&
	grep -q '^      .*lines of 64 bytes' out && grep -q '^  nhmex_unc_mbox: LATENCY MEM PAGES' out && grep -q '^  nhmex_unc_cbox: LLC' out
verdict '--groups says what there is' $?
grep -q '^    memory data \[MB\] = .*  (lower is better)$' out; verdict '--groups says what is better' $?
# Each metric that is installed says what is better. A rate or ratio says neither: it may rise by a gain.
metrics=$(awk '/^\t/ && m { l = l " " $0; next } { if (m) print l; m = /^metric: /; l = $0 }
	END { if (m) print l }' "$root"/ipmu_run/group_files/*/*)
is 'metrics that do not say what is better' '' "$(grep -vE '\] (lower|higher|neither) = ' <<<"$metrics")"
is 'rates that say it' '' "$(grep -E '\] (lower|higher) = .*[^0-9a-z ] *time' <<<"$metrics")"
# Every file that is installed is a good one, and is of some machine.
: >seen
files=$(find "$root/ipmu_run/group_files" -type f | wc -l)
while IFS=: read -r _ of some; do
	[ -n "$some" ] || some=$(ls "$root/ipmu_run/group_files/$of" | paste -sd:)
	files=$((files + $(tr ':' '\n' <<<"$some" | wc -l)))
done < <("$root/facts/client-list" groups)
for machine in skl-4c8t nhmex-1p8c16t core2-4c knc-4c16t p4-2p4t \
		$("$root/facts/client-list" machines | sed 's/.*, "//; s/".*//'); do
	on $machine --groups || bad "--groups on $machine: $(cat err)"
	sed '/^Groups of other/,$d' out | awk '/^  [A-Z]/ { print $1, $2 }' >>seen
done
is "groups of all machines (is the new one in the list above?)" "$files" "$(sort -u seen | wc -l)"

# -- a user's own
mkdir -p config/ipmu/groups/skl_unc config/ipmu/groups/other
cat >config/ipmu/groups/skl_unc/MEM <<-END
	title: mine
	event: A = $event
	metric: twice [1] = 2 * A
	tells: x
	misleads: y
END
on skl-4c8t -g MEM true; says 'a group of the user replaces the installed one' 'skl_unc/MEM: mine'
sed 's/mine/other/' config/ipmu/groups/skl_unc/MEM >config/ipmu/groups/other/MEM
refused 'two groups are named MEM here: say other/MEM or skl_unc/MEM' -g MEM true
on skl-4c8t -g other/MEM true; says 'which of two' 'other/MEM: other'
# In CSV nothing but a number begins as a formula of a spreadsheet does.
cat >config/ipmu/groups/skl_unc/CELLS <<-END
	title: cells
	event: A = $event
	metric: =cmd|' /C calc'!A0 [@x] = -A
	metric: +1 [-2] = +A
	metric: =1,"2" [u] = A
	tells: x
	misleads: y
END
on skl-4c8t -g CELLS -o cells true; is 'cells' 0 $?
is 'cells of text' "'=cmd|' /C calc'!A0,all;'@x;'-A 'x" \
	"$(awk -F, '/calc/ { print $3 "," $4 ";" $7 ";" $8 " '"'"'x" }' cells.csv)"
is 'cells of text, more' "metric,skl_unc/CELLS,'+1,all,0,0,'-2,'+A metric,skl_unc/CELLS,\"'=1,\"\"2\"\"\",all,0,0,u,A" \
	"$(grep -E '^metric.*(1,all|=1)' cells.csv | paste -sd' ')"
is 'formulas' 0 "$(grep -cE '(^|,)"?[=+@]|(^|,)"?-[^0-9]' cells.csv)"
on skl-4c8t $(printf -- '-e skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL:t=%d ' {1..1001}) true
is 'too many events' 125 $?; says 'too many events' '1001 events: ask for at most 1000 at once'
cp config/ipmu/groups/other/MEM large; truncate -s 20G config/ipmu/groups/other/MEM
(ulimit -v 4000000; exec "$vpmu" run --no-feed -m skl-4c8t -- ipmu-run -g other/MEM true) >out 2>err
is 'a file of 20 GB' 125 $?; says 'a file of 20 GB' 'other/MEM:0: the file has more than 1000000 bytes'
mv large config/ipmu/groups/other/MEM
echo 'metric: m [1] = B' >>config/ipmu/groups/other/MEM
refused "config/ipmu/groups/other/MEM:6: formula 'B'" -g other/MEM true
on skl-4c8t --groups; is 'a bad file among groups' 125 $?
rm -r config

# -- not permitted: three ways, in a few lines
: >empty
"$vpmu" run --no-feed --msr-safe=empty -m skl-4c8t -- ipmu-run -g MEM true 2>err
is 'not permitted' 125 $?
says 'not permitted' 'not permitted: .*msr-safe does not allow'
says 'as root' 'modprobe msr'; says 'msr-safe' 'ipmu-allowlist'; says 'virtual' 'ipmu-run --on skl-4c8t'
if [ ! -e /dev/cpu/0/msr ]; then
	ipmu-run -g MEM true 2>err; is 'no such PMU here' 125 $?
	says 'no such PMU here' 'ipmu-run --on skl-4c8t'
fi

# -- on the virtual machine, where only the program is emulated and counted: three instructions of
# one without a C library. Threads, children and scripts are counted, too.
if command -v qemu-x86_64 >/dev/null; then
	echo 'int main(void) { return 0; }' >e.c
	if ${CC:-cc} -nostdlib -static -o three "$test_folder/turns.S" 2>out; then
		ipmu-run --on core2-4c -g CPI -o f -- ./three 2>err
		is '--on: three instructions' 3 "$(awk -F, '$3 ~ /INST_RETIRED/ { print $5; exit }' f.csv)"
	fi
	ipmu-run --on=core2-4c -g CPI ./none 2>err; is '--on: not found' 127 $?
	ipmu-run --on core2-4c -g CPI ./text 2>err; is '--on: not executable' 126 $?
	ipmu-run --on core2-4c -g CPI /tmp 2>err; is '--on: a folder' 126 $?
	ipmu-run --on none -g CPI true 2>err; is '--on: no such machine' 125 $?
	says '--on: no such machine' "unknown machine 'none'"
	ipmu-run -g CPI --on core2-4c sh -c './three; exit 5' 2>err; is '--on: the status' 5 $?
	says '--on: the command' '^ipmu-run: sh -c ./three; exit 5: exit status 5'
fi
# -- inside `vpmu run`, where ipmu-run itself is emulated: the machine's clock is the report's. One
# clock is a nanosecond, and the uncore's counter is of the same clocks.
"$vpmu" run -m skl-4c8t -- ipmu-run -e $event true >out 2>&1
is 'inside vpmu run: status' 0 $?
clocks=$(awk -v event=$event '$1 == event { print $2 }' out)
ns=$(awk '/time of the machine/ { printf "%.0f", $6 * 1e9 }' out)
[ "${clocks:-0}" -gt 10000 ] && [ $((clocks - ns)) -lt $((clocks / 20 + 20000)) ] &&
	[ $((ns - clocks)) -lt $((clocks / 20 + 20000)) ]
verdict "inside vpmu run: $clocks clocks, $ns ns" $?
finish
