#!/bin/bash
# SPDX-License-Identifier: MIT
# MAP_32BIT: mappings lie below 2 GiB, as natively, and apart from each other. Other mappings are as before.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 "${CC:-cc}"

cat >"$scratch/low.c" <<'C'
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define COUNT 64
#define BYTES 100000
#define LIMIT 0x80000000u

static char *map(void *hint, int flags)
{
	char *at = mmap(hint, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

int main(void)
{
	char *kept[COUNT], *other = map(NULL, 0), *fixed = map(NULL, 0);
	int wrong = !other || (uintptr_t)other < LIMIT;

	for (int i = 0; i < COUNT; i++) {
		kept[i] = map(NULL, MAP_32BIT);
		if (!kept[i] || (uintptr_t)kept[i] + BYTES > LIMIT)
			return 2;
		memset(kept[i], i, BYTES);
	}
	for (int i = 0; i < COUNT; i++)
		wrong += kept[i][0] != i || kept[i][BYTES - 1] != i;
	wrong += map(fixed, MAP_FIXED | MAP_32BIT) != fixed;
	return wrong != 0;
}
C
"${CC:-cc}" -O1 -o "$scratch/low" "$scratch/low.c" || exit 1

"$scratch/low" >"$scratch/out"
verdict 'natively' $?
"$vpmu" run -m skl-4c8t "$scratch/low" >"$scratch/out" 2>&1
verdict 'on the machine' $?
finish
