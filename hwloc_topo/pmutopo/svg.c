/* SPDX-License-Identifier: MIT */
/* pmutopo --svg: the drawing is lstopo's. svg_write() adds a Misc object for every box at its
 * place, passes that topology to lstopo as XML, and mends what lstopo draws. The file appears whole
 * or not at all. */
#include "pmutopo.h"

#include <errno.h>
#include <hwloc.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helper.h"
#include "new_file.h"
#include "source.h"

static int svg_explain(char *why, int err, const char *what)
{
	snprintf(why, IPMU_WHY_MAX, "%s: %s", what, strerror(err));
	return -err;
}

static hwloc_obj_t box_object(hwloc_topology_t topology, const struct ipmu_topology *t,
			      const struct ipmu_topology_box *box)
{
	hwloc_obj_type_t wanted = box->core_idx >= 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PACKAGE;
	hwloc_obj_t pu = NULL, obj;

	for (int i = 0; i < t->ncpus && !pu; i++) {
		const struct ipmu_cpu *cpu = &t->cpus[i];

		if (box->core_idx >= 0 ? cpu->core_idx == box->core_idx :
					 cpu->pkg_idx == box->pkg_idx)
			pu = hwloc_get_pu_obj_by_os_index(topology, (unsigned int)cpu->os_cpu);
	}
	for (obj = pu; obj && obj->type != wanted;)
		obj = obj->parent;
	return obj ? obj : hwloc_get_root_obj(topology);
}

/* Boxes of every core or thread would hide the machine: they are drawn for their counts only. */
static bool is_drawn(const struct boxes *b, const struct counts *c, int i)
{
	const struct ipmu_box_kind *kind = b->box[i].kind;

	if (kind->place == IPMU_BOX_PACKAGE || kind->place == IPMU_BOX_SLICE)
		return true;
	return c && c->given[i];
}

static bool box_annotate(hwloc_topology_t topology, const struct ipmu_topology *t,
			 const struct boxes *b, const struct counts *c, int i)
{
	const struct ipmu_topology_box *box = &b->box[i];
	bool in_reach = box->reach_cpu >= 0, given = c && c->given[i];
	char label[96];
	hwloc_obj_t obj;
	int n;

	n = snprintf(label, sizeof(label), "%s %d%s", box->kind->label, box->box_idx,
		     in_reach ? "" : " out of reach");
	if (given)
		snprintf(label + n, sizeof(label) - (size_t)n, ": %" PRIu64, c->value[i]);
	else if (c)
		snprintf(label + n, sizeof(label) - (size_t)n, ": not measured");
	obj = hwloc_topology_insert_misc_object(topology, box_object(topology, t, box), label);
	return obj && !hwloc_obj_add_info(obj, "PMU", box->kind->pmu) &&
	       !hwloc_obj_add_info(obj, "lstopoStyle", !in_reach ? "Background=#c0c0c0" :
				   given ? "Background=#ffb040" : "Background=#ffe0a0");
}

/* hwloc's "IntelCore" and "IntelAtom" are what Intel calls P and E cores. */
static bool cores_name(hwloc_topology_t topology, const struct ipmu_topology *t)
{
	for (int i = 0; i < t->ncpus; i++) {
		const struct ipmu_cpu *cpu = &t->cpus[i];
		bool big = !strcmp(cpu->kind, "IntelCore");
		hwloc_obj_t obj = hwloc_get_pu_obj_by_os_index(topology,
							       (unsigned int)cpu->os_cpu);

		while (obj && obj->type != HWLOC_OBJ_CORE)
			obj = obj->parent;
		if (!obj || obj->subtype || (!big && strcmp(cpu->kind, "IntelAtom")))
			continue;
		obj->subtype = strdup(big ? "P core" : "E core");
		if (!obj->subtype)
			return false;
	}
	return true;
}

static bool legend_add(hwloc_topology_t topology, const struct ipmu_topology *t,
		       const struct counts *c)
{
	hwloc_obj_t root = hwloc_get_root_obj(topology);
	char line[160];

	snprintf(line, sizeof(line), "%s family %d model %d: %s", *t->vendor ? t->vendor :
		 "unknown vendor", t->family, t->model,
		 *t->cpu_model ? t->cpu_model : "unnamed processor");
	return !hwloc_obj_add_info(root, "lstopoLegend", line) &&
	       (!c || !hwloc_obj_add_info(root, "lstopoLegend", "Numbers: counts of one run"));
}

static int annotate(hwloc_topology_t topology, const struct ipmu_topology *t,
		    const struct boxes *b, const struct counts *c, char *why)
{
	for (int i = 0; i < b->n; i++)
		if (is_drawn(b, c, i) && !box_annotate(topology, t, b, c, i))
			return svg_explain(why, ENOMEM, "the boxes in the drawing");
	if (!legend_add(topology, t, c))
		return svg_explain(why, ENOMEM, "the legend of the drawing");
	return 0;
}

/* The annotated machine as XML in a file without a name, to be lstopo's standard input. */
static int xml_write(hwloc_topology_t topology, FILE **out, char *why)
{
	FILE *f = tmpfile();
	char *xml = NULL;
	int bytes = 0, rc = 0;

	if (!f)
		return svg_explain(why, errno, "a temporary file for lstopo");
	if (hwloc_topology_export_xmlbuffer(topology, &xml, &bytes, 0))
		rc = svg_explain(why, errno ? errno : EIO, "hwloc's export of the machine");
	else if (fputs(xml, f) < 0 || fflush(f) || lseek(fileno(f), 0, SEEK_SET))
		rc = svg_explain(why, errno ? errno : EIO, "a temporary file for lstopo");
	if (xml)
		hwloc_free_xmlbuffer(topology, xml);
	if (rc)
		fclose(f);
	else
		*out = f;
	return rc;
}

