#!/bin/bash
# SPDX-License-Identifier: MIT
# Native programs (--no-feed): msr-tools and small programs on the machine's device files.
# VPMU: the vpmu binary; CC: a compiler.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${VPMU:?set VPMU to the vpmu binary}"
needs rdmsr wrmsr "${CC:-cc}"
export VPMU_TALLY=$scratch/tally	# rules are broken and registers left changed on purpose

has() { case $3 in *"$2"*) ok ;; *) bad "$1: '$2' is not in '$3'" ;; esac; }
on() { "$VPMU" run --no-feed -m skl-4c8t -- "$@"; }

is "CBO_CONFIG" 5 "$(on rdmsr -p 0 0x396)"
is "CBO_CONFIG of two slices" 3 "$(on true; "$VPMU" run --no-feed -m skl-2c2t -- rdmsr 0x396)"
is "a write is read back from another CPU" 408f34 \
	"$(on sh -c 'wrmsr -p 2 0x700 0x408f34; rdmsr -p 7 0x700' 2>&1)"
is "counters are 44 bits" fffffffffff "$(on sh -c 'wrmsr 0x706 0xfffffffffff; rdmsr 0x706' 2>&1)"
is "DEBUGCTL is per CPU" "2000 0" \
	"$(on sh -c 'wrmsr -p 1 0x1d9 0x2000; echo $(rdmsr -p 1 0x1d9) $(rdmsr -p 0 0x1d9)')"
is "all CPUs" "5 5 5 5 5 5 5 5" "$(on sh -c 'echo $(rdmsr -a 0x396 | sed "s/.*: //")' 2>/dev/null)"

out=$(on rdmsr -p 8 0x396 2>&1); is "no CPU 8: status" 2 $?
has "no CPU 8" "No CPU 8" "$out"
out=$(on rdmsr 0x740 2>&1); is "a fifth slice: status" 4 $?
has "a fifth slice" "cannot read MSR 0x00000740" "$out"
has "a fifth slice is a violation" "MSR 0x740" "$out"
out=$(on wrmsr 0x396 4 2>&1); is "read-only: status" 4 $?
has "read-only is a violation" "read-only" "$out"
out=$(on wrmsr 0x394 0x400001 2>&1); is "reserved bit: taken" 0 $?
has "reserved bit is a violation" "0x1 is reserved" "$out"
out=$(on wrmsr 0x3b2 0x400183 2>&1); has "undriven event is named" "does not drive" "$out"
is "nothing to say when all is well" "" "$(on wrmsr 0xe01 0x20000000 2>&1)"

number=$(grep -o 'CHECK(' "$test_folder/native.c" | wc -l)
number=$((number - 1 + 3 * 2))	# without the macro; bound() runs four times
set_imc="--set DRAM_IA_REQUESTS=0x1234 --set DRAM_DATA_READS=0xfffffff0"
for flags in "-O0" "-O2 -D_FORTIFY_SOURCE=2" "-O2 -D_FILE_OFFSET_BITS=64"; do
	# shellcheck disable=SC2086
	if compile "$scratch/probe" native.c -w $flags -pthread; then
		is "probe built with $flags" "$number" \
			"$("$VPMU" run --no-feed -m skl-4c8t --cpus 0-7 $set_imc -- "$scratch/probe" 2>/dev/null)"
	else
		bad "cannot build the probe with $flags"
	fi
done
if command -v qemu-x86_64 >/dev/null && [ -z "${VPMU_NO_QEMU:-}" ]; then
	# shellcheck disable=SC2086
	is "probe under the execution feed" "$number" \
		"$("$VPMU" run -m skl-4c8t --cpus 0-7 $set_imc -- "$scratch/probe" 2>/dev/null)"
fi

# A library that is unloaded waits for a thread of its own, as the component does for its guard.
if compile "$scratch/waits.so" joins_thread.c -shared -fPIC -pthread &&
	compile "$scratch/unloads" unloads.c -ldl; then
	on "$scratch/unloads" "$scratch/waits.so"
	is "a library that waits for a thread is unloaded" 0 $?
else
	bad "cannot build a library that waits for a thread"
fi
is "no machine: the host's CPUs" "$(getconf _NPROCESSORS_ONLN)" \
	"$(LD_PRELOAD=$(dirname "$VPMU")/libvpmu_native.so getconf _NPROCESSORS_ONLN 2>/dev/null)"

finish
