#!/bin/bash
# SPDX-License-Identifier: MIT
# The files and the status that a job from MPI_Init to MPI_Finalize leaves: what lies in the way of the
# files is not written to, no report of an earlier job stays beside, and for a job that cannot be
# counted there is a message. PAPI is a stand-in, so nothing here needs a virtual machine.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
[ -x "$STAGE/bin/ipmu-run" ] || skip 'built without ipmu-run'
compile end
stub_papi
export STUB_GROWS=1	# from one reading to the next, 1000 and 1010 in the two packages
node=intel_uncore:::NODE
r=$scratch/report

job() {		# job RANKS OPTION... -- PROGRAM...: $status
	local n=$1
	shift
	ranks "$n" ipmu-mpi-run -e $node "$@" >"$scratch/out" 2>&1
	status=$?
}
files() { (cd "$scratch" && echo report*); }
count() { awk -F, '$1 == "event" && $4 == "all" { print $5 }' "$r.csv"; }
info() { awk -F, -v name="$1" '$1 == "info" && $3 == name { print $5; exit }' "$r.csv"; }
old_reports() {	# of a job, and what only looks like it
	for name in .csv .json .html .node.csv .node0.csv.old .csvx s.csv; do
		echo old >"$r$name"
	done
}
kept='report.csvx report.node.csv report.node0.csv.old reports.csv'

# ---- what lies in the way, as somebody else may have laid it in a folder that all may write

echo precious >"$scratch/precious"
for name in .csv .json .html; do
	ln -s precious "$r$name"
done
began=$(date +%s%N)
job 2 -o "$r" --interval 5 "$scratch/end" nap 0
took=$(($(date +%s%N) - began))
check 'links: the job ends well' [ $status = 0 ]
check 'links: what they point to is as it was' [ "$(cat "$scratch/precious")" = precious ]
for name in .csv .json .html; do
	check "links: report$name is a file" [ -f "$r$name" -a ! -L "$r$name" ]
done
lines=$(grep -c '^event interval,.*,all,' "$r.csv")
check 'links: there are intervals' [ "$lines" -gt 1 ]
check 'an interval each 5 ms' [ $((lines - 2)) -le $((took / 5000000)) ]

# A link, and a pipe, that are made after ipmu-run has checked the name.
cat >"$scratch/late" <<-CODE
	#!/bin/sh
	ln -sf precious "$r.csv"
	exec "\$@"
CODE
chmod +x "$scratch/late"
job 1 -o "$r" --interval 5 "$scratch/late" "$scratch/end" nap 0
check 'a late link: the job ends well' [ $status = 0 ]
check 'a late link: what it points to is as it was' [ "$(cat "$scratch/precious")" = precious ]
check 'a late link: counted' [ $(($(count) % 2010)) = 0 -a "$(count)" -gt 2010 ]
sed -i "s|^ln .*|mkfifo '$scratch/pipe'; mv '$scratch/pipe' '$r.csv'|" "$scratch/late"
(cd "$scratch" && ranks 1 timeout $HANG_SECONDS ipmu-mpi-run -e $node -o report --interval 5 \
	"$scratch/late" "$scratch/end" nap 0 >"$scratch/out" 2>&1)
check 'a pipe: the job ends well' [ $? = 0 ]
check 'a pipe: the table is a file' [ -f "$r.csv" ]
check 'a pipe: counted' [ $(($(count) % 2010)) = 0 -a "$(count)" -gt 2010 ]
rm -f "$r"* "$scratch/precious"

# ---- which files there are

job 2 -o "$r" "$scratch/end" well
check 'signals are as they were, in each rank' [ $status = 0 ]
check 'there are three files' [ "$(files)" = 'report.csv report.html report.json' ]
check 'without --interval there are none' differs grep -q interval "$r.csv"
check 'the packages: 1000 and 1010' [ "$(awk -F, '$1 == "event" { print $4, $5 }' "$r.csv" | paste -sd,)" = \
	'all 2010,package 0 1000,package 1 1010' ]
for way in handled hangup; do
	job 2 -o "$r" "$scratch/end" $way 0
	check "a signal that is $way: the job ends well" [ $status = 0 ]
	check "a signal that is $way: the report is complete" [ "$(info complete)" = 1 ]
	check "a signal that is $way: counted" [ "$(count)" = 2010 ]
done
# Rank 0 sleeps for 0.3 s between MPI_Init and MPI_Finalize.
began=$(date +%s%N)
job 2 -o "$r" "$scratch/end" nap 0
took=$(($(date +%s%N) - began))
check 'the seconds are those of the job' awk -v s="$(info time)" -v most=$took \
	'BEGIN { exit !(s >= 0.3 && s <= most * 1e-9) }'
