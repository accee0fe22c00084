#!/bin/bash
# SPDX-License-Identifier: MIT
# What `vpmu run` fixes, as a program sees it: random numbers, addresses, memory. Limits follow from
# getrandom(2), random(4) and the options' description.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs "${CC:-cc}"
cd "$scratch" || exit 1
unset VPMU_SEGMENT VPMU_SEED VPMU_RANDOM VPMU_TIME OMPI_COMM_WORLD_RANK PMI_RANK

compile random random.c -O1 || exit 1
run() { "$vpmu" run "$@" 2>&1; }
different() {	# different WHAT TEXT: all of its words of 16 digits
	is "$1: none twice" '' "$(grep -oE '\b[0-9a-f]{16}\b' <<<"$2" | sort | uniq -d)"
	is "$1: there are some" yes "$(grep -qE '\b[0-9a-f]{16}\b' <<<"$2" && echo yes)"
}

one=$(run ./random one)
different 'one process' "$one"
is 'the same again' "$one" "$(run ./random one)"
is 'seed 0 is the default' "$one" "$(run --seed 0 ./random one)"
family=$(run ./random)
different 'a family' "$family"
is 'a family again' "$family" "$(run ./random)"
different 'seeds' "$one $(run --seed 1 ./random one) $(VPMU_SEED=2 run ./random one)"
is 'the option before the variable' "$one" "$(VPMU_SEED=2 run --seed 0 ./random one)"
different 'ranks' "$one $(OMPI_COMM_WORLD_RANK=1 run ./random one) $(PMI_RANK=2 run ./random one)"
different 'the host' "$one $(run --random host ./random one) $(VPMU_RANDOM=host run ./random one)"
different 'executed by a shell' "$(run sh -c './random one; ./random one')"
is 'errors' '22 22 14 0' "$(run ./random errors)"
devices=$(run ./random devices)
different 'devices' "$devices"
is 'devices: bytes' '16 1 16 1' "$(cut -d' ' -f1 <<<"$devices" | grep -v ................ | paste -sd ' ')"
is 'devices again' "$devices" "$(run ./random devices)"

addresses=$(run ./random addresses)
is 'addresses again' "$addresses" "$(HOME=/another/home run ./random addresses)"
suggested=$(run ./random suggested)
is 'an address that is free, and two that are not' 'there elsewhere' "$(cut -d' ' -f2,3 <<<"$suggested")"
is 'in place of an address that is not' "$suggested" "$(run ./random suggested)"
moved=$(run --seed 7 ./random addresses)
is 'a seed moves each address' 4 "$(paste -d' ' <(tr ' ' '\n' <<<"$addresses") <(tr ' ' '\n' <<<"$moved") | awk '$1 != $2' | wc -l)"
read -r -a before <<<"$addresses"
read -r -a after <<<"$moved"
is 'the program moves by pages' 0 $(((after[1] - before[1]) % 4096))
is 'the heap moves by pages' 0 $(((after[2] - before[2]) % 4096))
is 'the stack moves by 16 bytes' 0 $(((after[0] - before[0]) % 16))

for machine in skl-4c8t nhmex-2p16c32t; do
	is "memory of $machine" "$(run -m $machine sh -c 'cat /sys/devices/system/node/node*/meminfo' |
		awk '/MemTotal/ { total += $4 } /MemFree/ { free += $4 } END { printf "%.0f %.0f", total, free }')" \
		"$(run -m $machine ./random memory)"
	is "free memory of $machine" "$(run -m $machine awk '/^Mem(Total|Available)/ { printf "%.0f ", $2 }' \
		/proc/meminfo)" "$(run -m $machine ./random memory) "
done

is 'a bad seed' 125 "$(run --seed x true >/dev/null; echo $?)"
is 'a bad word' 125 "$(run --random no true >/dev/null; echo $?)"
is 'the program does not see the variables' '' "$(VPMU_SEED=1 VPMU_TIME=host run env | grep -E '^VPMU_(SEED|TIME)')"
finish
