/* SPDX-License-Identifier: MIT */
#include "decode_cache.h"

#define ENTRIES_LOG 12

/* Prefixes, VEX, EVEX, XOP; behind 0FH longer opcodes, and 3DNow!'s, which come last. */
static bool is_more_than_opcode(uint8_t byte, bool second)
{
	if (second)
		return byte == 0x0f || byte == 0x38 || byte == 0x3a;
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66: case 0x67:
	case 0xf0: case 0xf2: case 0xf3: case 0xc4: case 0xc5: case 0x62: case 0x8f:
		return true;
	default:
		return (byte & 0xf0) == 0x40;
	}
}

/* PUSH and POP, jumps, calls, and moves of constants to registers. */
static bool has_no_modrm(uint8_t opcode, bool second)
{
	uint8_t row = opcode >> 4;

	return second ? row == 8 : row == 5 || row == 7 || row == 0xb || row == 0xe;
}

/* 0: not a usual one. */
static uint32_t key_of(const uint8_t *bytes, size_t count)
{
	size_t at = 0;
	uint32_t rex = 0, modrm = 0;
	bool second;

	if (count && (bytes[0] & 0xf0) == 0x40)
		rex = bytes[at++];
	second = at < count && bytes[at] == 0x0f;
	at += second;
	if (at >= count || count > 15 || is_more_than_opcode(bytes[at], second))
		return 0;
	if (at + 1 < count && !has_no_modrm(bytes[at], second))
		modrm = bytes[at + 1];
	return (uint32_t)count << 24 | rex << 17 | (uint32_t)second << 16 |
	       (uint32_t)bytes[at] << 8 | modrm;
}

static uint32_t pack(struct vpmu_accesses a)
{
	return (uint32_t)a.store | (uint32_t)a.vector << 2 | (uint32_t)a.none << 3 |
	       (uint32_t)a.once << 4 | (uint32_t)a.modifies << 5 | (uint32_t)a.prefetch << 6 |
	       (uint32_t)a.writes << 16;
}

static struct vpmu_accesses unpack(uint32_t bits)
{
	return (struct vpmu_accesses){
		.store = (enum vpmu_store)(bits & 3), .vector = bits >> 2 & 1,
		.none = bits >> 3 & 1, .once = bits >> 4 & 1, .modifies = bits >> 5 & 1,
		.prefetch = (enum vpmu_prefetch)(bits >> 6 & 7), .writes = (uint16_t)(bits >> 16),
	};
}

struct vpmu_accesses vpmu_accesses_known(const uint8_t *bytes, size_t count)
{
	static uint64_t known[1 << ENTRIES_LOG];	/* a key and its bits; threads share it */
	uint32_t key = key_of(bytes, count);
	uint64_t *entry = &known[key * 0x9e3779b1u >> (32 - ENTRIES_LOG)], found;
	struct vpmu_accesses a;

	found = __atomic_load_n(entry, __ATOMIC_RELAXED);
	if (key && found >> 32 == key)
		return unpack((uint32_t)found);
	a = vpmu_accesses_of(bytes, count);
	if (key)
		__atomic_store_n(entry, (uint64_t)key << 32 | pack(a), __ATOMIC_RELAXED);
	return a;
}
