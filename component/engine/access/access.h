/* SPDX-License-Identifier: MIT */
/* Layer access: reading and writing the registers of one package or CPU, and restoring what was
 * written. Accesses go through one CPU that belongs to the place, one by one or in batches.
 *
 * Whatever is written has been read first and is restored by ipmu_access_restore. Only documented
 * fields are ever written; the other bits keep the value they were found with. */
#ifndef IPMU_ACCESS_H
#define IPMU_ACCESS_H

#include "../ipmu.h"
#include "../registers/reg.h"

#define IPMU_SAVED_MAX 256
/* A page for each memory controller, each discovered unit and the control of those. */
#define IPMU_WINDOWS_MAX (2 + IPMU_UNITS_MAX + 1)

struct ipmu_pmu_type;

/* State of a saved register. A write leads from the first two to WRITTEN, a restore to UNRESTORED
 * and, if it succeeds, back to WRITTEN. From LEFT nothing leads on: the row is only forgotten. */
enum ipmu_saved_state {
	IPMU_SAVED_FOUND,	/* it holds `found`: nothing of ours has written it */
	IPMU_SAVED_BORROWED,	/* `found` and `now` are from a journal, not read by this process */
	IPMU_SAVED_WRITTEN,	/* it holds `now`; set before the write is tried */
	IPMU_SAVED_UNRESTORED,	/* it may hold `found` or `now`: its restore failed or is queued */
	IPMU_SAVED_LEFT,	/* a foreign user has written it: it is not written any more */
};

struct ipmu_saved {
	const struct ipmu_reg *reg;
	uint32_t addr;
	enum ipmu_saved_state state;
	uint64_t found;		/* before the first write: to be restored */
	uint64_t now;		/* as last written or read */
	uint64_t changed;	/* of a shared register: bits that were written, to be restored */
};

struct ipmu_regs {
	const struct ipmu_reg *const *registers;	/* all that may be named here, up to NULL */
	_Atomic int os_cpu;	/* a reader may move on to another one of the package */
	_Atomic int msr;	/* file descriptor; -1: not open */
	/* Its identity, and while it moves to another CPU's device, also that of the new one. */
	_Atomic uint64_t msr_is[2];
	char msr_path[32];
	bool safe;		/* it is msr-safe's */
	struct ipmu_batch *batch;	/* of the system; NULL: none */
	struct ipmu_failure {	/* the last access that failed, for its message */
		uint32_t addr;
		int rc;
		bool write;
		const char *file;	/* not a register: this file could not be written */
		int error;
	} failure;
	struct ipmu_left {	/* the first register that was left alone, not reported yet */
		uint32_t addr;	/* 0: none */
		uint64_t written, value;	/* by us, and what it holds instead */
	} left;
	const struct ipmu_topology *topo;	/* NULL, or the other CPUs of this ... */
	int package;
	struct ipmu_window {	/* pages of the memory controller; NULL: none */
		volatile void *page;
		uint32_t first;	/* its offset from the BAR */
		bool writable;
	} windows[IPMU_WINDOWS_MAX];
	struct ipmu_discovered {	/* by access/discovery.c */
		int units;	/* 0: the table has not been read */
		uint8_t ctrs, width;	/* counters of a unit, their bits */
		struct ipmu_discovered_unit {
			uint64_t control;	/* physical address */
			uint8_t selects, counters;	/* behind it */
		} unit[IPMU_UNITS_MAX + 1];	/* the last one is the control of all */
	} discovered;
	bool peers;		/* other processes count here; the journal has old values */
	bool told;		/* another unit has shown what the family has; foreign
				 * users here are checked for before each start */
	bool trial;		/* not a model of the family: check more */
	bool take_busy;		/* take counters also from foreign users */
	const void *layout;	/* of the family, for its own functions; NULL: it has none */
	/* Before registers are restored: stop, and undo what a write of old values does not; NULL:
	 * nothing to do. */
	int (*quiesce)(struct ipmu_regs *p);
	/* Records saved[i] each time before that register is written. NULL: there is no journal. */
	int (*record)(struct ipmu_regs *p, int i);
	/* Address of the register that selects what this counter counts; 0: there is none. NULL:
	 * not known. */
	uint32_t (*select_of)(const struct ipmu_regs *p, const struct ipmu_saved *counter);
	const struct ipmu_pmu_type *const *types;	/* of the family, for its own functions */
	int nsaved;
	struct ipmu_saved saved[IPMU_SAVED_MAX];
};

int ipmu_access_open(struct ipmu_regs *p, const struct ipmu_reg *const *registers, int os_cpu,
		     char *why);
void ipmu_access_close(struct ipmu_regs *p);
/* False: the program has closed the device's descriptor, or has a file of its own there.
 * Async-signal-safe. */
bool ipmu_access_is_ours(const struct ipmu_regs *p);
/* In that case, open the device again. */
int ipmu_access_reopen(struct ipmu_regs *p, char *why);

