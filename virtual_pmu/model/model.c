/* SPDX-License-Identifier: MIT */
/* The generic half of the register model: finding the family, device-side accesses with their
 * rules (reserved, read-only, write-1-to-clear), violations, and the way to the family's rest. */
#include <errno.h>
#include <string.h>

#include "model_type.h"

static const struct vpmu_model_type *const types[] = {
	[VPMU_SKYLAKE_CLIENT] = &vpmu_skl_client, [VPMU_KNIGHTS_CORNER] = &vpmu_knc,
	[VPMU_CORE2] = &vpmu_core2, [VPMU_NEHALEM_EX] = &vpmu_nhmex,
	[VPMU_NETBURST] = &vpmu_netburst,
};

const struct vpmu_model_type *vpmu_model_type(const struct vpmu_machine *m)
{
	return m->family_id < sizeof(types) / sizeof(types[0]) ? types[m->family_id] : NULL;
}

void *vpmu_package_state(struct vpmu_segment *s, uint32_t package)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	return (uint8_t *)s + s->registers_offset + (uint64_t)package * type->package_bytes;
}

/* The packages' state is followed by that of the cores, then of the threads. */
void *vpmu_core_state(struct vpmu_segment *s, uint32_t core)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	return (uint8_t *)vpmu_package_state(s, s->machine.packages) +
	       (uint64_t)core * type->core_bytes;
}

void *vpmu_thread_state(struct vpmu_segment *s, uint32_t cpu)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	return (uint8_t *)vpmu_core_state(s, s->machine.packages * s->machine.cores) +
	       (uint64_t)cpu * type->thread_bytes;
}

uint8_t *vpmu_package_mmio(struct vpmu_segment *s, uint32_t package)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	return (uint8_t *)s + s->mmio_offset + (uint64_t)package * type->mmio_bytes;
}

uint64_t vpmu_registers_bytes(const struct vpmu_machine *m)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);

	if (!type)
		return 0;
	return (uint64_t)m->packages * type->package_bytes +
	       (uint64_t)m->packages * m->cores * type->core_bytes +
	       (uint64_t)vpmu_machine_cpus(m) * type->thread_bytes;
}

uint64_t vpmu_mmio_bytes(const struct vpmu_machine *m)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);

	return type ? (uint64_t)m->packages * type->mmio_bytes : 0;
}

void vpmu_model_reset(struct vpmu_segment *s)
{
	memset(vpmu_package_state(s, 0), 0, s->registers_bytes);
	memset(vpmu_package_mmio(s, 0), 0, s->mmio_bytes);
	vpmu_model_type(&s->machine)->reset(s);
}

void vpmu_model_reset_by(struct vpmu_segment *s, enum vpmu_reset how)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (how != VPMU_RESET_INIT)
		vpmu_model_reset(s);
	else if (type->init)
		type->init(s);
}

uint64_t vpmu_model_interrupts(struct vpmu_segment *s, uint32_t cpu)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	return type->interrupts && cpu < vpmu_machine_cpus(&s->machine) ?
	       type->interrupts(s, cpu) : 0;
}

void vpmu_mmio_window(const struct vpmu_segment *s, uint64_t *base, uint64_t *bytes)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	*base = *bytes = 0;
	if (type->mmio_window)
		type->mmio_window(s, base, bytes);
}

static void violate(struct vpmu_segment *s, enum vpmu_violation_kind kind, uint32_t cpu,
		    uint32_t address, uint64_t value, uint64_t bad_bits)
{
	if (s->violation_count < VPMU_VIOLATIONS_KEPT)
		s->violations[s->violation_count] = (struct vpmu_violation){
			.value = value, .bad_bits = bad_bits, .address = address, .cpu = cpu,
			.kind = (uint32_t)kind,
		};
	s->violation_count++;
}

void vpmu_note_undriven(struct vpmu_segment *s, uint32_t address, uint64_t select)
{
	for (uint64_t i = 0; i < s->undriven_count && i < VPMU_UNDRIVEN_KEPT; i++)
		if (s->undriven[i].select == select)
			return;
	if (s->undriven_count >= VPMU_UNDRIVEN_KEPT)
		return;
	s->undriven[s->undriven_count++] = (struct vpmu_undriven){
		.address = address, .select = select,
	};
}

static void settle(struct vpmu_segment *s, uint32_t cpu)
{
	vpmu_model_type(&s->machine)->settle(s, vpmu_cpu_package(&s->machine, cpu));
}

