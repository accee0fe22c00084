#!/bin/bash
# SPDX-License-Identifier: MIT
# The tests of state files, forged or damaged, and of what a run that was killed has left in the
# registers, once more inside of a booted machine and on its kernel's own device files: see
# guest_users.sh.
set -u
. "${SRCDIR:?}/tests/guest/same.sh"
same skl-2c2t "" hostile_state restore_states
exit "$failed"
