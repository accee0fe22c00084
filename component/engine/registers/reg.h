/* SPDX-License-Identifier: MIT */
/* Layer registers: what the documents say of a register - its name, addresses and fields, and which
 * of its bits may be written. Constant data and arithmetic; nothing here opens a device. */
#ifndef IPMU_REG_H
#define IPMU_REG_H

#include <stdbool.h>
#include <stdint.h>

/* WO: never read, and so never restored. */
enum ipmu_access { IPMU_RO, IPMU_RW, IPMU_RW1C, IPMU_WO };
/* SHARED_RESOURCE: no register, but something that can have one setting at a time, like the bits of
 * a shared register. */
enum ipmu_space { IPMU_MSR, IPMU_PCI, IPMU_MMIO, IPMU_SHARED_RESOURCE };

/* Bits as documents give them. A field that code names beside its table is a constant of this form,
 * which the table takes by F_BITS: so its bits are stated once. */
#define BITS(hi, lo) (~0ull >> (63 - (hi)) & ~0ull << (lo))

/* Convert a number to its place in the field of those bits, and back. */
static inline uint64_t ipmu_bits_put(uint64_t bits, uint64_t n)
{
	return n * (bits & -bits);
}

static inline uint64_t ipmu_bits_get(uint64_t bits, uint64_t value)
{
	return (value & bits) / (bits & -bits);
}

/* Setter of a field of an event select: this library, or the name of the event. Edges and
 * thresholds, which a name sets, change the unit of a count. */
enum ipmu_setter { IPMU_BY_LIBRARY, IPMU_BY_EVENT, IPMU_BY_EVENT_EDGE, IPMU_BY_EVENT_THRESHOLD };

struct ipmu_field {
	const char *name;
	uint64_t bits;
	uint8_t setter;
	bool unconfirmed;	/* from a single source, which is not the manufacturer */
	bool never_write;	/* its bits stay as they are found */
};
#define F_BITS(name_, bits_) { .name = name_, .bits = bits_ }
#define F(name_, hi_, lo_) F_BITS(name_, BITS(hi_, lo_))
#define F_UNCONFIRMED(name_, bits_) { .name = name_, .bits = bits_, .unconfirmed = true }
#define F_NEVER(name_, hi_, lo_) { .name = name_, .bits = BITS(hi_, lo_), .never_write = true }
#define F_EVENT_BITS(name_, bits_) { .name = name_, .bits = bits_, .setter = IPMU_BY_EVENT }
#define F_EVENT(name_, hi_, lo_) F_EVENT_BITS(name_, BITS(hi_, lo_))
#define F_EDGE(name_, hi_, lo_) { .name = name_, .bits = BITS(hi_, lo_), \
	.setter = IPMU_BY_EVENT_EDGE }
#define F_THRESHOLD(name_, hi_, lo_) { .name = name_, .bits = BITS(hi_, lo_), \
	.setter = IPMU_BY_EVENT_THRESHOLD }

/* A register, or an array of them: one per box and counter. In `name`, %b stands for the box and
 * %c for the counter. */
struct ipmu_reg {
	const char *name, *src;
	uint32_t addr, box_stride;
	uint16_t ctr_stride;
	uint8_t width;		/* bits that hold a value */
	uint8_t access, space;
	uint8_t boxes, ctrs;	/* how many there are; 0: one */
	const uint16_t *box_offsets;	/* from addr, of each box, where no stride fits; or NULL */
	bool counter;		/* it moves by itself */
	bool hardware_clears;	/* bits of it: a repeated write of them is not skipped */
	bool shared;		/* written by the kernel too, whose bits are read again and kept */
	bool write_twice;	/* a single write may be lost */
	uint64_t moves;		/* bits that the hardware sets, or the program that is counted */
	/* No event needs a write of it, and some such registers let the CPU write anywhere: nobody
	 * writes it through us, whatever a file says. */
	bool never_write;
	bool discovery;		/* an MSR that holds the physical address of a discovery table */
	uint16_t unit_type;	/* of a unit in that table, by Linux's numbers; 0: it is none */
	struct ipmu_field fields[14];	/* writable ones; up to the first without a name */
};

/* Registers of units whose addresses are in a discovery table (access/discovery.c) are of space
 * MMIO, with numbers from here on: of each unit its control, its selects and its counters. Behind
 * the units stands the control of all. */
#define IPMU_UNITS_FROM 0x40000000u
#define IPMU_UNIT_STEP 0x1000u
#define IPMU_UNIT_SELECTS 0x100u
#define IPMU_UNIT_COUNTERS 0x200u
#define IPMU_UNITS_MAX 4	/* of a kind */
#define IPMU_UNITS_GLOBAL (IPMU_UNITS_FROM + IPMU_UNITS_MAX * IPMU_UNIT_STEP)

uint32_t ipmu_reg_addr(const struct ipmu_reg *reg, int box, int ctr);
uint64_t ipmu_reg_fields(const struct ipmu_reg *reg);	/* bits of all its fields */
/* Those that this library may change: none of a register that is read-only or never written. */
uint64_t ipmu_reg_writable(const struct ipmu_reg *reg);
/* Those that are set so; and those that the name of an event may set. reg NULL: none. */
uint64_t ipmu_reg_set_by(const struct ipmu_reg *reg, enum ipmu_setter setter);
uint64_t ipmu_reg_event_bits(const struct ipmu_reg *reg);
/* The manual's spelling for one instance, into name[64]. */
void ipmu_reg_name(const struct ipmu_reg *reg, int box, int ctr, char name[64]);

/* The MSR at that address among `registers` (up to NULL), or the register at that offset in the
 * memory controllers' window if it can be written: no family has both at one number. With its box
 * and counter, which may be NULL; NULL: there is none. */
const struct ipmu_reg *ipmu_reg_at(const struct ipmu_reg *const *registers, uint32_t addr,
				   int *box, int *ctr);

#endif
