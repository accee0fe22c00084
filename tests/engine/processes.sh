#!/bin/bash
# SPDX-License-Identifier: MIT
# Whole programs that count on one machine: sharing, conflict, death, ipmu-restore, and a state
# directory that is not as it should be.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../processes/environment.sh"
command -v pgrep >/dev/null || { echo 'no pgrep here (package procps)'; exit 77; }
state=$segment.state
read_i=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
any_m=intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_M
pids=()
trap 'for p in "${pids[@]}"; do kill -9 "$p" 2>/dev/null; done; wait; rm -rf "$scratch"' EXIT

clean() { diff "$scratch/before" <(registers) >"$scratch/out" || fail "registers changed: $1"; }

"$vpmu" run --no-feed -m skl-4c8t -s "$segment" --set MSR_UNC_PERF_GLOBAL_CTRL=0x8000000F \
	--set MSR_UNC_CBO_0_PERFEVTSEL0=0x508834 -- true || exit 1
registers >"$scratch/before"

# -- programs in the background that count: start NAME EVENT... (feed= for an emulated one)
declare -A job to pid
feed=--no-feed
start() {
	local name=$1 fd
	shift
	rm -f "$scratch/$name.in"
	: >"$scratch/$name.out"	# or what the last one said would do
	mkfifo "$scratch/$name.in"
	"$vpmu" run $feed -s "$segment" -- "$scratch/counts" "$@" <"$scratch/$name.in" \
		>"$scratch/$name.out" 2>&1 &
	job[$name]=$!
	pids+=($!)
	exec {fd}>"$scratch/$name.in"
	to[$name]=$fd
	answer "$name" ready >"$scratch/out" || fail "$name does not start"
	pid[$name]=$(pgrep -P "${job[$name]}")
}
answer() {	# answer NAME WORD: waits for the answer to the order WORD, prints its counts
	local line got i pause
	exec {pause}<> <(:)	# read waits for it, and starts no process
	for ((i = 0; i < 30000; i++)); do
		got=
		while read -r line; do
			[[ $line != "$2 "?* ]] || got=${line#"$2 "}
		done <"$scratch/$1.out"
		[ -z "$got" ] || break
		read -r -t 0.05 -u $pause
	done
	exec {pause}>&-
	[ -n "$got" ] && echo "$got"
}
order() {	# order NAME WORD NUMBER
	echo "$2 ${3:-}" >&"${to[$1]}"
}
finish() {	# finish NAME: the status of its end
	local fd=${to[$1]}
	exec {fd}>&-
	wait "${job[$1]}"
}

# -- two emulated programs count the same lines; what one of them does is counted by both
feed=
start a "$read_i"
start b "$read_i"
order a reset
answer a reset >/dev/null
order b work 20000
answer b work >/dev/null
for name in b a; do
	order $name read
	count=$(answer $name read)
	# a store misses once a line, and the programs around it miss a little
	[ "${count:-0}" -ge 20000 ] && [ "$count" -lt 25000 ] || fail "$name counts $count lines of 20000"
done
order a exit
finish a || fail 'a ends'
order b exit
finish b || fail 'b ends'
feed=--no-feed
clean 'two programs that exit without a word'

# -- other events are refused, with the holder's pid; the same are not
start a "$read_i"
machine "$scratch/counts" "$any_m" </dev/null >"$scratch/out" 2>&1
[ $? = 3 ] && grep -q '^start: PAPI_ECNFLCT$' "$scratch/out" || fail 'not refused with PAPI_ECNFLCT'
grep -q "skl_unc_cbo box 0 is used by process ${pid[a]} (counts), for skl_unc_cbo.*READ_I" "$scratch/out" ||
	fail "the refusal does not name process ${pid[a]}"
machine "$scratch/counts" "$read_i" </dev/null >"$scratch/out" 2>&1 || fail 'the same event is refused'
machine ipmu-restore >"$scratch/out" 2>&1
[ $? = 1 ] && grep -q "in use by ${pid[a]} (counts)" "$scratch/out" || fail 'ipmu-restore on a unit in use'
order a exit
finish a || fail 'the first program fails in the end'
clean 'programs that exit without a word'

# -- SIGTERM and SIGSEGV: the status is the signal's, and nothing is left
for number in 15 11; do
	start a "$read_i" "$any_m"
	order a die "$number"
	finish a
	[ $? = $((128 + number)) ] || fail "status after signal $number"
	clean "signal $number"
done

# -- SIGKILL: ipmu-restore prints what it would do, does it, and has nothing to do any more
start a "$read_i"
kill -9 "${pid[a]}"
finish a
registers >"$scratch/left"
cmp -s "$scratch/before" "$scratch/left" && fail 'SIGKILL leaves nothing behind: what is tested?'
machine ipmu-restore --dry-run >"$scratch/out" 2>&1
[ $? = 1 ] && grep -q 'to restore MSR_UNC_PERF_GLOBAL_CTRL (0xE01) 0x8000000f' "$scratch/out" ||
	fail 'ipmu-restore --dry-run'
diff "$scratch/left" <(registers) >"$scratch/out" || fail '--dry-run changes registers'
machine ipmu-restore >"$scratch/out" 2>&1 || fail 'ipmu-restore'
grep -q 'restored MSR_UNC_CBO_0_PERFEVTSEL0 (0x700) 0x508834' "$scratch/out" || fail 'list of ipmu-restore'
clean 'ipmu-restore'
machine ipmu-restore >"$scratch/out" 2>&1 && grep -q 'package-0.skl_unc: nothing to restore' "$scratch/out" ||
	fail 'a second ipmu-restore'
machine ipmu-restore now >"$scratch/out" 2>&1
[ $? = 2 ] || fail 'ipmu-restore with an argument'

# -- a journal that is not one: one message that names the file; no register is touched
file=$state/package-0.skl_unc
cp "$file" "$scratch/journal"
damaged() {	# damaged NAME TEXT
	machine papi_component_avail >"$scratch/out" 2>&1
	[ "$(grep -c "package-0.skl_unc: .*$2" "$scratch/out")" = 1 ] || fail "$1: no message"
	machine ipmu-restore >"$scratch/out" 2>&1
	[ $? = 1 ] && grep -q "package-0.skl_unc: .*$2" "$scratch/out" || fail "$1: ipmu-restore"
	clean "$1"
}
head -c 1000 "$scratch/journal" >"$file"
damaged 'cut off' 'its size is wrong'
head -c 30000 /dev/zero | tr '\0' x >"$file"
damaged 'garbage' 'not those of a journal'
rm "$file"
ln -s "$scratch/before" "$file"
machine papi_component_avail >"$scratch/out" 2>&1
grep -q 'is a link: remove it' "$scratch/out" || fail 'a link'
rm "$file"
mkfifo "$file"
machine papi_component_avail >"$scratch/out" 2>&1
grep -q 'is not a plain file' "$scratch/out" || fail 'a pipe'
rm "$file"
machine "$scratch/counts" "$read_i" </dev/null >"$scratch/out" 2>&1 || fail 'it counts again'
clean 'after damage'

# -- a directory that cannot be had: what to do is printed; 'none' does without
machine env IPMU_STATE_DIR=/proc/ipmu papi_component_avail >"$scratch/out" 2>&1
tr -d '\n' <"$scratch/out" | grep -q '/proc/ipmu: .*; set IPMU_STATE_DIR to a directory' || fail 'unwritable directory'
machine env IPMU_STATE_DIR=none "$scratch/counts" "$read_i" </dev/null >"$scratch/out" 2>&1 || fail 'none'
clean 'other directories'

# -- somebody else has switched a counter on
"$vpmu" run --no-feed -m skl-4c8t -s "$scratch/other" --set MSR_UNC_PERF_GLOBAL_CTRL=0x20000000 \
	--set MSR_UNC_ARB_PERFEVTSEL1=0x400181 -- "$scratch/counts" "$read_i" </dev/null >"$scratch/out" 2>&1
[ $? = 3 ] && grep -q 'MSR_UNC_ARB_PERFEVTSEL1 (0x3B3) is 0x400181: somebody else' "$scratch/out" ||
	fail 'a counter in use'
grep -q '^start: PAPI_ECNFLCT$' "$scratch/out" || fail 'PAPI_ECNFLCT for a counter in use'
"$vpmu" run --no-feed -s "$scratch/other" -- env IPMU_TAKE_BUSY=1 "$scratch/counts" "$read_i" \
	</dev/null >"$scratch/out" 2>&1 || fail 'IPMU_TAKE_BUSY'
"$vpmu" regs -s "$scratch/other" --tsv | cut -f 1,8 >"$scratch/out"
grep -q 'MSR_UNC_PERF_GLOBAL_CTRL	0x20000000' "$scratch/out" || fail 'what was taken is given back'

# -- a new machine has nothing of an earlier one of its name
mkdir "$scratch/new.state"
cp "$state/.ipmu-mark" "$scratch/new.state"
cp "$scratch/journal" "$scratch/new.state/package-0.skl_unc"
"$vpmu" run --no-feed -m skl-4c8t -s "$scratch/new" -- true
[ -d "$scratch/new.state" ] && [ ! -e "$scratch/new.state/package-0.skl_unc" ] ||
	fail 'a new machine has an old journal'

# -- the machine's directory goes with a machine that nobody named
"$vpmu" run --no-feed -m skl-4c8t -- bash -c 'echo "$IPMU_STATE_DIR"; ls -d "$IPMU_STATE_DIR"' >"$scratch/out"
[ "$(sort -u "$scratch/out" | wc -l)" = 1 ] || fail 'IPMU_STATE_DIR is not there during a run'
[ ! -e "$(head -n 1 "$scratch/out")" ] || fail 'the state directory stays'
[ "$failed" = 0 ] && echo 'all as it should be'
exit "$failed"
