/* SPDX-License-Identifier: MIT */
#include "lengths.h"

#include <stdbool.h>

struct shape {
	uint32_t map;		/* 0: one byte, 1: 0F, 2: 0F38, 3: 0F3A */
	uint8_t opcode, modrm;
	bool word, wide;	/* operands of 16 bits; REX.W */
	bool short_address;
};

static bool is_prefix(uint8_t b)
{
	return b == 0x66 || b == 0x67 || b == 0xf0 || b == 0xf2 || b == 0xf3 ||
	       (b & 0xe7) == 0x26 || b == 0x64 || b == 0x65;
}

/* The place behind VEX and EVEX, whose map is in their first byte. */
static size_t read_vector(const uint8_t *b, size_t n, size_t at, struct shape *s)
{
	size_t bytes = b[at] == 0xc5 ? 2 : b[at] == 0xc4 ? 3 : 4;

	if (at + bytes >= n)
		return n;
	s->map = b[at] == 0xc5 ? 1 : b[at + 1] & (b[at] == 0xc4 ? 0x1f : 7);
	return at + bytes;
}

/* The place of the opcode, or n. */
static size_t read_start(const uint8_t *b, size_t n, struct shape *s)
{
	size_t at = 0;

	for (; at < n && is_prefix(b[at]); at++) {
		s->word |= b[at] == 0x66;
		s->short_address |= b[at] == 0x67;
	}
	if (at < n && (b[at] & 0xf0) == 0x40)
		s->wide = b[at++] & 8;
	if (at < n && (b[at] == 0xc4 || b[at] == 0xc5 || b[at] == 0x62))
		return read_vector(b, n, at, s);
	if (at >= n || b[at] != 0x0f)
		return at;
	s->map = 1;
	if (++at < n && (b[at] == 0x38 || b[at] == 0x3a))
		s->map = b[at++] == 0x38 ? 2 : 3;
	return at;
}

static bool within(uint8_t b, uint8_t low, uint8_t high)
{
	return b >= low && b <= high;
}

static bool has_modrm(const struct shape *s)
{
	uint8_t b = s->opcode;

	if (s->map >= 2)
		return true;
	if (s->map == 1)
		return !(within(b, 0x04, 0x09) || b == 0x0b || b == 0x0e || within(b, 0x30, 0x37) ||
			 b == 0x77 || within(b, 0x80, 0x8f) || within(b, 0xa0, 0xa2) ||
			 within(b, 0xa8, 0xaa) || within(b, 0xc8, 0xcf));
	return (b < 0x40 && (b & 7) < 4) || b == 0x63 || b == 0x69 || b == 0x6b ||
	       within(b, 0x80, 0x8f) || b == 0xc0 || b == 0xc1 || b == 0xc6 || b == 0xc7 ||
	       within(b, 0xd0, 0xd3) || within(b, 0xd8, 0xdf) || b == 0xf6 || b == 0xf7 ||
	       b >= 0xfe;
}

/* Moves of control and debug registers, whatever their ModRM byte says. */
static bool names_no_memory(const struct shape *s)
{
	return s->map == 1 && within(s->opcode, 0x20, 0x23);
}

/* 16 or 32 bits, by the operand size. */
static size_t full(const struct shape *s)
{
	return s->word && !s->wide ? 2 : 4;
}

static size_t immediate_plain(const struct shape *s)
{
	uint8_t b = s->opcode;

	if (b < 0x40)
		return (b & 7) == 4 ? 1 : (b & 7) == 5 ? full(s) : 0;
	if (within(b, 0xa0, 0xa3))
		return s->short_address ? 4 : 8;
	if (within(b, 0xb8, 0xbf))
		return s->wide ? 8 : full(s);
	if (b == 0xe8 || b == 0xe9 || b == 0x68 || b == 0x69 || b == 0x81 || b == 0xa9 ||
	    b == 0xc7 || (b == 0xf7 && !(s->modrm & 0x30)))
		return full(s);
	if (b == 0xc2 || b == 0xca)
		return 2;
	if (b == 0xc8)
		return 3;
	return b == 0x6a || b == 0x6b || within(b, 0x70, 0x80) || b == 0x83 || b == 0xa8 ||
	       within(b, 0xb0, 0xb7) || b == 0xc0 || b == 0xc1 || b == 0xc6 || b == 0xcd ||
	       within(b, 0xe0, 0xe7) || b == 0xeb || (b == 0xf6 && !(s->modrm & 0x30));
}

static size_t immediate(const struct shape *s)
{
	uint8_t b = s->opcode;

	if (s->map == 0)
		return immediate_plain(s);
	if (s->map == 1 && within(b, 0x80, 0x8f))
		return full(s);
	if (s->map == 1)
		return within(b, 0x70, 0x73) || b == 0xa4 || b == 0xac || b == 0xba || b == 0xc2 ||
		       within(b, 0xc4, 0xc6) || b == 0x0f;
	return s->map == 3;
}

/* Of the ModRM byte at b and what is behind it; 0: cut off. */
static size_t address_bytes(const uint8_t *b, size_t n)
{
	uint8_t mod = b[0] >> 6, rm = b[0] & 7;

	if (mod == 3)
		return 1;
	if (rm == 4 && n < 2)
		return 0;
	if (rm == 4)
		return 2u + (mod == 1 ? 1 : mod == 2 || (b[1] & 7) == 5 ? 4 : 0);
	return 1u + (mod == 1 ? 1 : mod == 2 || rm == 5 ? 4 : 0);
}

size_t vpmu_length_of(const uint8_t *b, size_t n)
{
	struct shape s = { 0 };
	size_t at = read_start(b, n, &s), address;

	if (at >= n)
		return 0;
	s.opcode = b[at++];
	if (has_modrm(&s)) {
		address = at >= n ? 0 : names_no_memory(&s) ? 1 : address_bytes(b + at, n - at);
		if (!address)
			return 0;
		s.modrm = b[at];
		at += address;
	}
	return at + immediate(&s);
}
