/* SPDX-License-Identifier: MIT */
/* Tables of what instructions cost on a core, by the classes of cost_class.h. */
#ifndef VPMU_FEED_CORE_COSTS_H
#define VPMU_FEED_CORE_COSTS_H

#include "cost_class.h"

/* Micro-operations for one of some of four ports, a bit each. Ports of loads and stores are not
 * here. */
struct vpmu_port_work { uint8_t ports, count; };

/* In clocks. Micro-operations for ports are counted by `work`. */
struct vpmu_cost_row {
	uint16_t latency;		/* from the last operand to the result */
	uint8_t issued;			/* fused micro-operations; 0: it is fused with its access */
	uint8_t divider;		/* in which the divider accepts no other */
	uint8_t serial;			/* in which nothing else is executed */
	struct vpmu_port_work work[3];
};

struct vpmu_core_costs {
	uint32_t width;			/* fused micro-operations issued in a clock */
	uint32_t loads, stores, addresses;	/* in a clock; addresses of both */
	uint32_t load_latency, load_vector, load_ymm;	/* that hits the L1 */
	uint32_t load_pointer;		/* of an address that was loaded, plus a constant */
	uint32_t forwarded;		/* from a store's data to a load of them */
	struct vpmu_port_work branch_fused;	/* what a compare fused with its branch takes */
	struct vpmu_cost_row of[VPMU_COST_CLASSES];
};

/* Skylake client. It stands for the cores of all clients: earlier and later P cores issue as many
 * micro-operations a clock or a few more, and E cores have other ports. */
extern const struct vpmu_core_costs vpmu_costs_skylake;

#endif
