#!/bin/bash
# SPDX-License-Identifier: MIT
# The machine with msr-safe's devices, by that module's documentation; device files with an owner;
# and the tally of what a program has left. Run natively. VPMU: the vpmu binary; CC: a compiler.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${VPMU:?set VPMU to the vpmu binary}"
needs rdmsr wrmsr "${CC:-cc}"
export VPMU_TALLY=$scratch/tally	# registers are left changed on purpose

compile "$scratch/probe" msr_safe.c -O1 || exit 1
cat >"$scratch/list" <<'L'
# a remark
0x396 0x0 # "MSR_UNC_CBO_CONFIG"
0x00000700 0x00000000000000FF
0x740 0xFF
L
is "msr-safe's devices" done "$("$VPMU" run --no-feed --msr-safe="$scratch/list" -- "$scratch/probe" 2>/dev/null </dev/null)"
is "an empty list allows nothing" 1 \
	"$("$VPMU" run --no-feed --msr-safe -- sh -c 'head -c 8 /dev/cpu/0/msr_safe 2>&1' | grep -c 'denied')"
is "they are listed" "cpuid msr msr_safe msr_batch" "$("$VPMU" run --no-feed --msr-safe -- \
	sh -c 'echo $(ls /dev/cpu/0) $(ls /dev/cpu | grep batch)')"
is "without the module they are not" "cpuid msr" "$("$VPMU" run --no-feed -- \
	sh -c 'echo $(ls /dev/cpu/0) $(ls /dev/cpu | grep batch)')"
for wrong in 0x396 '0x396 z' "$(printf '0x396 0\n0x396 1')"; do
	echo "$wrong" >"$scratch/wrong"
	"$VPMU" run --no-feed --msr-safe="$scratch/wrong" -- true 2>"$scratch/err"
	is "a wrong list" "125 1" "$? $(grep -c "$scratch/wrong" "$scratch/err")"
done
"$VPMU" run --no-feed --msr-safe=/nowhere -- true 2>"$scratch/err"
is "no list" 125 $?

# ---- owners
is "mode and owner" "660 12 34" "$("$VPMU" run --no-feed --devices 0660:12:34 -- stat -c '%a %u %g' /dev/cpu/0/msr)"
for wrong in x 0999 0660: 0660:1:2:3 01000 0660:4294967296 0660:0:4294967296; do
	"$VPMU" run --no-feed --devices $wrong -- true 2>"$scratch/err"
	is "--devices $wrong" "125 1" "$? $(grep -c -e '--devices 0660:0:1000' "$scratch/err")"
done
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	user() {	# user UID GID MODE COMMAND...
		setpriv --reuid="$1" --regid="$2" --clear-groups "${@:3}" 2>&1
	}
	export -f user
	open_to_users bin/vpmu "${STAGE_LIB#"$STAGE"/}/ipmu/libvpmu_native.so" || exit 1
	owned() { "$scratch/stage/bin/vpmu" run --no-feed --devices "$1" -- bash -c "$2" 2>/dev/null; }
	is "the owner" 5 "$(owned 0400:12:34 'user 12 99 rdmsr 0x396')"
	is "the owner may not write" 1 "$(owned 0400:12:34 'user 12 99 wrmsr 0x700 0' | grep -c denied)"
	is "the group" 5 "$(owned 0040:12:34 'user 13 34 rdmsr 0x396')"
	is "the others" 5 "$(owned 0004:12:34 'user 13 99 rdmsr 0x396')"
	is "neither" 1 "$(owned 0660:12:34 'user 13 99 rdmsr 0x396' | grep -c denied)"
	is "root" 5 "$(owned 0000:12:34 'rdmsr 0x396')"
	is "configuration space" "64 256" "$(owned 0660 \
		'user 13 99 cat /sys/bus/pci/devices/0000:00:00.0/config | wc -c
		 cat /sys/bus/pci/devices/0000:00:00.0/config | wc -c' | xargs)"
fi

# ---- the tally
tally() {	# tally COMMAND [OPTION...]: violations and changed registers
	: >"$VPMU_TALLY"
	"$VPMU" run --no-feed "${@:2}" -- sh -c "$1" >/dev/null 2>&1
	awk -F '\t' '{ l = $2 " " $3 " " $4 " " NR } END { print l }' "$VPMU_TALLY"
}
is "nothing done" "skl-4c8t 0 0 1" "$(tally true)"
is "read only" "skl-4c8t 0 0 1" "$(tally 'rdmsr 0x706')"
is "written" "skl-4c8t 0 2 1" "$(tally 'wrmsr 0x706 5; wrmsr 0xe01 0x20000000')"
is "put back" "skl-4c8t 0 0 1" "$(tally 'wrmsr 0x706 5; wrmsr 0x706 7' --set MSR_UNC_CBO_0_PERFCTR0=7)"
is "a reserved bit" "skl-4c8t 1 0 1" "$(tally 'wrmsr 0x394 0x1; wrmsr 0x394 0')"
is "per CPU" "knc-4c16t 0 2 1" "$(tally 'wrmsr -p 1 0x28 3; wrmsr -p 2 0x28 3' -m knc-4c16t)"
# A machine that is kept: the last line has the totals.
: >"$VPMU_TALLY"
for value in 5 0; do
	"$VPMU" run --no-feed -s "$scratch/kept" -m skl-4c8t -- wrmsr 0x706 $value
done
is "a kept machine" "1 0 1" "$(awk -F '\t' '{ c = c $4 " "; id[$1] } END { for (i in id) n++; print c n }' \
	"$VPMU_TALLY")"
finish
