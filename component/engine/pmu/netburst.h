/* SPDX-License-Identifier: MIT */
/* NetBurst (family 15: Pentium 4 and its Xeons): what its files share.
 * Source: SDM 325384-059, page 18-95 and the sections around it; tables 18-63, 19-28 to 19-34. */
#ifndef IPMU_NETBURST_H
#define IPMU_NETBURST_H

#include "pmu.h"

#define NETBURST_COUNTERS 18
#define NETBURST_MASKS_MAX 15

#define CCCR_OVF BITS(31, 31)
#define CCCR_CASCADE BITS(30, 30)
#define CCCR_OVF_PMI_T1 BITS(27, 27)
#define CCCR_OVF_PMI_T0 BITS(26, 26)
#define CCCR_FORCE_OVF BITS(25, 25)
#define CCCR_EDGE BITS(24, 24)
#define CCCR_THRESHOLD BITS(23, 20)
#define CCCR_COMPLEMENT BITS(19, 19)
#define CCCR_COMPARE BITS(18, 18)
#define CCCR_ACTIVE_THREAD BITS(17, 16)
#define CCCR_ANY 3	/* of Active Thread: whichever threads are active */
#define CCCR_ESCR_SELECT BITS(15, 13)
#define CCCR_ENABLE BITS(12, 12)
/* Above the register, in ipmu_choice.select: overflow after so many events, 0: no preset. */
#define CCCR_PERIOD(n) ((uint64_t)(n) << 32)
#define NETBURST_PERIOD_MAX 0xFFFFFFFFull

#define ESCR_EVENT_SELECT BITS(30, 25)
#define ESCR_EVENT_MASK BITS(24, 9)
#define ESCR_TAG_VALUE BITS(8, 5)
#define ESCR_TAG_ENABLE BITS(4, 4)
#define ESCR_T0_OS BITS(3, 3)
#define ESCR_T0_USR BITS(2, 2)
#define ESCR_T1_OS BITS(1, 1)
#define ESCR_T1_USR BITS(0, 0)
#define ESCR_OS (ESCR_T0_OS | ESCR_T1_OS)
#define ESCR_USR (ESCR_T0_USR | ESCR_T1_USR)
#define ESCR_T0 (ESCR_T0_OS | ESCR_T0_USR)
#define ESCR_T1 (ESCR_T1_OS | ESCR_T1_USR)

/* Table 18-63. The first of a pair of ESCRs feeds the first half of a group of counters, the
 * second the other half. */
#define BPU_0 0x3u
#define BPU_1 0xCu
#define MS_0 0x30u
#define MS_1 0xC0u
#define FLAME_0 0x300u
#define FLAME_1 0xC00u
#define IQ_0 0x13000u
#define IQ_1 0x2C000u

/* X(name, address, number in the CCCR, counters) */
#define NETBURST_ESCRS(X) \
	X(BSU_ESCR0, 0x3A0, 7, BPU_0) X(BSU_ESCR1, 0x3A1, 7, BPU_1) \
	X(FSB_ESCR0, 0x3A2, 6, BPU_0) X(FSB_ESCR1, 0x3A3, 6, BPU_1) \
	X(FIRM_ESCR0, 0x3A4, 1, FLAME_0) X(FIRM_ESCR1, 0x3A5, 1, FLAME_1) \
	X(FLAME_ESCR0, 0x3A6, 0, FLAME_0) X(FLAME_ESCR1, 0x3A7, 0, FLAME_1) \
	X(DAC_ESCR0, 0x3A8, 5, FLAME_0) X(DAC_ESCR1, 0x3A9, 5, FLAME_1) \
	X(MOB_ESCR0, 0x3AA, 2, BPU_0) X(MOB_ESCR1, 0x3AB, 2, BPU_1) \
	X(PMH_ESCR0, 0x3AC, 4, BPU_0) X(PMH_ESCR1, 0x3AD, 4, BPU_1) \
	X(SAAT_ESCR0, 0x3AE, 2, FLAME_0) X(SAAT_ESCR1, 0x3AF, 2, FLAME_1) \
	X(U2L_ESCR0, 0x3B0, 3, FLAME_0) X(U2L_ESCR1, 0x3B1, 3, FLAME_1) \
	X(BPU_ESCR0, 0x3B2, 0, BPU_0) X(BPU_ESCR1, 0x3B3, 0, BPU_1) \
	X(IS_ESCR0, 0x3B4, 1, BPU_0) X(IS_ESCR1, 0x3B5, 1, BPU_1) \
	X(ITLB_ESCR0, 0x3B6, 3, BPU_0) X(ITLB_ESCR1, 0x3B7, 3, BPU_1) \
	X(CRU_ESCR0, 0x3B8, 4, IQ_0) X(CRU_ESCR1, 0x3B9, 4, IQ_1) \
	X(RAT_ESCR0, 0x3BC, 2, IQ_0) X(RAT_ESCR1, 0x3BD, 2, IQ_1) \
	X(SSU_ESCR0, 0x3BE, 3, IQ_0) \
	X(MS_ESCR0, 0x3C0, 0, MS_0) X(MS_ESCR1, 0x3C1, 0, MS_1) \
	X(TBPU_ESCR0, 0x3C2, 2, MS_0) X(TBPU_ESCR1, 0x3C3, 2, MS_1) \
	X(TC_ESCR0, 0x3C4, 1, MS_0) X(TC_ESCR1, 0x3C5, 1, MS_1) \
	X(IX_ESCR0, 0x3C8, 5, BPU_0) X(IX_ESCR1, 0x3C9, 5, BPU_1) \
	X(ALF_ESCR0, 0x3CA, 1, IQ_0) X(ALF_ESCR1, 0x3CB, 1, IQ_1) \
	X(CRU_ESCR2, 0x3CC, 5, IQ_0) X(CRU_ESCR3, 0x3CD, 5, IQ_1) \
	X(CRU_ESCR4, 0x3E0, 6, IQ_0) X(CRU_ESCR5, 0x3E1, 6, IQ_1)
