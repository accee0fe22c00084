/* SPDX-License-Identifier: MIT */
/* model/: the register model: what the documented PMU does when a register is read or written and
 * when the hardware does something. It is written from the manual (334060-001 and its siblings),
 * never from the engine's tables.
 *
 * The caller of every function holds the machine lock. None allocates, none blocks. */
#ifndef VPMU_MODEL_H
#define VPMU_MODEL_H

#include "../machine/segment.h"

/* ---- device side (system/) ---- */
/* 0, or -EIO for an address that the machine does not have (recorded as a violation),
 * which is what the msr device gives for a faulting RDMSR/WRMSR. */
int vpmu_rdmsr(struct vpmu_segment *s, uint32_t cpu, uint32_t address, uint64_t *value);
int vpmu_wrmsr(struct vpmu_segment *s, uint32_t cpu, uint32_t address, uint64_t value);
/* The same as the instruction RDPMC, with its index; -EIO: the machine has no such counter. */
int vpmu_rdpmc(struct vpmu_segment *s, uint32_t cpu, uint32_t index, uint64_t *value);
/* The time-stamp counter of the CPU's core; false: the model has none. */
bool vpmu_rdtsc(struct vpmu_segment *s, uint32_t cpu, uint64_t *value);
/* The instruction SPFLT: the program switches this CPU's counters on or off. False: the machine has
 * no such instruction. */
bool vpmu_spflt(struct vpmu_segment *s, uint32_t cpu, bool on);
/* Puts CPUID's answer about the machine's PMU, caches and kinds of cores into this leaf; false: it
 * has none. registers: EAX, EBX, ECX, EDX with the emulator's answer, which stays in all else. */
bool vpmu_cpuid(const struct vpmu_machine *m, uint32_t cpu, uint32_t leaf, uint32_t subleaf,
		uint32_t registers[4]);
/* Puts the machine's vendor, family and model into a host's answer; see vpmu_cpuid. */
void vpmu_cpuid_identity(const struct vpmu_machine *m, uint32_t leaf, uint32_t registers[4]);
/* Puts the numbers of the CPU's APIC and of others into leaves 01H and 0BH. A whole machine has its
 * emulator's. */
void vpmu_cpuid_place(const struct vpmu_machine *m, uint32_t cpu, uint32_t leaf, uint32_t subleaf,
		      uint32_t registers[4]);
/* A write of the memory controller's window, of 1 to 8 bytes: a register or a part of one. It
 * cannot fail: what is no register takes nothing, and that is recorded. Reads are of the page
 * itself, see vpmu_package_mmio; vpmu_mmio_advance() brings it up to date. */
void vpmu_mmio_write(struct vpmu_segment *s, uint32_t cpu, uint32_t offset, uint64_t value,
		     uint32_t bytes);
void vpmu_mmio_advance(struct vpmu_segment *s, uint32_t cpu);
/* The base from which the documents count the address of a register in the window, and in *behind
 * the offset from it. */
const char *vpmu_mmio_base(uint32_t address, uint32_t *behind);
/* PCI configuration space of 0000:00:00.0; -EINVAL for a device the machine does not have. */
int vpmu_pci_read(struct vpmu_segment *s, uint32_t offset, void *buf, uint32_t bytes);

/* ---- execution side (the feed). clock: UCLK at which it happens, per package, may lag ---- */
enum vpmu_request { VPMU_READ = 1, VPMU_WRITE = 2, VPMU_EXTERNAL = 4 };
enum vpmu_mesi { VPMU_M = 1, VPMU_E = 2, VPMU_S = 4, VPMU_I = 8 };
enum vpmu_snoop_cause { VPMU_XCORE = 4, VPMU_EVICTION = 8 };
enum vpmu_snoop_result { VPMU_SNOOP_MISS = 1, VPMU_SNOOP_HIT = 4, VPMU_SNOOP_HITM = 8 };
/* EVICTION: a write of a line that the LLC gives up; WRITE: any other. */
enum vpmu_tracker { VPMU_TRK_DATA_READ, VPMU_TRK_CODE_READ, VPMU_TRK_WRITE, VPMU_TRK_EVICTION };

/* A lookup of the LLC slice by a core, and the state in which it found the line. */
void vpmu_llc_lookup(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		     enum vpmu_request request, enum vpmu_mesi found, uint64_t clock);
/* A snoop sent by that slice to one core, and the answer. */
void vpmu_snoop(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		enum vpmu_snoop_cause cause, enum vpmu_snoop_result result, uint64_t clock);
/* A tracker entry of the arbiter, valid in the clocks [start, end); coherent or not. */
void vpmu_tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		  bool coherent, uint64_t start, uint64_t end);
/* The same of cores that are not behind the LLC: an entry for their request where they meet the
 * others, and one of the tracker there. */
void vpmu_away_request(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		       uint64_t clock);
void vpmu_away_tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		       bool coherent, uint64_t start, uint64_t end);
/* Requests of the cores that enter the memory controller, and the CAS commands they cause. */
void vpmu_dram(struct vpmu_segment *s, uint32_t package, uint32_t requests,
	       uint32_t read_cas, uint32_t write_cas);
