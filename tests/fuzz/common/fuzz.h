/* SPDX-License-Identifier: MIT */
/* Code that the fuzz targets share. A target is one file here; its seeds are in seeds/NAME/. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold for every input: its failure is a crash, which libFuzzer keeps. */
#define REQUIRE(condition) do {								\
	if (!(condition)) {								\
		fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);	\
		abort();								\
	}										\
} while (0)

/* The first bytes of the input as a number; the rest moves up. 0 when there are none. */
static inline unsigned fuzz_byte(const uint8_t **data, size_t *size)
{
	if (!*size)
		return 0;
	--*size;
	return *(*data)++;
}

#endif
