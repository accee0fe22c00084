#!/bin/bash
# SPDX-License-Identifier: MIT
# Counting as an ordinary user: in the group that may open the devices it works, with the kernel's
# devices and with msr-safe's; outside of it there is a word about the group. And a privileged
# program does not do what its user's environment says.
set -u
: "${STAGE:?the staged tree}" "${VPMU:?the vpmu command}" "${TEST_DATA:?tests/data}"
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
uid=54321 gid=54322
failed=0
fail() { echo "FAILED: $*"; sed 's/^/  > /' "$scratch/out"; failed=1; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/out"

# Privileged programs: no plain getenv in the rooms that they are made of.
grep -rnE '(^|[^_])getenv *\(' "$srcdir/common" "$srcdir/component" "$srcdir/hwloc_topo" \
	"$srcdir/mpi_aggregation" --include='*.[ch]' >"$scratch/out" &&
	fail 'a plain getenv; secure_getenv says nothing to privileged programs'

if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	[ "$failed" = 0 ] || exit 1
	echo 'only root can become another user, with setpriv'
	exit 77
fi
as() {		# as GID COMMAND...: as the user, in that group alone
	local group=$1
	shift
	setpriv --reuid=$uid --regid="$group" --clear-groups -- "$@"
}
chmod 755 "$scratch"
# The user may be kept out of where the tree is, as out of another's home: a copy is for all.
copy() {
	local lib=${STAGE_LIB#"$STAGE"/}
	mkdir "$scratch/stage" || exit 1
	tar -C "$STAGE" --exclude=ipmu/guest -cf - bin "${lib%%/*}" include |
		tar -C "$scratch/stage" -xf - || exit 1
	STAGE=$scratch/stage STAGE_LIB=$scratch/stage/$lib VPMU=$scratch/stage/bin/vpmu
}
as $gid test -x "$VPMU" -a -r "$STAGE_LIB/libpapi.so" || copy
as $gid test -x "$VPMU" -a -r "$STAGE_LIB/libpapi.so" || {
	echo "user $uid cannot reach $scratch: set TMPDIR to a folder for all"
	exit 77
}

event=intel_uncore:::skl_unc_clk.UNC_CLOCK
devices=0660:0:$gid
tally=${VPMU_TALLY:-/dev/null}
export VPMU_TALLY=$scratch/tally
: >"$VPMU_TALLY"
chmod 666 "$VPMU_TALLY"
"$STAGE/bin/ipmu-allowlist" -m skylake-client >"$scratch/list"
chmod 644 "$scratch/list"

count() {	# count GID [OPTION...]: what the event counts, in $scratch/out
	local group=$1
	shift
	(cd / && as "$group" "$VPMU" run --strict --devices $devices "$@" -- \
		"$STAGE/bin/papi_command_line" $event) >"$scratch/out" 2>&1
}
counted() { grep -Eq "^$event :[[:space:]]+[1-9][0-9]*" "$scratch/out"; }

count $gid && counted || fail 'in the group'
count $gid --msr-safe="$scratch/list" && counted || fail 'in the group, through msr-safe'
count $((gid + 1))
counted && fail 'outside of the group'
# A supplementary group will do.
(cd / && setpriv --reuid=$uid --regid=$((gid + 1)) --groups=$gid -- "$VPMU" run --strict \
	--devices $devices -- "$STAGE/bin/papi_command_line" $event) >"$scratch/out" 2>&1 && counted ||
	fail 'in the group besides another'

why() {		# why GID [OPTION...]: the component's reasons
	local group=$1
	shift
	(cd / && as "$group" "$VPMU" run --no-feed --devices $devices "$@" -- \
		"$STAGE/bin/papi_component_avail" -d) >"$scratch/out" 2>&1
}
why $((gid + 1))
grep -q "/dev/cpu/0/msr: no permission: join group $gid" "$scratch/out" || fail 'no word about the group'
why $((gid + 1)) --msr-safe="$scratch/list"
grep -q "/dev/cpu/0/msr_safe: no permission: join group $gid" "$scratch/out" ||
	fail 'no word about the group, with msr-safe'
# Where no group may write them, the route is another one.
devices=0600:0:0
why $gid
grep -q '/dev/cpu/0/msr: no permission: only root may read and write it: let root give it to a group' \
	"$scratch/out" || fail 'no word about root, who has to give them to a group'
devices=0660:0:$gid

# The memory controller needs more: it alone is out.
(cd / && as $gid "$VPMU" run --no-feed --devices $devices -- "$STAGE/bin/papi_command_line" \
	intel_uncore:::skl_unc_imc.DRAM_DATA_READS) >"$scratch/out" 2>&1
grep -Eq 'DRAM_DATA_READS :[[:space:]]+[0-9]' "$scratch/out" && fail 'the memory controller, unprivileged'

# ---- programs with a set-group-id or set-user-id bit, which a user runs with an environment of his own

# HWLOC_LIBS is a list of words.
# shellcheck disable=SC2086
${CC:-cc} -D_GNU_SOURCE -I"$STAGE/include/ipmu" "$srcdir/tests/hostile/which.c" -o "$scratch/which" \
	"$STAGE_LIB/libintelpmu.a" "$STAGE_LIB/libpfm.a" ${HWLOC_LIBS:--lhwloc} -lm >"$scratch/out" 2>&1 ||
	fail 'which.c does not compile'
cp "$scratch/which" "$scratch/set-group-id"
chgrp $((gid + 1)) "$scratch/set-group-id"
chmod 2755 "$scratch/set-group-id"
cp "$scratch/which" "$scratch/set-user-id"
chmod 4755 "$scratch/set-user-id"
cp "$TEST_DATA/topo/skl-4c8t.xml" "$scratch/lie.xml"
chmod 644 "$scratch/lie.xml"
lie() { as $gid env HWLOC_XMLFILE="$scratch/lie.xml" LIBPFM_FORCE_PMU=skl "$scratch/$1" >"$scratch/out" 2>&1; }
lie which
grep -q '^secure 0, .*, Test Skylake client.*, forced$' "$scratch/out" || fail 'an ordinary program takes the environment'
for bit in set-group-id set-user-id; do
	lie $bit
	if grep -q '^secure 0' "$scratch/out"; then
		echo "$scratch takes no $bit bits"
	else
		grep -q '^secure 1, .*, not forced$' "$scratch/out" || fail "the $bit program does not run"
		grep -q 'Test Skylake' "$scratch/out" && fail "a $bit program takes its user for the machine"
	fi
done
cat "$VPMU_TALLY" >>"$tally"
exit "$failed"
