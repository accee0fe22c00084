#!/bin/bash
# SPDX-License-Identifier: MIT
# What ipmu-run says about a name that is wrong, misspelt or another tool's: a table of what is typed
# and of the words that have to be in the answer. Nothing is counted.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run
cd "$scratch" || exit 1
export XDG_CONFIG_HOME=$scratch/config

# MACHINE | ARGUMENTS | REGEX
while IFS='|' read -r machine typed regex; do
	case $machine in '' | '#'*) continue ;; esac
	read -ra words <<<"$typed"
	on $machine "${words[@]}" true </dev/null
	[ $? != 0 ] || bad "$typed: succeeds"
	says "$typed" "${regex# }"
done <<'END'
# the nearest event, by edit distance: misspelt, perf's alias, LIKWID's name with its counter
skl-4c8t | -e DRAM_DATA_READ | no event DRAM_DATA_READ here.*; nearest: skl_unc_imc.DRAM_DATA_READS$
skl-4c8t | -e data_reads | nearest: skl_unc_imc.DRAM_DATA_READS$
skl-4c8t | -e DRAM_READS:MBOX0C1 | nearest: skl_unc_imc.DRAM_DATA_READS$
skl-4c8t | -e CACHE_LOOKUP_READ_MESI:CBOX0C1 | nearest: skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_MESI$
skl-4c8t | -e READ_X | nearest: skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
skl-4c8t | -e UNC_CBO_CACHE_LOKUP:box=0 | nearest: skl_unc_cbo.UNC_CBO_CACHE_LOOKUP$
skl-4c8t | -e skl_unc_cbo.UNC_CBO_CACHE_LOKUP | has no event .*; nearest: skl_unc_cbo.UNC_CBO_CACHE_LOOKUP$
skl-4c8t | -e skl_unc_cb.UNC_CBO_CACHE_LOOKUP:READ_I | nearest: skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I$
core2-2c | -e L1D_REPLL | nearest: core.L1D_REPL$
# nothing is near: where the names are listed, on that machine
skl-4c8t | -e foo | no event foo here: 'vpmu run -m skl-4c8t papi_native_avail' lists them$
skl-4c8t | -e skl_unc_cbo.NONE | no event NONE: 'vpmu run -m skl-4c8t papi_native_avail' lists its events$
# a unit mask and a qualifier, bare or with the PMU
skl-4c8t | -e UNC_CBO_CACHE_LOOKUP:READ_X | no such qualifier as READ_X; unit masks: .*READ_I
skl-4c8t | -e UNC_ARB_TRK_OCCUPANCY:ALL:cmask=1 | write c=1;
skl-4c8t | -e DRAM_DATA_READS:edge | no such qualifier as edge; qualifiers: package=0, box=0
skl-4c8t | -e skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I: | 'skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:': a qualifier is empty
# a PMU of other machines
skl-4c8t | -e netburst.instr_retired | no PMU netburst, ipmu-run --on p4-1c2t has it$
skl-4c8t | -e knc::DATA_READ | no PMU knc, ipmu-run --on knc-4c16t has it$
core2-2c | -e skl_unc_imc.DRAM_DATA_READS | ipmu-run --on skl-4c8t
lnl-4p4e8t | -e lnl_unc_clk.UNC_CLOCK:SOCKET | this machine has no PMU lnl_unc_clk$
hsw-4c8t | -e intel_core:::core_fixed.INST_RETIRED:ANY | family 6 model 0x3C; PerfMon 2 was not found
hsw-4c8t | -e intel_core:::core_fixed.INST_RETIRED:ANY | ^on the virtual machine: ipmu-run --on core2-2c
# groups: misspelt; of other machines
skl-4c8t | -g mem | no group mem here; nearest: MEM; there are: .*ARB, 
skl-4c8t | -g MEMM | no group MEMM here; nearest: MEM;
skl-4c8t | -g BRNCH | no group BRNCH here; nearest: BRANCH;
snb-4c8t | -g CPI | no group CPI here, other machines have it: ipmu-run --on core2-2c, knc-4c16t
skl-4c8t | -g foo | no group foo here; there are: .*ARB, 
END

