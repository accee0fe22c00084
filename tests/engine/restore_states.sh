#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-restore where there is nothing to go by, where a file cannot be read, and where somebody else
# has written since: its messages, its exit status, and the registers afterwards.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../processes/environment.sh"
command -v pgrep >/dev/null || { echo 'no pgrep here (package procps)'; exit 77; }
event=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
file=$segment.state/package-0.skl_unc

says() {	# says STATUS TEXT COMMAND...: on the machine
	local want=$1 text=$2
	shift 2
	machine "$@" </dev/null >"$scratch/out" 2>&1
	[ $? = "$want" ] || fail "$*: its status is not $want"
	grep -qF -- "$text" "$scratch/out" || fail "$*: it does not say '$text'"
}
leave_behind() {	# a process counts and is killed
	local hold job
	rm -f "$scratch/in"
	: >"$scratch/counts.out"	# or what the last one said would do
	mkfifo "$scratch/in"
	exec {hold}<>"$scratch/in"
	machine "$scratch/counts" "$event" <"$scratch/in" >"$scratch/counts.out" 2>&1 {hold}>&- &
	job=$!
	for ((i = 0; i < 30000; i++)); do
		grep -qs ready "$scratch/counts.out" && break
		sleep 0.05
	done
	pkill -9 -P "$job" || fail 'the program does not count'
	wait "$job" 2>/dev/null		# else the end of its input could still end it in an orderly way
	exec {hold}>&-
}

poke() {	# poke ADDRESS BYTES: another tool writes a register
	printf '%b' "$2" | machine dd of=/dev/cpu/0/msr bs=8 oflag=seek_bytes seek=$(($1)) conv=notrunc \
		status=none || fail "register $1 cannot be written"
}

new_machine skl-4c8t
registers >"$scratch/before"

# -- nobody has made the directory
says 0 "$scratch/none is not there: nothing has counted since the boot" \
	env IPMU_STATE_DIR="$scratch/none" ipmu-restore
[ ! -e "$scratch/none" ] || fail 'ipmu-restore makes a state directory'

# -- a disk that does not give the file back: named, and nothing is written by it
${CC:-gcc} -D_GNU_SOURCE -shared -fPIC -o "$scratch/eio.so" "$SRCDIR/tests/processes/eio.c" -ldl || exit 1
leave_behind
registers >"$scratch/left"
cmp -s "$scratch/before" "$scratch/left" && fail 'SIGKILL leaves nothing behind: what is tested?'
says 1 "ipmu-restore: $file cannot be read: Input/output error" \
	bash -c 'LD_PRELOAD=$0:${LD_PRELOAD-} exec ipmu-restore' "$scratch/eio.so"
diff "$scratch/left" <(registers) >"$scratch/out" || fail 'registers are changed by a file that was not read'
says 0 'restored MSR_UNC_PERF_GLOBAL_CTRL' ipmu-restore
diff "$scratch/before" <(registers) >"$scratch/out" || fail 'not put back'

# -- somebody else has chosen another event since: that register stays, is named, and it is no success
leave_behind
poke 0x700 '\x34\x11\x10\0\0\0\0\0'
says 1 'MSR_UNC_CBO_0_PERFEVTSEL0' ipmu-restore
[ "$(registers | sed -n 's/^MSR_UNC_CBO_0_PERFEVTSEL0\t//p')" = 0x101134 ] ||
	fail "somebody else's event is overwritten"
diff <(grep -v CBO_0_PERFEVTSEL0 "$scratch/before") <(registers | grep -v CBO_0_PERFEVTSEL0) >"$scratch/out" ||
	fail 'the others are not put back'
poke 0x700 '\0\0\0\0\0\0\0\0'
exit "$failed"
