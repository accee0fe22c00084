/* SPDX-License-Identifier: MIT */
/* libpfm4, the one source of event names and codes; no other file calls it. ipmu_names_open()
 * starts it, before anything else in the process uses it. ipmu_pfm_encode() returns an event's
 * codes, ipmu_pfm_list() and its neighbours list events, unit masks and modifiers. libpfm4 makes
 * all attributes of an event for each query about it, so these functions query as few events as
 * possible. No lock is taken here. */
#include "pfm.h"

#include "../base/why.h"
#include "../pmu/families.h"

#include <errno.h>
#include <perfmon/pfmlib.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define INACTIVE "LIBPFM_ENCODE_INACTIVE"

/* libpfm4 calls an uncore PMU active only where the kernel drives it; we drive it ourselves. The
 * variable is read once, by the first initialization in the process. */
int ipmu_names_open(char *why)
{
	static const char *const settings[] = { "LIBPFM_VERBOSE", "LIBPFM_DEBUG",
		"LIBPFM_DEBUG_STDOUT", "LIBPFM_FORCE_PMU", "LIBPFM_DISABLED_PMUS", INACTIVE,
		"LIBPFM_PROC_CPUINFO" };
	static char inactive[] = INACTIVE "=1";
	char *set;
	int rc;

	/* The user of a privileged program must not choose its PMU. */
	for (size_t i = 0; getauxval(AT_SECURE) && i < sizeof(settings) / sizeof(*settings); i++)
		unsetenv(settings[i]);
	/* A user's 0 means no to newer versions of libpfm4; the string comes back as it was. */
	set = secure_getenv(INACTIVE);
	putenv(inactive);
	rc = pfm_initialize();
	if (set)
		putenv(set - sizeof(INACTIVE));
	else
		unsetenv(INACTIVE);
	if (rc != PFM_SUCCESS)
		return ipmu_fail(why, -ENOTSUP, "libpfm4 does not start: %s", pfm_strerror(rc));
	return 0;
}

static void pmu_name(const struct ipmu_pmu_type *type, int box, char name[32])
{
	const char *pmu = type->pfm ? type->pfm : type->name;
	unsigned number = box == IPMU_ALL ? 0 : (unsigned)box;
	size_t n = strlen(pmu) < 29 ? strlen(pmu) : 29;

	/* Not by snprintf: PAPI requests a hundred of them at each start. */
	memcpy(name, pmu, n);
	if (type->pfm_numbered && number > 9)
		name[n++] = (char)('0' + number / 10 % 10);
	if (type->pfm_numbered)
		name[n++] = (char)('0' + number % 10);
	name[n] = '\0';
}

/* Name of libpfm4's PMU that stands for all boxes of the type: their events and codes are the
 * same. */
static void table_name(const struct ipmu_pmu_type *type, char name[32])
{
	pmu_name(type, type->pfm_plain, name);
}

static int boxes_at_most(const struct ipmu_pmu_type *type)
{
	return !type->pfm_numbered ? 0 : type->select && type->select->boxes ?
	       type->select->boxes : IPMU_BOXES_MAX;
}

static void box_name(const struct ipmu_pmu_type *type, int box, char name[32])
{
	name[0] = '\0';
	if (box < 0)
		strncat(name, type->name, 31);
	else
		pmu_name(type, box, name);
}

/* Could the family have a PMU of this name? Those of an uncore all begin with its generation. */
static inline bool may_name(const struct ipmu_family *f, enum ipmu_scope scope, const char *name)
{
	const char *first = f->types[0]->name;

	return f->scope == scope && (scope == IPMU_SCOPE_CPU ||
				     (first[0] == name[0] && first[1] == name[1] &&
				      first[2] == name[2]));
}

static bool names_type(const struct ipmu_family *f, const char *name)
{
	for (const struct ipmu_pmu_type *const *t = f->types; *t; t++)
		if (strcmp((*t)->name, name) == 0)
			return true;
	return false;
}

/* Families of one kind may have PMUs of the same name. */
static bool is_named_before(const struct ipmu_family *const *family, const struct ipmu_family *here,
			    const char *name)
{
	enum ipmu_scope scope = (*family)->scope;

	for (const struct ipmu_family *const *f = ipmu_families; f < family; f++)
		if (may_name(*f, scope, name) && names_type(*f, name))
			return true;
	return here && may_name(here, scope, name) && names_type(here, name);
}

