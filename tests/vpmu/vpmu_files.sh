#!/bin/bash
# SPDX-License-Identifier: MIT
# The machine's device files, opened, read and written in every way that libc has, are the machine's;
# what cannot be served fails and says so, and is never the host's or nothing. VPMU: the vpmu binary.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs "${CC:-cc}"
export VPMU_TALLY=$scratch/tally	# registers are left changed on purpose

compile "$scratch/ways" device_files.c -O1 || exit 1

# A link leads to the machine's file as well, on a host that has such a file at all.
config=/sys/bus/pci/devices/0000:00:00.0/config
if [ -r $config ]; then
	ln -s $config "$scratch/link"
	export CONFIG_LINK=$scratch/link
fi

ways() { timeout $HANG_SECONDS "$vpmu" run -m skl-4c8t "${@:2}" -- "$scratch/ways" $1 2>"$scratch/err" </dev/null; }
is 'natively' done "$(ways '' --no-feed)"
is 'emulated' done "$(ways fed)"
is 'nothing is said but what is no register' 0 "$(grep -vc ' violations\|0x740' "$scratch/err")"

# Statically linked, and by functions of libc that open files without calling open().
for how in '' -static; do
	compile "$scratch/static" device_tree.c $how 2>/dev/null || continue
	is "served without open(): $how" '8 5, 8 cpus, 8 devices' \
		"$("$vpmu" run -m skl-4c8t -- "$scratch/static" 2>&1)"
done
finish
