#!/bin/bash
# SPDX-License-Identifier: MIT
# How a job from MPI_Init to MPI_Finalize may end: the report is whole or says that it is not, and no
# register stays enabled.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
[ -x "$STAGE/bin/ipmu-run" ] || skip 'built without ipmu-run'
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
command -v pgrep >/dev/null || skip 'no pgrep'
compile end
event=skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I

# Ranks run natively, and what is counted are small programs that they have emulated on their
# machine meanwhile: emulated ranks would take thirty times the time. Some are, below.
ends=0 emulated= heard=
end() {		# end HOW RANK: three ranks on one virtual node, a new one each time; two emulated ones
	local run=() n=3
	rm -f "$scratch"/report.*
	segment=$scratch/segment.$((ends += 1))
	export MEANWHILE="env -i PATH='$PATH' '$vpmu' run -s '$segment' true"
	[ -z "$emulated" ] || MEANWHILE='' run=("$vpmu" run --) n=2
	ranks $n "$vpmu" run --no-feed -m skl-4c8t -s "$segment" -- ipmu-mpi-run -e $event \
		-o "$scratch/report" -- "${run[@]}" "$scratch/end" "$@" >"$scratch/out" 2>&1
	how="$1 by rank $2${emulated:+, emulated}"
}
# Switches of general counters are on at reset (SDM 325384-059 section 18.2.2).
enabled() {
	"$vpmu" regs -s "$segment" --tsv | awk -F'\t' -v at_reset=IA32_PERF_GLOBAL_CTRL0xF '
		$1 ~ /PERFEVTSEL|GLOBAL_CTRL|FIXED_CTRL/ && $NF !~ /^0x0$/ && $1 $NF != at_reset {
			found = 1; print $1, $NF }
		END { exit !found }' >>"$scratch/out"
}
# After SIGKILL of the process that counts: the guardian needs a moment, and vpmu's last word on the
# machine may have been before it, so there is another run on it.
put_back() {
	for ((i = 0; i < 30000; i++)); do
		if ! enabled; then
			"$vpmu" run --no-feed -s "$segment" -- true
			return
		fi
		sleep 0.1
	done
	return 1
}
# Hydra kills all processes of a job as soon as one has failed, Open MPI's mpirun ends them.
restored() {
	if [ $MPI = mpich ]; then put_back; else differs enabled; fi
}
json() { says "^  \"$1\":$2,?\$" "$scratch/report.json"; }
measured() {
	[ "$(awk -F, -v event=$event '$1 == "event" && $3 == event && $4 == "all" { print $5 }' \
		"$scratch/report.csv")" -gt 0 ] 2>/dev/null
}
whole() {	# the files end as they should, and nothing is beside them
	local there=("$scratch"/report.*)
	[ "$(tail -n 1 "$scratch/report.json")" = '}' ] &&
		awk -F, 'NR > 1 && NF < 8 { exit 1 }' "$scratch/report.csv" || return
	case "${there[*]##*/}" in 'report.csv report.json' | 'report.csv report.html report.json') ;; *) false ;; esac
}
incomplete() {	# incomplete REASON
	check "$how: marked incomplete" json complete false
	check "$how: why" json reason "\"$1.*\""
	check "$how: in the table, too" says "^info,,complete,all,0,0,,\"?$1" "$scratch/report.csv"
	check "$how: files are whole" whole
}

# Hydra may have ended the process that prints the message. The mpirun of Open MPI 5 and newer may
# drop what ranks print after one has failed.
[ $MPI = mpich ] || heard=$("$MPIRUN" --version | grep ') 4\.')
# The rank that counts and another one: each is ended by a call, a status and a signal, and killed.
for ending in abort:0 exit:0 term:0 kill:0 abort:1 quit:1 segv:1 kill:1; do
	way=${ending%:*} rank=${ending#*:}
	# The emulator passes on signals in its own way.
	[ $way != segv ] || ! first_mpi || emulated=yes
	end $way $rank
	emulated=
	case $way in
	abort) incomplete "MPI_Abort was called by rank $rank" ;;
	exit | quit) incomplete "rank $rank ended without MPI_Finalize, with exit status 0" ;;
	term) incomplete "rank $rank ended by signal 15, SIGTERM" ;;
	segv) incomplete "rank $rank ended by signal 11, SIGSEGV" ;;
	kill) incomplete "rank $rank ended by signal 9, SIGKILL" ;;
	esac
	check "$how: has what was counted" measured
	check "$how: no register is enabled" restored
	[ -z "$heard" ] || check "$how: tells people" says 'INCOMPLETE: '