rm -f "$r"*
old_reports
job 2 -o "$r" "$scratch/end" well
check 'an earlier job leaves nothing' [ "$(files)" = \
	"report.csv report.csvx report.html report.json ${kept#* }" ]
check 'the report is of this job' [ "$(count)" = 2010 ]
check 'the page, too' differs grep -qx old "$r.html"
# One that does not end: not even the page of an earlier one stays.
old_reports
job 1 -o "$r" "$scratch/end" orphan 0
check 'a job that is killed leaves nothing of an earlier one' [ "$(files)" = \
	"report.csv report.csvx report.json ${kept#* }" ]
check 'its report is marked' [ "$(info complete)" = 0 ]
check 'its report says why' grep -q '^info,,complete,all,0,0,,the job has not ended$' "$r.csv"

# ---- nothing is counted

for n in 1 3; do
	rm -f "$scratch/started"
	ranks $n ipmu-mpi-run -e intel_uncore:::NONE -o "$r" touch "$scratch/started" >"$scratch/out" 2>&1
	check "$n ranks, an unknown event: the status" [ $? = 125 ]
	check "$n ranks, an unknown event: said once" lines 1 'ipmu-mpi-run: no event intel_uncore:::NONE here.*'
	check "$n ranks, an unknown event: nothing has started" [ ! -e "$scratch/started" ]
done
job 1 -o "$r" "$scratch/end" quit 0
check '_exit: the status' [ $status != 0 ]
check '_exit: said' says 'INCOMPLETE: rank 0 ended without MPI_Finalize, with exit status 0'
check '_exit: the report is marked' [ "$(info complete)" = 0 ]
check '_exit: what it had counted is there' [ "$(count)" = 2010 ]

first_mpi || finish	# what follows is between a program and its ipmu-run

# ---- nowhere to write

for where in nonexistent/report precious/report; do
	echo a file >"$scratch/precious"
	job 2 -o "$scratch/$where" touch "$scratch/started"
	check "$where, 2 ranks: the status" [ $status = 125 ]
	check "$where, 2 ranks: said once" lines 1 "ipmu-mpi-run: -o: cannot write $scratch/$where.csv: .*"
	check "$where, 2 ranks: nothing has started" [ ! -e "$scratch/started" ]
done
mkdir "$scratch/folder" "$scratch/folder/report.csv"
job 2 -o "$scratch/folder/report" touch "$scratch/started"
check 'a folder in the way, 2 ranks: the status' [ $status = 125 ]
check 'a folder in the way, 2 ranks: said' lines 1 "ipmu-mpi-run: -o: cannot write $scratch/folder/report.csv: .*"
check 'a folder in the way, 2 ranks: nothing has started' [ ! -e "$scratch/started" ]
# It goes while the job runs.
job 2 -o "$scratch/folder/new" "$scratch/end" remove 0 "$scratch/folder"
check 'a folder that goes: the status' [ $status = 125 ]
check 'a folder that goes: said' says "cannot write $scratch/folder/new.csv: No such file"
# And one of the ranks ends early.
mkdir "$scratch/folder"
job 2 -o "$scratch/folder/new" sh -c "[ \${OMPI_COMM_WORLD_RANK:-\$PMI_RANK} = 0 ] || {
	rm -r '$scratch/folder'; kill -KILL \$\$; }; sleep 0.5"
check 'a folder that goes, and a rank: said' says "cannot write $scratch/folder/new.csv: No such file"

# A limit of a file's size that the program sets is the program's alone.
job 1 -o "$scratch/limited" --interval 20 "$scratch/end" limited 0 100
check 'a limit of files: the status' [ $status = 0 ]
check 'a limit of files: the report is complete' grep -q '^info,,complete,all,1,' "$scratch/limited.csv"
# From its start, where MPI itself shares no files between ranks.
if [ $MPI = openmpi ]; then
	OMPI_MCA_btl=self,tcp job 2 -o "$r" sh -c "ulimit -f 0; exec '$scratch/end' well"
	check 'no files at all: the status' [ $status = 0 ]
	check 'no files at all: from MPI_Init' [ "$(info 'from MPI_Init')" = 1 ]
	check 'no files at all: counted' [ "$(count)" = 2010 ]
fi

# ---- signals

cat >"$scratch/waits" <<-CODE
	trap 'exit 7' TERM
	trap 'exit 8' USR1
	echo \$\$ >"$scratch/pid.new"
	mv "$scratch/pid.new" "$scratch/pid"
	for ((i = 0; i < 30000; i++)); do sleep 0.05; done
CODE
waiting() {	# waiting [NAME=VALUE]... SIGNALS: to ipmu-mpi-run alone, one after the other; $status
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
waiting A=B USR1
check 'SIGUSR1 is passed on' [ $status = 8 ]
waiting PMI_RANK=0 PMI_SIZE=1 'USR1 TERM'
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
