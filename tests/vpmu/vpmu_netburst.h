/* SPDX-License-Identifier: MIT */
/* A virtual Pentium 4 for the tests of its register model. */
#ifndef TESTS_VPMU_NETBURST_H
#define TESTS_VPMU_NETBURST_H

#include "vpmu_registers.h"

#include "model/core_events.h"

#define COUNTER(n) (0x300u + (n))
#define CCCR(n) (0x360u + (n))
#define BSU_ESCR0 0x3a0u
#define FSB_ESCR0 0x3a2u
#define FSB_ESCR1 0x3a3u
#define FIRM_ESCR0 0x3a4u
#define FIRM_ESCR1 0x3a5u
#define PMH_ESCR0 0x3acu
#define SAAT_ESCR0 0x3aeu
#define SAAT_ESCR1 0x3afu
#define CRU_ESCR0 0x3b8u
#define CRU_ESCR1 0x3b9u
#define RAT_ESCR0 0x3bcu
#define RAT_ESCR1 0x3bdu
#define TBPU_ESCR0 0x3c2u
#define TC_ESCR0 0x3c4u
#define CRU_ESCR2 0x3ccu
#define PEBS_ENABLE 0x3f1u
#define PEBS_MATRIX_VERT 0x3f2u

#define ENABLE (1u << 12)
#define ANY_THREAD (3u << 16)
#define COMPARE (1u << 18)
#define COMPLEMENT (1u << 19)
#define EDGE (1u << 24)
#define FORCE_OVF (1u << 25)
#define OVF_PMI_T0 (1u << 26)
#define OVF_PMI_T1 (1u << 27)
#define OVF (1u << 31)
#define CCCR_OF(select) (ANY_THREAD | ENABLE | (uint32_t)(select) << 13)
#define TOP (UINT64_C(1) << 40)		/* what the 40-bit counters carry into */

/* Event, mask bits, and the thread bits T0_OS and T0_USR. */
#define ESCR(event, mask) ((uint64_t)(event) << 25 | (uint64_t)(mask) << 9 | 0xc)

static inline int setup(void **state)
{
	(void)state;
	return setup_on("p4-1c2t");
}

static inline int setup_two_packages(void **state)
{
	(void)state;
	return setup_on("p4-2p4t");
}

static inline int setup_without_ht(void **state)
{
	(void)state;
	return setup_on("p4-1c1t");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static inline uint64_t rd(uint32_t address)
{
	return rd_on(0, address);
}

static inline void wr(uint32_t address, uint64_t value)
{
	wr_on(0, address, value);
}

static inline void run_clocks(uint32_t cpu, uint32_t clocks)
{
	const uint32_t counts[VPMU_CORE_EVENTS] = { 0 };

	vpmu_core_events(t.s, cpu, counts, clocks);
}

static inline void happen(uint32_t cpu, uint32_t clocks, enum vpmu_core_event kind, uint32_t n)
{
	uint32_t counts[VPMU_CORE_EVENTS] = { 0 };

	counts[kind] = n;
	vpmu_core_events(t.s, cpu, counts, clocks);
}

static inline void count_on(uint32_t counter, uint32_t escr_address, uint64_t escr, uint32_t cccr)
{
	wr(CCCR(counter), 0);
	wr(escr_address, escr);
	wr(COUNTER(counter), 0);
	wr(CCCR(counter), cccr);
}

static inline uint64_t clocks_with_active_thread(uint32_t active)
{
	count_on(0, FSB_ESCR0, ESCR(0x13, 1), ENABLE | 6u << 13 | active << 16);
	run_clocks(0, 10);
	return rd(COUNTER(0));
}

#endif
