/* SPDX-License-Identifier: MIT */
#include "instructions.h"

#include <string.h>

/* Which mandatory prefix precedes the opcode; the numbers are those of VEX's pp field. */
enum { P_NONE, P_66, P_F3, P_F2 };

struct decoded {
	uint32_t map;		/* 0: one byte, 1: 0F, 2: 0F38, 3: 0F3A */
	uint32_t prefix;
	uint8_t opcode, modrm;	/* modrm: register form when the instruction has none */
	bool memory;		/* the ModRM byte names memory */
	bool vex, wide, w, lock;	/* wide: 256 bits */
};

static uint32_t reg_field(const struct decoded *d)
{
	return d->modrm >> 3 & 7;
}

/* ---- bytes to fields ---- */

static size_t read_prefixes(const uint8_t *b, size_t n, struct decoded *d)
{
	size_t at;

	for (at = 0; at < n; at++) {
		switch (b[at]) {
		case 0x66:
			if (d->prefix == P_NONE)
				d->prefix = P_66;
			continue;
		case 0xf2:
			d->prefix = P_F2;
			continue;
		case 0xf3:
			d->prefix = P_F3;
			continue;
		case 0xf0:
			d->lock = true;
			continue;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x67:
			continue;
		default:
			break;
		}
		break;
	}
	if (at < n && (b[at] & 0xf0) == 0x40)
		d->w = b[at++] & 8;
	return at;
}

/* The place of the opcode, or n. */
static size_t read_escapes(const uint8_t *b, size_t n, size_t at, struct decoded *d)
{
	if (at >= n || b[at] != 0x0f)
		return at;
	d->map = 1;
	if (++at < n && (b[at] == 0x38 || b[at] == 0x3a))
		d->map = b[at++] == 0x38 ? 2 : 3;
	return at;
}

static size_t read_vex(const uint8_t *b, size_t n, size_t at, struct decoded *d)
{
	bool three = b[at] == 0xc4;
	uint8_t last;

	if (at + (three ? 3 : 2) >= n)
		return n;
	d->vex = true;
	d->map = three ? b[at + 1] & 0x1fu : 1;
	last = b[at + (three ? 2 : 1)];
	d->w = three && last & 0x80;
	d->wide = last & 4;
	d->prefix = last & 3;
	return at + (three ? 3 : 2);
}

static bool decode(const uint8_t *b, size_t n, struct decoded *d)
{
	size_t at;

	memset(d, 0, sizeof(*d));
	at = read_prefixes(b, n, d);
	if (at < n && (b[at] == 0xc4 || b[at] == 0xc5))
		at = read_vex(b, n, at, d);
	else if (at < n && b[at] == 0x62)
		return false;
	else
		at = read_escapes(b, n, at, d);
	if (at >= n)
		return false;
	d->opcode = b[at];
	d->modrm = at + 1 < n ? b[at + 1] : 0xc0;
	d->memory = d->modrm < 0xc0;
	return true;
}

/* ---- SIMD: the unit by opcode and mandatory prefix ---- */

#define X87 VPMU_UNIT_X87
#define MV VPMU_UNIT_MOVE
#define MM VPMU_UNIT_MMX
#define IN VPMU_UNIT_SSE_INTEGER
#define PS VPMU_UNIT_PACKED_SINGLE
#define PD VPMU_UNIT_PACKED_DOUBLE
#define SS VPMU_UNIT_SCALAR_SINGLE
#define SD VPMU_UNIT_SCALAR_DOUBLE

struct simd_row {
	uint8_t first, last;
	uint8_t unit[4];	/* by prefix: none, 66, F3, F2; 0: no SIMD instruction */
};