# Options of other tools and of our other commands; options in the wrong place. Nothing is run.
answers() {	# answers: COMMAND | REGEX in each line of stdin
	local typed regex words
	while IFS='|' read -r typed regex; do
		read -ra words <<<"$typed"
		"${words[@]}" >out 2>err </dev/null && bad "$typed: succeeds"
		says "$typed" "${regex# }"
	done
}
answers <<'END'
ipmu-run -g MEM -I 100 true | -I: --interval MS counts each MS milliseconds
ipmu-run -g MEM --json true | --json: -o PREFIX writes PREFIX.json
ipmu-run -g MEM -x, true | -x: -o PREFIX writes PREFIX.json, PREFIX.csv
ipmu-run -m skl -g MEM true | -m: --on MACHINE
ipmu-run --machine=skl -g MEM true | --machine: --on MACHINE
ipmu-run -g MEM -a true | -a: 'taskset
ipmu-run -g MEM -C 0-3 true | -C: 'taskset -c LIST ipmu-run
ipmu-run -p 1234 -g MEM | -p: only what it starts
ipmu-run --frobnicate -g MEM true | try 'ipmu-run --help'
ipmu-run -g | try 'ipmu-run --help'
ipmu-run true --on skl-4c8t -g MEM | --on comes after true, .* before the program
ipmu-run --on skl-4c8t true -e UNC_CLOCK | -e comes after true,
ipmu-run true -x | nothing to count: give -g GROUP
ipmu-run --seed 1 -g MEM true | --seed 1: .* give --on MACHINE
ipmu-run --only app -g MEM true | --only app: .* give --on MACHINE
ipmu-run --diff a b --only app | omit -g, -e, --on, --seed, --only,
ipmu-run --on skl-4c8t --seed x -g MEM true | --seed x: a number from 0
ipmu-run --on -g MEM true | --on took '-g' for its value: write the value after --on
ipmu-run -g -e X true | -g took '-e' for its value
ipmu-run -g MEM -o -r 3 true | -o took '-r' for its value
END
# The same command, by the name that has --from-mpi-init.
answers <<-'END'
ipmu-mpi-run -I 100 -e X true | -I: --interval MS
ipmu-mpi-run -e -o f true | -e took '-o' for its value
ipmu-mpi-run -n 4 -g MEM true | mpirun -n RANKS ipmu-run
END

# A sentinel is no CPU: the family of a host of another vendor.
on hsw-4c8t -e intel_core:::core_fixed.INST_RETIRED:ANY true
! grep -q -e 'family -1' -e 0xFFFFFFFF err; verdict 'no sentinel number' $?

# An event without its PMU is found in whichever component has it.
for event in DRAM_DATA_READS UNC_CLOCK:SOCKET; do
	on skl-4c8t -e $event true; is "$event" 0 $?
done
on core2-2c -e L1D_REPL true; is L1D_REPL 0 $?

# The machines that are named do have it.
for case in core_fixed/CPI=core2-2c knc/CPI=knc-4c16t netburst/CPI=p4-1c2t; do
	on ${case#*=} -g ${case%=*} true; is "$case" 0 $?
done

# A PMU of this machine that was left out: -g, -e and --groups have the same cause.
bar_off() {
	"$vpmu" run --no-feed -m skl-4c8t --set IMC_BAR=0 -- ipmu-run "$@" >out 2>err
}
for asked in '-g MEM' '-e DRAM_DATA_READS' '-e skl_unc_imc.DRAM_DATA_READS'; do
	bar_off $asked true
	says "the window is off: $asked" 'offset 0x48 is switched off'
done
bar_off -g MEM true; says 'a group that cannot be counted' '^ipmu-run: group MEM cannot be counted here: /sys/bus'
bar_off --groups; is '--groups, one left out' 0 $?
grep -A3 '^Groups of this machine that cannot be counted now:$' out | grep -q '^  MEM: .*is switched off'
verdict '--groups says which, and why' $?
bar_off -g LLC true; is 'the others count' 0 $?
finish
