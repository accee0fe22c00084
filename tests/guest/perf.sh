# SPDX-License-Identifier: MIT
# Sourced by what runs on a booted machine: perf counts the work of ./ways, nothing else.
mkfifo /tmp/perf.ask /tmp/perf.answer
control=--control=fifo:/tmp/perf.ask,/tmp/perf.answer

by_perf() {	# by_perf OPTION... -e EVENT ./ways CPUS WORK...: lines "perf:EVENT[:CPUn] count"
	PERF_CONTROL=/tmp/perf perf stat -x ';' -o /tmp/perf.out --delay=-1 $control "$@"
	# A MiB is 16384 lines of 64 bytes.
	awk -F ';' 'NF > 3 && !/^#/ { at = $1 ~ /^CPU/; n = $(1 + at)
		print "perf:" $(3 + at) (at ? ":" $1 : ""), $(2 + at) == "MiB" ? int(n * 16384) : n
	}' /tmp/perf.out
}
