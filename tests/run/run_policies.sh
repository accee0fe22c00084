#!/bin/bash
# SPDX-License-Identifier: MIT
# Memory policies on a machine of two packages: the M-Boxes of the package that a policy names count
# the lines. A block of 64 MiB is filled, then read: 2 x 2^20 lines of 64 bytes are read from memory
# (the L3 has 24 MiB, and a sweep in order finds nothing there), half of them at each package when
# pages are interleaved, and none elsewhere when they are bound. Within 1 %. The calls' answers are
# Linux's.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run "${CC:-cc}"
export VPMU_TALLY=$scratch/tally
machine=nhmex-2p16c32t

compile "$scratch/policies" policies.c -O1 || exit 1
"$vpmu" run -m $machine "$scratch/policies" calls >"$scratch/out" 2>&1
verdict 'the calls' $?

within() {	# within COUNT WANT: of 1 % of all lines
	[ "${1:-none}" -ge "$(($2 - 20971))" ] && [ "$1" -le "$(($2 + 20971))" ]
}
event=nhmex_unc_mbox.FVC_EV0:BBOX_CMDS_READS
lines=$((2 << 20))
counts() {	# counts NAME LINES-OF-PACKAGE-0 LINES-OF-PACKAGE-1 COMMAND...
	local name=$1 first=$2 second=$3 got
	shift 3
	ipmu-run --on $machine -e $event:package=0,$event:package=1 -- "$@" >"$scratch/out" 2>&1
	verdict "$name: runs" $?
	read -r -a got <<<"$(awk '/FVC_EV0/ { gsub(",", "", $2); printf "%s ", $2 }' "$scratch/out")"
	within "${got[0]-}" "$first" && within "${got[1]-}" "$second"
	verdict "$name: ${got[*]-nothing}, expected $first $second" $?
}
counts 'first touch' $lines 0 "$scratch/policies"
counts 'mbind' 0 $lines "$scratch/policies" mbind
counts 'bound by its caller' 0 $lines "$scratch/policies" 2 2
counts 'preferred by its caller' 0 $lines "$scratch/policies" 1 2
counts 'interleaved by its caller' $((lines / 2)) $((lines / 2)) "$scratch/policies" 3 3
if command -v numactl >/dev/null; then
	counts 'numactl --membind=1' 0 $lines numactl --membind=1 "$scratch/policies"
	counts 'numactl --interleave=all' $((lines / 2)) $((lines / 2)) numactl --interleave=all "$scratch/policies"
	counts 'numactl --cpunodebind=1' 0 $lines numactl --cpunodebind=1 "$scratch/policies"
	counts 'numactl --cpunodebind=1 --membind=0' $lines 0 numactl --cpunodebind=1 --membind=0 "$scratch/policies"
else
	echo 'skipped: numactl: it is not here'
fi
finish
