#!/bin/bash
# SPDX-License-Identifier: MIT
# With --devices other users may write a machine's segment. Whatever they write, vpmu itself neither
# crashes nor prints without end: the program on the machine writes what they would.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
cat >"$scratch/scribble.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "machine/segment.h"

/* scribble SEGMENT lists|random SEED */
int main(int argc, char **argv)
{
	int fd = argc > 3 ? open(argv[1], O_RDWR) : -1;
	struct vpmu_segment *s;
	struct stat st;
	uint64_t x;

	if (fd < 0 || fstat(fd, &st))
		return 1;
	s = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s == MAP_FAILED)
		return 1;
	x = strtoull(argv[3], NULL, 10) * 2654435761u + 88172645463325252u;
	/* All of the structure behind the head but the lock, which would be waited for. */
	for (uint8_t *at = (uint8_t *)&s->feeds; at < (uint8_t *)(s + 1); at += 4) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (!strcmp(argv[2], "random"))
			memcpy(at, &(uint32_t){ (uint32_t)(x >> 20) }, 4);
		else
			memcpy(at, &(uint32_t){ 0xfffffff0u + (uint32_t)(x & 15) }, 4);
	}
	s->undriven_told = s->violations_told = s->by_kernel_told = 0;
	s->undriven_count = s->violation_count = s->by_kernel_kept = UINT64_MAX;
	for (uint32_t i = 0; i < VPMU_THREADS_MAX; i++)
		s->threads[i].tid = 0;
	return 0;
}
C
"${CC:-cc}" -std=c11 -D_GNU_SOURCE -I"$SRCDIR/virtual_pmu" -I"$SRCDIR/common" -o "$scratch/scribble" \
	"$scratch/scribble.c" || exit 1
cd "$scratch" || exit 1
export VPMU_TALLY=$scratch/tally
run() { timeout $HANG_SECONDS "$vpmu" run --no-feed "$@" >out 2>&1 </dev/null; }

# The number of records that a segment has, and a line or two beside them.
lines=$(awk '$2 ~ /^VPMU_(UNDRIVEN|BY_KERNEL|VIOLATIONS)_KEPT$/ { n += $3 } END { print n + 8 }' \
	"$SRCDIR/virtual_pmu/machine/segment.h")
is 'the lists have bounds' 1 "$((lines > 8))"
for machine in skl-1c2t icl-2c4t nhmex-2p16c32t p4-2p4t core2-4c knc-4c16t; do
	for how in 'lists 1' 'random 2' 'random 3'; do
		rm -rf seg*
		# shellcheck disable=SC2086
		run -m $machine -s seg --devices 0666 ./scribble seg $how
		is "$machine, $how: status" 0 $?
		[ "$(wc -l <out)" -le "$lines" ] || bad "$machine, $how: $(wc -l <out) lines"
		run -s seg --devices 0666 --cpus 0 true
		is "$machine, $how: the next run" 0 $?
	done
done

# Cut between vpmu's check and its report: the check is told that nothing is missing.
cat >whole.c <<'C'
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int fstat(int fd, struct stat *st)
{
	int rc = (int)syscall(SYS_fstat, fd, st);
	if (!rc && st->st_size == 0 && S_ISREG(st->st_mode))
		st->st_size = 1L << 40;
	return rc;
}
C
"${CC:-cc}" -shared -fPIC -D_GNU_SOURCE -o whole.so whole.c || exit 1
rm -rf seg*
LD_PRELOAD=$scratch/whole.so run -m skl-1c2t -s seg --devices 0666 env -u LD_PRELOAD sh -c ': >seg'
is 'cut while it is in use' '125 1' "$? $(grep -c 'the segment was truncated while it was in use' out)"
finish