/* With msr-safe, where it is loaded, through one of the package's other CPUs (topo, package set)
 * once this one has gone. */
int ipmu_msr_read(struct ipmu_regs *p, uint32_t addr, uint64_t *value);
/* Read a counter: the same, past what is queued, and async-signal-safe. The caller has called
 * ipmu_access_is_ours(), once for many counters. */
int ipmu_msr_count(struct ipmu_regs *p, uint32_t addr, uint64_t *value);
/* Write past what is queued, without looking at the register's table. */
int ipmu_msr_write_now(struct ipmu_regs *p, uint32_t addr, uint64_t value);
/* Save those of n registers that are not saved yet, with one call of a batch device. Errors are
 * left to the caller that needs the register. */
struct ipmu_register { const struct ipmu_reg *reg; uint32_t addr; struct ipmu_regs *regs; };
void ipmu_msr_save_ahead(struct ipmu_batch *b, const struct ipmu_register *list, int n);

/* Note a failed access, for ipmu_access_explain. */
static inline void ipmu_access_failed(struct ipmu_regs *p, uint32_t addr, int rc, bool write)
{
	p->failure = (struct ipmu_failure){ .addr = addr, .rc = rc, .write = write };
}
/* If the last failed access of p is what gave rc, and its reason is known, make the sentence name
 * the register, the CPU and what to do. Returns rc. */
int ipmu_access_explain(struct ipmu_regs *p, int rc, char *why);
/* Read a register in any space. ipmu_access_file() is the file that a message about it names. */
int ipmu_access_read(struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr,
		     uint64_t *value);
const char *ipmu_access_file(const struct ipmu_regs *p, const struct ipmu_reg *reg);

/* From here on "msr" is any register that can be written, also one in a window.
 * Remember what the register holds, unless it is remembered already. */
int ipmu_msr_save(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		  uint64_t *value);
/* -EINVAL: value has bits that the document does not list for this register. -EPERM: it is never to
 * be written. */
int ipmu_msr_write(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		   uint64_t value);
/* Read a saved register again, after a write of another one that has changed it. */
int ipmu_msr_look(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr);
/* Has the register been saved, and not restored since? */
bool ipmu_msr_is_saved(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr);
/* Value last written, or found; 0 if the register is not saved. */
uint64_t ipmu_msr_last(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr);
/* Change the bits of mask, keep the others as they were last written. */
int ipmu_msr_update(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		    uint64_t mask, uint64_t value);
/* Quiesce, then restore what was saved, last first. A counter that takes fewer bits than it holds
 * loses the others. Continues after an error and returns the first one; registers that could not be
 * restored stay saved for another try. A register that does not hold what was written last belongs
 * to somebody else by now and is skipped. -ESTALE: nothing else went wrong, p->left names the
 * register, and no other try is needed. Async-signal-safe: neither it nor p->quiesce may allocate
 * or lock. */
int ipmu_access_restore(struct ipmu_regs *p);
/* Mark the registers that somebody else has written since, ahead of ipmu_access_refresh. A counter
 * is marked with its select: somebody else counts with it. */
void ipmu_access_leave_changed(struct ipmu_regs *p);
/* Is the register marked so? Is any? */
bool ipmu_access_is_left(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr);
bool ipmu_access_any_left(const struct ipmu_regs *p);
/* The sentence for p->left. */
int ipmu_access_explain_left(const struct ipmu_regs *p, char *why);
/* Read the saved registers again, when their values are in doubt. The next restore starts from
 * these values. */
int ipmu_access_refresh(struct ipmu_regs *p);

/* The sentence for a counter that a foreign user counts with: -EBUSY. */
int ipmu_access_busy(const struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		     uint64_t value, char *why);

/* Map the page of the memory controllers' registers that holds that of `reg` at addr, if it is not
 * mapped yet: for writing too, if the family has registers there that are written, and this process
 * may. */
int ipmu_window_open(struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr, char *why);
void ipmu_window_close(struct ipmu_regs *p);
/* Access an open window. -EACCES: it is for reading only. */
uint64_t ipmu_window_read(const struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr);
int ipmu_window_write(const struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr,
		      uint64_t value);
bool ipmu_window_writable(const struct ipmu_regs *p, uint32_t addr);
/* Map the page of physical memory at `at`, which ipmu_window_close does not know. */
int ipmu_window_map(struct ipmu_window *w, uint64_t at, bool write, char *why);
/* Read the discovery table of the family, if it has not been read yet: p->discovered. */
int ipmu_discovery_read(struct ipmu_regs *p, char *why);
/* After that: does this machine have the unit of that register, and the physical address of it. */
bool ipmu_discovery_has(const struct ipmu_regs *p, uint32_t addr);
uint64_t ipmu_discovery_address(const struct ipmu_regs *p, uint32_t addr);
#define IPMU_WINDOW_FILE "/dev/mem"

#endif
