/* SPDX-License-Identifier: MIT */
/* The uncore of client processors from Sandy Bridge on: slices of the last-level cache (CBo), an
 * arbiter, a clock and a memory controller. Generations differ in addresses, numbers of boxes, what
 * switches the counters, and events. A generation is a file of data: registers, a type for each
 * kind of box, and one of these layouts; the functions are those of client_uncore.c. */
#ifndef IPMU_CLIENT_UNCORE_H
#define IPMU_CLIENT_UNCORE_H

#include "counter_ops.h"
#include "families.h"

#define IPMU_CLIENT_EN BITS(22, 22)	/* of an event select, and of the clock's control */
#define IPMU_CLIENT_OVF_EN BITS(20, 20)
#define IPMU_CLIENT_GLOBAL_FRZ BITS(31, 31)
#define IPMU_CLIENT_GLOBAL_EN BITS(29, 29)
#define IPMU_CLIENT_BANKS BITS(3, 0)	/* of MSR_UNC_CBO_CONFIG */
#define IPMU_CLIENT_BOX_FRZ BITS(0, 0)	/* of a box control in the window */
#define IPMU_CLIENT_RESET BITS(2, 1)	/* of the window's global control: selects and counters */

enum { IPMU_CLIENT_SLICES = -1, IPMU_CLIENT_WINDOW = -2 };	/* for `boxes` below */

struct ipmu_client_unit {	/* in the order of the family's types */
	const struct ipmu_pmu_type *type;
	int boxes;		/* or: by the register; all, if the window can be mapped */
	uint64_t overflow;	/* its flag in global_status */
	const struct ipmu_reg *box_ctl;	/* in the window: freezes a box; NULL: it has none */
};

struct ipmu_client_layout {
	const struct ipmu_reg *global_ctrl;	/* NULL: each counter is switched by itself ... */
	/* ... below these, up to NULL; NULL: there are none */
	const struct ipmu_reg *const *box_ctrls;
	const struct ipmu_reg *global_status;	/* NULL: its flags are not known */
	/* In the window: resets all its selects and counters, once before they are used; NULL:
	 * there is none. */
	const struct ipmu_reg *window_reset;
	/* Discovered units only: the control that freezes all of them, thawed before they are used;
	 * NULL: there are none. */
	const struct ipmu_reg *window_thaw;
	/* Bits 3:0 are the number of slices; NULL: no counter of theirs is used. */
	const struct ipmu_reg *cbo_config;
	int more;		/* ... and so many more */
	int slices_max;		/* for so many there are addresses */
	bool hybrid;		/* a slice may belong to several cores */
	const char *remark;	/* for the component's description; NULL: none */
	struct ipmu_client_unit units[IPMU_TYPES_MAX];	/* up to a NULL type */
};

/* Fields of registers, and registers that several generations have. */
#define IPMU_CLIENT_SELECT_FIELDS { F_THRESHOLD("THR", 28, 24), F_EVENT("INV", 23, 23), \
	F_BITS("EN", IPMU_CLIENT_EN), F_BITS("OVF_EN", IPMU_CLIENT_OVF_EN), \
	F_EDGE("E", 18, 18), F_EVENT("UMASK", 15, 8), F_EVENT("EVT_SEL", 7, 0) }
#define IPMU_CLIENT_CTR_VAL BITS(43, 0)
#define IPMU_CLIENT_CTR_FIELDS { F_BITS("CTR_VAL", IPMU_CLIENT_CTR_VAL) }
#define IPMU_CLIENT_FIXED_VAL BITS(47, 0)
/* From Alder Lake on, of the slices; from Meteor Lake on, of all. */
#define IPMU_CLIENT_WIDE_SELECT_FIELDS { F_THRESHOLD("THR", 29, 24), F_EVENT("INV", 23, 23), \
	F_BITS("EN", IPMU_CLIENT_EN), F_BITS("OVF_EN", IPMU_CLIENT_OVF_EN), \
	F_EDGE("E", 18, 18), F_EVENT("UMASK", 15, 8), F_EVENT("EVT_SEL", 7, 0) }
#define IPMU_CLIENT_GLOBAL_FIELDS { F_BITS("FRZ_ON_PMI", IPMU_CLIENT_GLOBAL_FRZ), \
	F("WAKE_ON_PMI", 30, 30), F_BITS("EN", IPMU_CLIENT_GLOBAL_EN), F("PMI_SEL_CORE", 3, 0) }
#define IPMU_CLIENT_REQUESTS(name_, addr_, src_) { .name = name_, .src = src_, \
	.space = IPMU_MMIO, .addr = addr_, .width = 32, .access = IPMU_RO }