/* The value behind "KEY : " of a line of /proc/cpuinfo; NULL: the line has another key. Not by
 * sscanf(), which takes ten times as long, at each start of PAPI. */
static const char *line_value(const char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n) != 0)
		return NULL;
	n += strspn(line + n, " \t");
	return line[n] == ':' ? line + n + 2 : NULL;
}

static void read_cpuinfo(struct ipmu_topology *topo)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	int lines = 0;
	char line[256];

	while (f && !topo->model && lines++ < 8 && fgets(line, sizeof(line), f)) {
		const char *vendor = line_value(line, "vendor_id"),
			   *family = line_value(line, "cpu family"),
			   *model = line_value(line, "model");

		if (vendor)
			snprintf(topo->vendor, sizeof(topo->vendor), "%.*s",
				 (int)strcspn(vendor, "\n"), vendor);
		if (family)
			topo->family = atoi(family);
		if (model)
			topo->model = atoi(model);
	}
	if (f)
		fclose(f);
}

/* The family of this processor by what Linux says of its first CPU; NULL: it is of none, or not by
 * its model alone. */
static const struct ipmu_family *family_here(enum ipmu_scope scope)
{
	struct ipmu_topology topo = { .family = 0 };

	read_cpuinfo(&topo);
	return topo.model ? ipmu_family_find(&topo, scope, NULL) : NULL;
}

/* Names from the one numbered `first` on, as far as there is room. */
struct name_list { char (*names)[32]; int first, max, n; };

static void list_add(struct name_list *l, const struct ipmu_pmu_type *type, int box)
{
	if (l->n >= l->first && l->n - l->first < l->max)
		box_name(type, box, l->names[l->n - l->first]);
	l->n++;
}

static bool list_is_full(const struct name_list *l)
{
	return l->n - l->first >= l->max;
}

/* Those with one box number, or with none (-1). False: there are none. */
static bool list_family(struct name_list *l, const struct ipmu_family *f, int box)
{
	int before = l->n;

	for (const struct ipmu_pmu_type *const *t = f->types; *t; t++)
		if (box < boxes_at_most(*t))
			list_add(l, *t, box);
	return l->n > before;
}

static bool list_others(struct name_list *l, enum ipmu_scope scope, const struct ipmu_family *here,
			int box)
{
	int before = l->n;

	for (const struct ipmu_family *const *f = ipmu_families; *f; f++) {
		if ((*f)->scope != scope)
			continue;
		for (const struct ipmu_pmu_type *const *t = (*f)->types; *t; t++)
			if (!list_is_full(l) && box < boxes_at_most(*t) &&
			    !is_named_before(f, here, (*t)->name))
				list_add(l, *t, box);
	}
	return l->n > before;
}

/* This processor's first. Of each part those without a number, then box 0 of each: a caller with
 * room for some has those that are used most. */
int ipmu_names_pmus(enum ipmu_scope scope, int first, char (*names)[32], int max)
{
	const struct ipmu_family *here = family_here(scope);
	struct name_list l = { .names = names, .first = first, .max = max };

	for (int box = -1; here && list_family(&l, here, box); box++)
		;
	for (int box = -1; !list_is_full(&l) && list_others(&l, scope, here, box); box++)
		;
	return l.n <= first ? 0 : l.n - first < max ? l.n - first : max;
}

static bool is_pmu(int i, const char *name, pfm_pmu_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_pmu_info((pfm_pmu_t)i, info) == PFM_SUCCESS && strcmp(info->name, name) == 0;
}

/* libpfm4 counts the events of every PMU that is queried, and has hundreds of PMUs. So the search
 * begins at the one that was found last, by any thread, and goes both ways: the PMUs of a machine
 * are neighbours. */
static int search_pmu(const char *name, pfm_pmu_info_t *info)
{
	static _Atomic int last = PFM_PMU_NONE;
	int first = atomic_load(&last);

	for (int n = 1; n <= PFM_PMU_MAX; n++) {
		int away = n % 2 ? n / 2 : PFM_PMU_MAX - n / 2;
		int i = (first + away) % PFM_PMU_MAX;

		if (is_pmu(i, name, info)) {
			atomic_store(&last, i);
			return 0;
		}
	}
	return -ENOENT;
}

#define PMUS_KNOWN 16	/* more than a machine has */

/* Caches what libpfm4 reports of a PMU, in each thread for itself: no lock can be held at a
 * fork. */
