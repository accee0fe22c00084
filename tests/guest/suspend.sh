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
sleeps() {	# sleeps TIMES: and the clock wakes it
	echo 0 >$alarm
	echo +2 >$alarm
	echo mem >/sys/power/state || fail 'the machine cannot be suspended'
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
sleeps 2
ask try stop
says 'stopped after it woke' 'the machine was suspended meanwhile'
end
restored 'all'
finish
