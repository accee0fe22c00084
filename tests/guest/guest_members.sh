#!/bin/bash
# SPDX-License-Identifier: MIT
# Users who have been given the devices of a booted machine: what they can do to others, and others to
# them (members.sh); and as such a user the tests of forged journals and of locks.
set -u
. "${SRCDIR:?}/tests/guest/same.sh"
same p4-1p2t hostile_journal
same knc-4c16t hostile_locks
same skl-2c2t "" members
exit "$failed"
