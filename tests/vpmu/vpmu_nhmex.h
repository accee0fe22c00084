/* SPDX-License-Identifier: MIT */
/* A virtual Xeon 7500 for the tests of its M-Boxes, and commands of which the counts are known. */
#ifndef TESTS_VPMU_NHMEX_H
#define TESTS_VPMU_NHMEX_H

#include "vpmu_registers.h"

#include "model/core_events.h"

#define U_CTL 0xc00u
#define U_STATUS 0xc01u
#define U_OVF_CTL 0xc02u
#define BOX_STRIDE 0x40u
#define GLOBAL_CTL 0xca0u
#define STATUS 0xca1u
#define OVF_CTL 0xca2u
#define TIMESTAMP 0xca4u
#define DSP 0xca5u
#define ISS 0xca6u
#define MAP 0xca7u
#define PGT 0xca9u
#define PLD 0xcaau
#define FVC 0xcabu
#define CTL(n) (0xcb0u + 2 * (n))
#define CNT(n) (0xcb1u + 2 * (n))
#define MM_CFG 0xe54u
#define PEBS_ENABLE 0x3f1u

#define EN_ALL UINT64_C(0x10000000)
#define FRZ_ALL UINT64_C(0x80000000)
#define RST_ALL UINT64_C(0x20000000)
#define EN 0x1u
#define PMI_EN 0x2u
#define DOWN 0x4u
#define BOTH 0x8u
#define STORAGE 0x10u
#define WRAP 0x40u
#define FLAG_MODE 0x80u
#define INC(code) ((uint64_t)(code) << 9)
#define SET_FLAG(code) ((uint64_t)(code) << 19)
#define CYCLES INC(0x1b)
#define FVC_EV0 INC(0x0d)
#define ALL_COMMANDS INC(0x1a)
#define INFLIGHT INC(0x1d)
#define SCHEDQ_OCCUPANCY (FLAG_MODE | SET_FLAG(6))
#define PGT_PAGE_EV INC(0x16)
#define TOP (UINT64_C(1) << 48)		/* what the 48-bit counters carry into */

static inline int setup(void **state)
{
	(void)state;
	return setup_on("nhmex-1p8c16t");
}

static inline int setup_four_packages(void **state)
{
	(void)state;
	return setup_on("nhmex-4p32c64t");
}

static inline int setup_westmere(void **state)
{
	struct vpmu_machine m = scratch_machine("nhmex-1p8c16t");

	(void)state;
	m.cpuid_model = 0x2f;
	scratch_make(&t, &m);
	vpmu_lock(t.s);
	return 0;
}

static inline uint64_t rd(uint32_t address)
{
	return rd_on(0, address);
}

static inline void wr(uint32_t address, uint64_t value)
{
	wr_on(0, address, value);
}

static inline void command(bool write, enum vpmu_page page, uint64_t clock)
{
	vpmu_memory_command(t.s, 0, 0, write, page, clock);
}

static inline void reads(uint32_t n)
{
	while (n--)
		command(false, VPMU_PAGE_HIT, 0);
}

/* Seven reads (4 hits, 1 empty, 2 misses) and five writes (2 hits, 2 empty, 1 miss). */
static inline void known_commands(void)
{
	static const struct { bool write; enum vpmu_page page; uint32_t n; } all[] = {
		{ false, VPMU_PAGE_HIT, 4 }, { false, VPMU_PAGE_EMPTY, 1 },
		{ false, VPMU_PAGE_MISS, 2 }, { true, VPMU_PAGE_HIT, 2 },
		{ true, VPMU_PAGE_EMPTY, 2 }, { true, VPMU_PAGE_MISS, 1 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (uint32_t n = 0; n < all[i].n; n++)
			command(all[i].write, all[i].page, 0);
}

static inline void start(uint64_t ctl)
{
	wr(U_CTL, 0);
	wr(CTL(0), ctl | EN);
	wr(CNT(0), 0);
	wr(GLOBAL_CTL, 1);
	wr(U_CTL, EN_ALL);
}

static inline uint64_t count_commands(uint64_t ctl)
{
	start(ctl | WRAP);
	known_commands();
	return rd(CNT(0));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