static int find_pmu(const char *name, pfm_pmu_info_t *info)
{
	static _Thread_local pfm_pmu_info_t known[PMUS_KNOWN];
	static _Thread_local int count;
	int rc;

	for (int i = 0; i < count; i++)
		if (!strcmp(known[i].name, name)) {
			*info = known[i];
			return 0;
		}
	rc = search_pmu(name, info);
	if (!rc && count < PMUS_KNOWN)
		known[count++] = *info;
	return rc;
}

/* libpfm4 lists no events of a hidden PMU, but encodes their names all the same. */
static bool type_is_hidden(const struct ipmu_pmu_type *type, char *why)
{
	static const char *const settings[] = { "LIBPFM_FORCE_PMU", "LIBPFM_DISABLED_PMUS" };
	pfm_pmu_info_t pmu;
	char name[32];

	table_name(type, name);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const char *value = secure_getenv(settings[i]);

		if (value && find_pmu(name, &pmu)) {
			ipmu_fail(why, 0, "%s=%.60s hides %s: unset it", settings[i], value, name);
			return true;
		}
	}
	return false;
}

int ipmu_pfm_boxes(const struct ipmu_machine *m, const struct ipmu_pmu_type *type, int place,
		   char *why)
{
	return type_is_hidden(type, why) ? 0 : ipmu_machine_boxes(m, type, place, why);
}

const char *ipmu_name_pmu(const struct ipmu_machine *m, int i, char name[32])
{
	for (int t = 0; m->family->types[t]; t++) {
		const struct ipmu_pmu_type *type = m->family->types[t];
		int boxes = ipmu_pfm_boxes(m, type, IPMU_ALL, NULL);
		int names = !boxes ? 0 : type->pfm_numbered ? 1 + boxes : 1;

		if (i < names) {
			snprintf(name, 32, "%s", type->name);
			if (i > 0)
				pmu_name(type, i - 1, name);
			return name;
		}
		i -= names;
	}
	return NULL;
}

static int no_pmu(const char *name, char *why)
{
	return ipmu_fail(why, -ENOENT, "libpfm4 does not know %s: it is a stock build; use the one "
			 "with this project's event tables", name);
}

static bool is_event(int i, const char *event, pfm_event_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_event_info(i, PFM_OS_NONE, info) == PFM_SUCCESS &&
	       strcasecmp(info->name, event) == 0;
}

/* libpfm4 finds no event of a PMU that is not present, unless it was started so, and none without a
 * default unit mask. The list has them all, but libpfm4 makes an event's attributes for each query
 * about it, which takes long for hundreds of events. */
static int event_find(const struct ipmu_pmu_type *type, const char *event, pfm_event_info_t *info,
		      char *why)
{
	char name[32], full[IPMU_NAME_MAX + 64];
	pfm_pmu_info_t pmu;
	int i;

	table_name(type, name);
	if (find_pmu(name, &pmu))
		return no_pmu(name, why);
	snprintf(full, sizeof(full), "%s::%s", name, event);
	i = pfm_find_event(full);
	if (i >= 0 && is_event(i, event, info))
		return 0;
	for (i = pmu.first_event; i != -1; i = pfm_get_event_next(i))
		if (is_event(i, event, info))
			return 0;
	return ipmu_fail(why, -ENOENT, "%s has no event %s: papi_native_avail lists its events",
			 type->name, event);
}

bool ipmu_pfm_has_event(const struct ipmu_pmu_type *type, const char *event)
{
	pfm_event_info_t info;

	return event_find(type, event, &info, NULL) == 0;
}

static bool is_umask(const pfm_event_attr_info_t *attr)
{
	return attr->type == PFM_ATTR_UMASK;
}

static bool is_modifier(const pfm_event_attr_info_t *attr)
{
	return attr->type == PFM_ATTR_MOD_BOOL || attr->type == PFM_ATTR_MOD_INTEGER;
}

static bool nth_attr(int event, int n, bool (*wanted)(const pfm_event_attr_info_t *),
		     pfm_event_attr_info_t *attr)
{
	pfm_event_info_t info = { .size = sizeof(info) };

	if (pfm_get_event_info(event, PFM_OS_NONE, &info) != PFM_SUCCESS)
		return false;
	for (int i = 0; i < info.nattrs; i++) {
		memset(attr, 0, sizeof(*attr));
		attr->size = sizeof(*attr);
		if (pfm_get_event_attr_info(event, i, PFM_OS_NONE, attr) == PFM_SUCCESS &&
		    wanted(attr) && n-- == 0)
			return true;
	}
	return false;
}

