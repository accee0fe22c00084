/* SPDX-License-Identifier: MIT */
/* Access to the registers of one package or CPU, through one CPU that belongs to it.
 *
 * Whatever is written has been read first and is put back by ipmu_access_restore. Only documented
 * fields are ever written; the other bits keep the value they were found with. */
#ifndef IPMU_ACCESS_H
#define IPMU_ACCESS_H

#include "../pmu/pmu.h"

#define IPMU_SAVED_MAX 96

struct ipmu_saved {
	const struct ipmu_reg *reg;
	uint32_t addr;
	uint64_t found;		/* before the first write */
	uint64_t now;		/* as last written */
};

struct ipmu_regs {
	const struct ipmu_family *family;
	int os_cpu;
	uint32_t active[IPMU_TYPES_MAX][IPMU_BOXES_MAX];	/* counters that sessions use */
	uint8_t widths[IPMU_TYPES_MAX];	/* of counters, as found here; 0: what the type says */
	int msr;		/* file descriptor; -1: not open */
	char msr_path[32];
	const volatile uint32_t *window;	/* one page of the memory controller; NULL: none */
	uint32_t window_first;	/* offset of that page from the BAR */
	int nsaved;
	struct ipmu_saved saved[IPMU_SAVED_MAX];
};

int ipmu_access_open(struct ipmu_regs *p, const struct ipmu_family *family, int os_cpu, char *why);
void ipmu_access_close(struct ipmu_regs *p);

bool ipmu_regs_any_active(const struct ipmu_regs *p);

int ipmu_msr_read(const struct ipmu_regs *p, uint32_t addr, uint64_t *value);
/* Remember what the register holds, unless it is remembered already. */
int ipmu_msr_save(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		  uint64_t *value);
/* -EINVAL: value has bits that the document does not give to this register. */
int ipmu_msr_write(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		   uint64_t value);
/* Has it been saved, and not put back since? */
bool ipmu_msr_is_saved(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr);
/* Change the bits of mask, keep the others as they were last written. */
int ipmu_msr_update(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		    uint64_t mask, uint64_t value);
/* Settle, then put back what was saved, last first. Of a counter that takes fewer bits than it
 * holds the others are lost. Goes on after an error and returns the first one. */
int ipmu_access_restore(struct ipmu_regs *p);

/* Map the page of the memory controller's registers that holds `reg`. */
int ipmu_window_open(struct ipmu_regs *p, const struct ipmu_reg *bar,
		     const struct ipmu_reg *reg, char *why);
uint32_t ipmu_window_read(const struct ipmu_regs *p, const struct ipmu_reg *reg);

#endif
