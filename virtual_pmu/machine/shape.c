/* SPDX-License-Identifier: MIT */
/* Makes a machine from its name, such as "skl-4c8t". vpmu_machine_parse() is the entry point; it
 * finds the family's row in families.c, reads the numbers behind the prefix and checks them against
 * the row. If it refuses a name, `why` has what would fit. It needs no lock. */
#include "families.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Numbers behind the prefix with their letters, in the order p, c, t. Hybrid machines have p, e,
 * lp, t, and `cores` are their P cores. */
struct shape { uint32_t packages, cores, little, low, threads; };	/* totals; 0: not given */

static const struct vpmu_family_row *family_find(const char *name, size_t bytes)
{
	for (uint32_t i = 0; i < vpmu_family_count; i++)
		if (strlen(vpmu_families[i].prefix) == bytes &&
		    strncmp(vpmu_families[i].prefix, name, bytes) == 0)
			return &vpmu_families[i];
	return NULL;
}

static void list_families(char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < vpmu_family_count && used < bytes; i++) {
		const char *examples = vpmu_families[i].examples;
		int n = snprintf(text + used, bytes - used, "%s%.*s", i ? ", " : "",
				 (int)strcspn(examples, ","), examples);

		used += n > 0 ? (size_t)n : 0;
	}
}

static bool is_hybrid(const struct vpmu_family_row *f)
{
	return f->low || strchr(f->forms, 'e');
}

/* Reads a number without signs, blanks or leading zeros, and its letter, 'l' for "lp". Advances
 * *text. */
static bool parse_part(const char **text, uint32_t *number, char *letter)
{
	size_t digits = 0;

	*number = 0;
	for (const char *c = *text; *c >= '0' && *c <= '9' && digits <= 5; c++, digits++)
		*number = *number * 10 + (uint32_t)(*c - '0');
	if (digits == 0 || digits > 5 || (digits > 1 && **text == '0'))
		return false;
	*letter = (*text)[digits];
	*text += digits + (*letter != '\0');
	if (*letter == 'l' && *(*text)++ != 'p')
		return false;
	return *letter != '\0';
}

static uint32_t *shape_number(const struct vpmu_family_row *f, struct shape *shape, char letter)
{
	switch (letter) {
	case 'p': return is_hybrid(f) ? &shape->cores : &shape->packages;
	case 'c': return &shape->cores;
	case 'e': return &shape->little;
	case 'l': return &shape->low;
	default: return &shape->threads;
	}
}

#define LETTERS_MAX 4

/* "-4p32c64t" -> { 4, 32, 64 } and "pct". */
static bool parse_shape(const struct vpmu_family_row *f, const char *text, struct shape *shape,
			char letters[LETTERS_MAX + 1])
{
	const char *order = is_hybrid(f) ? "pelt" : "pct";
	size_t used = 0;

	*shape = (struct shape){ 0 };
	if (*text++ != '-')
		return false;
	while (*text) {
		uint32_t number;
		char letter;

		if (used == LETTERS_MAX || !parse_part(&text, &number, &letter))
			return false;
		order = strchr(order, letter);
		if (!order)
			return false;
		order++;
		*shape_number(f, shape, letter) = number;
		letters[used++] = letter;
	}
	letters[used] = '\0';
	return used > 0;
}

/* Is `letters` one of the blank-separated words of `forms`? */
static bool has_form(const char *forms, const char *letters)
{
	size_t length = strlen(letters);

	for (const char *at = forms; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word == length && strncmp(at, letters, length) == 0)
			return true;
		at += word;
	}
	return false;
}

static int bad_cores(const struct vpmu_family_row *f, char *why, size_t why_bytes)
{
	if (is_hybrid(f) && !f->little_max)
		snprintf(why, why_bytes, "%s machines have %u P cores and %u low-power E cores: "
			 "say %s", f->prefix, f->cores_max, f->low, f->examples);
	else if (is_hybrid(f))
		snprintf(why, why_bytes, "%s machines have %u to %u P cores and %u to %u E cores, "
			 "a multiple of %u%s: say %s", f->prefix, f->cores_min, f->cores_max,
			 f->little_min, f->little_max, f->base.little.cluster,
			 f->low ? ", and low-power E cores" : "", f->examples);
	else if (f->cores_fixed)
		snprintf(why, why_bytes, "%s machines have %u to %u cores, a multiple of %u",
			 f->prefix, f->cores_fixed, f->cores_fixed * VPMU_PACKAGES_MAX,
			 f->cores_fixed);
	else if (strchr(f->forms, 'p'))
		snprintf(why, why_bytes, "%s machines have 1 to %u packages with the same number "
			 "of cores in each, at most %u", f->prefix, VPMU_PACKAGES_MAX,
			 f->cores_max);
	else
		snprintf(why, why_bytes, "%s machines have %u to %u cores and at most %u CPUs",
			 f->prefix, f->cores_min, f->cores_max, VPMU_CPUS_MAX);
	return -EINVAL;
}