/* Types of boxes; a generation adds .select, .ctr, .freeze and .src. */
#define IPMU_CLIENT_CBO(name_) IPMU_CLIENT_SLICE(name_), .raw = "event=0x34:umask=0x3F"
#define IPMU_CLIENT_SLICE(name_) \
	.name = name_, .units = "events", .pfm = name_, .pfm_numbered = true, .counters = 2, \
	.per_clock = 31, .clock_mhz = 5000,	/* THR goes up to 31 */ \
	.ops = &ipmu_client_ops
#define IPMU_CLIENT_ARB_RAW "event=0x81:umask=0x01"
#define IPMU_CLIENT_ARB(name_) \
	.name = name_, .units = "events", .pfm = name_, .counters = 2, \
	.raw = IPMU_CLIENT_ARB_RAW, \
	.per_clock = 128, .clock_mhz = 5000,	/* the tracker's size is not documented */ \
	.measures = ipmu_client_arb_measures, .ops = &ipmu_client_ops
#define IPMU_CLIENT_CLK(name_) \
	.name = name_, .units = "clocks", .pfm = name_, .per_clock = 1, .clock_mhz = 5000, \
	.counters = 1, \
	.ops = &ipmu_client_ops
/* Start of a type's counters: by one register for all, which may be able to freeze them, or by the
 * enable of each. */
#define IPMU_CLIENT_FREEZES(ctrl) .enable = IPMU_CLIENT_EN, .freeze = ctrl, \
	.qualifiers = ipmu_client_qualifiers
#define IPMU_CLIENT_CLK_FREEZES(ctrl) .enable = IPMU_CLIENT_EN, .freeze = ctrl, \
	.qualifiers = ipmu_client_clk_qualifiers
#define IPMU_CLIENT_TOGETHER .enable = IPMU_CLIENT_EN
#define IPMU_CLIENT_EACH .switched = IPMU_CLIENT_EN
#define IPMU_CLIENT_IMC(name_) \
	.name = name_, .units = "requests", .pfm = name_, \
	.per_clock = 1, .clock_mhz = 938,	/* 60 GB/s in lines of 64 bytes */ \
	.measures = ipmu_client_imc_measures, \
	.ops = &ipmu_window_ops
/* Counters with a select in the window: five of each memory controller. */
#define IPMU_CLIENT_IMC_SELECTS(name_) \
	.name = name_, .units = "events", .pfm = name_, .pfm_numbered = true, .counters = 5, \
	.raw = "event=0x22:umask=0x00", \
	.per_clock = 128, .clock_mhz = 5000,	/* the queues' sizes are not documented */ \
	.measures = ipmu_client_imc_measures, .ops = &ipmu_client_imc_ops

extern const struct ipmu_own_qualifier ipmu_client_qualifiers[], ipmu_client_clk_qualifiers[];
extern const struct ipmu_constraint ipmu_client_arb_constraints[];
extern const struct ipmu_measure ipmu_client_arb_measures[], ipmu_client_imc_measures[];
extern const struct ipmu_ops ipmu_client_ops, ipmu_client_imc_ops;

int ipmu_client_discover(struct ipmu_regs *p, int ncores, struct ipmu_found *found, char *note,
			 char *why);
int ipmu_client_control(struct ipmu_regs *p, const struct ipmu_activity *a);
int ipmu_client_quiesce(struct ipmu_regs *p);
int ipmu_client_busy(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		     char *why);

/* Functions of client_window.c for a unit: its boxes, 0 and a reason if they cannot be used; start
 * the boxes with active counters and stop the others; -EBUSY if somebody counts there. */
int ipmu_client_window_boxes(struct ipmu_regs *p, const struct ipmu_client_unit *u, char *reason);
/* Is the unit one that a discovery table describes? */
static inline bool ipmu_client_discovered(const struct ipmu_client_unit *u)
{
	return u->box_ctl && u->box_ctl->unit_type;
}
/* For a window that could not be opened: 0 boxes, or the error if it says nothing of the machine
 * (no descriptor or memory is left). */
int ipmu_client_no_boxes(int rc);
int ipmu_client_window_control(struct ipmu_regs *p, const struct ipmu_activity *a);
int ipmu_client_window_busy(struct ipmu_regs *p, const struct ipmu_client_unit *u, char *why);

#define IPMU_CLIENT_FAMILY IPMU_CLIENT_FAMILY_OF(6)
#define IPMU_CLIENT_FAMILY_OF(family_) \
	.scope = IPMU_SCOPE_PACKAGE, .vendor = "GenuineIntel", .family = family_, \
	.discover = ipmu_client_discover, .control = ipmu_client_control, \
	.quiesce = ipmu_client_quiesce, .busy = ipmu_client_busy

/* Registers that stayed where they are from Sandy Bridge to Comet Lake, and what counts there. They
 * are defined with Skylake, which has a document of its own. */