/* Models 0 to 2 have these too. */
#define NETBURST_OLD_ESCRS(X) \
	X(IQ_ESCR0, 0x3BA, 0, IQ_0) X(IQ_ESCR1, 0x3BB, 0, IQ_1)

enum netburst_escr {
#define X(name, ...) name,
	NETBURST_ESCRS(X)
	NETBURST_OLD_ESCRS(X)
#undef X
	NETBURST_ESCR_COUNT,
	NO_ESCR = -1
};

/* Counters that an ESCR can feed, and its number in their CCCR. */
struct netburst_route {
	uint8_t number;
	uint32_t counters;
};

extern const struct netburst_route ipmu_netburst_routes[NETBURST_ESCR_COUNT];
extern const struct ipmu_reg ipmu_netburst_escrs[NETBURST_ESCR_COUNT];
extern const struct ipmu_reg ipmu_netburst_counters[NETBURST_COUNTERS];
extern const struct ipmu_reg ipmu_netburst_cccrs[NETBURST_COUNTERS];
extern const struct ipmu_reg ipmu_netburst_pebs_enable, ipmu_netburst_pebs_matrix_vert;
extern const struct ipmu_reg ipmu_netburst_misc_enable;
/* Shared resources, not registers: the four execution tags, and the front-end tag. Each has one
 * meaning at a time. */
extern const struct ipmu_reg ipmu_netburst_execution_tags, ipmu_netburst_front_end_tag;
extern const struct ipmu_reg *const ipmu_netburst_shared_resources[];
extern const struct ipmu_reg *const ipmu_netburst_registers[];		/* models 0 to 2 */
extern const struct ipmu_reg *const ipmu_netburst_p_registers[];	/* models 3, 4, 6 */

enum netburst_role { PLAIN, TAGS_EXECUTION, TAGS_FRONT_END, COUNTS_EXECUTION, COUNTS_FRONT_END,
		     COUNTS_REPLAY };

struct netburst_mask {
	const char *name;	/* as the document spells it */
	uint8_t bit;
	const char *other;	/* libpfm4's spelling where it differs */
	const char *lacking;	/* what it means, where libpfm4 has no such mask */
};

struct netburst_event {
	const char *name, *other, *lacking;	/* as in masks */
	uint8_t event, number;			/* for the ESCR; in the CCCR, as printed */
	int8_t escrs[2];
	enum netburst_role role;
	bool edge;		/* the document requires EDGE: several clocks an occurrence */
	bool from_model_3;
	uint16_t one_of[2];	/* masks that exclude each other */
	struct netburst_mask masks[NETBURST_MASKS_MAX + 1];
};

/* Rows of tables 19-31 to 19-33: what is set upstream of an at-retirement event. */
struct netburst_tag {
	enum netburst_role role;	/* of the event that counts it */
	const char *name, *metric;	/* ours (libpfm4's for replays); the document's */
	const char *desc;
	const char *event;		/* upstream, or NULL */
	uint16_t mask;
	uint8_t escrs;			/* which of the event's two; bit 0, bit 1 */
	uint32_t pebs_enable, matrix_vert;
};

/* By any spelling, letter case ignored; NULL if there is none. */
const struct netburst_event *ipmu_netburst_event(const char *name);
const struct netburst_tag *ipmu_netburst_tag(enum netburst_role role, const char *name);
const struct netburst_mask *ipmu_netburst_mask(const struct netburst_event *e, const char *name);

/* The counter whose overflow starts `ctr`, if CASCADE is set in the CCCR of `ctr`. */
int ipmu_netburst_cascades_from(int ctr);
/* Value from which a counter overflows after n events or, with a PMI, interrupts on the nth
 * (18.15.5.8: the interrupt follows on the event after the overflow). */
uint64_t ipmu_netburst_preset(uint64_t n, bool pmi);

extern const struct ipmu_own_qualifier ipmu_netburst_qualifiers[];
extern const struct ipmu_measure ipmu_netburst_measures[];
const char *ipmu_netburst_units(const struct ipmu_event *e, const char *event, const char *plain);
int ipmu_netburst_encode(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
			 const uint64_t *codes, int ncodes, char *why);
int ipmu_netburst_check_threads(const struct ipmu_event *e, const struct ipmu_topology *topo,
				char *why);
void ipmu_netburst_for_threads(struct ipmu_choice *choice, unsigned threads);
int ipmu_netburst_more(const char *event, int n, const char **name, const char **desc);
bool ipmu_netburst_knows(const char *event);

#endif
