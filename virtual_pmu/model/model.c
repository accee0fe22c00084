/* SPDX-License-Identifier: MIT */
/* The list of families of machines, and the way from the feed to them. vpmu_llc_lookup(),
 * vpmu_tracker(), vpmu_core_events_at() and the like pass on what is executed to the machine's
 * family. A family without a function for something ignores it. The caller holds the machine lock.
 * A package, slice or CPU that the machine does not have is dropped here, so no family checks. */
#include "model_type.h"

/* In the order of vpmu_families. */
static const struct vpmu_model_type *const types[] = {
	&vpmu_skl_client, &vpmu_cml_client, &vpmu_snb_client, &vpmu_ivb_client, &vpmu_hsw_client,
	&vpmu_bdw_client, &vpmu_icl_client, &vpmu_tgl_client, &vpmu_tglh_client, &vpmu_rkl_client,
	&vpmu_adl_client, &vpmu_rpl_client, &vpmu_adln_client, &vpmu_mtl_client, &vpmu_arl_client,
	&vpmu_lnl_client, &vpmu_ptl_client, &vpmu_wcl_client, &vpmu_nvl_client,
	&vpmu_knc, &vpmu_core2, &vpmu_nhmex, &vpmu_netburst,
};

const struct vpmu_model_type *vpmu_model_type(const struct vpmu_machine *m)
{
	uint32_t number = m->family_id - 1;	/* of no family: beyond all */

	return number < sizeof(types) / sizeof(types[0]) ? types[number] : NULL;
}

const struct vpmu_core_type *vpmu_core_type_of(const struct vpmu_machine *m,
					       const struct vpmu_register_row *row)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);
	const struct vpmu_core_type *core = type ? type->core : NULL;

	return core && row >= core->rows && row < core->rows + core->row_count ? core : NULL;
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

void vpmu_away_request(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		       uint64_t clock)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (type->away_request && package < s->machine.packages)
		type->away_request(s, package, kind, clock);
}

void vpmu_away_tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		       bool coherent, uint64_t start, uint64_t end)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (type->away_tracker && package < s->machine.packages && start < end)
		type->away_tracker(s, package, kind, coherent, start, end);
}

void vpmu_dram(struct vpmu_segment *s, uint32_t package, uint32_t requests,
	       uint32_t read_cas, uint32_t write_cas)
{
	vpmu_dram_at(s, package, VPMU_IN_TURN, requests, read_cas, write_cas);
}

void vpmu_dram_at(struct vpmu_segment *s, uint32_t package, uint32_t box, uint32_t requests,
		  uint32_t read_cas, uint32_t write_cas)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (type->dram && package < s->machine.packages)
		type->dram(s, package, box, requests, read_cas, write_cas);
}

bool vpmu_bulk_of(struct vpmu_segment *s, uint32_t package, struct vpmu_bulk *out)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	static const uint32_t never;

	*out = (struct vpmu_bulk){ .precise = &never };
	if (package >= s->machine.packages)
		return false;
	if (type->bulk)
		type->bulk(s, package, out);
	return type->bulk || (!type->llc_lookup && !type->snoop);
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

bool vpmu_core_events_modelled(const struct vpmu_machine *m)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);

	return type && (type->core_events || type->core);
}

bool vpmu_core_events_beside(const struct vpmu_machine *m)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);

	return type && type->core;
}

enum vpmu_core_level vpmu_core_events_wanted(const struct vpmu_segment *s)
{
	return vpmu_model_type(&s->machine)->core_events ? VPMU_CORE_ALL :
	       __atomic_load_n(&s->core_counting, __ATOMIC_RELAXED);
}

void vpmu_core_events_at(struct vpmu_segment *s, uint32_t cpu, enum vpmu_ring ring,
			 const uint32_t *counts, uint32_t clocks)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (cpu >= vpmu_machine_cpus(&s->machine))
		return;
	if (type->core_events)
		type->core_events(s, cpu, ring, counts, clocks);
	else if (type->core)
		type->core->core_events(s, cpu, ring, counts, clocks);
}

void vpmu_memory_command(struct vpmu_segment *s, uint32_t package, uint32_t box, bool write,
			 enum vpmu_page page, uint64_t clock)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (type->memory_command && package < s->machine.packages &&
	    box < s->machine.memory_boxes)
		type->memory_command(s, package, box, write, page, clock);
}
