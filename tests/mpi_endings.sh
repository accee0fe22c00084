#!/bin/bash
# SPDX-License-Identifier: MIT
# How a job may end: the report is whole or says that it is not, and no register stays enabled.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/mpi/environment.sh"
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
compile end
event=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I

# Ranks run natively, and what is counted are small programs that they have emulated on their
# machine meanwhile: emulated ranks would take thirty times the time. Some are, below.
ends=0 feed=--no-feed
end() {		# end HOW RANK: three ranks on one virtual node, a new one each time
	rm -f "$scratch"/report.*
	segment=$scratch/segment.$((ends += 1))
	export MEANWHILE="env -i PATH='$PATH' '$vpmu' run -s '$segment' true"
	[ -n "$feed" ] || MEANWHILE=
	ranks 3 ipmu-mpi-run -e $event -o "$scratch/report" "$vpmu" run $feed \
		-m skl-4c8t -s "$segment" "$scratch/end" "$@" >"$scratch/out" 2>&1
	how="$1 by rank $2"
}
# Switches of general counters are on at reset (SDM 325384-059 section 18.2.2).
enabled() {
	"$vpmu" regs -s "$segment" --tsv | awk -F'\t' -v at_reset=IA32_PERF_GLOBAL_CTRL0xF '
		$1 ~ /PERFEVTSEL|GLOBAL_CTRL|FIXED_CTRL/ && $NF !~ /^0x0$/ && $1 $NF != at_reset {
			found = 1; print $1, $NF }
		END { exit !found }' >>"$scratch/out"
}
# After SIGKILL of the leader: the guardian needs a moment, and vpmu's last word on the machine may
# have been before it, so there is another run on it.
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
json() { says "^  \"$1\":$2,?\$" "$scratch/report.json"; }
measured() { [ "$(job_count "$scratch/report.csv" $event)" -gt 0 ] 2>/dev/null; }
whole() {	# both files end as they should, and nothing is beside them
	local there=("$scratch"/report.*)
	[ "$(tail -n 1 "$scratch/report.json")" = '}' ] &&
		awk -F, 'NR > 1 && NF < 11 { exit 1 }' "$scratch/report.csv" &&
		[ "${there[*]##*/}" = 'report.csv report.json' ]
}
incomplete() {	# incomplete REASON
	check "$how: marked incomplete" json complete false
	check "$how: why" json reason "\".*$1.*\""
	check "$how: in the table, too" says '^info,,,,complete,,0,,,,' "$scratch/report.csv"
	check "$how: files are whole" whole
}

for rank in 0 1; do
	for way in abort exit term; do
		end $way $rank
		reason='signal 15|MPI_Abort was called|without MPI_Finalize'
		[ $way != term ] || reason='signal 15'
		incomplete "($reason)"
		check "$how: has what was counted" measured
		check "$how: no register is enabled" differs enabled
		# Hydra may be gone before it has passed on what the leader said.
		[ $MPI = mpich ] || check "$how: tells people" says 'INCOMPLETE: '
	done
done
for rank in 0 1; do
	# The emulator passes on signals in its own way.
	[ $rank = 1 ] || ! first_mpi || feed=
	end segv $rank
	feed=--no-feed
	incomplete 'signal 11'
	check "$how: has what was counted" measured
	check "$how: no register is enabled" differs enabled
done
# Hydra sends SIGKILL to all at once then: as if the leader was killed, below.
if [ $MPI = openmpi ]; then
	end kill 1
	incomplete 'signal 15'
	check "$how: has what was counted" measured
	check "$how: no register is enabled" differs enabled
else
	end kill 1
	incomplete 'the job has not ended'
	check "$how: nothing is claimed" differs measured
	check "$how: no register stays enabled" put_back
fi
# Nothing can be written after SIGKILL: what was prepared says so. The guardian puts back.
end kill 0
incomplete 'the job has not ended'
check "$how: nothing is claimed" differs measured
check "$how: no register stays enabled" put_back
# Without it they stay: a tally of its own.
VPMU_TALLY=$scratch/tally IPMU_MPI_GUARDIAN=0 end kill 0
sleep 1
check 'this test sees an enabled register' enabled

for way in well handled fork shut; do
	[ $way != well ] || ! first_mpi || feed=
	end $way 1
	feed=--no-feed
	check "$how: complete" json complete true
	check "$how: counted" measured
	check "$how: files are whole" whole
	check "$how: no register is enabled" differs enabled
done
end shut 0
check "$how: complete" json complete true
finish
