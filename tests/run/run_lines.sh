#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-run --interval without -o prints a line for each interval; without a program it counts the machine
# until a signal or for --for SECONDS. Lines add up to the report's counts, and these follow from
# arithmetic.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run
cd "$scratch" || exit 1
: >out

# -- lines: each of 2^18 lines of 64 bytes is read ten times
compile sweep sweeps.c -O1 -static -DBYTES='(1 << 24)' -DSWEEPS=10 || { echo 'no static program can be linked here'; exit 77; }
reads=skl_unc_imc.DRAM_DATA_READS
swept=$((10 * (1 << 24) / 64))
ipmu-run --on skl-4c8t -g MEM -e $reads --interval 5 ./sweep 3 2>err
is "lines: the program's status" 3 $?
count=$(awk -v name=$reads '$1 == name && $3 == "" { n = $2 } END { print n }' err)
[ "$count" -gt $((swept * 99 / 100)) ] && [ "$count" -lt $((swept * 101 / 100)) ]
verdict "lines: $count lines of memory were read, $swept by arithmetic" $?
headings() { grep -c '^ *seconds  memory bandwidth GB/s  .*  skl_unc_imc.DRAM_DATA_READS$' err; }
rows() { grep -E '^ *[0-9]+\.[0-9]{6}  ' err; }
[ "$(rows | wc -l)" -ge 5 ]
verdict 'lines: some intervals' $?
is 'lines: a heading for 24 of them' $((($(rows | wc -l) + 23) / 24)) "$(headings)"
is 'lines: they add up to the count' "$count" "$(rows | awk '{ sum += $NF } END { printf "%.0f", sum }')"
rows | awk '$1 <= last { bad = 1 } { last = $1 } END { exit bad }'
verdict 'lines: time goes on' $?
end=$(awk '/time of the machine.s clock/ { print $(NF - 1) }' err)
is 'lines: the last ends with the program' "$end" "$(rows | awk 'END { print $1 }')"
ipmu-run --on skl-4c8t -e $reads --interval 5 -o files true 2>err
is 'with -o they are in the files alone' 0 "$(rows | wc -l)"

# -- the machine without a program, on which another one runs meanwhile
cat >beside <<-END
	"$vpmu" run --strict -s "\$VPMU_SEGMENT" "$scratch/sweep" >/dev/null
	touch "$scratch/swept"
END
watch() {	# watch ARGUMENT...: ipmu-run beside a sweep, which it ends after; to out and err
	rm -f swept
	"$vpmu" run --strict --no-feed -m skl-4c8t -s "$scratch/machine" -- sh -c "
		VPMU_SEGMENT='$scratch/machine'; export VPMU_SEGMENT
		ipmu-run $* & watcher=\$!
		sleep 1
		sh '$scratch/beside'
		kill -TERM \$watcher
		wait \$watcher" >out 2>err
	status=$?
	"$vpmu" regs -s "$scratch/machine" >regs 2>&1
	rm -f "$scratch/machine"
}
watch -e $reads
is 'no program: the status' 0 $status
says 'no program: said' '^ipmu-run: no program given: counting the whole machine until Ctrl-C$'
says 'no program: the report' '^ipmu-run: the whole machine$'
count=$(awk -v name=$reads '$1 == name { print $2 }' err)
[ "${count:-0}" -gt $((swept * 99 / 100)) ] && [ "$count" -lt $((swept * 101 / 100)) ]
verdict "no program: $count lines of memory were read, $swept by arithmetic" $?
on skl-4c8t -e $reads --for 0.3
is 'for 0.3 seconds: the status' 0 $?
says 'for 0.3 seconds: the report' '^ipmu-run: the whole machine$'
is 'for 0.3 seconds: nothing else said' 0 "$(grep -c 'Ctrl-C' err)"
on skl-4c8t -e $reads --for 0.1 -r 2
says 'two runs' '^ipmu-run: the whole machine: 2 runs$'

# -- what is refused
refused() {	# refused REGEX ARGUMENT...
	local regex=$1
	shift
	ipmu-run "$@" >out 2>err
	is "$*" 125 $?
	says "$*" "$regex"
}
refused 'no program given: nothing else executes on skl-4c8t' --on skl-4c8t -g MEM
refused 'no program given: -r and --passes need .*--for SECONDS' -g MEM -r 2
refused "'timeout 5 true' ends a program" -g MEM --for 5 true
for seconds in 0 -1 x 1e9 nan 5s; do
	refused "^ipmu-run: --for $seconds: give a number of seconds from 0.001" -g MEM --for $seconds
done
finish
