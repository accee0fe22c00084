/* SPDX-License-Identifier: MIT */
/* Registers of NetBurst: counters, CCCRs and ESCRs, with a citation in each row. Models 0 to 2 have
 * more of them than models 3, 4 and 6, so there are two lists. Constant data, indexed by a
 * counter's number and by an ESCR's number in netburst.h. */
#include "netburst.h"

#define COUNTER(name_, addr_) { .name = "MSR_" name_, .src = "SDM Table 18-63", .addr = addr_, \
	.width = 40, .access = IPMU_RW, .counter = true, .write_twice = true, \
	.fields = { F("COUNT", 39, 0) } }

const struct ipmu_reg ipmu_netburst_counters[NETBURST_COUNTERS] = {
	COUNTER("BPU_COUNTER0", 0x300), COUNTER("BPU_COUNTER1", 0x301),
	COUNTER("BPU_COUNTER2", 0x302), COUNTER("BPU_COUNTER3", 0x303),
	COUNTER("MS_COUNTER0", 0x304), COUNTER("MS_COUNTER1", 0x305),
	COUNTER("MS_COUNTER2", 0x306), COUNTER("MS_COUNTER3", 0x307),
	COUNTER("FLAME_COUNTER0", 0x308), COUNTER("FLAME_COUNTER1", 0x309),
	COUNTER("FLAME_COUNTER2", 0x30A), COUNTER("FLAME_COUNTER3", 0x30B),
	COUNTER("IQ_COUNTER0", 0x30C), COUNTER("IQ_COUNTER1", 0x30D),
	COUNTER("IQ_COUNTER2", 0x30E), COUNTER("IQ_COUNTER3", 0x30F),
	COUNTER("IQ_COUNTER4", 0x310), COUNTER("IQ_COUNTER5", 0x311),
};

/* Bit 11 exists on models 2, 3, 4 and 6 (Table 18-65); an event never sets it. */
#define CCCR_FIELDS F_BITS("OVF", CCCR_OVF), F_BITS("CASCADE", CCCR_CASCADE), \
	F_BITS("OVF_PMI_T1", CCCR_OVF_PMI_T1), F_BITS("OVF_PMI_T0", CCCR_OVF_PMI_T0), \
	F_BITS("FORCE_OVF", CCCR_FORCE_OVF), F_BITS("EDGE", CCCR_EDGE), \
	F_BITS("THRESHOLD", CCCR_THRESHOLD), F_BITS("COMPLEMENT", CCCR_COMPLEMENT), \
	F_BITS("COMPARE", CCCR_COMPARE), F_BITS("ACTIVE_THREAD", CCCR_ACTIVE_THREAD), \
	F_BITS("ESCR_SELECT", CCCR_ESCR_SELECT), F_BITS("ENABLE", CCCR_ENABLE)
#define CCCR(name_, addr_, ...) { .name = "MSR_" name_, .src = "SDM Table 18-63, 18.16.2", \
	.addr = addr_, .width = 32, .access = IPMU_RW, .moves = CCCR_OVF, \
	.fields = { CCCR_FIELDS, __VA_ARGS__ } }
#define PLAIN_CCCR(name_, addr_) CCCR(name_, addr_, { 0 })

const struct ipmu_reg ipmu_netburst_cccrs[NETBURST_COUNTERS] = {
	PLAIN_CCCR("BPU_CCCR0", 0x360), PLAIN_CCCR("BPU_CCCR1", 0x361),
	PLAIN_CCCR("BPU_CCCR2", 0x362), PLAIN_CCCR("BPU_CCCR3", 0x363),
	PLAIN_CCCR("MS_CCCR0", 0x364), PLAIN_CCCR("MS_CCCR1", 0x365),
	PLAIN_CCCR("MS_CCCR2", 0x366), PLAIN_CCCR("MS_CCCR3", 0x367),
	PLAIN_CCCR("FLAME_CCCR0", 0x368), PLAIN_CCCR("FLAME_CCCR1", 0x369),
	PLAIN_CCCR("FLAME_CCCR2", 0x36A), PLAIN_CCCR("FLAME_CCCR3", 0x36B),
	CCCR("IQ_CCCR0", 0x36C, F("CASCNT4INTO0", 11, 11)),
	PLAIN_CCCR("IQ_CCCR1", 0x36D), PLAIN_CCCR("IQ_CCCR2", 0x36E),
	CCCR("IQ_CCCR3", 0x36F, F("CASCNT5INTO3", 11, 11)),
	CCCR("IQ_CCCR4", 0x370, F("CASCNT5INTO4", 11, 11)),
	CCCR("IQ_CCCR5", 0x371, F("CASCNT4INTO5", 11, 11)),
};