/* The same where it is known which of the package's controllers they are for; above, they are for
 * one and the other in turn. */
#define VPMU_IN_TURN UINT32_MAX
void vpmu_dram_at(struct vpmu_segment *s, uint32_t package, uint32_t box, uint32_t requests,
		  uint32_t read_cas, uint32_t write_cas);
/* The package's clock has reached `clock`: everything before it is final. */
void vpmu_clock(struct vpmu_segment *s, uint32_t package, uint64_t clock);

/* ---- a machine as a whole (power.c) ---- */
/* How much the registers of such a machine take; -EINVAL when it has no register model. */
int vpmu_model_state_bytes(const struct vpmu_machine *m, struct vpmu_state_bytes *out);
/* Makes the segment of a machine that is switched on, or opens one: see vpmu_segment_make. */
int vpmu_segment_create(const char *path, const struct vpmu_machine *m, struct vpmu_segment **out,
			char *why, size_t why_bytes);
int vpmu_segment_open(const char *path, struct vpmu_segment **out, char *why, size_t why_bytes);
/* RESET, cold or warm, gives power-on values on every family. INIT does what the family's document
 * says, which is nothing on most. */
void vpmu_model_reset(struct vpmu_segment *s);
void vpmu_model_init(struct vpmu_segment *s);
/* The registers stay; caches, open DRAM pages and first touches are those of a machine that has
 * just been switched on, and nothing is under way. No program runs. */
void vpmu_model_refresh(struct vpmu_segment *s);
/* A program counts the free-running event that this name ends with, qualifiers aside. What nothing
 * drives is remembered in s->undriven. */
void vpmu_model_count_free(struct vpmu_segment *s, const char *name);
/* How often the PMU has raised its interrupt line to this CPU's local APIC (0-to-1 transitions)
 * since the reset; the line stays up until the documented acknowledgement. 0: not modelled. */
uint64_t vpmu_model_interrupts(struct vpmu_segment *s, uint32_t cpu);
/* NetBurst: the erratum that the first of two writes of a counter has no effect, on all cores; off
 * after power-on. */
void vpmu_netburst_lose_writes(struct vpmu_segment *s, bool on);
/* Are there registers in the window that can be written? */
bool vpmu_mmio_writable(const struct vpmu_segment *s);
/* The place of package 0's MMIO window in physical memory; 0 bytes while it is not decoded. */
void vpmu_mmio_window(const struct vpmu_segment *s, uint64_t *base, uint64_t *bytes);

/* ---- for tools: what the model has and drives. No lock needed, except peek and poke ---- */
enum vpmu_space { VPMU_MSR, VPMU_PCI, VPMU_MMIO };
/* A write-only register reads as 0; that is a violation, unless its document says readable. */
enum vpmu_access { VPMU_RO, VPMU_RW, VPMU_RW1C, VPMU_WO };

struct vpmu_register_info {
	char name[40];			/* as the manual spells it */
	char scope[32];			/* "package", "package/CBo 3", "core", "thread" */
	enum vpmu_space space;
	enum vpmu_access access;
	uint32_t address;		/* MSR number, or offset in the PCI or MMIO space */
	uint32_t width;			/* bits */
	uint64_t mask;			/* writable bits; the others are reserved or read-only */
	uint64_t unsourced;		/* bits that no document describes: they hold any value */
	const char *cite;
};

struct vpmu_event_info {
	const char *name, *unit;	/* as the manual spells it; CBO, ARB, FIXED, IMC */
	uint32_t code, umask;		/* FREE: code is the offset from the BAR */
	const char *counters;		/* "0,1", "0", "FIXED", "FREE" */
	bool driven;			/* false: it stays 0, and why says so */
	const char *why;		/* a remark; NULL: none */
	const char *cite;
};

bool vpmu_model_register(const struct vpmu_machine *m, uint32_t index,
			 struct vpmu_register_info *out);
bool vpmu_model_event(const struct vpmu_machine *m, uint32_t index, struct vpmu_event_info *out);
/* Row of the register with this name (any case) or "0x..." MSR number; -ENOENT. */
int vpmu_model_find(const struct vpmu_machine *m, const char *text, struct vpmu_register_info *out);
/* The stored value, without side effects, counts or violations; poke ignores RO and reserved, but
 * not the width (-ERANGE). cpu chooses the package (or thread). */
int vpmu_model_peek(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register_info *reg,
		    uint64_t *value);
int vpmu_model_poke(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register_info *reg,
		    uint64_t value);
/* Counts registers that programs have written through the device files, and that no longer have the
 * value from before. report (may be NULL) is called for each, with its value. Registers count only
 * if they can be written and read back. A value set by vpmu_model_poke() is no program's write. */
uint64_t vpmu_model_changed(struct vpmu_segment *s,
			    void (*report)(const struct vpmu_register_info *reg,
					   const struct vpmu_touched *w, uint64_t value, void *arg),
			    void *arg);
/* A sentence about an entry of s->undriven, in text[]. */
void vpmu_model_undriven_text(const struct vpmu_machine *m, const struct vpmu_undriven *u,
			      char *text, size_t bytes);

#endif
