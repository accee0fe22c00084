/* SPDX-License-Identifier: MIT */
/* The list of families, and the choice of one for a machine. ipmu_family_find() takes the first
 * that matches the CPU. If none does, it takes the one that IPMU_TRY_FAMILY names, or says why not.
 * ipmu_family_open() opens a unit's registers. A family that takes a CPU away from another one
 * stands before it in the list. The list is constant, and no lock is needed. */
#include "families.h"

#include "../base/why.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY "IPMU_TRY_FAMILY"

#define FAMILY(name) &ipmu_##name,
const struct ipmu_family *const ipmu_families[] = {
#include "family_list.h"
	NULL };
#undef FAMILY

static bool is_kind(const struct ipmu_family *f, const struct ipmu_topology *topo)
{
	return strcmp(f->vendor, topo->vendor) == 0 &&
	       (!f->family || f->family == topo->family);
}

static bool family_matches(const struct ipmu_family *f, const struct ipmu_topology *topo,
			   enum ipmu_scope scope)
{
	if (f->scope != scope || !is_kind(f, topo))
		return false;
	for (const int *m = f->models; m && *m >= 0; m++)
		if (*m == topo->model)
			return true;
	return f->matches && f->matches(topo);
}

/* Families that have a layout can be tried on a model that is not known. */
static bool may_be_tried(const struct ipmu_family *f, const struct ipmu_topology *topo)
{
	return f->layout && f->models && is_kind(f, topo);
}

static bool is_asked_for(const struct ipmu_family *f)
{
	const char *name = secure_getenv(TRY);

	return name && strcmp(name, f->name) == 0;
}

static int distance(const struct ipmu_family *f, int model)
{
	int least = 0x10000;

	for (const int *m = f->models; *m >= 0; m++)
		if (abs(*m - model) < least)
			least = abs(*m - model);
	return least;
}

/* Find the family with the nearest model number. Numbers of generations do not rise in order, but
 * their models stand together. */
static const struct ipmu_family *nearest(const struct ipmu_topology *topo)
{
	const struct ipmu_family *best = NULL;

	for (const struct ipmu_family *const *f = ipmu_families; *f; f++)
		if (may_be_tried(*f, topo) &&
		    (!best || distance(*f, topo->model) < distance(best, topo->model)))
			best = *f;
	return best;
}

static const struct ipmu_family *asked_for(const struct ipmu_topology *topo, enum ipmu_scope scope)
{
	for (const struct ipmu_family *const *f = ipmu_families; *f; f++)
		if ((*f)->scope == scope && may_be_tried(*f, topo) && is_asked_for(*f))
			return *f;
	return NULL;
}

/* Name families of packages, of which there are many, by what stands in brackets alone. */
static int name_family(const struct ipmu_family *f, const char **out)
{
	const char *name = f->scope == IPMU_SCOPE_PACKAGE ? strchr(f->models_text, '(') : NULL;
	const char *part = name ? name + 1 : f->models_text;

	*out = part;
	return (int)(name ? strcspn(part, ")") : strlen(part));
}

/* List as many families as there is room for. */
static void list_families(enum ipmu_scope scope, char *text, size_t bytes)
{
	static const char rest[] = "; and others";
	const char *name;
	size_t n = 0;

	for (const struct ipmu_family *const *f = ipmu_families; *f; f++) {
		int length = (*f)->scope == scope ? name_family(*f, &name) : 0;

		if (n + 2 + (size_t)length + sizeof(rest) > bytes) {
			snprintf(text + n, bytes - n, "%s", rest);
			return;
		}
		if (length)
			n += (size_t)snprintf(text + n, bytes - n, "%s%.*s", n ? "; " : "", length,
					      name);
	}
}

static void advise(const struct ipmu_topology *topo, enum ipmu_scope scope, char *text,
		   size_t bytes)
{
	const struct ipmu_family *f = scope == IPMU_SCOPE_PACKAGE ? nearest(topo) : NULL;

	if (f)
		snprintf(text, bytes, "nearest known: %s, which " TRY "=%s tries at your own "
			 "risk", f->name, f->name);
}

const struct ipmu_family *ipmu_family_find(const struct ipmu_topology *topo,
					   enum ipmu_scope scope, char *why)
{
	const struct ipmu_family *tried = asked_for(topo, scope);
	char supported[IPMU_WHY_MAX - 176] = "", more[144] = "";

	for (const struct ipmu_family *const *f = ipmu_families; *f; f++) {
		if (family_matches(*f, topo, scope))
			return *f;
		if ((*f)->mismatch && (*f)->scope == scope && is_kind(*f, topo))
			(*f)->mismatch(topo, more, sizeof(more));
	}
	if (tried || !why)
		return tried;
	list_families(scope, supported, sizeof(supported));
	advise(topo, scope, more, sizeof(more));
	ipmu_fail(why, -ENODEV, "this CPU is %s family %d model 0x%X; %s%ssupported: %s",
		  topo->vendor[0] ? topo->vendor : "of an unknown vendor", topo->family,
		  (unsigned)topo->model, more, more[0] ? "; " : "", supported);
	return NULL;
}

int ipmu_family_reach(const struct ipmu_family *family, const struct ipmu_topology *topo,
		      int place)
{
	const struct ipmu_cpu *cpu;

	if (family->scope == IPMU_SCOPE_PACKAGE)
		return ipmu_topology_reach(topo, place, -1);
	cpu = ipmu_topology_cpu(topo, place);
	return cpu && cpu->allowed ? place : -ENODEV;
}

static uint32_t select_at(const struct ipmu_pmu_type *type, int box, int ctr)
{
	const struct ipmu_reg *reg = type->selects ? &type->selects[ctr] : type->select;
	int index;

	ipmu_type_counter(type, ctr, &index);
	return reg ? ipmu_reg_addr(reg, box, type->selects ? 0 : index) : 0;
}

static uint32_t select_of(const struct ipmu_regs *p, const struct ipmu_saved *counter)
{
	int box, ctr, index;

	if (ipmu_reg_at(p->registers, counter->addr, &box, &ctr) != counter->reg)
		return 0;
	for (const struct ipmu_pmu_type *const *t = p->types; *t; t++)
		for (int c = 0; c < (*t)->counters; c++)
			if (ipmu_type_counter(*t, c, &index) == counter->reg && index == ctr)
				return select_at(*t, box, c);
	return 0;
}

int ipmu_family_open(struct ipmu_regs *p, const struct ipmu_family *family, int os_cpu, char *why)
{
	int rc = ipmu_access_open(p, family->registers, os_cpu, why);

	p->quiesce = family->quiesce;
	p->layout = family->layout;
	p->types = family->types;
	p->select_of = select_of;
	p->trial = family->layout && is_asked_for(family);
	return rc;
}
