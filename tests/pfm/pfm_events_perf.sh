#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What perf_event users of the added tables (PAPI's perf_event_uncore) hand to
# the kernel, and on which processors the PMUs appear: a libpfm4 with our tables
# sees a made-up /sys, and processors of QEMU's user mode.
# LIBPFM4_SRC names a pristine libpfm4 source tree; it is only read.

set -u
LC_ALL=C
export LC_ALL

here=$(cd "$(dirname "$0")/.." && pwd)

skip()
{
	printf '1..0 # SKIP %s\n' "$1"
	exit 77
}

[ -n "${LIBPFM4_SRC:-}" ] || skip 'set LIBPFM4_SRC to a pristine libpfm4 source tree'
[ "$(uname -sm)" = 'Linux x86_64' ] || skip 'needs Linux on x86-64'

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
skipped=0

# is NAME GOT EXPECTED
is()
{
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
		printf 'ok %d - %s\n' $((passed + failed + skipped)) "$1"
	else
		failed=$((failed + 1))
		printf 'not ok %d - %s\n' $((passed + failed + skipped)) "$1"
		printf '# got:      %s\n# expected: %s\n' "$2" "$3"
	fi
}

# the linker's --wrap sends libpfm4's reads of /sys and /proc to $FAKE_ROOT

# With the project's build of it, or with one made here.
build()
{
	tree=${LIBPFM4_BUILD:-}
	[ -f "$tree/lib/libpfm.a" ] || make_tree || return
	"${CC:-gcc}" -Wall -Wextra -Werror -I "$tree/include" -o "$scratch/perf" \
		"$here/pfm/perf.c" "$tree/lib/libpfm.a" -Wl,--wrap=access -Wl,--wrap=fopen \
		-Wl,--wrap=scandir
}

make_tree()
{
	tree=$scratch/tree
	cp -R "$LIBPFM4_SRC" "$tree" &&
	"$here/../pfm_events/add-to-libpfm4" "$tree" &&
	(cd "$tree/lib" && make libpfm.a)
}

if ! build >"$scratch/build" 2>&1; then
	tail -n 20 "$scratch/build" | sed 's/^/# /'
	echo 'Bail out! the library with our tables does not build'
	exit 1
fi

FAKE_ROOT=$scratch/root
export FAKE_ROOT

# kernel PMU...: a made-up kernel with these PMUs, PMU=type
kernel()
{
	local pmu
	rm -rf "$FAKE_ROOT"
	mkdir -p "$FAKE_ROOT/sys/bus/event_source/devices" "$FAKE_ROOT/sys/devices" \
		"$FAKE_ROOT/proc/sys/kernel"
	echo 0 >"$FAKE_ROOT/proc/sys/kernel/perf_event_paranoid"
	for pmu in "$@"; do
		mkdir "$FAKE_ROOT/sys/devices/${pmu%=*}"
		echo "${pmu#*=}" >"$FAKE_ROOT/sys/devices/${pmu%=*}/type"
		echo 4 >"$FAKE_ROOT/sys/devices/${pmu%=*}/perf_event_mux_interval_ms"
		ln -s "../../../devices/${pmu%=*}" "$FAKE_ROOT/sys/bus/event_source/devices/"
	done
}

linux_6_1=(uncore_cbox_0=100 uncore_cbox_1=101 uncore_cbox_2=102 uncore_cbox_3=103
	uncore_arb=120 uncore_imc=130)

# encodes EVENT TYPE CONFIG: no config1, nothing excluded
encodes()
{
	is "$1 -> type $2, config $3" "$(LIBPFM_ENCODE_INACTIVE=1 "$scratch/perf" "$1")" \
		"$2 $3 0x0 000000"
}

# unsupported EVENT WHY: libpfm4 after 4.13.0 does not find an event whose PMU the kernel lacks
unsupported()
{
	is "$1: $2" "$(LIBPFM_ENCODE_INACTIVE=1 "$scratch/perf" "$1" |
		sed 's/^event not found$/not supported/')" 'not supported'
}

