#!/bin/bash
# SPDX-License-Identifier: MIT
# Core events of the same work on the same booted machine: perf stat and perf record, PAPI's own
# perf_event with its presets and its overflow, both by the kernel's drivers, and our component by the
# msr driver. On all CPUs of a core at once, where it has several. At first the NMI watchdog has a
# counter, then perf counts, while our component is asked to.
#
# A bug of Linux that the machine shows (guest_core.sh has more): on knc the APIC's entry stays masked
# after an interrupt until events are scheduled anew. PAPI_overflow does that each time; perf record
# does not, gets one sample, and leaves the entry masked. Only the first counter ever counts, so the
# watchdog leaves none, and events come one at a time.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
command -v perf >/dev/null || { echo 'perf is missing: package linux-perf'; exit 77; }
papi_program ways
loops=4000000
period=50000

# on MACHINE CPUS PMU PRESETS INSTRUCTIONS BRANCHES SAMPLES: cpus is a list,
# names are libpfm4's
on() {
	local machine=$1 cpus=$2 pmu=$3 presets=$4 names=("${@:5:2}") generic=(instructions:u branches:u)
	local samples=$7 first=${cpus%%,*} cpu i wanted
	local work="$cpus loop:$loops" alone="$first loop:$loops"

	{
		cat <<-END
		. '$SRCDIR/tests/guest/perf.sh'
		sysctl -q kernel.perf_event_paranoid=-1
		sysctl -q kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0
		mount -t tmpfs none /lib/modules	# or perf record looks at each of them
		refused() { sed "s/^/\$1 /"; }
		echo "nmi_watchdog \$(cat /proc/sys/kernel/nmi_watchdog)"
		PAPI_VERBOSE=1 ./ways $alone intel_core:::$pmu.${names[0]}:u:cpu=$first 2>&1 | refused watchdog:
		END
		[ "$pmu" = knc ] ||
			echo "by_perf -A -C $cpus -e ${generic[0]} ./ways $work | sed s/perf:/watched:/"
		cat <<-END
		sysctl -q kernel.nmi_watchdog=0
		by_perf -A -C $cpus -e ${generic[0]} ./ways $work
		by_perf -A -C $cpus -e ${generic[1]} ./ways $work
		PAPI_VERBOSE=1 perf stat -C $first -e ${generic[0]} \\
			./ways $alone intel_core:::$pmu.${names[0]}:u:cpu=$first 2>&1 | refused perf:
		./ways $alone $pmu::${names[0]}:u@$period
		PERF_CONTROL=/tmp/perf perf record -q -B -N -o /tmp/perf.data --delay=-1 \$control -C $first \\
			-e ${generic[0]} -c $period ./ways $alone
		perf script -i /tmp/perf.data -F comm 2>/dev/null | sort | uniq -c | sed 's/^/record: /'
		END
		if [ "$pmu" = knc ]; then printf "./ways $alone %s\n" $presets
		else echo "./ways $alone $presets"; fi
		printf './ways %s' "$work"
		for cpu in ${cpus//,/ }; do printf " intel_core:::$pmu.%s:u:cpu=$cpu" "${names[@]}"; done
	} >order
	boot "$machine" --append nmi_watchdog=1 <order || return
	[ "$(value nmi_watchdog)" = 1 ] || fail "$machine: no NMI watchdog"
	grep -q '^watchdog: .*its NMI watchdog' out ||
		fail "$machine: our component does not name the watchdog: $(grep ^watchdog: out)"
	grep -q "^perf: .*the kernel's perf events" out ||
		fail "$machine: our component does not name perf: $(grep ^perf: out)"
	! grep -q "^perf: intel_core" out || fail "$machine: counted in spite of perf: $(grep ^perf: out)"
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
exactly() { within "$machine: $1" "$(value "$1")" "$2" 1; }
check_presets() {
	exactly PAPI_TOT_INS $((2 * loops))
	exactly PAPI_BR_INS "$loops"
	! [[ $presets = *CYC* ]] || exactly PAPI_TOT_CYC $((2 * loops))
	! [[ $presets = *TKN* ]] || exactly PAPI_BR_TKN "$loops"
	! [[ $presets = *MSP* ]] || [ "$(value PAPI_BR_MSP)" -lt $((loops / 1000)) ] ||
		fail "$machine: $(grep BR_MSP out)"
}
all=$((2 * loops / period))
on core2-2c 0,1 core 'PAPI_TOT_INS PAPI_TOT_CYC PAPI_BR_INS PAPI_BR_MSP' INST_RETIRED:ANY_P \
	BR_INST_RETIRED:ANY $all
on knc-1c4t 2,3 knc 'PAPI_TOT_INS PAPI_BR_INS' INSTRUCTIONS_EXECUTED BRANCHES 1
exit "$failed"
