#!/bin/bash
# SPDX-License-Identifier: MIT
# The CPUs of a booted machine execute one at a time, as long as the machine counts. So an
# instruction that reads, adds and writes loses no increment of another CPU, without any lock.
# A word that two cores hand back and forth is modified in the other core once for each hand-over.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../guest/environment.sh"
program threads
threads=8 rounds=300000 handed=20000
cboxes() { for i in 0 1 2 3; do echo "uncore_cbox_$i/4822"; done; }

if boot skl-4c8t <<-END
	./threads add $threads $rounds
	./threads hand $handed $(echo $(cboxes))
	END
then
	added=$(head -n 1 out)
	[ "$added" = $((threads * rounds)) ] ||
		fail "$threads CPUs add $rounds each: $added, by arithmetic $((threads * rounds))"
	modified=0
	for e in $(cboxes); do modified=$((modified + $(value "$e"))); done
	# The estimate of contention has up to half as many in addition, and the kernel a few.
	[ "$modified" -ge $((2 * handed)) ] && [ "$modified" -le $((3 * handed)) ] ||
		fail "handed back and forth $handed times: $modified modified, by arithmetic $((2 * handed))"
fi
exit "$failed"
