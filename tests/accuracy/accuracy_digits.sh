#!/bin/bash
# SPDX-License-Identifier: MIT
# Counts have the same digits on every system: a static program without a library, by arithmetic. It
# reads 4 MiB line by line, twice. What it executes, fetches and reads is in its source, so that
# neither the compiler nor the C library of a system changes it; nor do environment, arguments, name
# and folder.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run qemu-x86_64 "${CC:-cc}"
cd "$scratch" || exit 1
lines=65536
"${CC:-cc}" -nostdlib -static -DSWEEPS=2 -DLINES=$lines -o sweeps "$test_folder/../run/sweep.S" || exit 1
mkdir -p 'another folder' && cp sweeps 'another folder/another name' || exit 1

counts() {	# counts MACHINE EVENT WANTED: both ways
	ipmu-run --on "$1" -e "$2" -o counts ./sweeps >out 2>&1
	is "$1: $2" "$3" "$(count)"
	(cd 'another folder' && LONG=$(printf '%5000s' '') \
		ipmu-run --on "$1" -e "$2" -o ../counts './another name' with arguments) >out 2>&1
	is "$1: $2, elsewhere" "$3" "$(count)"
}
count() {	# of the only event; its file does not outlive the reading
	awk -F, '$1 == "event" && $4 == "all" { print $5 }' counts.csv
	rm -f counts.*
}

# Four instructions a line; four more a sweep, and four outside. Both sweeps reach the last level, as
# no smaller one holds 4 MiB; the first misses it, as does the program's own line.
counts core2-4c core_fixed.INST_RETIRED:ANY $((2 * (4 * lines + 4) + 4))
counts skl-4c8t skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_MESI $((2 * lines + 1))
counts skl-4c8t skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I $((lines + 1))
counts skl-4c8t skl_unc_imc.DRAM_DATA_READS $((lines + 1))
counts nhmex-2p16c32t nhmex_unc_mbox.FVC_EV0:BBOX_CMDS_READS $((lines + 1))
finish
