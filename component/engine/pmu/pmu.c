/* SPDX-License-Identifier: MIT */
#include "pmu.h"

#include "../why.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

extern const struct ipmu_family ipmu_skl_client_uncore, ipmu_knc, ipmu_core2, ipmu_arch_fixed;
extern const struct ipmu_family ipmu_nehalem_ex, ipmu_westmere_ex;
extern const struct ipmu_family ipmu_netburst, ipmu_netburst_p;

const struct ipmu_family *const ipmu_families[] = { &ipmu_skl_client_uncore, &ipmu_knc,
	&ipmu_nehalem_ex, &ipmu_westmere_ex,
	&ipmu_netburst, &ipmu_netburst_p,
	&ipmu_core2, /* what no other family of its scope takes: */ &ipmu_arch_fixed, NULL };

bool ipmu_type_runs_free(const struct ipmu_pmu_type *type)
{
	return type->fixed && !type->select;
}

const struct ipmu_reg *ipmu_type_counter(const struct ipmu_pmu_type *type, int ctr, int *index)
{
	*index = type->fixed || type->ctrs ? 0 : ctr;
	return type->ctrs ? &type->ctrs[ctr] : type->fixed ? type->fixed[ctr].ctr : type->ctr;
}

static bool in_list(const char *list, const char *name)
{
	char pattern[64];

	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		snprintf(pattern, sizeof(pattern), "%.*s", (int)n, p);
		if (fnmatch(pattern, name, FNM_CASEFOLD) == 0)
			return true;
		p += n;
	}
	return false;
}

static const char *measure(const struct ipmu_pmu_type *type, const char *name)
{
	for (const struct ipmu_measure *m = type->measures; m && m->units; m++)
		if (in_list(m->events, name))
			return m->units;
	return NULL;
}

const char *ipmu_type_units(const struct ipmu_pmu_type *type, const char *event,
			    const char *qualifiers)
{
	char name[2 * IPMU_NAME_MAX];
	const char *units = NULL;

	for (const char *q = qualifiers; *q == ':' && !units; q += 1 + strcspn(q + 1, ":")) {
		snprintf(name, sizeof(name), "%s:%.*s", event, (int)strcspn(q + 1, ":"), q + 1);
		units = measure(type, name);
	}
	if (!units)
		units = measure(type, event);
	return units ? units : type->units;
}

uint64_t ipmu_type_most(const struct ipmu_pmu_type *type, const char *qualifier)
{
	for (const struct ipmu_qualifier *q = type->qualifiers; q && q->name; q++)
		if (strcasecmp(q->name, qualifier) == 0)
			return q->most;
	return 0;
}

uint32_t ipmu_reg_addr(const struct ipmu_reg *reg, int box, int ctr)
{
	uint32_t base = reg->addr + (uint32_t)box * reg->box_stride;

	if (reg->odd_addr && box == reg->odd_box)
		base = reg->odd_addr;
	return base + (uint32_t)ctr * reg->ctr_stride;
}

static uint64_t bits_of(const struct ipmu_field *f)
{
	return (~0ull >> (63 - f->hi)) & (~0ull << f->lo);
}

uint64_t ipmu_reg_fields(const struct ipmu_reg *reg)
{
	uint64_t mask = 0;

	for (const struct ipmu_field *f = reg->fields; f->name; f++)
		mask |= bits_of(f);
	return mask;
}

uint64_t ipmu_reg_writable(const struct ipmu_reg *reg)
{
	uint64_t mask = ipmu_reg_fields(reg);

	for (const struct ipmu_field *f = reg->fields; f->name; f++)
		if (f->never_write)
			mask &= ~bits_of(f);
	return reg->access == IPMU_RO || reg->never_write ? 0 : mask;
}

void ipmu_reg_name(const struct ipmu_reg *reg, int box, int ctr, char name[64])
{
	size_t n = 0;

	for (const char *p = reg->name; *p && n < 60; p++) {
		if (p[0] == '%' && (p[1] == 'b' || p[1] == 'c'))
			n += (size_t)snprintf(name + n, 64 - n, "%d", *++p == 'b' ? box : ctr);
		else
			name[n++] = *p;
	}
	name[n] = '\0';
}

static bool is_kind(const struct ipmu_family *f, const struct ipmu_topology *topo)
{
	return strcmp(f->vendor, topo->vendor) == 0 && f->family == topo->family;
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

const struct ipmu_family *ipmu_family_find(const struct ipmu_topology *topo,
					   enum ipmu_scope scope, char *why)
{
	char supported[IPMU_WHY_MAX - 256] = "", more[144] = "";
	size_t n = 0;

	for (const struct ipmu_family *const *f = ipmu_families; *f; f++) {
		if (family_matches(*f, topo, scope))
			return *f;
		if ((*f)->mismatch && (*f)->scope == scope && is_kind(*f, topo))
			(*f)->mismatch(topo, more, sizeof(more));
		if ((*f)->scope == scope && n < sizeof(supported))
			n += (size_t)snprintf(supported + n, sizeof(supported) - n, "%s%s",
					      n ? "; " : "", (*f)->models_text);
	}
	ipmu_fail(why, -ENODEV, "this CPU is %s family %d model 0x%X; %s%ssupported: %s",
		  topo->vendor[0] ? topo->vendor : "of an unknown vendor", topo->family,
		  (unsigned)topo->model, more, more[0] ? "; " : "", supported);
	return NULL;
}
