#!/bin/bash
# SPDX-License-Identifier: MIT
# The commands of docs/permissions.md on a booted machine: an ordinary user counts by ipmu-run, by a group, a
# udev rule and a file capability; others do not (permissions.sh).
set -u
. "${SRCDIR:?}/tests/guest/environment.sh"
[ -x "$STAGE/bin/ipmu-run" ] || { echo 'no ipmu-run here'; exit 77; }
command -v setcap >/dev/null || { echo 'no setcap here'; exit 77; }
program registers
"$VPMU" regs -m skl-2c4t --tsv | awk '$2 ~ /^0x/ && $4 != "WO" { print $1, $2 }' >list

inside skl-2c4t permissions --no-feed
cat out
exit "$failed"