const struct ipmu_reg ipmu_netburst_escrs[NETBURST_ESCR_COUNT] = {
#define X(name_, addr_, ...) [name_] = { .name = "MSR_" #name_, \
	.src = "SDM Table 18-63, 18.16.1", .addr = addr_, .width = 32, .access = IPMU_RW, \
	.fields = { F_BITS("EVENT_SELECT", ESCR_EVENT_SELECT), \
		    F_BITS("EVENT_MASK", ESCR_EVENT_MASK), \
		    F_BITS("TAG_VALUE", ESCR_TAG_VALUE), F_BITS("TAG_ENABLE", ESCR_TAG_ENABLE), \
		    F_BITS("T0_OS", ESCR_T0_OS), F_BITS("T0_USR", ESCR_T0_USR), \
		    F_BITS("T1_OS", ESCR_T1_OS), F_BITS("T1_USR", ESCR_T1_USR) } },
	NETBURST_ESCRS(X)
	NETBURST_OLD_ESCRS(X)
#undef X
};

const struct netburst_route ipmu_netburst_routes[NETBURST_ESCR_COUNT] = {
#define X(name_, addr_, number_, counters_) [name_] = { number_, counters_ },
	NETBURST_ESCRS(X)
	NETBURST_OLD_ESCRS(X)
#undef X
};

/* Table 35-41 calls bits 23:13 reserved, Table 19-33 needs 15 and 16 for mispredicted branches.
 * Tags need no records, so the bits that make the CPU write records to memory are never written. */
const struct ipmu_reg ipmu_netburst_pebs_enable = {
	.name = "MSR_PEBS_ENABLE", .src = "SDM Tables 35-41, 19-33", .addr = 0x3F1, .width = 64,
	.access = IPMU_RW,
	.fields = { F_NEVER("ENABLE_PEBS_OTH_THR", 26, 26), F_NEVER("ENABLE_PEBS_MY_THR", 25, 25),
		    F("UOP_TAG", 24, 24), F("MISPRED", 16, 15), F("REPLAY", 12, 0) },
};

const struct ipmu_reg ipmu_netburst_pebs_matrix_vert = {
	.name = "MSR_PEBS_MATRIX_VERT", .src = "SDM Table 19-33", .addr = 0x3F2, .width = 32,
	.access = IPMU_RW,
	.fields = { F("MISPRED", 4, 4), F("STORES", 1, 1), F("LOADS", 0, 0) },
};

/* Tags the front end; no documented event needs it, its bits are not documented. */
static const struct ipmu_reg tc_precise_event = {
	.name = "MSR_TC_PRECISE_EVENT", .src = "SDM Table 35-41", .addr = 0x3F0, .width = 32,
	.access = IPMU_RW,
};

static const struct ipmu_reg ds_area = {
	.name = "IA32_DS_AREA", .src = "SDM Table 35-41", .addr = 0x600, .width = 64,
	.access = IPMU_RW, .never_write = true, .fields = { F("DS", 63, 0) },
};

/* Only read: this library writes no bit of it. */
const struct ipmu_reg ipmu_netburst_misc_enable = {
	.name = "IA32_MISC_ENABLE", .src = "SDM Table 35-41, 18.15.1", .addr = 0x1A0, .width = 64,
	.access = IPMU_RW,
};

const struct ipmu_reg ipmu_netburst_execution_tags = {
	.name = "the execution tags", .src = "SDM Table 19-32", .space = IPMU_SHARED_RESOURCE,
};

const struct ipmu_reg ipmu_netburst_front_end_tag = {
	.name = "the front-end tag", .src = "SDM Table 19-31", .space = IPMU_SHARED_RESOURCE,
};

const struct ipmu_reg *const ipmu_netburst_shared_resources[] = {
	&ipmu_netburst_execution_tags, &ipmu_netburst_front_end_tag, NULL,
};

#define R(array, i) &ipmu_netburst_##array[i]
#define ARRAY(array) R(array, 0), R(array, 1), R(array, 2), R(array, 3), R(array, 4), \
	R(array, 5), R(array, 6), R(array, 7), R(array, 8), R(array, 9), R(array, 10), \
	R(array, 11), R(array, 12), R(array, 13), R(array, 14), R(array, 15), R(array, 16), \
	R(array, 17)
#define X(name, ...) &ipmu_netburst_escrs[name],
#define COMMON ARRAY(counters), ARRAY(cccrs), NETBURST_ESCRS(X) &tc_precise_event, \
	&ipmu_netburst_pebs_enable, &ipmu_netburst_pebs_matrix_vert, &ds_area, \
	&ipmu_netburst_misc_enable

const struct ipmu_reg *const ipmu_netburst_registers[] = { COMMON, NETBURST_OLD_ESCRS(X) NULL };
const struct ipmu_reg *const ipmu_netburst_p_registers[] = { COMMON, NULL };

int ipmu_netburst_cascades_from(int ctr)
{
	return ctr >= 16 ? ctr - 2 : ctr ^ 2;
}
