#!/bin/bash
# SPDX-License-Identifier: MIT
# The files and the status that a job under ipmu-mpi-run leaves: what lies in the way of the files is
# not written to, no report of an earlier job stays, and a job that could not be counted says so.
# PAPI is a stand-in, so nothing here needs a virtual machine.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/mpi/environment.sh"
compile end
stub_papi
node=intel_uncore:::NODE
r=$scratch/report
timeline=$r.node0.timeline.csv

job() {		# job RANKS OPTION... -- PROGRAM...: $status
	local n=$1
	shift
	ranks "$n" ipmu-mpi-run -e $node "$@" >"$scratch/out" 2>&1
	status=$?
}
files() { (cd "$scratch" && echo report*); }
old_reports() {	# of a job of three nodes, and what only looks like it
	for name in .csv .json .node0.timeline.csv .node2.csv .node2.json .node12.timeline.csv \
			.node.csv .nodeX.csv .node0.csv.old .csvx s.csv; do
		echo old >"$r$name"
	done
}
kept='report.csvx report.node.csv report.node0.csv.old report.nodeX.csv reports.csv'

# ---- what lies in the way, as somebody else may have laid it in a folder that all may write

echo precious >"$scratch/precious"
for name in .csv .json .node0.timeline.csv; do
	ln -s precious "$r$name"
done
began=$(date +%s%N)
job 2 -o "$r" --interval 5 "$scratch/end" nap 0
took=$(($(date +%s%N) - began))
check 'links: the job ends well' [ $status = 0 ]
check 'links: what they point to is as it was' [ "$(cat "$scratch/precious")" = precious ]
for name in .csv .json .node0.timeline.csv; do
	check "links: report$name is a file" [ -f "$r$name" -a ! -L "$r$name" ]
done
check 'links: the timeline has lines' [ "$(wc -l <"$timeline")" -gt 1 ]
check 'a line each 5 ms' [ $(($(wc -l <"$timeline") - 2)) -le $((took / 5000000)) ]

# A link that is laid after ipmu-mpi-run has looked: the library alone.
cat >"$scratch/late" <<-CODE
	#!/bin/sh
	ln -sf precious $timeline
	exec "\$@"
CODE
chmod +x "$scratch/late"
job 1 -o "$r" --interval 5 "$scratch/late" "$scratch/end" nap 0
check 'a late link: the job ends well' [ $status = 0 ]
check 'a late link: what it points to is as it was' [ "$(cat "$scratch/precious")" = precious ]
check 'a late link: the timeline has lines' [ "$(wc -l <"$timeline")" -gt 1 ]
sed -i 's/^ln .*/mkfifo pipe; mv pipe "$TIMELINE"/' "$scratch/late"
(cd "$scratch" && TIMELINE=$timeline ranks 1 timeout $HANG_SECONDS ipmu-mpi-run -e $node -o report --interval 5 \
	"$scratch/late" "$scratch/end" nap 0 >"$scratch/out" 2>&1)
check 'a pipe: the job ends well' [ $? = 0 ]
check 'a pipe: the timeline is a file with lines' [ -f "$timeline" -a -s "$timeline" ]
rm -f "$r"* "$scratch/precious"

# ---- which files there are

job 2 -o "$r" "$scratch/end" well
check 'signals are as they were, in each rank' [ $status = 0 ]
check 'without --interval there is no timeline' [ "$(files)" = 'report.csv report.json' ]
# The leader hears it, and the program goes on.
for way in handled hangup; do
	job 2 -o "$r" "$scratch/end" $way 0
	check "a signal that is $way: the job ends well" [ $status = 0 ]
	check "a signal that is $way: the report is complete" grep -q '^info,,,,complete,,1,' "$r.csv"
	check "a signal that is $way: counted" [ "$(job_count "$r.csv" $node)" = 2010 ]
done
# Rank 0 sleeps for 0.3 s between MPI_Init and MPI_Finalize.
began=$(date +%s%N)
job 2 -o "$r" "$scratch/end" nap 0
took=$(($(date +%s%N) - began))
check 'the seconds are those of the job' awk -F, -v most=$took '$1 == "info" && $5 == "seconds" {
	ok = $7 >= 0.3 && $7 <= most * 1e-9 } END { exit !ok }' "$r.csv"
rm -f "$r"*
old_reports
job 2 -o "$r" "$scratch/end" well
check 'an earlier job leaves nothing' [ "$(files)" = \
	"report.csv report.csvx report.json ${kept#* }" ]
check 'the report is of this job' [ "$(job_count "$r.csv" $node)" = 2010 ]

