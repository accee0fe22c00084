#!/bin/bash
# SPDX-License-Identifier: MIT
# Core events of the same work on the same booted machine: perf stat and perf record, PAPI's own
# perf_event with its presets and its overflow, both by the kernel's drivers, and our component by the
# msr driver. On all CPUs of a core at once, where it has several. At first the NMI watchdog has a
# counter, then perf counts, while our component is started.
#
# Bugs of Linux that the machines show (guest_core.sh has more), and what is done about them:
# - knc: the APIC's entry stays masked after an interrupt until events are scheduled anew. PAPI_overflow
#   does that each time; perf record does not, gets one sample, and leaves the entry masked. Only the
#   first counter ever counts, so the watchdog leaves none, and events come one at a time.
# - p4: what a counter is set to is what it was set to the time before (p4_pmu_set_period). So it counts
#   2^39 or 2^40 too many the first time, which is taken off here, and said; and loses what a task has
#   counted before it is rescheduled: it runs after an empty interval, with real-time priority, and
#   without the soft lockup detector, which has a task of a higher one on each CPU every 4 s.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
command -v perf >/dev/null || { echo 'perf is missing: package linux-perf'; exit 77; }
papi_program ways
loops=4000000 elements=1000000	# three arrays of 8 MB, larger than any L2
period=50000

# Those of PAPI's table for total instructions and clocks, branches and the L2 that the kernel's driver
# takes, the work, and what it counts. Left out: PAPI_L2_STM and PAPI_L2_LDM on core2, PAPI_L2_LDM on p4,
# whose native events the machine does not drive; PAPI_TOT_CYC on p4, whose unit masks are nbogus0 and so on
# in PAPI's table, and NBOGUS0 where PAPI searches for them.
presets_of() {	# presets_of MACHINE
	local lines=$((elements / 8))
	cat <<-END
	PAPI_TOT_INS loop $((2 * loops))
	PAPI_BR_INS loop $loops
	PAPI_BR_MSP loop 0
	END
	case $1 in
	core2* | p4*)
		cat <<-END
		PAPI_BR_TKN loop $loops
		PAPI_BR_NTK loop 0
		PAPI_BR_PRC loop $loops
		PAPI_L2_TCA triad $((3 * lines))
		PAPI_L2_TCH triad 0
		PAPI_L2_TCM triad $((3 * lines))
		END
	esac
	case $1 in
	core2*)
		cat <<-END
		PAPI_TOT_CYC loop $((2 * loops))
		PAPI_REF_CYC loop $((2 * loops))
		PAPI_BR_CN loop $loops
		PAPI_L2_DCA triad $((3 * lines))
		PAPI_L2_DCM triad $((3 * lines))
		PAPI_L2_DCR triad $((2 * lines))
		PAPI_L2_DCW triad $lines
		PAPI_L2_ICA triad 0
		PAPI_L2_ICH triad 0
		PAPI_L2_ICM triad 0
		PAPI_L2_TCR triad $((2 * lines))
		PAPI_L2_TCW triad $lines
		END
		;;
	knc*)
		cat <<-END
		PAPI_TOT_CYC loop $((2 * loops))
		PAPI_L2_LDM triad $((2 * lines))
		END
	esac
}
count_presets() {	# count_presets MACHINE CPU: commands, each preset by itself
	local work
	for work in "loop:$loops" "triad:$elements"; do
		presets_of "$1" | awk -v work="${work%:*}" -v command="chrt -f 1 ./ways $2 $work" '
			$2 == work { command = command between " " $1; between = " /" }
			END { print command }'
	done
}