static const struct simd_row map1[] = {
	{ 0x10, 0x11, { MV, MV, MV, MV } },	/* MOVUPS, MOVUPD, MOVSS, MOVSD */
	{ 0x12, 0x12, { MV, MV, MV, MV } },	/* MOVLPS, MOVLPD, MOVSLDUP, MOVDDUP */
	{ 0x13, 0x13, { MV, MV, 0, 0 } },
	{ 0x14, 0x15, { PS, PD, 0, 0 } },	/* UNPCKLPS, UNPCKHPS */
	{ 0x16, 0x16, { MV, MV, MV, 0 } },	/* MOVHPS, MOVHPD, MOVSHDUP */
	{ 0x17, 0x17, { MV, MV, 0, 0 } },
	{ 0x28, 0x29, { MV, MV, 0, 0 } },	/* MOVAPS, MOVAPD */
	{ 0x2a, 0x2a, { PS, PD, SS, SD } },	/* CVTPI2PS, ..., CVTSI2SD */
	{ 0x2b, 0x2b, { MV, MV, 0, 0 } },	/* MOVNTPS */
	{ 0x2c, 0x2d, { PS, PD, SS, SD } },	/* CVT(T)PS2PI, ..., CVT(T)SD2SI */
	{ 0x2e, 0x2f, { SS, SD, 0, 0 } },	/* UCOMISS, COMISS */
	{ 0x50, 0x50, { PS, PD, 0, 0 } },	/* MOVMSKPS */
	{ 0x51, 0x51, { PS, PD, SS, SD } },	/* SQRT */
	{ 0x52, 0x53, { PS, 0, SS, 0 } },	/* RSQRT, RCP */
	{ 0x54, 0x57, { PS, PD, 0, 0 } },	/* AND, ANDN, OR, XOR */
	{ 0x58, 0x5a, { PS, PD, SS, SD } },	/* ADD, MUL, CVTPS2PD and its kin */
	{ 0x5b, 0x5b, { PS, PS, PS, 0 } },	/* CVTDQ2PS, CVTPS2DQ, CVTTPS2DQ */
	{ 0x5c, 0x5f, { PS, PD, SS, SD } },	/* SUB, MIN, DIV, MAX */
	{ 0x60, 0x6b, { MM, IN, 0, 0 } },
	{ 0x6c, 0x6d, { 0, IN, 0, 0 } },	/* PUNPCKLQDQ */
	{ 0x6e, 0x6e, { MV, MV, 0, 0 } },	/* MOVD, MOVQ */
	{ 0x6f, 0x6f, { MV, MV, MV, 0 } },	/* MOVQ, MOVDQA, MOVDQU */
	{ 0x70, 0x70, { MM, IN, IN, IN } },	/* PSHUFW, PSHUFD, PSHUFHW, PSHUFLW */
	{ 0x71, 0x76, { MM, IN, 0, 0 } },
	{ 0x77, 0x77, { MM, 0, 0, 0 } },	/* EMMS */
	{ 0x7c, 0x7d, { 0, PD, 0, PS } },	/* HADDPD, HADDPS */
	{ 0x7e, 0x7f, { MV, MV, MV, 0 } },
	{ 0xc2, 0xc2, { PS, PD, SS, SD } },	/* CMPPS */
	{ 0xc4, 0xc5, { MM, IN, 0, 0 } },	/* PINSRW, PEXTRW */
	{ 0xc6, 0xc6, { PS, PD, 0, 0 } },	/* SHUFPS */
	{ 0xd0, 0xd0, { 0, PD, 0, PS } },	/* ADDSUBPD, ADDSUBPS */
	{ 0xd1, 0xd5, { MM, IN, 0, 0 } },
	{ 0xd6, 0xd6, { 0, MV, MV, MV } },	/* MOVQ, MOVQ2DQ, MOVDQ2Q */
	{ 0xd7, 0xe5, { MM, IN, 0, 0 } },
	{ 0xe6, 0xe6, { 0, PD, PD, PD } },	/* CVTTPD2DQ, CVTDQ2PD, CVTPD2DQ */
	{ 0xe7, 0xe7, { MV, MV, 0, 0 } },	/* MOVNTQ, MOVNTDQ */
	{ 0xe8, 0xef, { MM, IN, 0, 0 } },
	{ 0xf0, 0xf0, { 0, 0, 0, MV } },	/* LDDQU */
	{ 0xf1, 0xf6, { MM, IN, 0, 0 } },
	{ 0xf7, 0xf7, { MV, MV, 0, 0 } },	/* MASKMOVQ, MASKMOVDQU */
	{ 0xf8, 0xfe, { MM, IN, 0, 0 } },
};

