/* SPDX-License-Identifier: MIT */
/* pmutopo --labels: lines of text to be drawn on the machine. Each has words that say where, a
 * colon, the text.
 *
 *	package=0 pmu=skl_unc_imc shade=100: READS 417
 *
 * labels_insert() gives each line's hwloc object a Misc object with the text, on a background
 * between white (shade=0) and orange (shade=100, and without the word). Lines of one place are
 * drawn in one box. */
#include "pmutopo.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_MAX 400
#define PLACES_MAX (1 << 20)

struct drawn_place {
	int package, box, cpu;
	char pmu[64];
};

struct head {
	struct drawn_place place;
	hwloc_obj_t obj;
};

struct drawer {
	hwloc_topology_t topology;
	const struct ipmu_topology *t;
	struct line line;
	int shade;		/* of the line, per cent */
	bool *on_cores;		/* something is drawn there */
	struct head *heads;
	int n;
};

static int word_number(const struct drawer *d, const char *word, uint64_t most, int *out)
{
	uint64_t n;
	int rc = line_number(&d->line, word, strchr(word, '=') + 1, most, &n);

	if (!rc)
		*out = (int)n;
	return rc;
}

static int place_take(struct drawer *d, char *words, struct drawn_place *p)
{
	char *rest = words, *word;
	int rc = 0;

	*p = (struct drawn_place){ -1, -1, -1, "" };
	d->shade = 100;
	while (!rc && (word = strtok_r(rest, " \t", &rest))) {
		if (!strncmp(word, "package=", 8))
			rc = word_number(d, word, PLACES_MAX, &p->package);
		else if (!strncmp(word, "box=", 4))
			rc = word_number(d, word, PLACES_MAX, &p->box);
		else if (!strncmp(word, "cpu=", 4))
			rc = word_number(d, word, PLACES_MAX, &p->cpu);
		else if (!strncmp(word, "pmu=", 4))
			snprintf(p->pmu, sizeof(p->pmu), "%s", word + 4);
		else if (!strncmp(word, "shade=", 6))
			rc = word_number(d, word, 100, &d->shade);
		else
			rc = line_refuse(&d->line, "expected package=, box=, cpu=, "
					 "pmu= or shade=, not", word);
	}
	return rc;
}

static hwloc_obj_t above(hwloc_obj_t obj, hwloc_obj_type_t type)
{
	while (obj && obj->type != type)
		obj = obj->parent;
	return obj;
}

/* A slice sits with its core. */
static bool place_holds(const struct ipmu_topology *t, const struct drawn_place *p,
			const struct ipmu_cpu *cpu)
{
	const struct ipmu_box_kind *kind = kind_of(t, p->pmu);

	return cpu->pkg_idx == p->package &&
	       (p->box < 0 || !kind || kind->place != IPMU_BOX_SLICE ||
		ipmu_topology_slice(t, cpu->os_cpu) == p->box);
}

static hwloc_obj_t object_of(const struct drawer *d, const struct drawn_place *p)
{
	const struct ipmu_box_kind *kind = kind_of(d->t, p->pmu);
	hwloc_obj_t pu, obj = NULL;

	if (p->cpu >= 0)
		return hwloc_get_pu_obj_by_os_index(d->topology, (unsigned int)p->cpu);
	if (p->package < 0)
		return hwloc_get_root_obj(d->topology);
	for (int i = 0; i < d->t->ncpus && !obj; i++) {
		if (!place_holds(d->t, p, &d->t->cpus[i]))
			continue;
		pu = hwloc_get_pu_obj_by_os_index(d->topology,
						  (unsigned int)d->t->cpus[i].os_cpu);
		obj = above(pu, p->box >= 0 && kind && kind->place == IPMU_BOX_SLICE ?
			    HWLOC_OBJ_CORE : HWLOC_OBJ_PACKAGE);
		if (!obj)
			obj = hwloc_get_root_obj(d->topology);
	}
	return obj;
}

