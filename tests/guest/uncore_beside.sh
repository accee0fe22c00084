#!/bin/bash
# SPDX-License-Identifier: MIT
# Uncore events of the same work on the same booted machine, three ways and against arithmetic: perf by
# the kernel's drivers, PAPI's perf_event_uncore by the same drivers and our event tables, and our
# component by the msr driver. The work is the triad of guest_uncore.sh.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
command -v perf >/dev/null || { echo 'perf is missing: package linux-perf'; exit 77; }
papi_program ways
elements=4000000
lines=$((elements / 8))
written() { echo $((lines + $1 - $1 / 3)); }	# written CACHE-LINES

listed() { local IFS=,; echo "$*"; }
# Beside the work perf has its own and a few switches between tasks counted: another percent.
check() {	# check WHAT WANTED PERCENT EVENT...: each way of counting it
	local event percent
	for event in "${@:4}"; do
		percent=$3
		[[ $event != perf:* ]] || percent=$(($3 + 1))
		within "$1 by $event" "$(value "$event")" "$2" "$percent"
	done
}
by() {	# by COMPONENT EVENT...
	local event
	for event in "${@:2}"; do
		[ "$(awk -v e="$event" '$1 == e { print $3 }' out)" = "$1" ] ||
			fail "$event was not counted by $1"
	done
}

# -- Skylake
cbo() { echo "$1UNC_CBO_CACHE_LOOKUP:READ_I$2"; }
ours=intel_uncore:::skl_unc_
perfs=() papis=() mine=()
for i in 0 1 2 3; do
	perfs+=("uncore_cbox_$i/event=0x34,umask=0x18/")
	papis+=("$(cbo "skl_unc_cbo$i::" :cpu=0)")
	mine+=("$(cbo "${ours}cbo." ":box=$i")")
done
papis+=(skl_unc_imc::DRAM_DATA_READS:cpu=0 skl_unc_imc::DRAM_DATA_WRITES:cpu=0
	skl_unc_imc::DRAM_IA_REQUESTS:cpu=0 skl_unc_arb::UNC_ARB_TRK_REQUESTS:WRITES:cpu=0)
mine+=("${ours}imc.DRAM_DATA_READS" "${ours}imc.DRAM_DATA_WRITES" "${ours}imc.DRAM_IA_REQUESTS"
	"${ours}arb.UNC_ARB_TRK_REQUESTS:WRITES")
others=(uncore_imc/data_reads/ uncore_imc/data_writes/ uncore_imc/ia_requests/
	uncore_arb/event=0x81,umask=0x20/)
none=(uncore_imc/gt_requests/ uncore_imc/io_requests/)	# this machine has neither
clock=uncore_cbox_0/clockticks/
if boot skl-4c8t <<-END
	. '$SRCDIR/tests/guest/perf.sh'
	sysctl -q kernel.perf_event_paranoid=-1	# PAPI wants less than Debian's 3
	$small_pages
	by_perf -a -e $(listed "${perfs[@]}" "${others[@]}" "${none[@]}") ./ways 2 triad:$elements
	./ways 2 triad:$elements ${papis[*]}
	./ways 2 triad:$elements ${mine[*]} ${ours}imc.DRAM_GT_REQUESTS ${ours}imc.DRAM_IO_REQUESTS
	by_perf -a -e $clock ./ways 2 loop:30000000
	./ways 2 loop:30000000 skl_unc_clk::UNC_CLOCK:cpu=0
	./ways 2 loop:30000000 ${ours}clk.UNC_CLOCK
	END
then
	writes=$(written 131072)
	for i in 0 1 2 3; do
		check 'skl: a slice' $((3 * lines / 4)) 1 "perf:${perfs[i]}" "${papis[i]}" "${mine[i]}"
	done
	check 'skl: data reads' $((3 * lines)) 1 perf:uncore_imc/data_reads/ "${papis[4]}" "${mine[4]}"
	# How much of the cache is modified at the start is known to a hundredth or two only.
	check 'skl: data writes' "$writes" 2 perf:uncore_imc/data_writes/ "${papis[5]}" "${mine[5]}"
	check 'skl: requests of the cores' $((3 * lines + writes)) 1 perf:uncore_imc/ia_requests/ \
		"${papis[6]}" "${mine[6]}"
	check 'skl: write requests' "$writes" 2 "perf:${others[3]}" "${papis[7]}" "${mine[7]}"
	check 'skl: others' 0 0 "${none[@]/#/perf:}" "${ours}imc.DRAM_GT_REQUESTS" \
		"${ours}imc.DRAM_IO_REQUESTS"
	# An instruction takes a clock, and so does what the kernel does meanwhile.
	check 'skl: clocks' 60000000 5 "perf:$clock" skl_unc_clk::UNC_CLOCK:cpu=0 "${ours}clk.UNC_CLOCK"
	by perf_event_uncore "${papis[@]}" skl_unc_clk::UNC_CLOCK:cpu=0
	by intel_uncore "${mine[@]}"
fi

# -- Xeon 7500, with the kernel's own names of the events. Reads and writes need the same register (fvc),
# so perf would multiplex and estimate.
ways() {	# ways BOX KERNEL'S OURS: one name a line
	echo "uncore_mbox_$1/$2/"
	echo "nhmex_unc_mbox$1::FVC_EV0:$3:fvid=0:cpu=0"
	echo "intel_uncore:::nhmex_unc_mbox.FVC_EV0:$3:fvid=0:box=$1"
}
mapfile -t reads < <(ways 0 bbox_cmds_read BBOX_CMDS_READS; ways 1 bbox_cmds_read BBOX_CMDS_READS)
mapfile -t writes < <(ways 0 bbox_cmds_write BBOX_CMDS_WRITES; ways 1 bbox_cmds_write BBOX_CMDS_WRITES)
if boot nhmex-1p2c2t <<-END
	. '$SRCDIR/tests/guest/perf.sh'
	sysctl -q kernel.perf_event_paranoid=-1
	$small_pages
	by_perf -a -e ${reads[0]},${reads[3]} ./ways 1 triad:$elements
	by_perf -a -e ${writes[0]},${writes[3]} ./ways 1 triad:$elements
	./ways 1 triad:$elements ${reads[1]} ${reads[4]}
	./ways 1 triad:$elements ${reads[2]} ${reads[5]}
	./ways 1 triad:$elements ${writes[1]} ${writes[4]}
	./ways 1 triad:$elements ${writes[2]} ${writes[5]}
	END
then
	check 'nhmex: reads' $((3 * lines / 2)) 1 "perf:${reads[0]}" "perf:${reads[3]}" \
		"${reads[@]:1:2}" "${reads[@]:4}"
	check 'nhmex: writes' $(($(written 393216) / 2)) 3 "perf:${writes[0]}" "perf:${writes[3]}" \
		"${writes[@]:1:2}" "${writes[@]:4}"
	by perf_event_uncore "${reads[1]}" "${writes[1]}"
	by intel_uncore "${reads[2]}" "${writes[2]}"
fi
exit "$failed"
