/* SPDX-License-Identifier: MIT */
/* The generic half of the register model: finding the family, device-side accesses with their
 * rules (reserved, read-only, write-1-to-clear), violations, and the way to the family's rest. */
#include <errno.h>
#include <string.h>

#include "model_type.h"

static const struct vpmu_model_type *const types[] = { &vpmu_skl_client };

const struct vpmu_model_type *vpmu_model_type(const struct vpmu_machine *m)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if ((uint32_t)types[i]->family == m->family_id)
			return types[i];
	return NULL;
}

void *vpmu_package_state(struct vpmu_segment *s, uint32_t package)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	return (uint8_t *)s + s->registers_offset + (uint64_t)package * type->package_bytes;
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

void vpmu_mmio_window(const struct vpmu_segment *s, uint64_t *base, uint64_t *bytes)
{
	vpmu_model_type(&s->machine)->mmio_window(s, base, bytes);
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
	settle(s, cpu);
	memcpy(value, vpmu_register_value(s, cpu, &r), sizeof(*value));
	return 0;
}

static void store(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
		  uint64_t value)
{
	uint64_t old, *at = vpmu_register_value(s, cpu, r);

	memcpy(&old, at, sizeof(old));
	if (r->row->access == VPMU_RW1C)
		value = old & ~(value & r->row->mask);
	else
		value = (old & ~r->row->mask) | (value & r->row->mask);
	memcpy(at, &value, sizeof(value));
}

int vpmu_wrmsr(struct vpmu_segment *s, uint32_t cpu, uint32_t address, uint64_t value)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);
	struct vpmu_register r;

	if (cpu >= vpmu_machine_cpus(&s->machine))
		return -ENXIO;
	s->accesses.wrmsr++;
	if (!vpmu_register_at(&s->machine, VPMU_MSR, address, &r)) {
		violate(s, VPMU_V_UNKNOWN_MSR, cpu, address, value, 0);
		return -EIO;
	}
	if (r.row->access == VPMU_RO) {
		violate(s, VPMU_V_READ_ONLY, cpu, address, value, value);
		return -EIO;
	}
	if (value & ~r.row->mask)
		violate(s, VPMU_V_RESERVED_BITS, cpu, address, value, value & ~r.row->mask);
	settle(s, cpu);
	store(s, cpu, &r, value);
	type->written(s, vpmu_cpu_package(&s->machine, cpu), &r);
	return 0;
}

int vpmu_pci_read(struct vpmu_segment *s, uint32_t offset, void *buf, uint32_t bytes)
{
	s->accesses.pci_reads++;
	return vpmu_model_type(&s->machine)->pci_read(s, offset, buf, bytes);
}

static bool has_slice(const struct vpmu_segment *s, uint32_t package, uint32_t slice)
{
	return package < s->machine.packages && slice < s->machine.slices;
}

void vpmu_llc_lookup(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		     enum vpmu_request request, enum vpmu_mesi found, uint64_t clock)
{
	if (has_slice(s, package, slice))
		vpmu_model_type(&s->machine)->llc_lookup(s, package, slice, request, found, clock);
}

void vpmu_snoop(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		enum vpmu_snoop_cause cause, enum vpmu_snoop_result result, uint64_t clock)
{
	if (has_slice(s, package, slice))
		vpmu_model_type(&s->machine)->snoop(s, package, slice, cause, result, clock);
}

void vpmu_tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		  bool coherent, uint64_t start, uint64_t end)
{
	if (package < s->machine.packages && start < end)
		vpmu_model_type(&s->machine)->tracker(s, package, kind, coherent, start, end);
}

void vpmu_dram(struct vpmu_segment *s, uint32_t package, uint32_t requests,
	       uint32_t read_cas, uint32_t write_cas)
{
	if (package < s->machine.packages)
		vpmu_model_type(&s->machine)->dram(s, package, requests, read_cas, write_cas);
}

void vpmu_clock(struct vpmu_segment *s, uint32_t package, uint64_t clock)
{
	if (package >= s->machine.packages)
		return;
	if (clock > s->uclk[package])
		s->uclk[package] = clock;
	vpmu_model_type(&s->machine)->clock(s, package, clock);
}