static bool nth_umask(int event, int n, pfm_event_attr_info_t *attr)
{
	return nth_attr(event, n, is_umask, attr);
}

static void event_list_umasks(int event, char *list, size_t bytes)
{
	pfm_event_attr_info_t attr;
	size_t n = 0;

	list[0] = '\0';
	for (int i = 0; n < bytes && nth_umask(event, i, &attr); i++)
		n += (size_t)snprintf(list + n, bytes - n, "%s%s", i ? ", " : "", attr.name);
}

static bool has_value(const struct ipmu_qualifiers *q, const char *key)
{
	for (int i = 0; i < q->n; i++)
		if (q->list[i].value && ipmu_qualifier_is(&q->list[i], key))
			return true;
	return false;
}

/* " (name: what it takes)" for each modifier that has been given a number. */
static void list_ranges(const struct ipmu_pmu_type *type, int event,
			const struct ipmu_qualifiers *q, char *list, size_t bytes)
{
	uint64_t threshold = ipmu_reg_set_by(type->select, IPMU_BY_EVENT_THRESHOLD);
	pfm_event_attr_info_t attr;
	size_t n = 0;

	list[0] = '\0';
	for (int i = 0; n < bytes && nth_attr(event, i, is_modifier, &attr); i++) {
		if (!has_value(q, attr.name))
			continue;
		if (threshold && strcmp(attr.name, "c") == 0)
			n += (size_t)snprintf(list + n, bytes - n, " (c: 0 to %u)",
					      (unsigned)ipmu_bits_get(threshold, threshold));
		else
			n += (size_t)snprintf(list + n, bytes - n, " (%s: %s)", attr.name,
					      attr.type == PFM_ATTR_MOD_BOOL ? "0 or 1" :
					      attr.desc);
	}
}

static bool is_any(const pfm_event_attr_info_t *attr)
{
	(void)attr;
	return true;
}

/* The first qualifier that libpfm4 does not have by name; NULL: it has all. */
static const struct ipmu_qualifier *first_unknown(int event, const struct ipmu_qualifiers *q)
{
	pfm_event_attr_info_t attr;

	for (int i = 0; i < q->n; i++) {
		bool known = q->list[i].owner != IPMU_OF_PFM;

		for (int n = 0; !known && nth_attr(event, n, is_any, &attr); n++)
			known = ipmu_qualifier_is(&q->list[i], attr.name);
		if (!known)
			return &q->list[i];
	}
	return NULL;
}

/* libpfm4 has not encoded the name: which part of it is wrong? */
static int event_explain(const struct ipmu_pmu_type *type, const char *event,
			 const struct ipmu_qualifiers *q, int rc, char *why)
{
	char list[256], text[IPMU_QUALIFIERS_TEXT];
	const char *qualifiers = ipmu_qualifiers_text(q, IPMU_OF_PFM, text);
	const struct ipmu_qualifier *unknown;
	pfm_event_info_t info;
	int missing = event_find(type, event, &info, why);

	if (missing)
		return missing;
	if (rc == PFM_ERR_NOTFOUND || rc == PFM_ERR_NOTSUPP)
		return ipmu_fail(why, -ENOTSUP, "libpfm4 was started before this library and does "
				 "not encode %s.%s%s: set " INACTIVE "=1", type->name, event,
				 qualifiers);
	if (rc == PFM_ERR_UMASK) {
		event_list_umasks(info.idx, list, sizeof(list));
		return ipmu_fail(why, -EINVAL, "%s.%s needs a unit mask: %s", type->name, event,
				 list);
	}
	if (rc == PFM_ERR_ATTR_VAL) {
		list_ranges(type, info.idx, q, list, sizeof(list));
		return ipmu_fail(why, -EINVAL, "%s.%s%s: a modifier's value is out of range%s",
				 type->name, event, qualifiers, list);
	}
	unknown = first_unknown(info.idx, q);
	if (unknown)
		return ipmu_fail(why, -ENOKEY, IPMU_QUALIFIER_FORMAT,
				 IPMU_QUALIFIER_WORDS(unknown));
	return ipmu_fail(why, -EINVAL, "%s.%s%s: these qualifiers exclude each other", type->name,
			 event, qualifiers);
}

/* Encode the event without searching for it first: for a query about an event, libpfm4 makes all
 * its attributes. Only a failure is explained by a search. */
