#!/bin/bash
# SPDX-License-Identifier: MIT
# Unmodified programs on a booted machine: they find its processors and its registers, whoever runs
# them and however they were linked.
set -u
. "${SRCDIR:?}/tests/guest/environment.sh"
export VPMU_TALLY=$scratch/tally	# the kernel's drivers leave registers changed

program word
chmod 755 . word

boot skl-2c4t <<END
said() { sed "s/^/\$1 /"; }
lscpu | said lscpu
command -v lstopo-no-graphics >/dev/null && lstopo-no-graphics --no-io --of console | said lstopo
command -v rdmsr >/dev/null && rdmsr -d -a 0x396 | said rdmsr
command -v likwid-topology >/dev/null && likwid-topology | said likwid
./word | said static
setpriv --reuid=65534 --regid=65534 --clear-groups ./word | said user
'$STAGE/bin/pmutopo' | said pmutopo
'$STAGE/bin/ipmu-run' -e intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I -- ./word 2>&1 | said ipmu
command -v mpirun >/dev/null && mpirun --allow-run-as-root --oversubscribe -n 4 hostname | sort | uniq -c | said mpi
seq 10000 | sort -R | sort -n | tail -n 1 | said pipe
END

has() { grep -Eq -- "$1" out || fail "no '$1' in: $(grep "^${1%%[ ^]*}" out; tail -n 3 err)"; }
present() { command -v "$1" >/dev/null; }
slices=2	# MSR_UNC_CBO_CONFIG (334060-001 Table 2-6) has their number, and one more
has 'lscpu Model name: +VirtualPMU skl-2c4t'
has 'lscpu Thread\(s\) per core: +2'
has 'lscpu Core\(s\) per socket: +2'
# What 248966 says of a core, twice; 2 MB for each slice.
has 'lscpu L1d cache: +64 KiB \(2 instances\)'
has 'lscpu L2 cache: +512 KiB \(2 instances\)'
has 'lscpu L3 cache: +4 MiB \(1 instance\)'
! present lstopo-no-graphics || [ "$(grep -c '^lstopo .*PU L#' out)" = 4 ] || fail "lstopo's PUs"
! present rdmsr || [ "$(grep -c "^rdmsr $((slices + 1))$" out)" = 4 ] ||
	fail "rdmsr: $(grep '^rdmsr' out | xargs)"
! present likwid-topology || has 'likwid CPU type:.*Skylake'
has "static 8 $((slices + 1))"
has 'user -1 0'
has 'pmutopo 1 package, 2 cores, 4 CPUs'
has 'ipmu .*UNC_CBO_CACHE_LOOKUP:ANY_I +[1-9]'
! present mpirun || has "mpi +4 $(hostname)"
has 'pipe 10000'
[ "$failed" = 0 ]