/* Fills in cores and packages where the name leaves them out. It returns 0 packages where the cores
 * do not fill whole packages. */
static void complete_cores(const struct vpmu_family_row *f, struct shape *n)
{
	if (!n->cores && strchr(f->forms, 'p'))
		n->cores = n->packages;		/* "p4-2p4t": one core each */
	if (f->cores_fixed)
		n->packages = n->cores % f->cores_fixed ? 0 : n->cores / f->cores_fixed;
	else if (!n->packages)
		n->packages = f->base.packages ? f->base.packages : 1;
}

static bool hybrid_fits(const struct vpmu_family_row *f, const struct shape *n)
{
	return n->cores >= f->cores_min && n->cores <= f->cores_max &&
	       n->little >= f->little_min && n->little <= f->little_max &&
	       n->little % f->base.little.cluster == 0 && n->low == f->low;
}

static bool cores_fit(const struct vpmu_family_row *f, const struct shape *n)
{
	uint32_t each;

	if (is_hybrid(f))
		return hybrid_fits(f, n);
	if (n->packages == 0 || n->packages > VPMU_PACKAGES_MAX || n->cores == 0 ||
	    n->cores % n->packages)
		return false;
	each = n->cores / n->packages;
	return f->cores_fixed || (each >= f->cores_min && each <= f->cores_max);
}

/* Fills in what the name leaves out. */
static int complete_shape(const struct vpmu_family_row *f, struct shape *n, const char *letters,
			  char *why, size_t why_bytes)
{
	if (strchr(letters, 'p') && !*shape_number(f, n, 'p'))
		return bad_cores(f, why, why_bytes);
	complete_cores(f, n);
	if (!cores_fit(f, n))
		return bad_cores(f, why, why_bytes);
	if (!n->threads && !strchr(letters, 't'))
		n->threads = n->cores * (uint32_t)__builtin_ctz(f->threads_allowed);
	return n->threads > VPMU_CPUS_MAX ? bad_cores(f, why, why_bytes) : 0;
}

static void shape_text(const struct vpmu_family_row *f, struct shape *n, const char *letters,
		       char *text, size_t bytes)
{
	size_t used = 0;

	for (; *letters; letters++)
		used += (size_t)snprintf(text + used, bytes - used, "%u%c%s",
					 *shape_number(f, n, *letters), *letters,
					 *letters == 'l' ? "p" : "");
}

static uint32_t threads_of(const struct shape *n, uint32_t each)
{
	return n->cores * each + n->little + n->low;
}

/* Threads of a core; 0: that is no number that such machines have. */
static uint32_t threads_each(const struct vpmu_family_row *f, const struct shape *n)
{
	for (uint32_t each = 1; each < 32; each++)
		if ((f->threads_allowed >> each & 1) && threads_of(n, each) == n->threads)
			return each;
	return 0;
}

static int check_threads(const struct vpmu_family_row *f, const struct shape *n,
			 const char *letters, char *why, size_t why_bytes)
{
	uint32_t allowed = f->threads_allowed;
	char offer[VPMU_NAME_MAX], offers[3 * VPMU_NAME_MAX] = "";

	if (threads_each(f, n))
		return 0;
	for (; allowed; allowed &= allowed - 1) {
		struct shape good = *n;
		size_t used = strlen(offers);

		good.threads = threads_of(n, (uint32_t)__builtin_ctz(allowed));
		shape_text(f, &good, letters, offer, sizeof(offer));
		snprintf(offers + used, sizeof(offers) - used, "%s%s-%s", used ? " or " : "",
			 f->prefix, offer);
	}
	snprintf(why, why_bytes, "no such machine: %u threads on %u cores; use the form %s",
		 n->threads, n->cores + n->little + n->low, offers);
	return -EINVAL;
}

static uint32_t slices_most(const struct vpmu_family_row *f)
{
	return f->slices_max ? f->slices_max : 8;
}

/* Is the number of slices that of the family? Machines with a directory have no slices to count. */
static bool slices_fixed(const struct vpmu_family_row *f)
{
	return f->slices || f->llc_core_bytes;
}

