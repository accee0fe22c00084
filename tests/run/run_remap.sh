#!/bin/bash
# SPDX-License-Identifier: MIT
# A large block that grows is moved by pages, as natively: realloc() and mremap() copy nothing. A block
# of 32 MiB is written once, by lines, so 524,288 lines are read from memory, whether or not it grows
# afterwards. A copy would read as many again.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run "${CC:-cc}"
export VPMU_TALLY=$scratch/tally

cat >"$scratch/grow.c" <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BYTES ((size_t)32 << 20)

static char *block(int mapped)
{
	char *p = mapped ? mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) :
			   malloc(BYTES);

	for (size_t i = 0; p && p != MAP_FAILED && i < BYTES; i += 64)
		((volatile char *)p)[i] = (char)(i / 64 % 100);
	return p;
}

int main(int argc, char **argv)
{
	int mapped = argc > 1 && strstr(argv[1], "mremap");
	char *p = block(mapped), *q = p;

	if (!p || p == MAP_FAILED)
		return 2;
	if (argc > 1 && !strcmp(argv[1], "realloc"))
		q = realloc(p, 2 * BYTES);
	if (argc > 1 && !strcmp(argv[1], "mremap"))
		q = mremap(p, BYTES, 2 * BYTES, MREMAP_MAYMOVE);
	/* A neighbour with the same rights makes one mapping of both, which is moved as one. */
	if (argc > 1 && !strcmp(argv[1], "mremap-both")) {
		munmap(p + BYTES / 2, BYTES / 2);
		if (mmap(p + BYTES / 2, BYTES / 2, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			return 2;
		q = mremap(p, BYTES, 2 * BYTES, MREMAP_MAYMOVE);
	}
	if (!q || q == MAP_FAILED) {
		perror(argv[1]);
		return 1;
	}
	return q[BYTES / 2 - 64] != (BYTES / 2 / 64 - 1) % 100;
}
C
${CC:-cc} -O1 -w "$scratch/grow.c" -o "$scratch/grow" || exit 1

lines=524288 most=$((524288 + 5242))
for way in none realloc mremap mremap-both; do
	ipmu-run --on skl-4c8t -e skl_unc_imc.DRAM_DATA_READS -- "$scratch/grow" $way >"$scratch/out" 2>&1
	verdict "$way: runs" $?
	reads=$(awk '$1 ~ /DRAM_DATA_READS/ { gsub(",", "", $2); print $2 }' "$scratch/out")
	[ "${reads:-0}" -ge $lines ] && [ "$reads" -le $most ]
	verdict "$way: ${reads:-no} lines read, $lines to $most are right" $?
done
finish