static const struct simd_row map2[] = {
	{ 0x00, 0x0b, { MM, IN, 0, 0 } },
	{ 0x10, 0x10, { 0, IN, 0, 0 } },	/* PBLENDVB */
	{ 0x14, 0x14, { 0, PS, 0, 0 } },	/* BLENDVPS */
	{ 0x15, 0x15, { 0, PD, 0, 0 } },
	{ 0x17, 0x17, { 0, IN, 0, 0 } },	/* PTEST */
	{ 0x1c, 0x1e, { MM, IN, 0, 0 } },	/* PABS */
	{ 0x20, 0x29, { 0, IN, 0, 0 } },
	{ 0x2a, 0x2a, { 0, MV, 0, 0 } },	/* MOVNTDQA */
	{ 0x2b, 0x2b, { 0, IN, 0, 0 } },
	{ 0x30, 0x41, { 0, IN, 0, 0 } },
	{ 0xc8, 0xcd, { IN, 0, 0, 0 } },	/* SHA */
	{ 0xcf, 0xcf, { 0, IN, 0, 0 } },	/* GF2P8MULB */
	{ 0xdb, 0xdf, { 0, IN, 0, 0 } },	/* AES */
};

/* What only VEX has in this map; the rest it shares. */
static const struct simd_row map2_vex[] = {
	{ 0x0c, 0x0c, { 0, PS, 0, 0 } },	/* VPERMILPS */
	{ 0x0d, 0x0d, { 0, PD, 0, 0 } },
	{ 0x0e, 0x0e, { 0, PS, 0, 0 } },	/* VTESTPS */
	{ 0x0f, 0x0f, { 0, PD, 0, 0 } },
	{ 0x13, 0x13, { 0, PS, 0, 0 } },	/* VCVTPH2PS */
	{ 0x16, 0x16, { 0, PS, 0, 0 } },	/* VPERMPS */
	{ 0x18, 0x1a, { 0, MV, 0, 0 } },	/* VBROADCASTSS, SD, F128 */
	{ 0x2c, 0x2f, { 0, MV, 0, 0 } },	/* VMASKMOVPS, PD */
	{ 0x45, 0x47, { 0, IN, 0, 0 } },	/* VPSRLV, VPSRAV, VPSLLV */
	{ 0x50, 0x53, { 0, IN, 0, 0 } },	/* VPDPBUSD and its kin */
	{ 0x58, 0x5a, { 0, MV, 0, 0 } },	/* VPBROADCASTD, Q, VBROADCASTI128 */
	{ 0x78, 0x79, { 0, MV, 0, 0 } },	/* VPBROADCASTB, W */
	{ 0x8c, 0x8c, { 0, MV, 0, 0 } },	/* VPMASKMOV */
	{ 0x8e, 0x8e, { 0, MV, 0, 0 } },
	{ 0x90, 0x91, { 0, IN, 0, 0 } },	/* VPGATHER */
	{ 0xb4, 0xb5, { 0, IN, 0, 0 } },	/* VPMADD52 */
};

static const struct simd_row map3[] = {
	{ 0x08, 0x08, { 0, PS, 0, 0 } },	/* ROUND */
	{ 0x09, 0x09, { 0, PD, 0, 0 } },
	{ 0x0a, 0x0a, { 0, SS, 0, 0 } },
	{ 0x0b, 0x0b, { 0, SD, 0, 0 } },
	{ 0x0c, 0x0c, { 0, PS, 0, 0 } },	/* BLEND */
	{ 0x0d, 0x0d, { 0, PD, 0, 0 } },
	{ 0x0e, 0x0e, { 0, IN, 0, 0 } },	/* PBLENDW */
	{ 0x0f, 0x0f, { MM, IN, 0, 0 } },	/* PALIGNR */
	{ 0x14, 0x16, { 0, IN, 0, 0 } },	/* PEXTR */
	{ 0x17, 0x17, { 0, PS, 0, 0 } },	/* EXTRACTPS */
	{ 0x20, 0x20, { 0, IN, 0, 0 } },	/* PINSRB */
	{ 0x21, 0x21, { 0, PS, 0, 0 } },	/* INSERTPS */
	{ 0x22, 0x22, { 0, IN, 0, 0 } },
	{ 0x40, 0x40, { 0, PS, 0, 0 } },	/* DPPS */
	{ 0x41, 0x41, { 0, PD, 0, 0 } },
	{ 0x42, 0x42, { 0, IN, 0, 0 } },	/* MPSADBW */
	{ 0x44, 0x44, { 0, IN, 0, 0 } },	/* PCLMULQDQ */
	{ 0x60, 0x63, { 0, IN, 0, 0 } },	/* PCMPESTRM and its kin */
	{ 0xcc, 0xcc, { IN, 0, 0, 0 } },	/* SHA1RNDS4 */
	{ 0xce, 0xcf, { 0, IN, 0, 0 } },	/* GF2P8AFFINE */
	{ 0xdf, 0xdf, { 0, IN, 0, 0 } },	/* AESKEYGENASSIST */
};