extern const struct ipmu_reg ipmu_skl_global_ctrl, ipmu_skl_global_status, ipmu_skl_fixed_ctrl,
	ipmu_skl_fixed_ctr, ipmu_skl_cbo_config, ipmu_skl_arb_perfctr, ipmu_skl_arb_perfevtsel,
	ipmu_skl_imc_bar, ipmu_skl_dram_gt_requests, ipmu_skl_dram_ia_requests,
	ipmu_skl_dram_io_requests, ipmu_skl_dram_data_reads, ipmu_skl_dram_data_writes;
extern const struct ipmu_fixed_event ipmu_skl_clk_event[], ipmu_skl_imc_events[];

#define IPMU_SKL_IMC_REGISTERS \
	&ipmu_skl_imc_bar, &ipmu_skl_dram_gt_requests, &ipmu_skl_dram_ia_requests, \
	&ipmu_skl_dram_io_requests, &ipmu_skl_dram_data_reads, &ipmu_skl_dram_data_writes
#define IPMU_SKL_PACKAGE_REGISTERS \
	&ipmu_skl_fixed_ctrl, &ipmu_skl_fixed_ctr, &ipmu_skl_cbo_config, &ipmu_skl_arb_perfctr, \
	&ipmu_skl_arb_perfevtsel, IPMU_SKL_IMC_REGISTERS
#define IPMU_SKL_ARB .select = &ipmu_skl_arb_perfevtsel, .ctr = &ipmu_skl_arb_perfctr
#define IPMU_SKL_CLK .select = &ipmu_skl_fixed_ctrl, .ctr = &ipmu_skl_fixed_ctr, \
	.fixed = ipmu_skl_clk_event
#define IPMU_SKL_IMC .counters = 5, .fixed = ipmu_skl_imc_events
/* Comet Lake has them as they are. */
extern const struct ipmu_pmu_type ipmu_skl_arb, ipmu_skl_clk, ipmu_skl_imc;
#define IPMU_SKL_UNITS(cbo_, arb_, clk_, imc_) { \
	{ .type = cbo_, .boxes = IPMU_CLIENT_SLICES, .overflow = 1 << 3 }, \
	{ .type = arb_, .boxes = 1, .overflow = 1 << 1 }, \
	{ .type = clk_, .boxes = 1, .overflow = 1 << 0 }, \
	{ .type = imc_, .boxes = IPMU_CLIENT_WINDOW } }

/* Registers of the generations from Sandy Bridge to Broadwell that differ from Skylake's. */
extern const struct ipmu_reg ipmu_snb_global_ctrl, ipmu_snb_global_status, ipmu_snb_cbo_perfevtsel,
	ipmu_snb_cbo_perfctr, *const ipmu_snb_registers[], *const ipmu_snb_switches[];

#define IPMU_SNB_CBO .select = &ipmu_snb_cbo_perfevtsel, .ctr = &ipmu_snb_cbo_perfctr, \
	IPMU_CLIENT_FREEZES(&ipmu_snb_global_ctrl)
#define IPMU_SNB_LAYOUT \
	.global_ctrl = &ipmu_snb_global_ctrl, .global_status = &ipmu_snb_global_status, \
	.cbo_config = &ipmu_skl_cbo_config, .more = -1, .slices_max = 4

/* Registers and units that Rocket Lake and Tiger Lake share. */
extern const struct ipmu_reg ipmu_rkl_global_ctrl, *const ipmu_rkl_switches[];
#define IPMU_RKL_UNITS(arb_, clk_, imc_) { \
	{ .type = arb_, .boxes = 1 }, { .type = clk_, .boxes = 1 }, \
	{ .type = imc_, .boxes = IPMU_CLIENT_WINDOW } }

/* The memory controllers from Alder Lake on. Box controls stand before what they freeze, and the
 * global control after all that it resets: registers are restored in reverse order. */
extern const struct ipmu_reg ipmu_adl_imc_bar, ipmu_adl_imc_box_ctl, ipmu_adl_imc_perfevtsel,
	ipmu_adl_imc_perfctr, ipmu_adl_imc_global_ctl, ipmu_adl_imc_data[6];
extern const struct ipmu_fixed_event ipmu_adl_imc_events[], ipmu_mtl_imc_events[];
#define IPMU_ADL_IMC_REGISTERS IPMU_ADL_IMC_REGISTERS_OF(&ipmu_adl_imc_perfevtsel)
#define IPMU_ADL_IMC_REGISTERS_OF(select_) \
	&ipmu_adl_imc_bar, &ipmu_adl_imc_box_ctl, select_, \
	&ipmu_adl_imc_perfctr, &ipmu_adl_imc_global_ctl, &ipmu_adl_imc_data[0], \
	&ipmu_adl_imc_data[1], &ipmu_adl_imc_data[2], &ipmu_adl_imc_data[3], \
	&ipmu_adl_imc_data[4], &ipmu_adl_imc_data[5]
