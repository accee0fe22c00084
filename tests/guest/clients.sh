# SPDX-License-Identifier: MIT
# Sourced by tests/guest_clients_*.sh. The stock kernel's uncore driver beside our component, on a
# booted machine of a generation of client processors: the same work, counted by every documented
# event that both have, one after the other; some of it against arithmetic as well.
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
papi_program beside
elements=300000		# three such arrays are larger than the last level cache
swept=16384 handed=1024	# lines: tests/guest/beside.c

# list GENERATION MODEL CLOCKS: rounds of the events in the table, the kernel's way and ours. The
# arbiter's sums are first: the kernel puts code 85H on whichever counter is free. CLOCKS: the
# kernel's PMU, or of tiles each of theirs, after a comma; "-": it has none.
list() {
	{ sed 's/^/SKL\t/' "$SRCDIR/facts/skl-client-uncore/events.tsv"
	  cat "$SRCDIR/facts/client-uncores/events.tsv"; } |
	awk -F '\t' -v generation="$1" -v model="$2" -v clocks="$3" '
		BEGIN {
			split("DATA_READS DATA_WRITES GT_REQUESTS IA_REQUESTS IO_REQUESTS", old, " ")
			for (i in old) number["DRAM_" old[i]] = i
			split("TOTAL RDCAS WRCAS", free, " ")
			for (i in free) config[free[i]] = i "0ff"
		}
		function name(round, rank, pmu, code, event) {
			printf "%d %d %s/%s intel_uncore:::%s\n", round, rank, pmu, code, event
			listed = NR
		}
		function pair(round, rank, pmu, code) { name(round, rank, pmu, code, $2) }
		function tiles(	n, tile) {
			for (n = split(clocks, tile, ","); n; n--)
				name(0, 2, tile[n], "ff", sprintf("%s_unc_%s.UNC_CLOCK:SOCKET",
				     tolower(generation), substr(tile[n], length("uncore_") + 1)))
		}
		index("," $1 ",", "," generation ",") == 0 || $8 !~ /[SCK]/ || ($6 ~ /^model/ && $6 != "model " model) { next }
		{
			threshold = $6 ~ /^THR=/ ? sprintf("%x00", substr($6, 5)) : ""
			select = threshold substr($4, 3) substr($3, 3)
			split($2, part, "_")
		}
		$9 == "CBO" { pair(0.5 * cbo++, 2, "uncore_cbox*", select) }
		$9 == "ARB" && $2 ~ /OCCUPANCY/ { pair(sum++, 1, "uncore_arb*", select) }
		$9 == "ARB" && $2 !~ /OCCUPANCY/ { pair(entry++, 2, "uncore_arb*", select) }
		$9 == "HAC_ARB" { pair(0.5 * hac_arb++, 2, "uncore_hac_arb*", select) }
		$9 == "HAC_CBO" { pair(0.5 * hac_cbo++, 2, "uncore_hac_cbox*", select) }
		$9 == "FIXED" && clocks ~ /,/ { tiles() }
		$9 == "FIXED" && clocks !~ /[,-]/ { pair(0, 2, clocks, "ff") }
		$9 == "IMC" && $2 in number { pair(0, 2, "uncore_imc", number[$2]) }
		$9 == "IMC" && $5 != "FREE" && $2 ~ /^UNC_M_/ {	# five counters of a controller
			pair(0.2 * programmed++, 2, "uncore_imc_[01]", select)
		}
		$9 == "IMC" && $2 ~ /^UNC_(M_)?MC/ {
			first = part[2] == "M" ? 3 : 2
			pair(0, 2, "uncore_imc_free_running_" substr(part[first], 3),
			     config[part[first + 1]])
		}
		listed != NR && !($9 == "FIXED" && clocks == "-") { pair(0, 2, "none", "0") }' | sort -s -n -k 1,1 -k 2,2 | cut -d ' ' -f 1,3-
}

# What the units of an SoC tile count is the work of its cores, which are the last.

# The kernel has eight slices of Comet Lake's ten, and the eighth where Skylake's is.
by_box() {	# by_box MACHINE: the list on stdin, of that machine
	case $1 in
	cml*) awk '$2 !~ /^uncore_cbox\*/ { print; next }
		{
			for (i = 0; i < 7; i++) {
				box = $2
				sub(/\*/, "_" i, box)
				print $1, box, $3 ":box=" i
			}
		}' ;;
	*) cat ;;
	esac
}

of() {	# of EVENT: the kernel's count, the least of all boots
	awk -v name="intel_uncore:::$1" '$3 == name && (!n++ || $5 < least) { least = $5 }
		END { print least }' outs
}