static const struct simd_row map3_vex[] = {
	{ 0x00, 0x00, { 0, IN, 0, 0 } },	/* VPERMQ */
	{ 0x01, 0x01, { 0, PD, 0, 0 } },	/* VPERMPD */
	{ 0x02, 0x02, { 0, IN, 0, 0 } },	/* VPBLENDD */
	{ 0x04, 0x04, { 0, PS, 0, 0 } },	/* VPERMILPS */
	{ 0x05, 0x05, { 0, PD, 0, 0 } },
	{ 0x06, 0x06, { 0, PD, 0, 0 } },	/* VPERM2F128 */
	{ 0x18, 0x19, { 0, PD, 0, 0 } },	/* VINSERTF128, VEXTRACTF128 */
	{ 0x1d, 0x1d, { 0, PS, 0, 0 } },	/* VCVTPS2PH */
	{ 0x38, 0x39, { 0, IN, 0, 0 } },	/* VINSERTI128, VEXTRACTI128 */
	{ 0x46, 0x46, { 0, IN, 0, 0 } },	/* VPERM2I128 */
	{ 0x4a, 0x4a, { 0, PS, 0, 0 } },	/* VBLENDVPS */
	{ 0x4b, 0x4b, { 0, PD, 0, 0 } },
	{ 0x4c, 0x4c, { 0, IN, 0, 0 } },	/* VPBLENDVB */
};

#define ROWS(t) t, sizeof(t) / sizeof((t)[0])

static enum vpmu_unit find_unit(const struct simd_row *rows, size_t count,
				const struct decoded *d)
{
	for (size_t i = 0; i < count; i++)
		if (d->opcode >= rows[i].first && d->opcode <= rows[i].last)
			return (enum vpmu_unit)rows[i].unit[d->prefix];
	return VPMU_UNIT_NONE;
}

/* VFMADD132PS and its kin: three columns of ten. */
static bool is_fma(const struct decoded *d)
{
	return d->vex && d->map == 2 && d->prefix == P_66 && (d->opcode & 15) >= 6 &&
	       d->opcode >= 0x96 && d->opcode < 0xc0;
}

static bool is_gather(const struct decoded *d)
{
	return d->vex && d->map == 2 && d->prefix == P_66 && (d->opcode & 0xfc) == 0x90;
}

static enum vpmu_unit map2_unit(const struct decoded *d)
{
	enum vpmu_unit unit;

	if (is_fma(d) && d->opcode % 2 && (d->opcode & 15) > 8)
		return d->w ? SD : SS;
	if (is_fma(d) || (is_gather(d) && d->opcode > 0x91))
		return d->w ? PD : PS;
	unit = d->vex ? find_unit(ROWS(map2_vex), d) : VPMU_UNIT_NONE;
	return unit ? unit : find_unit(ROWS(map2), d);
}

static enum vpmu_unit simd_unit(const struct decoded *d)
{
	enum vpmu_unit unit = VPMU_UNIT_NONE;

	if (d->map == 1)
		unit = d->vex && d->opcode == 0x77 ? unit : find_unit(ROWS(map1), d);
	else if (d->map == 2)
		unit = map2_unit(d);
	else if (d->map == 3 && d->vex)
		unit = find_unit(ROWS(map3_vex), d);
	if (d->map == 3 && !unit)
		unit = find_unit(ROWS(map3), d);
	/* VEX has no 64-bit registers: what is MMX without a prefix does not exist there, or works
	 * on mask registers. */
	return d->vex && unit == MM ? VPMU_UNIT_NONE : unit;
}

/* MOVD, MOVQ, MOVNTQ and MASKMOVQ of the 64-bit registers. */
static bool is_mmx_move(const struct decoded *d)
{
	switch (d->opcode) {
	case 0x6e: case 0x6f: case 0x7e: case 0x7f: case 0xe7: case 0xf7:
		return d->map == 1 && d->prefix == P_NONE;
	default:
		return false;
	}
}

