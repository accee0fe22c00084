/* SPDX-License-Identifier: MIT */
#include "families.h"

#include "../base/why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct ipmu_family *const ipmu_families[] = { &ipmu_skl_client_uncore, &ipmu_knc,
	&ipmu_nehalem_ex, &ipmu_westmere_ex,
	&ipmu_netburst, &ipmu_netburst_p,
	&ipmu_core2, /* what no other family of its scope takes: */ &ipmu_arch_fixed, NULL };

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

int ipmu_family_reach(const struct ipmu_family *family, const struct ipmu_topology *topo,
		      int place)
{
	const struct ipmu_cpu *cpu;

	if (family->scope == IPMU_SCOPE_PACKAGE)
		return ipmu_topology_reach(topo, place, -1);
	cpu = ipmu_topology_cpu(topo, place);
	return cpu && cpu->allowed ? place : -ENODEV;
}

int ipmu_family_open(struct ipmu_regs *p, const struct ipmu_family *family, int os_cpu, char *why)
{
	int rc = ipmu_access_open(p, family->registers, os_cpu, why);

	p->quiesce = family->quiesce;
	return rc;
}