done

# Nothing can be written after SIGKILL of the process that counts: what was prepared has that reason.
# Another rank's process is missed by the one that counts, if the launcher lets it.
end orphan 0
check "$how: marked incomplete" json complete false
check "$how: files are whole" whole
check "$how: no register stays enabled" put_back
end orphan 1
check "$how: marked incomplete" json complete false
check "$how: files are whole" whole
check "$how: no register stays enabled" put_back
# The only rank's, without a launcher.
segment=$scratch/segment.$((ends += 1))
rm -f "$scratch"/report.*
"$vpmu" run --no-feed -m skl-4c8t -s "$segment" -- ipmu-mpi-run -e $event -o "$scratch/report" \
	"$scratch/end" orphan 0 >"$scratch/out" 2>&1
how='orphan without a launcher'
incomplete 'the job has not ended'
check "$how: nothing is claimed" differs measured
check "$how: no register stays enabled" put_back
# Without the guardian they stay: a tally of its own.
segment=$scratch/segment.$((ends += 1))
VPMU_TALLY=$scratch/tally IPMU_MPI_GUARDIAN=0 "$vpmu" run --no-feed -m skl-4c8t -s "$segment" -- \
	ipmu-mpi-run -e $event "$scratch/end" orphan 0 >"$scratch/out" 2>&1
sleep 1
check 'this test sees an enabled register' enabled

# -- a program that counts itself by ipmu_mpi.h has a guardian, too
compile api "-lipmu_mpi_$MPI" -lpapi
for guardian in 1 0; do
	segment=$scratch/segment.$((ends += 1))
	VPMU_TALLY=$scratch/tally IPMU_MPI_GUARDIAN=$guardian ranks 2 "$vpmu" run --no-feed -m skl-4c8t \
		-s "$segment" "$scratch/api" kill intel_uncore:::$event >"$scratch/out" 2>&1
	how="a program that counts, guardian $guardian"
	if [ $guardian = 1 ]; then
		check "$how: no register stays enabled" put_back
	else
		sleep 1
		check "$how: this test sees an enabled register" enabled
	fi
done

# -- the launcher is killed while the ranks work: they, or what has started them, end what they do
segment=$scratch/segment.$((ends += 1))
rm -f "$scratch"/report.*
export MEANWHILE="touch '$scratch/works'; until [ -e '$scratch/over' ]; do sleep 0.1; done"
ranks 2 "$vpmu" run --no-feed -m skl-4c8t -s "$segment" -- ipmu-mpi-run -e $event -o "$scratch/report" \
	"$scratch/end" nap 0 >"$scratch/out" 2>&1 &
job=$!
until [ -e "$scratch/works" ] || ! kill -0 $job 2>/dev/null; do sleep 0.02; done
launcher=$(pgrep -P "$(pgrep -P $job -x timeout)")
check 'a launcher is killed' kill -KILL "$launcher"
touch "$scratch/over"
wait $job 2>/dev/null
how='a killed launcher'
check "$how: no register stays enabled" put_back
check "$how: files are whole" whole

for way in well handled fork shut; do
	[ $way != well ] || ! first_mpi || emulated=yes
	end $way 1
	emulated=
	check "$how: complete" json complete true
	check "$how: counted" measured
	check "$how: files are whole" whole
	check "$how: no register is enabled" differs enabled
done
end shut 0
check "$how: complete" json complete true
finish
