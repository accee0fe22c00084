# SPDX-License-Identifier: MIT
# On a booted machine: tests that the host has as well, by the same runner. TESTS are their files.
# Systems with systemd have these; for the kernel's own, Debian's defaults stay.
sysctl -q fs.protected_regular=2 fs.protected_fifos=1 || exit 1
# A folder that is not /tmp, which has no set-user-id bits, and no user's home.
mkdir -m 1777 /var/tmp/same && cd /var/tmp/same || exit 1
export TMPDIR=$PWD TEST_JOBS=2
# shellcheck disable=SC2086
"$BASH" "$SRCDIR/tests/run-tests" "$PWD/logs" $TESTS