int vpmu_rdmsr(struct vpmu_segment *s, uint32_t cpu, uint32_t address, uint64_t *value)
{
	struct vpmu_register r;

	if (cpu >= vpmu_machine_cpus(&s->machine))
		return -ENXIO;
	s->accesses.rdmsr++;
	if (!vpmu_register_at(&s->machine, VPMU_MSR, address, &r)) {
		violate(s, VPMU_V_UNKNOWN_MSR, cpu, address, 0, 0);
		return -EIO;
	}
	if (r.row->access == VPMU_WO && !r.row->readable)
		violate(s, VPMU_V_WRITE_ONLY, cpu, address, 0, 0);
	settle(s, cpu);
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
static uint64_t writable(const struct vpmu_machine *m, const struct vpmu_register_row *row)
{
	return vpmu_register_mask(m, row) | row->unsourced;
}

/* Bits that a write must not have. Above a sign-extended write's 32 bits there may be zeros, or
 * what the register will hold there. */
static uint64_t bad_bits(const struct vpmu_machine *m, const struct vpmu_register_row *row,
			 uint64_t value)
{
	uint64_t bad = value & ~(writable(m, row) | row->ignored);

	if (row->sign_extended && (value == sign_extended(value, row->width) ||
				   value == sign_extended(value, 64)))
		return 0;
	return bad;
}

static void store(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
		  uint64_t value)
{
	uint64_t old, *at = vpmu_register_value(s, cpu, r), mask = writable(&s->machine, r->row);

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

	if (type->written)
		type->written(s, cpu, r, value);
	if (r->row->access == VPMU_WO)
		memset(vpmu_register_value(s, cpu, r), 0, sizeof(uint64_t));
}

int vpmu_wrmsr(struct vpmu_segment *s, uint32_t cpu, uint32_t address, uint64_t value)
{
	struct vpmu_register r;

	if (cpu >= vpmu_machine_cpus(&s->machine))
		return -ENXIO;
	s->accesses.wrmsr++;
	if (!vpmu_register_at(&s->machine, VPMU_MSR, address, &r)) {
		violate(s, VPMU_V_UNKNOWN_MSR, cpu, address, value, 0);
		return -EIO;
	}
	if (r.row->access == VPMU_RO && (!r.row->ignored || (value & ~r.row->ignored))) {
		violate(s, VPMU_V_READ_ONLY, cpu, address, value, value);
		return -EIO;
	}
	if (bad_bits(&s->machine, r.row, value))
		violate(s, VPMU_V_RESERVED_BITS, cpu, address, value,
			bad_bits(&s->machine, r.row, value));
	settle(s, cpu);
	vpmu_register_note(s, cpu, &r, true);
	store(s, cpu, &r, value);
	vpmu_register_written(s, cpu, &r, value);
	return 0;
}

int vpmu_pci_read(struct vpmu_segment *s, uint32_t offset, void *buf, uint32_t bytes)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	s->accesses.pci_reads++;
	return type->pci_read ? type->pci_read(s, offset, buf, bytes) : -EINVAL;
}

static bool has_slice(const struct vpmu_segment *s, uint32_t package, uint32_t slice)
{
	return package < s->machine.packages && slice < s->machine.slices;
}

void vpmu_llc_lookup(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		     enum vpmu_request request, enum vpmu_mesi found, uint64_t clock)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (type->llc_lookup && has_slice(s, package, slice))
		type->llc_lookup(s, package, slice, request, found, clock);
}

void vpmu_snoop(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		enum vpmu_snoop_cause cause, enum vpmu_snoop_result result, uint64_t clock)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (type->snoop && has_slice(s, package, slice))
		type->snoop(s, package, slice, cause, result, clock);
}

void vpmu_tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		  bool coherent, uint64_t start, uint64_t end)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (type->tracker && package < s->machine.packages && start < end)
		type->tracker(s, package, kind, coherent, start, end);
}

void vpmu_dram(struct vpmu_segment *s, uint32_t package, uint32_t requests,
	       uint32_t read_cas, uint32_t write_cas)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (type->dram && package < s->machine.packages)
		type->dram(s, package, requests, read_cas, write_cas);
}

void vpmu_clock(struct vpmu_segment *s, uint32_t package, uint64_t clock)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (package >= s->machine.packages)
		return;
	if (clock > s->uclk[package])
		s->uclk[package] = clock;
	if (type->clock)
		type->clock(s, package, clock);
}

bool vpmu_core_events_wanted(const struct vpmu_machine *m)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);

	return type && type->core_events;
}

void vpmu_core_events(struct vpmu_segment *s, uint32_t cpu, const uint32_t *counts,
		      uint32_t clocks)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (type->core_events && cpu < vpmu_machine_cpus(&s->machine))
		type->core_events(s, cpu, counts, clocks);
}

void vpmu_memory_command(struct vpmu_segment *s, uint32_t package, uint32_t box, bool write,
			 enum vpmu_page page, uint64_t clock)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (type->memory_command && package < s->machine.packages && box < type->boxes)
		type->memory_command(s, package, box, write, page, clock);
}
