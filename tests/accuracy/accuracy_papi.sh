#!/bin/bash
# SPDX-License-Identifier: MIT
# The machine's own work is not counted: empty pairs of PAPI_start and PAPI_stop on the virtual
# Core 2, by a counter that PAPI does not use, against what callgrind counts natively in the same
# function without the instructions in the preloaded library and in what it calls for itself.
# A repeated string instruction is one, however often it repeats; callgrind counts the rounds, and
# these are left out of what it counts.
# Tolerance: 3 %; the library's work is a quarter of all. Each access of a register is one instruction,
# the system call, of some 20 that are no part of libc's functions; where the loader puts strings
# changes what comparing them takes, by 1 % either way. The engine's guard, a thread that each pair
# makes, is on another CPU from its first instruction on.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${STAGE:?the staged tree}"
needs valgrind objdump "${CC:-cc}"
export VPMU_TALLY=$scratch/tally	# the counter stays programmed
# One copy of memcpy and its like in both, whatever this host can do and a Core 2 cannot.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-ERMS,-FSRM,-SSSE3,-SSE4_1,-SSE4_2
pairs=20 machine=core2-4c
source=$(dirname "${BASH_SOURCE[0]}")/pairs.c

"${CC:-cc}" -std=c11 -O1 "$source" -o "$scratch/pairs" -I"$STAGE/include" -L"$STAGE_LIB" -lpapi \
	-Wl,-rpath,"$STAGE_LIB" || exit 1
"$vpmu" run -m $machine -- "$scratch/pairs" $pairs >"$scratch/out" 2>&1
verdict 'the program runs on the virtual machine' $?
counted=$(tail -n 1 "$scratch/out")
"$vpmu" run --no-feed -m $machine -- valgrind --tool=callgrind --toggle-collect=pairs \
	--dump-instr=yes --compress-pos=no --callgrind-out-file="$scratch/callgrind" "$scratch/pairs" $pairs >"$scratch/out" 2>&1
verdict 'the program runs under callgrind' $?
# Callgrind's costs: the object, the instruction's address, the cost. The line after calls= is of the
# function called. Of these only what the preloaded library calls elsewhere for itself is listed, as
# the object "called": a function of the name of its caller is the one that the program has called.
awk 'function name_of(line, names) {	# of "fn=(number) name"; later without the name
		split(line, part, "[()]")
		if (part[3] != "")
			names[part[2]] = substr(part[3], 2)
		return names[part[2]]
	}
	/^ob=/ { callee_in = object = name_of($0, objects) }
	/^cob=/ { callee_in = name_of($0, objects) }
	/^fn=/ { caller = name_of($0, functions) }
	/^cfn=/ { callee = name_of($0, functions) }
	/^calls=/ { is_call = 1 }
	!/^0x/ { next }
	!is_call { print object, $1, $3; next }
	{
		sub(/@.*/, "", callee)
		if (object ~ /libvpmu_native/ && callee_in != object && callee != caller)
			print "called", $1, $3
		is_call = 0
		callee_in = object
	}' "$scratch/callgrind" >"$scratch/costs"
# The objects' repeated string instructions: the object and the address.
cut -d ' ' -f 1 "$scratch/costs" | sort -u | while read -r object; do
	objdump -d --no-show-raw-insn "$object" 2>"$scratch/objdump" |
		awk -v object="$object" '$2 ~ /^rep/ { sub(/:$/, "", $1); print object, "0x" $1 }'
done >"$scratch/repeated"
sum() { awk "$1"' { n += $3 } END { print n + 0 }' "$scratch/costs"; }
rounds=$(awk 'NR == FNR { repeats[$1 " " $2]; next }
	!/libvpmu_native/ && ($1 " " $2) in repeats { n += $3 } END { print n + 0 }' \
	"$scratch/repeated" "$scratch/costs")
calls=$(sum '/^called /')
want=$(($(sum '!/libvpmu_native|^called /') - calls - rounds)) own=$(sum '/libvpmu_native/')
echo "$pairs pairs: $counted instructions counted; callgrind $want, $own in the preloaded library," \
	"$calls that it calls, $rounds rounds of string instructions"
[ "$want" -ge 100000 ] && [ "$own" -ge $((want / 10)) ] ||
	bad 'callgrind has not seen PAPI, or the preloaded library, at work'
[ "${counted:-0}" -ge $((want * 97 / 100)) ] && [ "${counted:-0}" -le $((want * 103 / 100)) ]
verdict 'what is counted is what PAPI and the component execute' $?
finish
