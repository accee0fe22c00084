/* SPDX-License-Identifier: MIT */
/* Accesses to registers through device files, by the rules that hold for all families: reserved,
 * read-only and write-only bits, write-1-to-clear. vpmu_rdmsr(), vpmu_wrmsr() and vpmu_mmio_write()
 * are the main entry points; the caller holds the machine lock. They bring counters up to date
 * first, record what breaks the document's rules, and let the family act on the new value last. */
#include <errno.h>
#include <string.h>

#include "model_type.h"

#define TIME_STAMP_COUNTER 0x10u

static void cpu_advance(struct vpmu_segment *s, uint32_t cpu)
{
	vpmu_model_type(&s->machine)->advance(s, vpmu_cpu_package(&s->machine, cpu));
}

/* Programs find out by a read whether a processor has such a register. */
static bool may_be_tried(const struct vpmu_segment *s, uint32_t address)
{
	const struct vpmu_core_type *core = vpmu_model_type(&s->machine)->core;

	for (const uint32_t *at = core ? core->refused : NULL; at && *at; at++)
		if (*at == address)
			return true;
	return false;
}

int vpmu_rdmsr(struct vpmu_segment *s, uint32_t cpu, uint32_t address, uint64_t *value)
{
	struct vpmu_register r;

	if (cpu >= vpmu_machine_cpus(&s->machine))
		return -ENXIO;
	s->accesses.rdmsr++;
	if (!vpmu_register_on(&s->machine, cpu, VPMU_MSR, address, &r)) {
		if (!may_be_tried(s, address))
			vpmu_record_violation(s, VPMU_V_UNKNOWN_MSR, cpu, address, 0, 0);
		return -EIO;
	}
	if (r.row->access == VPMU_WO && !r.row->readable)
		vpmu_record_violation(s, VPMU_V_WRITE_ONLY, cpu, address, 0, 0);
	cpu_advance(s, cpu);
	vpmu_register_note(s, cpu, &r, false);
	memcpy(value, vpmu_register_value(s, cpu, &r), sizeof(*value));
	return 0;
}

static uint64_t low_bits(uint32_t n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

static uint64_t sign_extended(uint64_t value, uint32_t width)
{
	return (uint64_t)(int64_t)(int32_t)(uint32_t)value & low_bits(width);
}

/* Bits that take what is written. */
static uint64_t writable(const struct vpmu_machine *m, uint32_t cpu,
			 const struct vpmu_register_row *row)
{
	return vpmu_register_mask(m, cpu, row) | row->unsourced;
}

/* Bits that a write must not have. Above a sign-extended write's 32 bits there may be zeros, or
 * what the register will hold there. */
static uint64_t bad_bits(const struct vpmu_machine *m, uint32_t cpu,
			 const struct vpmu_register_row *row, uint64_t value)
{
	uint64_t bad = value & ~(writable(m, cpu, row) | row->ignored);

	if (row->sign_extended && (value == sign_extended(value, row->width) ||
				   value == sign_extended(value, 64)))
		return 0;
	return bad;
}

static void store(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
		  uint64_t value)
{
	uint64_t mask = writable(&s->machine, cpu, r->row);
	uint64_t old, *at = vpmu_register_value(s, cpu, r);

	memcpy(&old, at, sizeof(old));
	if (r->row->sign_extended)
		value = sign_extended(value, r->row->width);
	else if (r->row->access == VPMU_RW1C)
		value = old & ~(value & mask);
	else
		value = (old & ~mask) | (value & mask);
	memcpy(at, &value, sizeof(value));
}

void vpmu_register_written(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
			   uint64_t value)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);
	const struct vpmu_core_type *core = vpmu_core_type_of(&s->machine, r->row);

	if (core)
		core->written(s, cpu, r, value);
	else if (type->written)
		type->written(s, cpu, r, value);
	if (r->row->access == VPMU_WO)
		memset(vpmu_register_value(s, cpu, r), 0, sizeof(uint64_t));
}

int vpmu_wrmsr(struct vpmu_segment *s, uint32_t cpu, uint32_t address, uint64_t value)
{
	struct vpmu_register r;
	uint64_t bad;

	if (cpu >= vpmu_machine_cpus(&s->machine))
		return -ENXIO;
	s->accesses.wrmsr++;
	if (!vpmu_register_on(&s->machine, cpu, VPMU_MSR, address, &r)) {
		vpmu_record_violation(s, VPMU_V_UNKNOWN_MSR, cpu, address, value, 0);
		return -EIO;
	}
	if (r.row->access == VPMU_RO && (!r.row->ignored || (value & ~r.row->ignored))) {
		vpmu_record_violation(s, VPMU_V_READ_ONLY, cpu, address, value, value);
		return -EIO;
	}
	bad = bad_bits(&s->machine, cpu, r.row, value);
	if (bad)
		vpmu_record_violation(s, VPMU_V_RESERVED_BITS, cpu, address, value, bad);
	cpu_advance(s, cpu);
	vpmu_register_note(s, cpu, &r, true);
	store(s, cpu, &r, value);
	vpmu_register_written(s, cpu, &r, value);
	return 0;
}

/* ---- the window ---- */