#define IPMU_ADL_IMC .select = &ipmu_adl_imc_perfevtsel, .ctr = &ipmu_adl_imc_perfctr
#define IPMU_ADL_IMC_UNITS(imc_, free_) \
	{ .type = imc_, .boxes = IPMU_CLIENT_WINDOW, .box_ctl = &ipmu_adl_imc_box_ctl }, \
	{ .type = free_, .boxes = IPMU_CLIENT_WINDOW }

/* The memory controllers' counters from Panther Lake on, which a discovery table describes. */
extern const struct ipmu_reg ipmu_ptl_unit_ctl, ipmu_ptl_unit_perfevtsel, ipmu_ptl_unit_perfctr,
	ipmu_ptl_units_global_ctl;
#define IPMU_PTL_IMC_REGISTERS(table_) \
	table_, &ipmu_ptl_unit_ctl, &ipmu_ptl_unit_perfevtsel, &ipmu_ptl_unit_perfctr, \
	&ipmu_ptl_units_global_ctl, &ipmu_adl_imc_bar, \
	&ipmu_adl_imc_data[0], &ipmu_adl_imc_data[1], &ipmu_adl_imc_data[2], \
	&ipmu_adl_imc_data[3], &ipmu_adl_imc_data[4], &ipmu_adl_imc_data[5]
#define IPMU_PTL_IMC .select = &ipmu_ptl_unit_perfevtsel, .ctr = &ipmu_ptl_unit_perfctr
#define IPMU_PTL_IMC_UNITS(imc_, free_) \
	{ .type = imc_, .boxes = IPMU_CLIENT_WINDOW, .box_ctl = &ipmu_ptl_unit_ctl }, \
	{ .type = free_, .boxes = IPMU_CLIENT_WINDOW }

/* The tiles of Meteor Lake and Arrow Lake, but for the slices and arbiters of the compute tile. */
extern const struct ipmu_reg ipmu_mtl_cncu_box_ctl, ipmu_mtl_cncu_fixed_ctrl,
	ipmu_mtl_cncu_fixed_ctr, ipmu_mtl_sncu_box_ctl, ipmu_mtl_sncu_fixed_ctrl,
	ipmu_mtl_sncu_fixed_ctr, ipmu_mtl_hac_arb_perfevtsel, ipmu_mtl_hac_arb_perfctr,
	ipmu_mtl_hac_cbo_perfevtsel, ipmu_mtl_hac_cbo_perfctr, *const ipmu_mtl_switches[];
extern const struct ipmu_fixed_event ipmu_mtl_cncu_event[], ipmu_mtl_sncu_event[];
#define IPMU_MTL_TILE_REGISTERS \
	&ipmu_mtl_cncu_box_ctl, &ipmu_mtl_cncu_fixed_ctrl, &ipmu_mtl_cncu_fixed_ctr, \
	&ipmu_mtl_sncu_box_ctl, &ipmu_mtl_sncu_fixed_ctrl, &ipmu_mtl_sncu_fixed_ctr, \
	&ipmu_mtl_hac_arb_perfevtsel, &ipmu_mtl_hac_arb_perfctr, \
	&ipmu_mtl_hac_cbo_perfevtsel, &ipmu_mtl_hac_cbo_perfctr
#define IPMU_MTL_HAC_ARB(name_) IPMU_CLIENT_ARB(name_), .pfm_numbered = true, \
	.select = &ipmu_mtl_hac_arb_perfevtsel, .ctr = &ipmu_mtl_hac_arb_perfctr, IPMU_CLIENT_EACH
#define IPMU_MTL_HAC_CBO(name_) IPMU_CLIENT_SLICE(name_), .raw = "event=0x35:umask=0x08", \
	.select = &ipmu_mtl_hac_cbo_perfevtsel, .ctr = &ipmu_mtl_hac_cbo_perfctr, IPMU_CLIENT_EACH
#define IPMU_MTL_CNCU(name_) IPMU_CLIENT_CLK(name_), .select = &ipmu_mtl_cncu_fixed_ctrl, \
	.ctr = &ipmu_mtl_cncu_fixed_ctr, .fixed = ipmu_mtl_cncu_event, IPMU_CLIENT_EACH
#define IPMU_MTL_SNCU(name_) IPMU_CLIENT_CLK(name_), .select = &ipmu_mtl_sncu_fixed_ctrl, \
	.ctr = &ipmu_mtl_sncu_fixed_ctr, .fixed = ipmu_mtl_sncu_event, IPMU_CLIENT_EACH
#define IPMU_MTL_TILE_UNITS(hac_arb_, hac_cbo_, cncu_, sncu_) \
	{ .type = hac_arb_, .boxes = 2 }, { .type = hac_cbo_, .boxes = 2 }, \
	{ .type = cncu_, .boxes = 1 }, { .type = sncu_, .boxes = 1 }

#endif
