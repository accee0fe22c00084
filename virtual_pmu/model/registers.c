/* SPDX-License-Identifier: MIT */
/* Finds registers in the rows of a family: by address (vpmu_register_at(), vpmu_register_on()) or
 * by number (vpmu_register_number()), and their names and values. Rows are constant; the caller of
 * vpmu_register_value() holds the machine lock while it uses the value. A register that is found is
 * inside its family's state, whatever the address was. */
#include <stdio.h>
#include <string.h>

#include "model_type.h"

static uint32_t at_least_one(uint32_t n)
{
	return n ? n : 1;
}

/* Boxes of this row on this machine: a row may describe more than the machine has. */
static uint32_t boxes_here(const struct vpmu_machine *m, const struct vpmu_register_row *row)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);
	uint32_t have = type->boxes;

	if (type->present && !type->present(m, row))
		return 0;
	if (!row->boxes)
		return 1;
	if (row->box_name)
		return row->boxes;
	if (!have)
		have = m->slices;
	have = have > row->first_box ? have - row->first_box : 0;
	return have < row->boxes ? have : row->boxes;
}

static uint32_t counters_here(const struct vpmu_machine *m, const struct vpmu_register_row *row)
{
	const struct vpmu_core_type *core = vpmu_core_type_of(m, row);

	return core && row->counters ? core->counters(m, row) : at_least_one(row->counters);
}

static bool row_register(const struct vpmu_machine *m, const struct vpmu_register_row *row,
			 uint32_t index, struct vpmu_register *out)
{
	uint32_t counters = counters_here(m, row);

	if (index >= boxes_here(m, row) * counters)
		return false;
	out->row = row;
	out->box = row->boxes ? row->first_box + index / counters : 0;
	out->counter = index % counters;
	return true;
}

/* The rows of the type, then those of the cores; NULL behind the last. */
static const struct vpmu_register_row *row_number(const struct vpmu_model_type *type, uint32_t i)
{
	if (!type)
		return NULL;
	if (i < type->row_count)
		return &type->rows[i];
	i -= type->row_count;
	return type->core && i < type->core->row_count ? &type->core->rows[i] : NULL;
}

bool vpmu_register_number(const struct vpmu_machine *m, uint32_t index, struct vpmu_register *out)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);
	const struct vpmu_register_row *row;

	for (uint32_t i = 0; (row = row_number(type, i)) != NULL; i++) {
		if (row_register(m, row, index, out))
			return true;
		index -= boxes_here(m, row) * counters_here(m, row);
	}
	return false;
}

static bool row_at(const struct vpmu_machine *m, const struct vpmu_register_row *row,
		   uint32_t address, struct vpmu_register *out)
{
	uint32_t away = address - row->address, box = 0, counter = 0;

	if (address < row->address)
		return false;
	if (row->boxes) {
		box = away / row->box_stride;
		away %= row->box_stride;
	}
	if (row->counters) {
		counter = away / row->counter_stride;
		away %= row->counter_stride;
	}
	if (away || box >= boxes_here(m, row) || counter >= counters_here(m, row))
		return false;
	out->row = row;
	out->box = row->boxes ? row->first_box + box : 0;
	out->counter = counter;
	return true;
}

bool vpmu_register_at(const struct vpmu_machine *m, enum vpmu_space space, uint32_t address,
		      struct vpmu_register *out)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);
	const struct vpmu_register_row *row;

	for (uint32_t i = 0; (row = row_number(type, i)) != NULL; i++)
		if (row->space == space && row_at(m, row, address, out))
			return true;
	return false;
}

bool vpmu_register_on(const struct vpmu_machine *m, uint32_t cpu, enum vpmu_space space,
		      uint32_t address, struct vpmu_register *out)
{
	const struct vpmu_core_type *core;

	if (!vpmu_register_at(m, space, address, out))
		return false;
	core = vpmu_core_type_of(m, out->row);
	return !core || core->has(m, cpu, out);
}

uint64_t vpmu_register_mask(const struct vpmu_machine *m, uint32_t cpu,
			    const struct vpmu_register_row *row)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);
	const struct vpmu_core_type *core = vpmu_core_type_of(m, row);

	if (core)
		return core->mask(m, cpu, row);
	return type->mask ? type->mask(m, row) : row->mask;
}

void *vpmu_register_value(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r)
{
	const struct vpmu_machine *m = &s->machine;
	uint32_t package = vpmu_cpu_package(m, cpu);
	uint32_t inside = r->row->offset + r->box * r->row->box_bytes +
			  r->counter * r->row->counter_bytes;

	if (r->row->space == VPMU_MMIO)
		return vpmu_package_mmio(s, package) + vpmu_register_address(r);
	if (r->row->scope == VPMU_PACKAGE)
		return (uint8_t *)vpmu_package_state(s, package) + inside;
	if (r->row->scope == VPMU_CORE)
		return (uint8_t *)vpmu_core_state(s, vpmu_cpu_core(m, cpu)) + inside;
	return (uint8_t *)vpmu_thread_state(s, cpu) + inside;
}

static bool name_by_signs(const struct vpmu_register *r, char *out, size_t bytes)
{
	const char *at = r->row->name;
	size_t used = 0;

	if (!strpbrk(at, "#@"))
		return false;
	for (; *at && used + 1 < bytes; at++) {
		if (*at == '#' || *at == '@')
			out[used++] = (char)('0' + (*at == '#' ? r->box : r->counter));
		else
			out[used++] = *at;
	}
	out[used] = '\0';
	return true;
}

static void put_name(const struct vpmu_register *r, struct vpmu_register_info *out)
{
	const struct vpmu_register_row *row = r->row;
	const char *gap = strstr(row->name, "_n_");
	int n;

	if (name_by_signs(r, out->name, sizeof(out->name)))
		return;
	if (row->boxes && gap)
		n = snprintf(out->name, sizeof(out->name), "%.*s_%u_%s", (int)(gap - row->name),
			     row->name, r->box, gap + 3);
	else
		n = snprintf(out->name, sizeof(out->name), "%s", row->name);
	if (row->counters)	/* the trailing "m"; counters are single digits in every manual */
		out->name[n - 1] = (char)('0' + r->counter);
}

static void put_scope(const struct vpmu_machine *m, const struct vpmu_register *r,
		      struct vpmu_register_info *out)
{
	static const char *const names[] = {
		[VPMU_PACKAGE] = "package", [VPMU_THREAD] = "thread", [VPMU_CORE] = "core",
	};
	const struct vpmu_register_row *row = r->row;

	if (row->boxes)
		snprintf(out->scope, sizeof(out->scope), "%s/%s %u", names[row->scope],
			 row->box_name ? row->box_name : vpmu_model_type(m)->box_name, r->box);
	else
		snprintf(out->scope, sizeof(out->scope), "%s%s%s", names[row->scope],
			 row->unit ? "/" : "", row->unit ? row->unit : "");
}

void vpmu_register_describe(const struct vpmu_machine *m, const struct vpmu_register *r,
			    struct vpmu_register_info *out)
{
	const struct vpmu_register_row *row = r->row;

	memset(out, 0, sizeof(*out));
	put_name(r, out);
	put_scope(m, r, out);
	out->space = row->space;
	out->access = row->access;
	out->address = vpmu_register_address(r);
	out->width = row->width;
	out->mask = vpmu_register_mask(m, 0, row);
	out->unsourced = row->unsourced;
	out->cite = row->cite;
}
