#!/bin/bash
# SPDX-License-Identifier: MIT
# The tests of hostile users, forged files, locks and kills once more, inside of a booted machine: its
# users, namespaces, set-user-id bits and rules for links in /tmp and /dev/shm are those of a stock
# kernel, whatever the host has. The machine that they count on is `vpmu run`'s, as msr-safe, devices
# of a group and forged registers need one; guest_hostile.sh has the kernel's own devices. Not here are
# priv_user, whose counting programs take minutes in an emulator inside of another, and engine_kills,
# which needs hundreds of kills to say anything: guest_hostile.sh has a few.
set -u
. "${SRCDIR:?}/tests/guest/environment.sh"
scripts=(hostile_state hostile_user restore_states)
programs=(hostile_damage hostile_journal hostile_locks)
[ -x "${OBJDIR:?}/tests/${programs[0]}" ] ||
	{ echo 'the programs of the unit tests have not been built (make unit-programs)'; exit 77; }
TESTS="${scripts[*]/#/$SRCDIR/tests/}"
TESTS="${TESTS// /.sh }.sh ${programs[*]/#/$OBJDIR/tests/}"
export TESTS
inside skl-2c2t same_tests --no-feed
grep -q "^$((${#scripts[@]} + ${#programs[@]})) passed, 0 failed, 0 skipped$" out ||
	fail "inside: $(cat out)"
exit "$failed"