static bool is_simd_multiply(const struct decoded *d)
{
	switch (d->map << 8 | d->opcode) {
	case 0x159: case 0x1d5: case 0x1e4: case 0x1e5: case 0x1f4: case 0x1f5:
	case 0x204: case 0x20b: case 0x228: case 0x240: case 0x340: case 0x341:
		return true;
	default:
		return is_fma(d) || (d->vex && d->map == 2 && ((d->opcode & 0xfc) == 0x50 ||
							       (d->opcode & 0xfe) == 0xb4));
	}
}

static bool is_simd_load(const struct decoded *d)
{
	if (!d->memory)
		return false;
	switch (d->map << 8 | d->opcode) {
	case 0x110: case 0x112: case 0x116: case 0x128: case 0x16e: case 0x16f: case 0x1f0:
	case 0x22a: case 0x218: case 0x219: case 0x21a: case 0x22c: case 0x22d:
	case 0x258: case 0x259: case 0x25a: case 0x278: case 0x279: case 0x28c:
		return true;
	case 0x17e:
		return d->prefix == P_F3;
	default:
		return false;
	}
}

static uint32_t move_elements(const struct decoded *d)
{
	uint32_t longs = d->wide ? 2 : 1;

	switch (d->map << 8 | d->opcode) {
	case 0x110: case 0x111:
		return d->prefix >= P_F3 ? 1 : d->prefix == P_66 ? 2 * longs : 4 * longs;
	case 0x112: case 0x113: case 0x116: case 0x117:
		if (d->prefix == P_66)
			return 1;
		return d->prefix == P_F3 ? 4 * longs : 2 * longs;
	case 0x128: case 0x129: case 0x12b:
		return d->prefix == P_66 ? 2 * longs : 4 * longs;
	case 0x16e: case 0x17e: case 0x1d6:
		return 1;
	default:
		return 4 * longs;
	}
}

static uint32_t simd_elements(const struct decoded *d, enum vpmu_unit unit)
{
	switch (unit) {
	case SS: case SD:
		return 1;
	case PD:
		return d->wide ? 4 : 2;
	case MV:
		return move_elements(d);
	default:
		return d->wide ? 8 : 4;
	}
}

static void classify_simd(const struct decoded *d, struct vpmu_class *c)
{
	c->unit = simd_unit(d);
	if (!c->unit)
		return;
	c->vector = c->unit != MM && !(c->unit == MV && is_mmx_move(d));
	if (c->vector)
		c->elements = simd_elements(d, c->unit);
	c->multiply = is_simd_multiply(d);
	c->divide = d->map == 1 && (d->opcode == 0x5e || d->opcode == 0x51);
	c->plain_load = c->unit == MV && is_simd_load(d);
	c->many = is_gather(d);
}

/* ---- x87 ---- */

static bool is_x87_move(const struct decoded *d)
{
	uint32_t reg = reg_field(d);

	if (d->memory) {
		switch (d->opcode) {
		case 0xd9:
			return reg == 0 || reg == 2 || reg == 3;	/* FLD, FST, FSTP */
		case 0xdb:
			return reg != 4 && reg != 6;	/* FILD, FIST.., 80-bit FLD, FSTP */
		case 0xdd:
			return reg < 4;			/* FLD, FISTTP, FST, FSTP */
		case 0xdf:
			return true;			/* FILD, FIST.., FBLD, FBSTP */
		default:
			return false;
		}
	}
	switch (d->opcode) {
	case 0xd9:
		return reg <= 1;		/* FLD, FXCH */
	case 0xdd:
		return reg == 2 || reg == 3;	/* FST, FSTP */
	default:
		return false;
	}
}

static bool is_x87_load(const struct decoded *d)
{
	uint32_t reg = reg_field(d);

	if (!d->memory || !(d->opcode & 1) || !is_x87_move(d))
		return false;
	return reg == 0 || (reg == 5 && d->opcode != 0xd9) || (reg == 4 && d->opcode == 0xdf);
}

static void classify_x87(const struct decoded *d, struct vpmu_class *c)
{
	uint32_t reg = reg_field(d);
	/* D8, DA, DC, DE: arithmetic, but for FCMOV and the FU(COM)PP of DA's register form. */
	bool arithmetic = !(d->opcode & 1) && (d->memory || d->opcode != 0xda);

	c->unit = is_x87_move(d) ? MV : X87;
	c->plain_load = is_x87_load(d);
	c->multiply = arithmetic && reg == 1;
	c->divide = (arithmetic && reg >= 6) || (d->opcode == 0xd9 && d->modrm == 0xfa);
}

