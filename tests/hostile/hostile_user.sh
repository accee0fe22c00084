#!/bin/bash
# SPDX-License-Identifier: MIT
# A hostile user and what programs believe: the file that names the process that reports node sums,
# the environment of a set-user-id program, process numbers of another pid namespace, names without
# an end.
set -u
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	echo 'only root can become another user, with setpriv'
	exit 77
fi
. "$(dirname "${BASH_SOURCE[0]}")/../processes/environment.sh"
event=intel_uncore:::skl_unc_clk.UNC_CLOCK
uid=54321 gid=54322
user=(setpriv "${given[@]}" --reuid=$uid --regid=$gid --clear-groups --)
chmod 755 "$scratch"
job=ipmu-test-$$ squat='' holder=''
trap '[ -z "$holder" ] || kill "$holder" 2>/dev/null; rm -rf "$squat" "$scratch"' EXIT

new_machine skl-4c8t
if [ -n "${BOOTED_MACHINE-}" ]; then
	give_devices $gid
	forward() {	# the clock's counter, as a machine that is not fed has none
		until grep -q ready "$scratch/out"; do sleep 0.05; done
		printf '\100\342\1\0\0\0\0\0' | dd of=/dev/cpu/0/msr bs=8 oflag=seek_bytes \
			seek=$((0x395)) conv=notrunc status=none
	}
	counted() { machine "$@"; }
	theirs() { "${user[@]}" env IPMU_STATE_DIR=none "$@"; }
else
	forward() { :; }
	counted() { "$vpmu" run --strict -s "$segment" -- "$@"; }
	theirs() { "${user[@]}" "$vpmu" run --no-feed -m skl-4c8t -- "$@"; }
fi

# -- another user's file where the first process of a job is looked up, locked by him
${CC:-gcc} -std=c11 -D_GNU_SOURCE -o "$scratch/squat" "$SRCDIR/tests/hostile/squat.c" || exit 1
squat=/dev/shm/ipmu-first-0-$job
"${user[@]}" "$scratch/squat" "$squat" >"$scratch/squat.out" &
holder=$!
for ((i = 0; i < 30000; i++)); do
	grep -q locked "$scratch/squat.out" && break
	sleep 0.05
done
[ "$(stat -c %u "$squat")" = $uid ] || fail 'the file is not there: what is tested?'
sums() {	# sums WHO COMMAND...: as a process of that job
	(unset OMPI_COMM_WORLD_LOCAL_RANK MPI_LOCALRANKID SLURM_LOCALID
	PMIX_NAMESPACE=$job IPMU_NODE_SUM=first "$@") >"$scratch/out" 2>&1
}
# Root removes it, and counts; another process of the job then finds root's.
: >"$scratch/out"
{ forward; echo 'read'; } | sums counted "$scratch/counts" $event || fail 'root does not count'
grep -q '^read [1-9]' "$scratch/out" || fail "root's count is 0 on another user's word"
[ ! -e "$squat" ] || fail 'the lock stays'
kill "$holder"; wait "$holder" 2>/dev/null; holder=''
# A user cannot remove root's, which he cannot open either; nor another user's.
squat=/dev/shm/ipmu-first-$uid-$job
for owner in 0 54323; do
	install -m 666 -o $owner /dev/null "$squat"
	if "${user[@]}" test -x "$vpmu" -a -r "$STAGE_LIB/libpapi.so" -a -x "$scratch/counts"; then
		(cd / && echo 'read' | sums theirs "$scratch/counts" $event) &&
			fail "user $owner's file is believed"
		grep -q "$squat: belongs to user $owner" "$scratch/out" || fail "no word about user $owner's file"
	fi
	rm -f "$squat"
done

# -- a set-user-id program, run with an environment that its user has made
mkdir "$scratch/plugins"
${CC:-gcc} -shared -fPIC -o "$scratch/plugins/hwloc_mine.so" "$SRCDIR/tests/hostile/plugin.c" || exit 1
# HWLOC_LIBS is a list of words.
# shellcheck disable=SC2086
${CC:-cc} -D_GNU_SOURCE -I"$STAGE/include/ipmu" "$SRCDIR/tests/hostile/which.c" -o "$scratch/which" \
	"$STAGE_LIB/libintelpmu.a" "$STAGE_LIB/libpfm.a" ${HWLOC_LIBS:--lhwloc} -lm >"$scratch/out" 2>&1 ||
	fail 'which.c does not compile'
cp "$scratch/which" "$scratch/privileged"
chmod 4755 "$scratch/privileged"
chmod 755 "$scratch/plugins"
lie() {
	"${user[@]}" env HWLOC_PLUGINS_PATH="$scratch/plugins" IPMU_STATE_DIR=none "$scratch/$1" >"$scratch/out" 2>&1
}
lie which
grep -q '^secure 0, state 1,' "$scratch/out" || fail 'an ordinary program takes the environment'
lie privileged
if ! grep -q '^secure 0' "$scratch/out"; then
	grep -q 'my code runs' "$scratch/out" && fail "a privileged program runs its user's code"
	grep -q '^secure 1, state 0,' "$scratch/out" || fail 'a privileged program does as its user says'
fi

# -- a process of another pid namespace is not named as one of here
mkfifo "$scratch/in"
machine "$scratch/counts" $event:freeze=1000000 <"$scratch/in" >"$scratch/far.out" 2>&1 &
holder=$!
exec {to}>"$scratch/in"
for ((i = 0; i < 30000; i++)); do
	grep -q ready "$scratch/far.out" && break
	sleep 0.05
done
if unshare --pid --fork --mount-proc true 2>/dev/null; then
	machine unshare --pid --fork --mount-proc "$scratch/counts" $event </dev/null >"$scratch/out" 2>&1 &&
		fail 'both count'
	grep -Eq 'used by process [0-9]+ of another pid namespace' "$scratch/out" || fail 'the far process is not named as such'
	machine unshare --pid --fork --mount-proc ipmu-restore --dry-run >"$scratch/out" 2>&1
	grep -Eq 'in use by [0-9]+ of another pid namespace' "$scratch/out" || fail 'ipmu-restore names somebody else'
else
	echo 'not tried: no pid namespace with a /proc of its own can be made here'
fi
exec {to}>&-
wait "$holder"
holder=''

# -- names without an end are refused, here before anybody else sees them
long=$(head -c 10000 /dev/zero | tr '\0' A)
for name in "intel_uncore:::$long" "intel_core:::$long" "intel_uncore:::skl_unc_clk.UNC_CLOCK:$long"; do
	machine "$scratch/counts" "$name" </dev/null >"$scratch/out" 2>&1
	[ $? = 3 ] || fail 'a name of 10 kB'
done
machine true	# its word on how the machine was left
[ "$failed" = 0 ] && echo 'all as it should be'
exit "$failed"
