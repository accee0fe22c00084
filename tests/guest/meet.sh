# SPDX-License-Identifier: MIT
# On a booted machine: perf starts while our component counts, on the same counters or on others, and
# ends before or after it; and the other way round. Each gets a right count, or is refused with a
# sentence that names the other. PMU is core or cbo.
. "$SRCDIR/tests/guest/counting.sh"
taskset -cp 0 $$ >/dev/null
sysctl -q kernel.perf_event_paranoid=-1
names="the kernel's perf events"

# What is counted, in pieces of `piece`: branches of a loop on CPU 1, or lines of new memory, which the
# kernel clears and the program writes.
case $PMU in
core)
	event=intel_core:::core.BR_INST_RETIRED:ANY:u:cpu=1
	piece=3000000 percent=3
	same_counters=branches:u,branches:k	# there are two
	other_counters=instructions:u		# a fixed one
	others_per_piece=$((2 * piece))
	work() { taskset -c 1 "$HERE/spin" $piece; }
	where='-C 1' ;;
cbo)
	event=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I
	piece=1000000 percent=30
	# READ_I and ANY_I; perf itself, as it starts, is counted as well
	same_counters=uncore_cbox_0/event=0x34,umask=0x18/,uncore_cbox_1/event=0x34,umask=0x18/
	other_counters=uncore_imc/data_reads/
	others_per_piece=$piece
	work() { ask work $piece; }
	where=-a ;;
esac

perf_starts() {	# perf_starts EVENTS
	# Without the pipe, of which the program that counts would see no end.
	(eval "exec ${to:+$to>&-} ${from:+$from<&-}"
	exec taskset -c 0 perf stat -x ';' -o perf.out $where -e "$1" sleep 1000) &
	perf=$!
	until pgrep -x -P $perf sleep >/dev/null; do sleep 0.3; done
}
perf_ends() {	# perf_ends WANT: its events have counted that, at user level or all boxes
	local got
	pkill -INT -x -P $perf sleep
	wait $perf
	# A MiB is 16384 lines of 64 bytes.
	got=$(awk -F ';' 'NF > 3 && $3 !~ /:k/ { n += $1 * ($2 == "MiB" ? 16384 : 1) }
		END { printf "%.0f", n }' perf.out)
	[ -z "$1" ] || near "$what: perf" "$1" "$got" "$percent"
}
ours() {	# ours PIECES: of a stop
	ask try stop
	case $heard in
	*"$names"*) echo "$what: ours is refused" ;;
	*) near "$what: ours" $(($1 * piece)) "$values" "$percent" ;;
	esac
}
refused_ours() {
	ask try stop
	says "$what: ours" "$names"
}
again() {	# it is told once, and counts again
	case $heard in *"$names"*) ask stop ;; esac
	ask start
	work
	ask read
	near "$what: again" "$piece" "$values" "$percent"
	ask stop
	end
	restored "$what"
}

what='other counters'
start "$HERE/counts" $event
ask reset
work
perf_starts $other_counters
work
perf_ends $others_per_piece
work
ours 3
again

what='the same counters, perf ends first'
start "$HERE/counts" $event
ask reset
perf_starts $same_counters
work
perf_ends $piece
refused_ours
again

what='the same counters, perf ends last'
start "$HERE/counts" $event
ask reset
perf_starts $same_counters
work
refused_ours
if [ "$PMU" = cbo ]; then ask work $piece; end; else end; work; fi
perf_ends $((2 * piece))
restored "$what"

what='perf is first'
perf_starts $same_counters
refused "$what" "somebody else counts there: the kernel's perf events" "$HERE/counts" $event
[ "$PMU" = cbo ] || work
perf_ends "$([ "$PMU" = cbo ] || echo $piece)"	# there it is the start of the refused program
restored "$what"
counts 'afterwards' "$HERE/counts" $event

# Each fixed counter has a field of its own in one register, which the kernel writes as a whole.
if [ "$PMU" = core ]; then
	what='perf is first, on the next fixed counter'
	perf_starts $other_counters
	refused "$what" "FIXED_CTR_CTRL (0x38D) is 0xa: somebody else counts there: the kernel's perf" \
		"$HERE/counts" intel_core:::core_fixed.CPU_CLK_UNHALTED:CORE:u:cpu=1
	work
	perf_ends $others_per_piece
	restored "$what"
fi
finish