/* ---- the rest ---- */

static enum vpmu_branch branch_of(const struct decoded *d)
{
	static const enum vpmu_branch of_ff[8] = {
		[2] = VPMU_CALL_INDIRECT, [3] = VPMU_CALL_INDIRECT, [4] = VPMU_JUMP_INDIRECT,
		[5] = VPMU_JUMP_INDIRECT,
	};

	if (d->map == 1)
		return (d->opcode & 0xf0) == 0x80 && !d->vex ? VPMU_CONDITIONAL : VPMU_NO_BRANCH;
	if (d->map)
		return VPMU_NO_BRANCH;
	if ((d->opcode & 0xf0) == 0x70 || (d->opcode & 0xfc) == 0xe0)
		return VPMU_CONDITIONAL;
	switch (d->opcode) {
	case 0xe8:
		return VPMU_CALL;
	case 0xe9: case 0xeb:
		return VPMU_JUMP;
	case 0xc2: case 0xc3: case 0xca: case 0xcb: case 0xcf:
		return VPMU_RETURN;
	case 0xff:
		return of_ff[reg_field(d)];
	default:
		return VPMU_NO_BRANCH;
	}
}

static bool is_string(const struct decoded *d)
{
	return (d->opcode >= 0xa4 && d->opcode <= 0xa7) ||
	       (d->opcode >= 0xaa && d->opcode <= 0xaf) ||
	       (d->opcode >= 0x6c && d->opcode <= 0x6f);
}

static void classify_one_byte(const struct decoded *d, struct vpmu_class *c)
{
	bool group3 = d->opcode == 0xf6 || d->opcode == 0xf7;
	uint32_t reg = reg_field(d);

	if (d->opcode >= 0xd8 && d->opcode <= 0xdf)
		classify_x87(d, c);
	c->repeated = is_string(d) && d->prefix >= P_F3;
	c->many = d->opcode == 0xa6 || d->opcode == 0xa7;
	c->locked |= d->memory && (d->opcode == 0x86 || d->opcode == 0x87);
	c->multiply |= (group3 && (reg == 4 || reg == 5)) || d->opcode == 0x69 || d->opcode == 0x6b;
	c->divide |= group3 && reg >= 6;
	c->plain_load |= d->opcode == 0xa0 || d->opcode == 0xa1 ||
			 (d->memory && (d->opcode == 0x8a || d->opcode == 0x8b ||
					d->opcode == 0x63));
}

static enum vpmu_prefetch prefetch_of(const struct decoded *d)
{
	static const enum vpmu_prefetch of_18[8] = {
		VPMU_PREFETCH_NTA, VPMU_PREFETCH_T0, VPMU_PREFETCH_T1, VPMU_PREFETCH_T2,
	};

	if (!d->memory || d->vex)
		return VPMU_NO_PREFETCH;
	if (d->opcode == 0x18)
		return of_18[reg_field(d)];
	if (d->opcode == 0x0d)
		return reg_field(d) == 2 ? VPMU_PREFETCH_T1 : VPMU_PREFETCH_T0;
	return VPMU_NO_PREFETCH;
}

static void classify_0f(const struct decoded *d, struct vpmu_class *c)
{
	c->prefetch = prefetch_of(d);
	if (d->vex)
		return;
	c->multiply |= d->opcode == 0xaf;
	c->plain_load |= d->memory && (d->opcode == 0xb6 || d->opcode == 0xb7 ||
				       d->opcode == 0xbe || d->opcode == 0xbf);
}

struct vpmu_class vpmu_class_of(const uint8_t *bytes, size_t count)
{
	struct vpmu_class c;
	struct decoded d;

	memset(&c, 0, sizeof(c));
	if (!decode(bytes, count, &d))
		return c;
	c.locked = d.lock;
	c.branch = branch_of(&d);
	if (d.map == 0)
		classify_one_byte(&d, &c);
	else
		classify_simd(&d, &c);
	if (d.map == 1)
		classify_0f(&d, &c);
	if (d.map == 2 && d.opcode == 0xf6 && d.prefix == P_F2 && d.vex)
		c.multiply = true;	/* MULX */
	if (d.map == 2 && d.opcode == 0xf0 && d.prefix <= P_66 && !d.vex)
		c.plain_load = d.memory;	/* MOVBE */
	return c;
}