int ipmu_pfm_encode(const struct ipmu_pmu_type *type, const char *event,
		    const struct ipmu_qualifiers *q, uint64_t *codes, char *why)
{
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg) };
	char pmu[32], name[IPMU_NAME_MAX + 64], qualifiers[IPMU_QUALIFIERS_TEXT];
	int rc;

	table_name(type, pmu);
	snprintf(name, sizeof(name), "%s::%s%s", pmu, event,
		 ipmu_qualifiers_text(q, IPMU_OF_PFM, qualifiers));
	rc = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);
	if (rc != PFM_SUCCESS)
		return event_explain(type, event, q, rc, why);
	for (int i = 0; i < arg.count && i < IPMU_CODES_MAX; i++)
		codes[i] = arg.codes[i];
	free(arg.codes);
	return arg.count < IPMU_CODES_MAX ? arg.count : IPMU_CODES_MAX;
}

/* libpfm4 puts the range of a number into its description: "counter-mask in range [0-255]". It says
 * so for all event selects, and some have fewer bits. */
int ipmu_pfm_modifier(const struct ipmu_pmu_type *type, const char *event, int n, char *text,
		      size_t bytes)
{
	uint64_t threshold = ipmu_reg_set_by(type->select, IPMU_BY_EVENT_THRESHOLD);
	pfm_event_attr_info_t attr;
	pfm_event_info_t info;
	const char *range;

	if (event_find(type, event, &info, NULL) ||
	    !nth_attr(info.idx, n, is_modifier, &attr))
		return -ENOENT;
	range = strchr(attr.desc, '[');
	if (attr.type == PFM_ATTR_MOD_BOOL)
		snprintf(text, bytes, "%s", attr.name);
	else if (threshold && strcmp(attr.name, "c") == 0)
		snprintf(text, bytes, "c=0-%u", (unsigned)ipmu_bits_get(threshold, threshold));
	else if (range)
		snprintf(text, bytes, "%s=%.*s", attr.name, (int)strcspn(range + 1, "]"),
			 range + 1);
	else
		snprintf(text, bytes, "%s=N", attr.name);
	return 0;
}

int ipmu_pfm_umask(const struct ipmu_pmu_type *type, const char *event, int n, bool *is_default,
		   char *text, size_t bytes)
{
	pfm_event_attr_info_t attr;
	pfm_event_info_t info;

	if (event_find(type, event, &info, NULL) || !nth_umask(info.idx, n, &attr))
		return -ENOENT;
	*is_default = attr.is_dfl;
	snprintf(text, bytes, "%s", attr.name);
	return 0;
}

int ipmu_pfm_events(const struct ipmu_pmu_type *type)
{
	pfm_pmu_info_t pmu;
	char name[32];
	int n = 0;

	table_name(type, name);
	if (find_pmu(name, &pmu))
		return 0;
	for (int i = pmu.first_event; i != -1; i = pfm_get_event_next(i))
		n++;
	return n;
}

int ipmu_pfm_list(const struct ipmu_pmu_type *type, int event, int umask,
		  struct ipmu_event_info *out)
{
	pfm_event_info_t info = { .size = sizeof(info) };
	struct ipmu_qualifiers q = { .n = 1 };
	pfm_event_attr_info_t attr;
	pfm_pmu_info_t pmu;
	char name[32];
	int i;

	table_name(type, name);
	if (find_pmu(name, &pmu))
		return -ENOENT;
	for (i = pmu.first_event; i != -1 && event > 0; event--)
		i = pfm_get_event_next(i);
	if (i == -1 || pfm_get_event_info(i, PFM_OS_NONE, &info) != PFM_SUCCESS)
		return -ENOENT;
	memset(out, 0, sizeof(*out));
	out->type = type;
	out->units = ipmu_type_units(type, info.name, NULL);
	snprintf(out->desc, sizeof(out->desc), "%s", info.desc);
	snprintf(out->name, sizeof(out->name), "%s.%s", type->name, info.name);
	if (umask < 0)
		return 0;
	if (!nth_umask(i, umask, &attr))
		return -ENOENT;
	snprintf(out->name, sizeof(out->name), "%s.%s:%s", type->name, info.name, attr.name);
	snprintf(out->umask_desc, sizeof(out->umask_desc), "%s", attr.desc);
	q.list[0].key = attr.name;
	out->units = ipmu_type_units(type, info.name, &q);
	return 0;
}