kernel "${linux_6_1[@]}"
encodes skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI 100 0x8f34
encodes skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_I:c=31:i:e 103 0x1f848834
encodes skl_unc_cbo1::UNC_CBO_XSNP_RESPONSE:HITM_XCORE 101 0x4822
encodes skl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL 120 0x181
encodes skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST 120 0x1000180
encodes skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST:i 120 0x1800180
encodes skl_unc_imc::DRAM_DATA_READS 130 0x1
encodes skl_unc_imc::DRAM_DATA_WRITES 130 0x2
encodes skl_unc_imc::DRAM_GT_REQUESTS 130 0x3
encodes skl_unc_imc::DRAM_IA_REQUESTS 130 0x4
encodes skl_unc_imc::DRAM_IO_REQUESTS 130 0x5
encodes skl_unc_clk::UNC_CLOCK:SOCKET 100 0xff
encodes skl_unc_clk::UNC_CLOCK 100 0xff
unsupported skl_unc_cbo4::UNC_CBO_CACHE_LOOKUP:ANY_MESI 'no such slice'

kernel "${linux_6_1[@]}" uncore_clock=140
encodes skl_unc_clk::UNC_CLOCK.SOCKET 140 0xff

# Linux has a PMU for each controller, with event=0xff and these unit masks.
kernel uncore_imc_free_running_0=150 uncore_imc_free_running_1=151
encodes tgl_unc_imc::UNC_MC0_RDCAS_COUNT_FREERUN 150 0x20ff
encodes tgl_unc_imc::UNC_MC1_RDCAS_COUNT_FREERUN 151 0x20ff
encodes tgl_unc_imc::UNC_MC1_WRCAS_COUNT_FREERUN 151 0x30ff

kernel
unsupported skl_unc_clk::UNC_CLOCK:SOCKET 'kernel without uncore'
unsupported skl_unc_imc::DRAM_DATA_READS 'kernel without uncore'
unsupported skl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL 'kernel without uncore'

# M-Boxes of the Xeon 7500: config is CNT_CTL without the enable bit, config1 the sub-control
# register and, in its upper half, PLD
# encodes1 EVENT TYPE CONFIG CONFIG1
encodes1()
{
	is "$1 -> type $2, config $3, config1 $4" \
		"$(LIBPFM_ENCODE_INACTIVE=1 "$scratch/perf" "$1")" "$2 $3 $4 000000"
}

kernel uncore_mbox_0=200 uncore_mbox_1=201
encodes1 nhmex_unc_mbox0::CYCLES 200 0x3640 0x0
encodes1 nhmex_unc_mbox1::FVC_EV0:BBOX_CMDS_READS 201 0x1a40 0x2800
encodes1 nhmex_unc_mbox0::FVC_EV0:BBOX_CMDS_WRITES:wrap_mode=0 200 0x1a00 0x2820
encodes1 nhmex_unc_mbox0::CYCLES_DSP_FILL:RDQ_FULL:storage_mode=1 200 0xd0 0x80
encodes1 nhmex_unc_mbox0::BCMD_SCHEDQ_OCCUPANCY:WRITES:fvid=3 200 0x3000c0 0x23
encodes1 nhmex_unc_mbox0::RAW:inc_sel=0xa:pld=0x301:iss=0x80 200 0x1440 0x30100000080
encodes1 nhmex_unc_mbox0::RAW:inc_sel=0xa:pld=0xffffffff:iss=0x80 200 0x1440 0xffffffff00000080
encodes1 nhmex_unc_mbox0::RAW 200 0x3640 0x0	# without a select: clocks

is 'two unit masks' "$(LIBPFM_ENCODE_INACTIVE=1 "$scratch/perf" \
	nhmex_unc_mbox0::FVC_EV0:BBOX_CMDS_READS:BBOX_CMDS_WRITES)" \
	'invalid combination of model specific features'

# most EVENT MODIFIER VALUE CONFIG CONFIG1: the largest value, and no larger one
most()
{
	encodes1 "nhmex_unc_mbox0::$1:$2=$3" 200 "$4" "$5"
	is "$1:$2 above $3" "$(LIBPFM_ENCODE_INACTIVE=1 "$scratch/perf" \
		"nhmex_unc_mbox0::$1:$2=$(($3 + 1))")" 'invalid event attribute value'
}