# ---- without MPI_Init: ipmu-run counts, from the start to the end

rm -f "$r"*
old_reports
job 2 -o "$r" sh -c 'echo it ran >&2'
check 'no MPI: the status' [ $status = 0 ]
check 'no MPI: the program ran' says '^it ran$'
check 'no MPI: each package' [ "$(awk -F, '$1 == "event" { print $4, $5 }' "$r.csv" | paste -sd,)" = \
	'all 2010,package 0 1000,package 1 1010' ]
check 'no MPI: ranks' grep -q '^info,,ranks,all,2,' "$r.csv"
# In a file, as Open MPI 5 drops what other ranks print after the first of them has failed.
rm -f "$r"*
job 2 -o "$r" sh -c 'exit 5'
check 'no MPI: the status of the program' [ $status = 5 ]
check 'no MPI: one report' grep -q '^event,[^,]*,[^,]*,all,2010,' "$r.csv"

# ---- nothing is counted

node=intel_uncore:::NONE
rm -f "$r"*
old_reports
job 2 -o "$r" sh -c 'echo it ran >&2'
check 'no MPI: the status' [ $status = 125 ]
check 'no MPI: said once' lines 1 'ipmu-mpi-run: nothing was counted: sh did not call MPI_Init, .*'
check 'no MPI: the program ran' says '^it ran$'
check 'no MPI: no report of an earlier job' [ "$(files)" = "$kept" ]
unlaunched() {
	timeout $HANG_SECONDS ipmu-mpi-run -e $node "$@" >"$scratch/out" 2>&1
	status=$?
}
unlaunched true
check 'no launcher: the status' [ $status = 125 ]
check 'no launcher: said' lines 1 'ipmu-mpi-run: nothing was counted: true did not .*'
unlaunched vpmu run --no-feed true
check 'no MPI, on the virtual machine: what to do' says "by 'ipmu-run --on MACHINE'$"
unlaunched sh -c 'exit 5'
check 'the status of the program, where that is a failure' [ $status = 5 ]
check 'a failure: said, too' says 'nothing was counted: sh'
unlaunched sh -c 'kill -KILL $$'
check 'the signal that ended the program' [ $status = 137 ]
unlaunched /nonexistent/program
check 'no program: only that is said' lines 1 'ipmu-mpi-run: .*'
node=intel_uncore:::NODE
job 1 -o "$r" "$scratch/end" quit 0
check '_exit: the status' [ $status != 0 ]
check '_exit: said' says 'end ended neither by MPI_Finalize nor by exit\(\): its counts are lost'
check '_exit: the report is marked' grep -q '^info,,,,complete,,0,,,,"the job has not ended"' "$r.csv"

# The program may be started by one that closes what it does not know.
cat >"$scratch/closes" <<-CODE
	#!/bin/bash
	for fd in /proc/self/fd/*; do
		fd=\${fd##*/}
		[ "\$fd" -lt 3 ] || readlink /proc/self/fd/\$fd | grep -qv memfd:ipmu-mpi-notes ||
			eval "exec \$fd>&-"
	done
	"\$@"
	exit 0
CODE
chmod +x "$scratch/closes"
unlaunched "$scratch/closes" "$scratch/end" well
check 'descriptors closed: counted' [ $status = 0 ]
check 'descriptors closed: not a word' differs says 'ipmu-mpi-run:'

# ---- nowhere to write

for where in nonexistent/report precious/report; do
	echo a file >"$scratch/precious"
	unlaunched -o "$scratch/$where" touch "$scratch/started"
	check "$where: said" lines 1 "ipmu-mpi-run: -o: cannot write into $scratch/${where%/*}/: .*"
	check "$where: the status" [ $status = 125 ]
	check "$where: nothing has started" [ ! -e "$scratch/started" ]
	job 2 -o "$scratch/$where" "$scratch/end" well
	check "$where, 2 ranks: the status" [ $status = 125 ]
	check "$where, 2 ranks: said once" lines 1 "ipmu-mpi-run: cannot write $scratch/$where.csv .*"
	check "$where, 2 ranks: nothing is counted" differs says 'ipmu-mpi:'
