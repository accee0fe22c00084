#!/bin/bash
# SPDX-License-Identifier: MIT
# Accesses that are not counted, since somebody has the machine's lock and stands still, are counted
# as such, and vpmu says so, once. VPMU: the vpmu binary; CC: a compiler.
set -u
here=$(dirname "${BASH_SOURCE[0]}")/..
. "$here/support/verdict.sh"
: "${VPMU:?set VPMU to the vpmu binary}"
cc=${CC:-cc}
needs qemu-x86_64 "$cc"

cat >"$scratch/lose.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "segment.h"

/* The lock is the parent's while a line is loaded that no cache has; all else was used before. */
int main(void)
{
	struct vpmu_segment *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED,
				      open(getenv("VPMU_SEGMENT"), O_RDWR), 0);
	volatile char *lines = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t owner[] = { 0, 0, (uint32_t)getppid() };
	uint64_t before = 0;

	if (s == MAP_FAILED || lines == MAP_FAILED)
		return 1;
	for (int i = 0; i < 3; i++) {
		before = s->lost_count;
		__atomic_store_n(&s->lock.owner, owner[i], __ATOMIC_SEQ_CST);
		lines[i * 8192];
		__atomic_store_n(&s->lock.owner, 0, __ATOMIC_SEQ_CST);
	}
	printf("%llu before, %llu lost\n", (unsigned long long)before,
	       (unsigned long long)(s->lost_count - before));
	return 0;
}
C
"$cc" -std=c11 -D_GNU_SOURCE -O1 -I"$here/../virtual_pmu/machine" -I"$here/../virtual_pmu/model" \
	-I"$here/../common" "$scratch/lose.c" -o "$scratch/lose" || exit 1
run() { "$VPMU" run -m skl-2c4t -s "$scratch/machine" -- "$@"; }
is 'one access is lost' '0 before, 1 lost' "$(run "$scratch/lose" 2>"$scratch/said")"
is 'which is said' 'vpmu: skl-2c4t: 1 access to memory was not counted: a thread that had the machine'"'s lock stood still, for a fork of its process or because that was stopped" \
	"$(cat "$scratch/said")"
is 'once' '' "$(run true 2>&1)"
finish
