#!/bin/bash
# SPDX-License-Identifier: MIT
# The tests of hostile users, forged files, locks and damages once more, inside of booted machines and on
# their kernel's own device files: users, namespaces, set-user-id bits and rules for links in /tmp and
# /dev/shm are those of a stock kernel, whatever the host has. The programs run as a user who has been
# given the devices. Then what such a user can do to others, and others to him (members.sh). Not here
# are what msr-safe does, which no stock kernel has; priv_user, whose counting programs take minutes in
# an emulator; and engine_kills, which needs hundreds of kills to say anything: guest_hostile.sh has a
# few.
set -u
. "${SRCDIR:?}/tests/guest/environment.sh"
program registers
papi_program counts processes
[ -x "${OBJDIR:?}/tests/hostile_damage" ] ||
	{ echo 'the programs of the unit tests have not been built (make unit-programs)'; exit 77; }

same() {	# same MACHINE PROGRAM [SCRIPT...]: each passes, and there is nothing else
	local machine=$1 scripts=("${@:3}")
	scripts=("${scripts[@]/%/.sh}")
	"$VPMU" regs -m "$machine" --tsv | awk '$2 ~ /^0x/ && $4 != "WO" { print $1, $2 }' >list
	export BOOTED_MACHINE=$machine PROGRAMS=$OBJDIR/tests/$2
	export SCRIPTS="${scripts[*]/#/$SRCDIR/tests/}"
	inside "$machine" same_tests --no-feed
	[ "$(grep -c '^PASS:' out)" = $(($# - 1)) ] && ! grep -Eq '^(SKIP|FAIL):' out ||
		fail "$machine: $(cat out)"
}
same skl-2c2t hostile_damage hostile_state hostile_user restore_states guest/members
cat out
same p4-1p2t hostile_journal
same knc-4c16t hostile_locks
exit "$failed"
