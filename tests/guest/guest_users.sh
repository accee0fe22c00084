#!/bin/bash
# SPDX-License-Identifier: MIT
# The tests of hostile users and of damages once more, inside of a booted machine and on its
# kernel's own device files: users, namespaces, set-user-id bits and rules for links in /tmp and
# /dev/shm are those of a stock kernel, whatever the host has. The program runs as a user who has been
# given the devices. Not here are what msr-safe does, which no stock kernel has; priv_user, whose
# counting programs take minutes in an emulator; and engine_kills, which needs hundreds of kills to
# say anything: guest_hostile.sh has a few. Those of files are in guest_states.sh.
set -u
. "${SRCDIR:?}/tests/guest/same.sh"
same skl-2c2t hostile_damage hostile_user
exit "$failed"