static void refused_in_window(struct vpmu_segment *s, enum vpmu_violation_kind kind, uint32_t cpu,
			      uint32_t offset, uint64_t value, uint64_t bad)
{
	const struct vpmu_violation v = {
		.value = value, .bad_bits = bad, .address = offset, .cpu = cpu,
		.kind = (uint32_t)kind, .space = VPMU_MMIO,
	};

	vpmu_record_violation_in(s, &v);
}

static uint32_t register_bytes(const struct vpmu_register *r)
{
	return r->row->width <= 32 ? 4 : 8;
}

/* The register that has all of these bytes, and how many bits of it are below. */
static bool find_in_window(struct vpmu_segment *s, uint32_t offset, uint32_t bytes,
			   struct vpmu_register *r, uint32_t *shift)
{
	for (uint32_t below = 0; below < 8 && below <= offset; below++) {
		*shift = 8 * below;
		if (vpmu_register_at(&s->machine, VPMU_MMIO, offset - below, r) &&
		    below + bytes <= register_bytes(r))
			return true;
	}
	return false;
}

/* Programs read the page without a lock, so that each register changes in one piece. */
static void store_in_window(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
			    uint64_t value)
{
	void *at = vpmu_register_value(s, cpu, r);

	if (r->row->width <= 32)
		__atomic_store_n((uint32_t *)at, (uint32_t)value, __ATOMIC_RELAXED);
	else
		__atomic_store_n((uint64_t *)at, value, __ATOMIC_RELAXED);
}

/* The register's new value when `bytes` at `shift` of it are written. */
static uint64_t merged(uint64_t old, uint64_t value, uint32_t shift, uint32_t bytes)
{
	uint64_t written = low_bits(8 * bytes) << shift;

	return (old & ~written) | (value << shift & written);
}

bool vpmu_mmio_writable(const struct vpmu_segment *s)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	for (uint32_t i = 0; i < type->row_count; i++)
		if (type->rows[i].space == VPMU_MMIO && type->rows[i].access == VPMU_RW)
			return true;
	return false;
}

void vpmu_mmio_write(struct vpmu_segment *s, uint32_t cpu, uint32_t offset, uint64_t value,
		     uint32_t bytes)
{
	struct vpmu_register r = { .row = NULL };
	uint32_t shift;
	uint64_t old = 0, mask;

	if (!find_in_window(s, offset, bytes, &r, &shift)) {
		refused_in_window(s, VPMU_V_UNKNOWN_MSR, cpu, offset, value, 0);
		return;
	}
	if (r.row->access == VPMU_RO) {
		refused_in_window(s, VPMU_V_READ_ONLY, cpu, offset, value, value);
		return;
	}
	cpu_advance(s, cpu);
	mask = vpmu_register_mask(&s->machine, cpu, r.row);
	memcpy(&old, vpmu_register_value(s, cpu, &r), register_bytes(&r));
	value = merged(old, value, shift, bytes);
	if (value & ~mask)
		refused_in_window(s, VPMU_V_RESERVED_BITS, cpu, offset, value, value & ~mask);
	vpmu_window_note(s, cpu);
	vpmu_register_note(s, cpu, &r, true);
	value &= mask;
	store_in_window(s, cpu, &r, value);
	vpmu_register_written(s, cpu, &r, value);
}

void vpmu_mmio_advance(struct vpmu_segment *s, uint32_t cpu)
{
	cpu_advance(s, cpu);
}

int vpmu_rdpmc(struct vpmu_segment *s, uint32_t cpu, uint32_t index, uint64_t *value)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);
	uint32_t address = 0;

	if (type->core)
		address = type->core->rdpmc(&s->machine, index);
	else if (type->rdpmc)
		address = type->rdpmc(&s->machine, index);
	return address ? vpmu_rdmsr(s, cpu, address, value) : -EIO;
}

bool vpmu_rdtsc(struct vpmu_segment *s, uint32_t cpu, uint64_t *value)
{
	struct vpmu_register r;

	if (!vpmu_register_at(&s->machine, VPMU_MSR, TIME_STAMP_COUNTER, &r))
		return false;
	cpu_advance(s, cpu);
	memcpy(value, vpmu_register_value(s, cpu, &r), sizeof(*value));
	return true;
}

bool vpmu_spflt(struct vpmu_segment *s, uint32_t cpu, bool on)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (!type->spflt)
		return false;
	type->spflt(s, cpu, on);
	return true;
}

int vpmu_pci_read(struct vpmu_segment *s, uint32_t offset, void *buf, uint32_t bytes)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	s->accesses.pci_reads++;
	return type->pci_read ? type->pci_read(s, offset, buf, bytes) : -EINVAL;
}

void vpmu_mmio_window(const struct vpmu_segment *s, uint64_t *base, uint64_t *bytes)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	*base = *bytes = 0;
	if (type->mmio_window)
		type->mmio_window(s, base, bytes);
}

uint64_t vpmu_model_interrupts(struct vpmu_segment *s, uint32_t cpu)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);
	uint64_t n = 0;

	if (cpu >= vpmu_machine_cpus(&s->machine))
		return 0;
	if (type->interrupts)
		n += type->interrupts(s, cpu);
	if (type->core)
		n += type->core->interrupts(s, cpu);
	return n;
}