done
mkdir "$scratch/folder" "$scratch/folder/report.csv"
unlaunched -o "$scratch/folder/report" touch "$scratch/started"
check 'a folder in the way: the status' [ $status = 125 ]
check 'a folder in the way: said' says "-o: cannot remove the old $scratch/folder/report.csv"
check 'a folder in the way: nothing has started' [ ! -e "$scratch/started" ]
job 2 -o "$scratch/folder/report" "$scratch/end" well
check 'a folder in the way, 2 ranks: the status' [ $status = 125 ]
check 'a folder in the way, 2 ranks: said' says "cannot write $scratch/folder/report.csv and .json: "
# It goes while the job runs.
job 2 -o "$scratch/folder/new" "$scratch/end" remove 0 "$scratch/folder"
check 'a folder that goes: the status' [ $status = 125 ]
check 'a folder that goes: said' says "cannot write $scratch/folder/new.csv and .json: No such file"

# A limit of a file's size that the program sets: it is not ended for the sake of our files.
for options in '' '--interval 20'; do
	job 1 -o "$scratch/limited" $options "$scratch/end" limited 0 100
	check "a limit of files $options: the status" [ $status = 125 ]
	check "a limit of files $options: said" says "cannot write $scratch/limited.csv and .json: File too"
	check "a limit of files $options: the report before the end stays whole, and marked" \
		grep -q '^info,,,,complete,,0,,,,"the job has not ended"' "$scratch/limited.csv"
done
check 'a limit of files: said of the timeline, too' \
	says "cannot write $scratch/limited.node0.timeline.csv: File too large"
# From its start, where MPI itself shares no files between ranks.
if [ $MPI = openmpi ]; then
	OMPI_MCA_btl=self,tcp job 2 sh -c "ulimit -f 0; exec '$scratch/end' well"
	check 'no files at all: the status' [ $status = 0 ]
	check 'no files at all: counted' lines 1 "    NODE +2010|  $node +2010"
fi

# ---- the clock of the host is set while a job runs: its time goes on

cat >"$scratch/clock.c" <<-'CODE'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <time.h>
	int clock_gettime(clockid_t id, struct timespec *t)
	{
		static int (*next)(clockid_t, struct timespec *);

		if (!next)
			next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
		int rc = next(id, t);
		if (id == CLOCK_REALTIME)
			t->tv_sec += 3600;	/* and then it is set back by an hour */
		return rc;
	}
CODE
${CC:-gcc} -shared -fPIC -o "$scratch/clock.so" "$scratch/clock.c" -ldl || exit 1
cat >"$scratch/ahead" <<-CODE
	#!/bin/sh
	export LD_PRELOAD=$scratch/clock.so\${LD_PRELOAD:+:\$LD_PRELOAD}
	exec "\$@"
CODE
chmod +x "$scratch/ahead"
job 1 -o "$r" --interval 20 "$scratch/ahead" "$scratch/end" nap 0
check 'the clock set back: the job ends well' [ $status = 0 ]
check 'the clock set back: the timeline has lines' [ "$(wc -l <"$timeline")" -gt 1 ]
rm -f "$r"*

# ---- one voice

for n in 1 3; do
	ranks $n ipmu-mpi-run -e intel_uncore:::NONE "$scratch/end" well >"$scratch/out" 2>&1
	check "$n ranks, an unknown event: the status" [ $? != 0 ]
	check "$n ranks, an unknown event: said once" lines 1 '.*has no event intel_uncore:::NONE; .*'
done

# ---- signals

cat >"$scratch/waits" <<-CODE
	trap 'exit 7' TERM
	trap 'exit 8' USR1
	echo \$\$ >"$scratch/pid.new"
	mv "$scratch/pid.new" "$scratch/pid"
	for ((i = 0; i < 30000; i++)); do sleep 0.05; done
CODE
waiting() {	# waiting [NAME=VALUE] SIGNAL...: to ipmu-mpi-run alone, one after the other; $status
	rm -f "$scratch/pid"
	env "${@:1:$#-1}" ipmu-mpi-run -e $node bash "$scratch/waits" >"$scratch/out" 2>&1 &
	local pid=$! i signal
	for ((i = 0; i < 30000; i++)); do
		[ -e "$scratch/pid" ] && break
		sleep 0.05
	done
	for signal in ${@:$#}; do
		kill -$signal $pid
		sleep 0.2
	done
	wait $pid 2>/dev/null
	status=$?
}
waiting A=B TERM
check 'SIGTERM is passed on' [ $status = 7 ]
waiting A=B USR1
check 'SIGUSR1 is passed on' [ $status = 8 ]
waiting PMI_RANK=0 'USR1 TERM'
check 'a launcher sends SIGUSR1 to both' [ $status = 7 ]
waiting A=B KILL
gone() {
	local i
	for ((i = 0; i < 30000; i++)); do
		[ -e "/proc/$(cat "$scratch/pid")" ] || return 0
		sleep 0.05
	done
	return 1
}
check 'nothing outlives SIGKILL' gone
finish
