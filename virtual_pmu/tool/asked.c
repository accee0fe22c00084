/* SPDX-License-Identifier: MIT */
/* Options about the machine itself, which `vpmu run` and `vpmu boot` share: its name, segment,
 * caches and settings. vpmu_asked_option() takes one option as it is parsed, vpmu_asked_machine()
 * makes the machine of all. Either fails with a sentence on stderr, before any segment exists. */
#include <errno.h>
#include <stdlib.h>

#include "../machine/geometry.h"
#include "tool.h"

static const char *const cache_names[4] = { "--l1i", "--l1d", "--l2", "--llc" };

/* With K or M, at most 1 GiB. */
static bool parse_number(const char *text, char **end, uint32_t *out)
{
	unsigned long long n;
	uint32_t shift;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoull(text, end, 0);
	shift = **end == 'K' || **end == 'k' ? 10 : **end == 'M' ? 20 : 0;
	*end += shift != 0;
	*out = (uint32_t)n << shift;
	return !errno && n > 0 && n <= UINT32_C(1) << (30 - shift);
}

/* "32K,8,64", or "32K,8"; whole sets, and 64-byte lines as all machines of today have. */
static bool parse_cache(const char *text, struct vpmu_cache *cache)
{
	struct vpmu_cache c = { .line = 64 };
	char *end;

	if (!parse_number(text, &end, &c.bytes) || *end != ',' ||
	    !parse_number(end + 1, &end, &c.ways))
		return false;
	if (*end && (*end != ',' || !parse_number(end + 1, &end, &c.line) || *end))
		return false;
	if (c.line != 64 || c.ways > 64 || c.bytes % (c.ways * c.line))
		return false;
	*cache = c;
	return true;
}

static int complain_of_slices(const char *text, const struct vpmu_machine *m)
{
	if (vpmu_machine_slices_max(m))
		vpmu_complain("--slices %s: a number from 1 to %u", text,
			      vpmu_machine_slices_max(m));
	else
		vpmu_complain("--slices %s: the number is fixed on %s: leave the option out", text,
			      m->name);
	return VPMU_EXIT_USAGE;
}

static int apply_slices(const char *text, struct vpmu_machine *m)
{
	uint32_t slices;
	char *end;

	if (!text)
		return 0;
	if (parse_number(text, &end, &slices) && !*end && !vpmu_machine_slices(m, slices))
		return 0;
	return complain_of_slices(text, m);
}

static int apply_caches(const struct vpmu_asked *r, struct vpmu_machine *m)
{
	bool l2_is_last = m->llc_level == 2;
	struct vpmu_cache *const caches[4] = { &m->l1i, &m->l1d, l2_is_last ? &m->llc : &m->l2,
					       &m->llc };
	struct vpmu_cache *const little[3] = { &m->little.l1i, &m->little.l1d, &m->little.l2 };

	if (l2_is_last && r->cache[2] && r->cache[3]) {
		vpmu_complain("--l2 and --llc are the same cache of %s: give one of them", m->name);
		return VPMU_EXIT_USAGE;
	}
	for (size_t i = 0; i < 4; i++) {
		if (r->cache[i] && !parse_cache(r->cache[i], caches[i])) {
			vpmu_complain("%s %s: SIZE,WAYS[,LINE] as in 32K,8,64: the line is 64, at "
				      "most 64 ways, and the size whole sets of them",
				      cache_names[i], r->cache[i]);
			return VPMU_EXIT_USAGE;
		}
		if (r->cache[i] && i < 3 && m->little.cores)
			*little[i] = *caches[i];
	}
	if (m->llc.bytes % (m->slices * m->llc.ways * m->llc.line)) {
		vpmu_complain("an LLC of %u bytes does not divide into %u slices of %u ways",
			      m->llc.bytes, m->slices, m->llc.ways);
		return VPMU_EXIT_USAGE;
	}
	return 0;
}

int vpmu_asked_option(struct vpmu_asked *r, int code, const char *value)
{
	switch (code) {
	case 'm': r->name = value; break;
	case 's': r->segment = value; break;
	case VPMU_OPT_SLICES: r->slices = value; break;
	case VPMU_OPT_L1I: case VPMU_OPT_L1D: case VPMU_OPT_L2: case VPMU_OPT_LLC:
		r->cache[code - VPMU_OPT_L1I] = value;
		break;
	case VPMU_OPT_SET:
		if (r->setting_count == VPMU_SETTINGS_MAX) {
			vpmu_complain("at most %d --set", VPMU_SETTINGS_MAX);
			return VPMU_EXIT_USAGE;
		}
		r->settings[r->setting_count++] = value;
		break;
	}
	return 0;
}

int vpmu_asked_machine(const struct vpmu_asked *r, bool feed, struct vpmu_machine *m)
{
	char why[512];
	int rc = 0;

	if (vpmu_machine_parse(r->name ? r->name : VPMU_DEFAULT_MACHINE, m, why, sizeof(why))) {
		vpmu_complain("%s", why);
		return VPMU_EXIT_USAGE;
	}
	rc = apply_slices(r->slices, m);
	if (!rc)
		rc = apply_caches(r, m);
	if (!rc && feed && !vpmu_caches_bytes(m)) {
		vpmu_complain("%s: the execution feed cannot model such caches, or more than 64 "
			      "cores in a package: choose others, or --no-feed", m->name);
		return VPMU_EXIT_USAGE;
	}
	for (int i = 0; i < r->setting_count && !rc; i++)
		rc = vpmu_setting(m, NULL, r->settings[i]);
	return rc;
}

bool vpmu_asked_open(const struct vpmu_asked *r)
{
	return !r->name && !r->slices && !r->cache[0] && !r->cache[1] && !r->cache[2] &&
	       !r->cache[3];
}