# on MACHINE CPUS PMU INSTRUCTIONS BRANCHES SAMPLES: cpus is a list, names are libpfm4's
on() {
	local machine=$1 cpus=$2 pmu=$3 names=("${@:4:2}") generic=(instructions:u branches:u)
	local samples=$6 first=${cpus%%,*} cpu i wanted
	local work="$cpus loop:$loops" alone="$first loop:$loops"

	{
		cat <<-END
		. '$SRCDIR/tests/guest/perf.sh'
		sysctl -q kernel.perf_event_paranoid=-1
		$small_pages
		sysctl -q kernel.sched_rt_runtime_us=-1
		sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
		mount -t tmpfs none /lib/modules	# or perf record looks at each of them
		refused() { sed "s/^/\$1 /"; }
		echo "nmi_watchdog \$(cat /proc/sys/kernel/nmi_watchdog)"
		PAPI_VERBOSE=1 ./ways $alone intel_core:::$pmu.${names[0]}:u:cpu=$first 2>&1 | refused watchdog:
		END
		[ "$pmu" = knc ] ||
			echo "by_perf -A -C $cpus -e ${generic[0]} ./ways $work | sed s/perf:/watched:/"
		cat <<-END
		sysctl -q kernel.nmi_watchdog=0 kernel.soft_watchdog=0
		by_perf -A -C $cpus -e ${generic[0]} ./ways $work
		by_perf -A -C $cpus -e ${generic[1]} ./ways $work
		PAPI_VERBOSE=1 perf stat -C $first -e ${generic[0]} \\
			./ways $alone intel_core:::$pmu.${names[0]}:u:cpu=$first 2>&1 | refused perf:
		./ways $alone $pmu::${names[0]}:u@$period
		PERF_CONTROL=/tmp/perf perf record -q -B -N -o /tmp/perf.data --delay=-1 \$control -C $first \\
			-e ${generic[0]} -c $period ./ways $alone
		perf script -i /tmp/perf.data -F comm 2>/dev/null | sort | uniq -c | sed 's/^/record: /'
		END
		count_presets "$machine" "$first"
		printf './ways %s' "$work"
		for cpu in ${cpus//,/ }; do printf " intel_core:::$pmu.%s:u:cpu=$cpu" "${names[@]}"; done
	} >order
	boot "$machine" --append nmi_watchdog=1 <order || return
	[ "$(value nmi_watchdog)" = 1 ] || fail "$machine: no NMI watchdog"
	take_off
	beside watchdog 'its NMI watchdog'
	beside perf "the kernel's perf events"
	for cpu in ${cpus//,/ }; do
		[ "$pmu" = knc ] || exactly "watched:instructions:u:CPU$cpu" $((2 * loops))
		for i in 0 1; do
			wanted=$((i ? loops : 2 * loops))
			exactly "perf:${generic[i]}:CPU$cpu" "$wanted"
			exactly "intel_core:::$pmu.${names[i]}:u:cpu=$cpu" "$wanted"
		done
	done
	exactly "$pmu::${names[0]}:u@$period" $((2 * loops))
	[ "$(awk '$1 ~ /@/ { print $3 }' out)" = perf_event ] || fail "$machine: who counted $(grep @ out)"
	within "$machine: PAPI_overflow" "$(awk '$1 ~ /@/ { print $4 }' out)" $((2 * loops / period)) 2
	check_presets
	within "$machine: perf record" "$(awk '/^record:/ { n += $2 } END { print n + 0 }' out)" "$samples" 3
}

# Refused with a sentence that names them; or right, beside those of p4 that have other counters.
beside() {	# beside WHOM SENTENCE
	local count
	count=$(awk -v who="$1:" '$1 == who && $2 ~ /^intel_core:::/ { print $3; exit }' out)
	if [[ $machine = p4* && -n $count ]]; then
		within "$machine: beside $1" "$count" $((2 * loops)) 1
		return
	fi
	grep -q "^$1: .*$2" out ||
		fail "$machine: our component does not name $1: $(grep "^$1:" out)"
	[ -z "$count" ] || fail "$machine: counted in spite of $1: $count"
}
take_off() {	# what p4's driver counts too many; our component does not
	[[ $machine = p4* ]] || return
	awk '$1 ~ /^intel_core/ || $2 !~ /^-?[0-9]+$/ { print; next }
		{ unit = 2 ^ 39; n = $2 - int(($2 + unit / 2) / unit) * unit }
		n != $2 { printf "Linux'\'' bug: 2^39 x %d off: %s\n", ($2 - n) / unit, $1 >"/dev/stderr" }
		{ $2 = sprintf("%.0f", n); print }' out >taken && mv taken out
}
exactly() { within "$machine: $1" "$(value "$1")" "$2" 1; }
# Each within a hundredth, and what the switches themselves count. Hits are a difference of two counters,
# read one after the other: it may be a few below 0.
check_presets() {
	local preset work wanted
	while read -r preset work wanted; do
		awk -v preset="$preset" -v want="$wanted" '
			{ off = $2 - want; if (off < 0) off = -off }
			$1 == preset && $2 ~ /^-?[0-9]+$/ && off <= want / 100 + 1000 { right = 1 }
			END { exit !right }' out || fail "$machine: by arithmetic $wanted, of the $work:" \
				"$(grep "^$preset " out)"
	done < <(presets_of "$machine")
}
all=$((2 * loops / period))
on core2-2c 0,1 core INST_RETIRED:ANY_P BR_INST_RETIRED:ANY $all
on skl-2c4t 0,2 skl INST_RETIRED:ANY_P BR_INST_RETIRED:ALL_BRANCHES $all
on knc-1c4t 2,3 knc INSTRUCTIONS_EXECUTED BRANCHES 1
on p4-1p2t 0,1 netburst_p INSTR_RETIRED:NBOGUSNTAG BRANCH_RETIRED:MMNP:MMNM:MMTP:MMTM $all
exit "$failed"
