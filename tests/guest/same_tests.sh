# SPDX-License-Identifier: MIT
# On a booted machine, BOOTED_MACHINE: tests that the host has as well, by the same runner, on the
# devices of this kernel. SCRIPTS run as root; PROGRAMS as a user to whom the devices have been given.
# Systems with systemd have these; for the kernel's own, Debian's defaults stay.
sysctl -q fs.protected_regular=2 fs.protected_fifos=1 || exit 1
# A folder that is not /tmp, which has no set-user-id bits, and no user's home.
mkdir -m 1777 /var/tmp/same && cd /var/tmp/same || exit 1
. "$SRCDIR/tests/guest/libraries.sh"
export TMPDIR=$PWD TEST_JOBS=1	# they use the same counters
tests() { "$BASH" "$SRCDIR/tests/run-tests" "$PWD/logs" "$@"; }

# shellcheck disable=SC2086
[ -z "$SCRIPTS" ] || tests $SCRIPTS || exit 1
[ -n "$PROGRAMS" ] || exit 0
chgrp 5000 /dev/cpu/*/msr && chmod 660 /dev/cpu/*/msr && rm -rf /run/ipmu || exit 1
# shellcheck disable=SC2086
install -m 755 $PROGRAMS . || exit 1
export TEST_WRAPPER='setpriv --inh-caps=+sys_rawio --ambient-caps=+sys_rawio --reuid=54321 --regid=5000
	--clear-groups --'
for program in $PROGRAMS; do
	tests "./${program##*/}" || exit 1
done