# Table 2-67: bits 13:9, 21:19, 3:2 without 3, 5:4 without 2 and 3; the sub-controls' registers
most RAW inc_sel 31 0x3e40 0x0
most RAW set_flag_sel 7 0x3800c0 0x0
most CYCLES count_mode 2 0x3648 0x0
most CYCLES storage_mode 1 0x3650 0x0
most BCMD_SCHEDQ_OCCUPANCY:WRITES fvid 31 0x3000c0 0x3f
most RAW:inc_sel=0 dsp 4294967295 0x40 0xffffffff
most RAW:inc_sel=4 thr 4294967295 0x840 0xffffffff
most RAW:inc_sel=13 fvc 16777215 0x1a40 0xffffff
most RAW:inc_sel=22 pgt 4294967295 0x2c40 0xffffffff
most RAW:set_flag_sel=6 map 4294967295 0x3000c0 0xffffffff
most RAW:inc_sel=9 iss 4294967295 0x1240 0xffffffff
most RAW:inc_sel=11 pld 4294967295 0x1640 0xffffffff00000000

unsupported nhmex_unc_mbox0::CYCLES:pmi_en 'the kernel keeps overflows to itself'
unsupported nhmex_unc_mbox0::RAW:inc_sel=0xd:set_flag_sel=3 'the kernel would leave FVC as it is'
kernel uncore_cbox_0=100 uncore_cbox_9=109
encodes nhmex_unc_cbox0::LLC_HITS:ALL 100 0xf15
encodes nhmex_unc_cbox9::STARVED_EGRESS:AK:c=255:i:e 109 0xff84180b
unsupported nhmex_unc_cbox1::TRANS_IPQ 'no such C-Box'
kernel uncore_mbox_0=200
unsupported nhmex_unc_mbox1::CYCLES 'no such M-Box'

# --- which processors and kernels have which PMUs ---

# present MODEL: the PMUs that appear on that model of family 6
present()
{
	qemu-x86_64 -cpu "Skylake-Client,model=$1" "$scratch/perf" 2>/dev/null
}

# encodes_on MODEL EVENT TYPE CONFIG CONFIG1
encodes_on()
{
	is "$2 on model $1 -> config1 $5" \
		"$(qemu-x86_64 -cpu "Nehalem,model=$(($1))" "$scratch/perf" "$2" 2>/dev/null)" \
		"$3 $4 $5 000000"
}

if command -v qemu-x86_64 >/dev/null; then
	kernel "${linux_6_1[@]}"
	for model in 0x4e 0x5e 0x8e 0x9e 0xa5 0xa6; do
		is "model $model has the PMUs that the kernel has" "$(present $((model)))" \
			'cbo0 cbo1 cbo2 cbo3 arb clk imc end'
	done
	for model in 0x55 0x3c 0x7e; do
		is "model $model has none" "$(present $((model)))" 'end'
	done
	kernel uncore_clock=140
	is 'the clock alone' "$(present $((0x5e)))" 'clk end'
	kernel uncore_cbox_0=100
	is 'C-box 0 brings the clock' "$(present $((0x5e)))" 'cbo0 clk end'
	kernel uncore_imc=130
	is 'no clock without either' "$(present $((0x5e)))" 'imc end'
	kernel uncore_mbox_0=200 uncore_mbox_1=201 uncore_cbox_0=100
	for model in 0x2e 0x2f; do
		is "model $model has the M-Boxes" "$(present $((model)))" 'mbox0 mbox1 cbox0 end'
	done
	is 'model 0x2c has none' "$(present $((0x2c)))" 'end'
	encodes_on 0x2e nhmex_unc_mbox0::FVC_EV0:BBOX_CMDS_READS 200 0x1a40 0x2800
	encodes_on 0x2f nhmex_unc_mbox0::FVC_EV0:BBOX_CMDS_READS 200 0x1a40 0x5000
	encodes_on 0x2f nhmex_unc_mbox1::FVC_EV0:BBOX_CMDS_WRITES 201 0x1a40 0x5040
	encodes_on 0x2f nhmex_unc_mbox0::FRM_TYPE:1CMD 200 0x1240 0xc
else
	skipped=$((skipped + 1))
	printf 'ok %d # SKIP no qemu-x86_64: which processors have the PMUs\n' $((passed + failed + 1))
fi

printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
