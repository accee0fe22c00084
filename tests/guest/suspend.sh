# SPDX-License-Identifier: MIT
# On a booted machine that can be suspended to RAM (S3), where registers lose what they hold: a count
# across it is refused by a sentence that says so, also if nobody had read it before, when the counter
# has not gone back; and what is counted afterwards is right.
. "$SRCDIR/tests/guest/counting.sh"
event=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I
lines=100000
alarm=/sys/class/rtc/rtc0/wakealarm
chosen() {	# MSR_UNC_CBO_0_PERFEVTSEL0
	dd if=/dev/cpu/0/msr bs=8 count=1 iflag=skip_bytes skip=$((0x700)) status=none |
		od -An -tx8 | tr -d ' '
}
# The clock wakes it. If the host is so slow that the alarm expires before the machine sleeps, the kernel
# refuses to sleep: the number of such events is passed to it. One at the last moment is lost.
sleeps() {	# sleeps TIMES
	local delay events
	for delay in 5 15 45; do
		echo 0 >$alarm
		echo +$delay >$alarm
		read -r events </sys/power/wakeup_count
		echo "$events" >/sys/power/wakeup_count
		echo mem 2>/dev/null >/sys/power/state && break
	done
	same 'how often it slept' "$1" "$(cat /sys/power/suspend_stats/success)"
	same 'the select of a box after it woke' 0000000000000000 "$(chosen)"
}

start "$HERE/counts" $event
ask work $lines
[ "$(chosen)" != 0000000000000000 ] || fail 'nothing is programmed: what is tested?'
sleeps 1
ask try read
says 'not read before' 'the machine was suspended meanwhile'
ask try stop
ask start
ask work $lines
ask read
near 'after it woke' $lines "$values" 30
# -- two processes that share the counter: as long as one of them has not stopped, it is nobody else's
first=($to $from $pid)
start "$HERE/counts" $event
sleeps 2
ask try stop
says 'stopped after it woke' 'the machine was suspended meanwhile'
end
refused 'while another has not stopped' 'the machine was suspended meanwhile, or' "$HERE/counts" $event
to=${first[0]} from=${first[1]} pid=${first[2]}
ask try stop
says 'the other one' 'the machine was suspended meanwhile'
end
counts 'afterwards' "$HERE/counts" $event
restored 'all'
finish