struct look {
	bool labels, narrow, alike;	/* alike: equal cores are drawn once */
};

/* Run lstopo-no-graphics, or lstopo, which may need a display and draw with another library.
 * Variables that point hwloc at a machine are hidden: either program would draw that machine,
 * without boxes. */
static int lstopo_run(const struct look *look, int in, int out, char *why)
{
	static const char *const hidden[] = { "HWLOC_", "LSTOPO_", NULL };
	struct helper h = { .package = "hwloc-nox or hwloc", .hidden = hidden, .in = in,
			    .out = out };
	const char *argv[24] = { "lstopo-no-graphics", "--if", "xml", "-i", "-", "--disallowed",
				 "--no-io", "--of", "nativesvg", "--no-default-legend",
				 look->alike ? "--factorize" : "--no-factorize" };
	int n = 11;

	if (look->labels)
		argv[n++] = "--no-legend";
	if (look->labels || look->narrow) {
		argv[n++] = "--children-order";
		argv[n++] = look->narrow ? "memory:above,misc:below:vert" :
					   "memory:above,misc:right:vert";
	}
	if (look->narrow)
		argv[n++] = "--vert";
	argv[n++] = "-";
	helper_start(&h, argv);
	if (h.error == ENOENT) {
		argv[0] = "lstopo";
		helper_start(&h, argv);
	}
	return helper_wait(&h, why, IPMU_WHY_MAX);
}

/* An lstopo that fails to write still leaves with status 0. */
static bool svg_is_whole(int fd)
{
	static const char last[] = "</svg>";
	char tail[16] = "";
	struct stat st;

	return !fstat(fd, &st) && st.st_size > 15 &&
	       pread(fd, tail, sizeof(tail) - 1, st.st_size - 15) == 15 && strstr(tail, last);
}

/* hwloc 2.9 writes viewBox='0 0 798px 466px'. The numbers there have no units: readers that mind
 * show an empty page. */
static void mend_view_box(int fd)
{
	char head[1024];
	ssize_t n = pread(fd, head, sizeof(head) - 1, 0);
	char *p;

	if (n <= 0)
		return;
	head[n] = '\0';
	p = strstr(head, "viewBox='");
	for (p = p ? p + strlen("viewBox='") : NULL; p && *p && *p != '\''; p++)
		if (*p == 'p' || *p == 'x')
			*p = ' ';
	if (p && pwrite(fd, head, (size_t)n, 0) != n)
		(void)ftruncate(fd, 0);		/* svg_is_whole() reports it */
}

static int svg_check(int fd, const char *path, char *why)
{
	mend_view_box(fd);
	if (svg_is_whole(fd))
		return 0;
	snprintf(why, IPMU_WHY_MAX, "%s: lstopo left no whole drawing: is the disk full?", path);
	return -EIO;
}

/* The caller checks for errors of the standard output. */
static void copy_out(FILE *from)
{
	char text[4096];
	size_t n;

	rewind(from);
	while ((n = fread(text, 1, sizeof(text), from)) > 0)
		fwrite(text, 1, n, stdout);
}

/* -: to the standard output, which may be a pipe. */
static int open_drawing(struct new_file *svg, const char *path)
{
	if (strcmp(path, "-"))
		return new_file_open(svg, path, 0666);
	*svg = (struct new_file){ .f = tmpfile() };
	return svg->f ? 0 : -errno;
}

static int svg_draw(hwloc_topology_t topology, const struct look *look, const char *path, char *why)
{
	struct new_file svg;
	FILE *xml = NULL;
	int rc;

	rc = xml_write(topology, &xml, why);
	if (rc)
		return rc;
	rc = open_drawing(&svg, path);
	if (rc)
		svg_explain(why, -rc, path);
	if (!rc)
		rc = lstopo_run(look, fileno(xml), fileno(svg.f), why);
	if (!rc)
		rc = svg_check(fileno(svg.f), path, why);
	if (!rc && !svg.path) {
		copy_out(svg.f);
	} else if (!rc) {
		rc = new_file_publish(&svg);
		if (rc)
			svg_explain(why, -rc, path);
	}
	new_file_drop(&svg);
	fclose(xml);
	return rc;
}

int svg_write(const struct ipmu_topology *t, const struct boxes *b, const struct drawing *what,
	      char why[IPMU_WHY_MAX])
{
	struct look look = { .labels = what->labels, .narrow = what->narrow };
	hwloc_topology_t topology;
	bool on_cores = false;
	int rc;

	if (hwloc_topology_init(&topology))
		return svg_explain(why, ENOMEM, "hwloc's topology");
	hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_ALL);
	rc = ipmu_source_load(topology, why);
	if (!rc && what->labels)
		rc = labels_insert(topology, t, what->labels, &on_cores, why);
	else if (!rc)
		rc = annotate(topology, t, b, what->counts, why);
	if (!rc && !cores_name(topology, t))
		rc = svg_explain(why, ENOMEM, "the kinds of cores in the drawing");
	look.alike = what->labels && !on_cores;
	if (!rc)
		rc = svg_draw(topology, &look, what->path, why);
	hwloc_topology_destroy(topology);
	return rc;
}
