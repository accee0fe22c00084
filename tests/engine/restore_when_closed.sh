#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-restore --when-closed: waits for the end of whoever holds the other end of a pipe, and puts
# back then what dead processes have left; no other process has to do it.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../processes/environment.sh"
command -v pgrep >/dev/null || { echo 'no pgrep here (package procps)'; exit 77; }
event=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I

"$vpmu" run --no-feed -m skl-4c8t -s "$segment" --set MSR_UNC_CBO_0_PERFEVTSEL0=0x508834 -- true ||
	exit 1

as_before() { cmp -s "$scratch/before" <(registers); }
soon() {	# soon COMMAND...: it succeeds within 100 s
	for ((i = 0; i < 30000; i++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}
registers >"$scratch/before"

# -- programs that count until they are killed: start NAME [DESCRIPTOR that it holds]
declare -A job to pid
start() {
	local name=$1 fd keep=${2:-}
	rm -f "$scratch/$name.in"
	: >"$scratch/$name.out"	# or what the last one said would do
	mkfifo "$scratch/$name.in"
	local command=("$vpmu" run --no-feed --strict -s "$segment" -- "$scratch/counts" $event)
	if [ -n "$keep" ]; then
		"${command[@]}" <"$scratch/$name.in" >"$scratch/$name.out" 2>&1 &
	else
		"${command[@]}" <"$scratch/$name.in" >"$scratch/$name.out" 2>&1 {hold}>&- &
	fi
	job[$name]=$!
	exec {fd}>"$scratch/$name.in"
	to[$name]=$fd
	soon grep -qs ready "$scratch/$name.out" || fail "$name does not start"
	pid[$name]=$(pgrep -P "${job[$name]}")
	[ -n "${pid[$name]}" ] || fail "$name has no process"
}
end() {		# end NAME: by SIGKILL
	local fd=${to[$1]}
	kill -9 "${pid[$1]}"
	exec {fd}>&-
	wait "${job[$1]}" 2>/dev/null
}
guard() {	# guard: a guardian of the pipe whose other end is {hold}
	rm -f "$scratch/pipe"
	mkfifo "$scratch/pipe"
	# Both ends, so that neither opening waits; the guardian gets one of them.
	exec {both}<>"$scratch/pipe" {hold}>"$scratch/pipe" {wait}<"$scratch/pipe"
	exec {both}>&-
	timeout $HANG_SECONDS "$vpmu" run --no-feed -s "$segment" -- ipmu-restore --when-closed $wait \
		{hold}>&- >"$scratch/out" 2>&1 || fail 'ipmu-restore --when-closed'
	exec {wait}<&-
	[ ! -s "$scratch/out" ] || fail 'it says something'
}
guardians() { pgrep -f "^ipmu-restore --when-closed $wait\$" | while read -r p; do
	tr '\0' '\n' <"/proc/$p/environ" 2>/dev/null | grep -qx "VPMU_SEGMENT=$segment" && echo "$p"
done; }
gone() { [ -z "$(guardians)" ]; }

# -- it waits until the pipe is closed, not until somebody dies
guard
[ "$(guardians | wc -l)" = 1 ] || fail 'it does not wait in the background'
start a
end a
as_before && fail 'SIGKILL leaves nothing behind: what is tested?'
sleep 1
as_before && fail 'it does not wait for the end of the pipe'
exec {hold}>&-
soon as_before || fail 'nothing is put back'
soon gone || fail 'it stays'

# -- the pipe is held by the process that is killed, and by nobody else
guard
start a hold
exec {hold}>&-
sleep 0.5
gone && fail 'it goes while the process lives'
end a
soon as_before || fail 'nothing is put back after the death'

# -- a process that still counts is not disturbed; one that dies a little later is restored
soon gone || fail 'it stays'
guard
start b
exec {hold}>&-
sleep 0.5
as_before && fail 'the registers of a process that counts were put back'
end b
soon as_before || fail 'it did not look again'

# -- the pipe may be its standard input, too
soon gone || fail 'it stays'
mkfifo "$scratch/stdin"
exec {both}<>"$scratch/stdin" {hold}>"$scratch/stdin"
start a
timeout $HANG_SECONDS "$vpmu" run --no-feed -s "$segment" -- ipmu-restore --when-closed 0 <"$scratch/stdin" \
	{hold}>&- {both}>&- >"$scratch/out" 2>&1 || fail 'ipmu-restore --when-closed 0'
exec {both}>&-
wait=0
end a
sleep 1
as_before && fail 'it does not wait for the end of its standard input'
gone && fail 'it does not wait in the background'
exec {hold}>&-
soon as_before || fail 'nothing is put back after the end of the standard input'

# -- nothing was left: it ends at once
soon gone || fail 'it stays'
guard
exec {hold}>&-
soon gone || fail 'it stays with nothing to do'

# -- wrong usage
for wrong in '--when-closed' '--when-closed x' '--when-closed 77' '--when-closed -1' \
	'--dry-run --when-closed 0' '--when-closed 0 more'; do
	machine ipmu-restore $wrong </dev/null >"$scratch/out" 2>&1
	[ $? = 2 ] || fail "ipmu-restore $wrong: not refused"
done
"$vpmu" run --no-feed -s "$segment" -- true	# its word on how the machine was left
exit "$failed"