/* lstopo writes names into its drawing as they are. */
static void escape(const char *text, char out[LABEL_MAX])
{
	static const struct { char c; const char *as; } marks[] = {
		{ '<', "&lt;" }, { '>', "&gt;" }, { '&', "&amp;" }, { '"', "&quot;" },
		{ '\'', "&#39;" },
	};
	size_t n = 0;

	for (; *text && n + 8 < LABEL_MAX; text++) {
		char plain[2] = { (unsigned char)*text < ' ' ? ' ' : *text, '\0' };
		const char *as = plain;

		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
			if (*text == marks[i].c)
				as = marks[i].as;
		n += (size_t)snprintf(out + n, LABEL_MAX - n, "%s", as);
	}
	out[n] = '\0';
}

static hwloc_obj_t insert(const struct drawer *d, hwloc_obj_t parent, const char *text,
			  const char *style)
{
	char name[LABEL_MAX];
	hwloc_obj_t obj;

	escape(text, name);
	obj = hwloc_topology_insert_misc_object(d->topology, parent, name);
	return obj && !hwloc_obj_add_info(obj, "lstopoStyle", style) ? obj : NULL;
}

/* From white to ffb040. */
static void background(int shade, char out[32])
{
	snprintf(out, 32, "Background=#ff%02x%02x", 255 - 79 * shade / 100,
		 255 - 191 * shade / 100);
}

static hwloc_obj_t head_of(struct drawer *d, const struct drawn_place *p, hwloc_obj_t at)
{
	const struct ipmu_box_kind *kind = kind_of(d->t, p->pmu);
	struct head *more;
	char name[96];

	for (int i = 0; i < d->n; i++)
		if (!memcmp(&d->heads[i].place, p, sizeof(*p)))
			return d->heads[i].obj;
	if (!p->pmu[0])
		return at;
	if (p->box >= 0)
		snprintf(name, sizeof(name), "%s %d", kind ? kind->label : p->pmu, p->box);
	else
		snprintf(name, sizeof(name), "%s", p->pmu);
	more = realloc(d->heads, (size_t)(d->n + 1) * sizeof(*more));
	if (!more)
		return NULL;
	d->heads = more;
	d->heads[d->n] = (struct head){ *p, insert(d, at, name, "Background=#ffe0a0") };
	return d->heads[d->n++].obj;
}

static int line_take(void *to, char *line)
{
	struct drawer *d = to;
	char *colon = strchr(line, ':');
	struct drawn_place p;
	char style[32];
	hwloc_obj_t at;
	int rc;

	line[strcspn(line, "\r\n")] = '\0';
	if (!line[0] || line[0] == '#')
		return 0;
	if (!colon)
		return line_refuse(&d->line, "no colon in", line);
	*colon = '\0';
	memset(&p, 0, sizeof(p));
	rc = place_take(d, line, &p);
	if (rc)
		return rc;
	at = object_of(d, &p);
	if (!at)
		return line_refuse(&d->line, "this machine has no such place:", line);
	*d->on_cores |= at->type == HWLOC_OBJ_PU || at->type == HWLOC_OBJ_CORE;
	at = head_of(d, &p, at);
	background(d->shade, style);
	if (at)
		at = insert(d, at, colon + 1 + strspn(colon + 1, " "), style);
	if (!at)
		snprintf(d->line.why, IPMU_WHY_MAX, "the labels in %s: no memory",
			 d->line.path);
	return at ? 0 : -ENOMEM;
}

int labels_insert(hwloc_topology_t topology, const struct ipmu_topology *t, const char *path,
		  bool *on_cores, char why[IPMU_WHY_MAX])
{
	struct drawer d = { .topology = topology, .t = t, .on_cores = on_cores,
			    .line = { .path = path, .why = why } };
	int rc = lines_read(&d.line, line_take, &d);

	free(d.heads);
	return rc;
}
