/* SPDX-License-Identifier: MIT */
/* Functions of libc on bytes and texts that the shim and the model use, as code of the shim: libc's
 * are looked up when they are needed first (inside.h). The compiler itself makes calls of some of
 * these names. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Keeps the compiler from making a call of a loop, which would be one to itself. */
#define AS_IT_IS() __asm__ volatile("" ::: "memory")

void *memset(void *to, int byte, size_t count)
{
	uint64_t word = (uint8_t)byte * UINT64_C(0x0101010101010101);
	uint8_t *at = to;

	for (; count >= sizeof(word); count -= sizeof(word), at += sizeof(word)) {
		__builtin_memcpy(at, &word, sizeof(word));
		AS_IT_IS();
	}
	for (; count; count--) {
		*at++ = (uint8_t)byte;
		AS_IT_IS();
	}
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
	const uint8_t *source = from;
	uint8_t *at = to;
	uint64_t word;

	for (; count >= sizeof(word); count -= sizeof(word)) {
		__builtin_memcpy(&word, source, sizeof(word));
		__builtin_memcpy(at, &word, sizeof(word));
		at += sizeof(word);
		source += sizeof(word);
		AS_IT_IS();
	}
	for (; count; count--) {
		*at++ = *source++;
		AS_IT_IS();
	}
	return to;
}

int memcmp(const void *left, const void *right, size_t count)
{
	const uint8_t *a = left, *b = right;

	for (; count; count--, a++, b++) {
		if (*a != *b)
			return *a - *b;
		AS_IT_IS();
	}
	return 0;
}

size_t strlen(const char *text)
{
	const char *end = text;

	while (*end) {
		end++;
		AS_IT_IS();
	}
	return (size_t)(end - text);
}

int strncmp(const char *left, const char *right, size_t count)
{
	for (; count && *left == *right; count--, left++, right++) {
		if (!*left)
			return 0;
		AS_IT_IS();
	}
	return count ? (uint8_t)*left - (uint8_t)*right : 0;
}

int strcmp(const char *left, const char *right)
{
	return strncmp(left, right, PTRDIFF_MAX);
}

static size_t span(const char *text, const char *set, int in)
{
	const char *at = text;

	for (; *at; at++) {
		const char *s = set;

		while (*s && *s != *at)
			s++;
		if ((*s != '\0') != in)
			break;
		AS_IT_IS();
	}
	return (size_t)(at - text);
}

size_t strspn(const char *text, const char *set)
{
	return span(text, set, 1);
}

size_t strcspn(const char *text, const char *set)
{
	return span(text, set, 0);
}
