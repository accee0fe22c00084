/* SPDX-License-Identifier: MIT */
/* Are registers as they were found? Every documented register that can be written is read before
 * anything is counted and after everything was put back. */
#include "check.h"

#include "counting/system.h"
#include "pmu/families.h"

#include <stdlib.h>
#include <string.h>

#define PER_PLACE 512

struct checked_place {
	struct ipmu_regs regs;
	const struct ipmu_family *family;
	int number;
	int n;
	struct register_value {
		const struct ipmu_reg *reg;
		int box, ctr;
		uint64_t value;
	} values[PER_PLACE];
};

struct register_copy {
	int nplaces;
	struct checked_place *places;
};

/* Only what the machine has: a register of another box or counter does not answer. */
static void extent(const struct ipmu_unit *model, const struct ipmu_reg *reg, int *boxes, int *ctrs)
{
	*boxes = reg->boxes ? reg->boxes : 1;
	*ctrs = reg->ctrs ? reg->ctrs : 1;
	for (int t = 0; model->family->types[t]; t++) {
		const struct ipmu_pmu_type *type = model->family->types[t];

		if (type->select != reg && type->ctr != reg)
			continue;
		*boxes = model->found.nboxes[t];
		if (model->found.counters[t])
			*ctrs = model->found.counters[t];
		return;
	}
}

/* Counters that run move, and flags are raised by themselves. */
static bool stands_still(struct ipmu_regs *regs, const struct ipmu_reg *reg, int box, int ctr,
			 uint64_t *value)
{
	uint32_t addr = ipmu_reg_addr(reg, box, ctr);
	uint64_t again;

	return !ipmu_msr_read(regs, addr, value) && !ipmu_msr_read(regs, addr, &again) &&
	       *value == again;
}

static void copy_register(struct checked_place *p, const struct ipmu_unit *model,
			  const struct ipmu_reg *reg)
{
	int boxes, ctrs;

	extent(model, reg, &boxes, &ctrs);
	if (reg->space != IPMU_MSR || reg->access != IPMU_RW || reg->never_write)
		return;
	for (int b = 0; b < boxes; b++)
		for (int c = 0; c < ctrs && p->n < PER_PLACE; c++) {
			struct register_value *v = &p->values[p->n];

			*v = (struct register_value){ .reg = reg, .box = b, .ctr = c };
			p->n += stands_still(&p->regs, reg, b, c, &v->value);
		}
}

static void copy_place(struct register_copy *copy, const struct ipmu_system *sys, int number)
{
	struct checked_place *p = &copy->places[copy->nplaces];
	char why[IPMU_WHY_MAX];
	int cpu = ipmu_family_reach(sys->family, sys->topo, number);

	*p = (struct checked_place){ .family = sys->family, .number = number };
	if (cpu < 0 || ipmu_family_open(&p->regs, sys->family, cpu, why))
		return;
	for (const struct ipmu_reg *const *r = sys->family->registers; *r; r++)
		copy_register(p, ipmu_unit_model(sys), *r);
	copy->nplaces++;
}

struct register_copy *registers_copy(const struct check *c)
{
	struct register_copy *copy = calloc(1, sizeof(*copy));
	size_t most = (size_t)(c->topo->npackages + c->ncpus);

	if (copy)
		copy->places = calloc(most, sizeof(*copy->places));
	if (!copy || !copy->places) {
		free(copy);
		return NULL;
	}
	for (int i = 0; c->systems[IPMU_SCOPE_PACKAGE] && i < c->topo->npackages; i++)
		copy_place(copy, c->systems[IPMU_SCOPE_PACKAGE], i);
	for (int i = 0; c->systems[IPMU_SCOPE_CPU] && i < c->ncpus; i++)
		copy_place(copy, c->systems[IPMU_SCOPE_CPU], c->cpus[i]);
	return copy;
}

/* A counter may take fewer bits than it holds: only those can be restored. */
static uint64_t restorable(const struct ipmu_reg *reg)
{
	return reg->counter ? ipmu_reg_writable(reg) & ~reg->moves : ~reg->moves;
}

static void compare_place(struct checked_place *p, struct result *r)
{
	char name[64];

	r->expected += p->n;
	for (int i = 0; i < p->n; i++) {
		const struct register_value *v = &p->values[i];
		uint64_t now = 0;
		int rc = ipmu_msr_read(&p->regs, ipmu_reg_addr(v->reg, v->box, v->ctr), &now);
		bool same = !rc && !((now ^ v->value) & restorable(v->reg));

		r->count += same;
		if (same || r->verdict == FAIL)
			continue;
		ipmu_reg_name(v->reg, v->box, v->ctr, name);
		result_fail(r, "%s (0x%X) of %s %d held 0x%llX, and now 0x%llX", name,
			    (unsigned)ipmu_reg_addr(v->reg, v->box, v->ctr),
			    p->family->scope == IPMU_SCOPE_PACKAGE ? "package" : "CPU", p->number,
			    (unsigned long long)v->value, (unsigned long long)now);
	}
	ipmu_access_close(&p->regs);
}

void registers_compare(struct register_copy *before)
{
	for (int i = 0; i < before->nplaces; i++) {
		char name[64];
		struct result *r;

		snprintf(name, sizeof(name), "registers of %s", before->places[i].family->name);
		r = result_find(name, "restore", "-");
		if (!r) {
			r = result_add(name, "restore", "-");
			r->expected = 0;
		}
		compare_place(&before->places[i], r);
	}
	free(before->places);
	free(before);
}