/* Cores and clusters that share the LLC. */
static uint32_t agents_behind(const struct vpmu_machine *m)
{
	return m->cores == m->little.away ? 0 :
	       vpmu_core_agent(m, m->cores - m->little.away - 1) + 1;
}

/* Adds as far as there is room; returns the end. */
static char *text_add(char *at, const char *last, const char *text)
{
	while (*text && at < last)
		*at++ = *text++;
	return at;
}

#define ADD(text, from) ((void)text_add(text, text + sizeof(text) - 1, from))

static void fill_brand(const struct vpmu_family_row *f, const char *name, struct vpmu_machine *m)
{
	const char *const parts[] = { "VirtualPMU ", name, " (", f->brand, " model)" };
	char *at = m->brand;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		at = text_add(at, m->brand + sizeof(m->brand) - 1, parts[i]);
}

static void machine_fill(const struct vpmu_family_row *f, const char *name, const struct shape *n,
			 struct vpmu_machine *m)
{
	memset(m, 0, sizeof(*m));
	*m = f->base;
	m->family_id = (uint32_t)(f - vpmu_families) + 1;
	ADD(m->name, name);
	ADD(m->qemu_cpu, f->qemu_cpu);
	fill_brand(f, name, m);
	m->packages = n->packages;
	m->little.cores = n->little + n->low;
	m->little.away = f->away + n->low;
	m->cores = n->cores / n->packages + m->little.cores;
	m->threads = threads_each(f, n);
	m->slices = f->slices ? f->slices : agents_behind(m);
	if (m->slices > slices_most(f))
		m->slices = slices_most(f);
	m->llc.bytes = f->llc_core_bytes ? f->llc_core_bytes * m->cores :
					   f->llc_slice_bytes * m->slices;
}

int vpmu_machine_parse(const char *name, struct vpmu_machine *out, char *why, size_t why_bytes)
{
	size_t prefix = strcspn(name, "-");
	const struct vpmu_family_row *f = family_find(name, prefix);
	char have[512], letters[LETTERS_MAX + 1];
	struct shape shape;
	int rc;

	if (!f || strlen(name) >= VPMU_NAME_MAX ||
	    !parse_shape(f, name + prefix, &shape, letters) ||
	    !has_form(f->forms, letters)) {
		list_families(have, sizeof(have));
		snprintf(why, why_bytes, "unknown machine '%.64s'; there are, for example, %s; "
			 "'vpmu machines' has all", name, have);
		return -EINVAL;
	}
	rc = complete_shape(f, &shape, letters, why, why_bytes);
	if (!rc)
		rc = check_threads(f, &shape, letters, why, why_bytes);
	if (!rc)
		machine_fill(f, name, &shape, out);
	return rc;
}

bool vpmu_machine_whole(const struct vpmu_machine *m)
{
	struct vpmu_machine named;
	char why[512];

	if (m->name[sizeof(m->name) - 1] != '\0' ||
	    vpmu_machine_parse(m->name, &named, why, sizeof(why)) ||
	    vpmu_machine_slices(&named, m->slices))
		return false;
	named.smt_adjacent = m->smt_adjacent != 0;
	named.l1i = m->l1i;
	named.l1d = m->l1d;
	named.l2 = m->l2;
	named.little.l1i = m->little.l1i;
	named.little.l1d = m->little.l1d;
	named.little.l2 = m->little.l2;
	named.llc = m->llc;
	return memcmp(&named, m, sizeof(named)) == 0;
}

const char *vpmu_machine_family(uint32_t index, const char **examples)
{
	if (index >= vpmu_family_count)
		return NULL;
	*examples = vpmu_families[index].examples;
	return vpmu_families[index].prefix;
}

const char *vpmu_machine_shapes(uint32_t index, const char **meaning)
{
	if (index >= vpmu_family_count)
		return NULL;
	*meaning = vpmu_families[index].meaning;
	return vpmu_families[index].pattern;
}

uint32_t vpmu_machine_slices_max(const struct vpmu_machine *m)
{
	const struct vpmu_family_row *f = family_find(m->name, strcspn(m->name, "-"));

	return slices_fixed(f) ? 0 : slices_most(f);
}

int vpmu_machine_slices(struct vpmu_machine *m, uint32_t slices)
{
	uint32_t each = m->llc.bytes / m->slices;

	if (slices == m->slices)
		return 0;
	if (slices == 0 || slices > vpmu_machine_slices_max(m))
		return -EINVAL;
	m->slices = slices;
	m->llc.bytes = each * slices;
	return 0;
}
