/* SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include "nontemporal.h"

/* Which mandatory prefix precedes the opcode; the numbers are those of VEX's pp field. */
enum prefix { PREFIX_NONE, PREFIX_66, PREFIX_F3, PREFIX_F2 };

struct opcode {
	enum prefix prefix;
	uint8_t byte, modrm;	/* byte: after the 0F escape */
	bool vex;
};

/* VEX in its two- (C5) and three-byte (C4) form; map 1 stands for the 0F escape. */
static bool read_vex(const uint8_t *b, size_t n, struct opcode *out)
{
	size_t head = b[0] == 0xc5 ? 2 : 3;

	if (n < head + 2 || (head == 3 && (b[1] & 0x1f) != 1))
		return false;
	*out = (struct opcode){ .prefix = b[head - 1] & 3, .byte = b[head],
				.modrm = b[head + 1], .vex = true };
	return true;
}

/* Legacy prefixes in any order, then REX. F2 and F3 outweigh 66. */
static bool read_prefixes(const uint8_t *b, size_t n, size_t *at, enum prefix *prefix)
{
	for (; *at < n; ++*at) {
		switch (b[*at]) {
		case 0x66:
			if (*prefix == PREFIX_NONE)
				*prefix = PREFIX_66;
			break;
		case 0xf2:
			*prefix = PREFIX_F2;
			break;
		case 0xf3:
			*prefix = PREFIX_F3;
			break;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x67:
		case 0xf0:
			break;
		default:
			if ((b[*at] & 0xf0) == 0x40)
				++*at;
			return *at < n;
		}
	}
	return false;
}

static bool read_opcode(const uint8_t *b, size_t n, struct opcode *out)
{
	enum prefix prefix = PREFIX_NONE;
	size_t at = 0;

	if (!read_prefixes(b, n, &at, &prefix))
		return false;
	if (b[at] == 0xc4 || b[at] == 0xc5)
		return read_vex(b + at, n - at, out);
	if (b[at] != 0x0f || n - at < 3)
		return false;
	*out = (struct opcode){ .prefix = prefix, .byte = b[at + 1], .modrm = b[at + 2] };
	return true;
}

enum vpmu_instruction vpmu_instruction_kind(const uint8_t *bytes, size_t count)
{
	struct opcode op;
	bool memory, plain_or_66;

	if (!read_opcode(bytes, count, &op))
		return VPMU_ORDINARY;
	memory = op.modrm < 0xc0;
	plain_or_66 = op.prefix == PREFIX_NONE || op.prefix == PREFIX_66;
	switch (op.byte) {
	case 0x2b:	/* MOVNTPS, MOVNTPD */
		return memory && plain_or_66 ? VPMU_NONTEMPORAL : VPMU_ORDINARY;
	case 0xe7:	/* MOVNTQ, MOVNTDQ; VEX only the latter */
		return memory && plain_or_66 && (!op.vex || op.prefix == PREFIX_66) ?
			VPMU_NONTEMPORAL : VPMU_ORDINARY;
	case 0xc3:	/* MOVNTI */
		return memory && op.prefix == PREFIX_NONE && !op.vex ?
			VPMU_NONTEMPORAL : VPMU_ORDINARY;
	case 0xf7:	/* MASKMOVQ, MASKMOVDQU: both operands registers, stores at RDI */
		return !memory && plain_or_66 && (!op.vex || op.prefix == PREFIX_66) ?
			VPMU_NONTEMPORAL : VPMU_ORDINARY;
	case 0xae:	/* MFENCE is /6, SFENCE /7 */
		return op.modrm >= 0xf0 && op.prefix == PREFIX_NONE && !op.vex ?
			VPMU_FENCE : VPMU_ORDINARY;
	default:
		return VPMU_ORDINARY;
	}
}