# Both count what the machine does beside the work, which takes clocks above all, and each its own
# start and stop. What else the machine did may spoil a count on a loaded host, another one each
# time: an event that has agreed in an earlier boot has agreed.
compare() {	# compare MACHINE
	cat out >>outs
	rm -f agreeing
	awk -v machine="$1" '
		FILENAME == "agreed" { agreed[$0]; next }
		{
			off = $5 - $7
			if (off < 0) off = -off
			clocks = $3 ~ /CLOCK|CYCLES/
			allowed = clocks ? $7 * 15 / 100 : $7 * 5 / 100 + 2500
		}
		off <= allowed { print $2, $3 >"agreeing" }
		off > allowed && !(($2 " " $3) in agreed) { print machine ": differs: " $0; differs = 1 }
		{ n++; large += $7 > 20000 }
		END {
			printf "%s: %d events, %d of them above 20000\n", machine, n, large
			exit differs || !n
		}' agreed out
	local status=$?
	cat agreeing >>agreed 2>/dev/null
	return $status
}

# What Linux and hwloc report of a machine whose cores are of two kinds: threads of the first P core
# and of the first E core, which CPUs share their L2s and the L3, and which kind each CPU is.
kinds='cd /sys/devices/system/cpu && cat cpu[02]/topology/thread_siblings_list \
	cpu[02]/cache/index2/shared_cpu_list cpu0/cache/index3/shared_cpu_list
	lstopo-no-graphics --cpukinds | awk "/cpuset/ { set = \$NF } /CoreType/ { print \$NF, set }"'
has_kinds() {	# has_kinds MACHINE WANTED
	local shown
	shown=$(paste -sd' ' kinds)
	command -v lstopo-no-graphics >/dev/null || shown+=${2#"$shown"}
	[ "$shown" = "$2" ] || fail "$1: threads, caches and kinds of cores: '$shown', not '$2'"
}

# What else a loaded host's machine does adds lines: the least of all boots counts.
spoilt() {	# spoilt MACHINE
	case $1 in
	snb* | ivb* | hsw* | bdw* | skl*)
		[ "$(of UNC_CBO_XSNP_RESPONSE.HITM_XCORE)" -gt $((2 * handed * 5 / 4)) ] ;;
	*) false ;;
	esac
}

on_machine() {	# on_machine NAME GENERATION MODEL CLOCKS [LLC]
	local try
	: >outs
	: >agreed
	list "$2" "$3" "$4" | by_box "$1" >all
	grep ' uncore_hac_' all >soc
	grep -v ' uncore_hac_' all >list
	for try in 1 2 3 4; do
		[ "$try" != 4 ] || { fail "$1: the kernel's driver and ours differ"; return; }
		boot "$1" --l2 256K,8,64 --llc "${5:-4M},16,64" <<-END || return
			$small_pages
			($kinds) >kinds
			./beside triad:$elements <list || exit
			[ ! -s soc ] || ./beside triad:$elements \$((\$(nproc) - 1)) <soc
		END
		compare "$1" && { [ "$try" = 3 ] || ! spoilt "$1"; } && break
	done
	local once=$((3 * elements / 8 + swept + handed)) back=$((elements / 8 + swept + handed))
	case $1 in
	snb* | ivb* | hsw* | bdw* | skl*)
		within "$1: lookups that found nothing" "$(of UNC_CBO_CACHE_LOOKUP.READ_I)" $once 3
		within "$1: modified in the other core" \
			"$(of UNC_CBO_XSNP_RESPONSE.HITM_XCORE)" $((2 * handed)) 25 ;;
	adl* | rpl* | lnl* | ptl*)
		within "$1: reads of memory" "$(of UNC_M_VC0_REQUESTS_RD)" $once 5
		within "$1: writes to memory" "$(of UNC_M_VC0_REQUESTS_WR)" $back 5 ;;
	mtl* | arl* | nvl*)
		within "$1: reads of memory" "$(of UNC_M_CAS_COUNT_RD)" $once 5
		within "$1: writes to memory" "$(of UNC_M_CAS_COUNT_WR)" $back 5 ;;
	esac
	case $1 in
	adl-1p4e6t)
		has_kinds "$1" "0-1 2 0-1 2-5 0-5 IntelAtom 0x0000003c IntelCore 0x00000003" ;;
	mtl*)	# a core of the SoC tile has no cache behind its L2, where it would find what it swept
		within "$1: reads by the SoC tile" "$(of UNC_HAC_ARB_REQ_TRK_REQUEST.DRD)" \
			$((once + 2 * swept + handed)) 5 ;;
	esac
}
