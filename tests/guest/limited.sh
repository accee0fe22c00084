# SPDX-License-Identifier: MIT
# limited.sh SECONDS COMMAND...: on a booted machine. It makes .begun in the working folder first. If
# the command has not ended after that long, it prints what each process waits for, and what time it
# is by the clocks of the machine: one that has jumped keeps timers waiting.
limit=$1
shift
: >.begun
look() {
	echo "no end after $limit s; clock $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)," \
		"uptime and idle $(cat /proc/uptime), started $started, date $(date +%s.%N), RTC $(cat /sys/class/rtc/rtc0/since_epoch 2>/dev/null)"
	ps -eo pid,ppid,stat,wchan:24,etimes,args --ppid 2 -N
	grep -E 'now at|expires_next|\.nr_hangs|clock [0-9]' /proc/timer_list | head -n 60
	dmesg | tail -n 20
}
started=$(date +%s.%N)
(sleep "$limit"; look) >&2 &
"$@"
status=$?
kill $! 2>/dev/null
exit $status
