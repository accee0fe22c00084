/* SPDX-License-Identifier: MIT */
/* The machine's topology in hwloc's version 2 XML, for HWLOC_XMLFILE. vpmu_topology_write() writes
 * the file. Objects nest as hwloc requires: package, node, LLC, L2, L1, core, thread. Levels that
 * the machine does not have are left out. It agrees with the files of system.c, which Linux would
 * show. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

#define MEMORY_BYTES (UINT64_C(16) << 30)
#define WORDS (VPMU_CPUS_MAX / 32)

struct cpu_set { uint32_t word[WORDS]; };

struct writer { FILE *file; unsigned int next_id, depth; };

static void set_cpu(struct cpu_set *c, uint32_t cpu)
{
	c->word[cpu / 32] |= UINT32_C(1) << cpu % 32;
}

/* CPUs of a machine-wide core; core UINT32_MAX: all of the package. */
static struct cpu_set cpus_of(const struct vpmu_machine *m, uint32_t package, uint32_t core)
{
	struct cpu_set c = { { 0 } };

	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(m); cpu++)
		if (vpmu_cpu_package(m, cpu) == package &&
		    (core == UINT32_MAX || vpmu_cpu_core(m, cpu) == core))
			set_cpu(&c, cpu);
	return c;
}

/* hwloc's list format: 32 bits each, most significant first. */
static void print_set(FILE *f, const char *name, const struct cpu_set *c)
{
	int top = WORDS - 1;

	while (top > 0 && !c->word[top])
		top--;
	fprintf(f, " %s=\"", name);
	for (int i = top; i >= 0; i--)
		fprintf(f, "0x%08x%s", c->word[i], i ? "," : "");
	fputc('"', f);
}

static void open_object(struct writer *w, const char *type, long os_index, const struct cpu_set *c,
			uint32_t nodes)
{
	struct cpu_set nodeset = { { nodes } };

	fprintf(w->file, "%*s<object type=\"%s\"", (int)w->depth * 2, "", type);
	if (os_index >= 0)
		fprintf(w->file, " os_index=\"%ld\"", os_index);
	print_set(w->file, "cpuset", c);
	print_set(w->file, "complete_cpuset", c);
	if (w->depth == 1)
		print_set(w->file, "allowed_cpuset", c);
	print_set(w->file, "nodeset", &nodeset);
	print_set(w->file, "complete_nodeset", &nodeset);
	if (w->depth == 1)
		print_set(w->file, "allowed_nodeset", &nodeset);
	fprintf(w->file, " gp_index=\"%u\"", w->next_id++);
	w->depth++;
}

static void writer_begin(struct writer *w)
{
	fputs(">\n", w->file);
}

static void close_object(struct writer *w)
{
	w->depth--;
	fprintf(w->file, "%*s</object>\n", (int)w->depth * 2, "");
}

static void info(struct writer *w, const char *name, const char *value)
{
	fprintf(w->file, "%*s<info name=\"%s\" value=\"%s\"/>\n", (int)w->depth * 2, "", name,
		value);
}

static void info_number(struct writer *w, const char *name, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	info(w, name, text);
}

enum xml_cache_type { UNIFIED, DATA, INSTRUCTION };	/* hwloc's numbers */

static bool open_cache(struct writer *w, const char *type, unsigned int depth,
		       enum xml_cache_type kind, const struct vpmu_cache *cache,
		       const struct cpu_set *c, uint32_t nodes)
{
	if (!cache->bytes)
		return false;
	open_object(w, type, -1, c, nodes);
	fprintf(w->file, " cache_size=\"%u\" depth=\"%u\" cache_linesize=\"%u\" "
		"cache_associativity=\"%u\" cache_type=\"%d\"", cache->bytes, depth, cache->line,
		cache->ways, kind);
	writer_begin(w);
	return true;
}

static void put_node(struct writer *w, uint32_t node, const struct cpu_set *c)
{
	open_object(w, "NUMANode", (long)node, c, UINT32_C(1) << node);
	fprintf(w->file, " local_memory=\"%llu\"", (unsigned long long)MEMORY_BYTES);
	writer_begin(w);
	fprintf(w->file, "%*s<page_type size=\"4096\" count=\"%llu\"/>\n", (int)w->depth * 2, "",
		(unsigned long long)(MEMORY_BYTES / 4096));
	close_object(w);
}

static uint32_t nodes_of(const struct vpmu_machine *m, uint32_t package)
{
	return UINT32_C(1) << (m->one_node ? 0 : package);
}

static bool open_llc(struct writer *w, const struct vpmu_machine *m, const struct cpu_set *c,
		     uint32_t nodes)
{
	bool second = m->llc_level == 2;

	if (!m->llc_level)
		return false;
	return open_cache(w, second ? "L2Cache" : "L3Cache", second ? 2 : 3, UNIFIED, &m->llc, c,
			  nodes);
}

/* CPUs of the cores from this one up to another one, machine-wide. */
static struct cpu_set cpus_between(const struct vpmu_machine *m, uint32_t from, uint32_t to)
{
	struct cpu_set c = { { 0 } };

	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(m); cpu++)
		if (vpmu_cpu_core(m, cpu) >= from && vpmu_cpu_core(m, cpu) < to)
			set_cpu(&c, cpu);
	return c;
}

static void put_core(struct writer *w, const struct vpmu_machine *m, uint32_t package,
		     uint32_t core, const struct vpmu_cache *l1d, const struct vpmu_cache *l1i)
{
	struct cpu_set c = cpus_of(m, package, core);
	uint32_t nodes = nodes_of(m, package);
	int caches = 0;

	caches += open_cache(w, "L1Cache", 1, DATA, l1d, &c, nodes);
	caches += open_cache(w, "L1iCache", 1, INSTRUCTION, l1i, &c, nodes);
	open_object(w, "Core", (long)(core % m->cores), &c, nodes);
	writer_begin(w);
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(m); cpu++) {
		struct cpu_set one = { { 0 } };

		if (vpmu_cpu_core(m, cpu) != core)
			continue;
		set_cpu(&one, cpu);
		open_object(w, "PU", (long)cpu, &one, nodes);
		writer_begin(w);
		close_object(w);
	}
	close_object(w);
	while (caches--)
		close_object(w);
}

/* Cores from this one up to another one that have an L2 together, or each has none. */
static void put_agent(struct writer *w, const struct vpmu_machine *m, uint32_t package,
		      uint32_t from, uint32_t to)
{
	bool little = m->little.cores && from >= vpmu_first_little(m);
	const struct vpmu_cache *l2 = little ? &m->little.l2 : &m->l2;
	struct cpu_set c = cpus_between(m, from, to);
	bool cache = open_cache(w, "L2Cache", 2, UNIFIED, l2, &c, nodes_of(m, package));

	for (uint32_t core = from; core < to; core++)
		put_core(w, m, package, core, little ? &m->little.l1d : &m->l1d,
			 little ? &m->little.l1i : &m->l1i);
	if (cache)
		close_object(w);
}

/* The cores of a package from number `from` up to `to`. */
static void put_agents(struct writer *w, const struct vpmu_machine *m, uint32_t package,
		       uint32_t from, uint32_t to)
{
	uint32_t first = package * m->cores;

	for (uint32_t end; from < to; from = end) {
		for (end = from + 1; end < to; end++)
			if (vpmu_core_agent(m, end) != vpmu_core_agent(m, from))
				break;
		put_agent(w, m, package, first + from, first + end);
	}
}

static void put_package(struct writer *w, const struct vpmu_machine *m, uint32_t package)
{
	struct cpu_set c = cpus_of(m, package, UINT32_MAX);
	uint32_t nodes = nodes_of(m, package);
	uint32_t behind = m->cores - m->little.away;
	struct cpu_set sharers = cpus_between(m, package * m->cores, package * m->cores + behind);
	bool llc;

	open_object(w, "Package", (long)package, &c, nodes);
	writer_begin(w);
	info(w, "CPUVendor", "GenuineIntel");
	info_number(w, "CPUFamilyNumber", m->cpuid_family);
	info_number(w, "CPUModelNumber", m->cpuid_model);
	info(w, "CPUModel", m->brand);
	info_number(w, "CPUStepping", m->cpuid_stepping);
	if (!m->one_node)
		put_node(w, package, &c);
	llc = open_llc(w, m, &sharers, nodes);
	put_agents(w, m, package, 0, behind);
	if (llc)
		close_object(w);
	put_agents(w, m, package, behind, m->cores);
	close_object(w);
}

/* As Linux and hwloc rank them: the higher, the faster and the less efficient. */
static void put_kind(struct writer *w, const char *name, int rank, const struct cpu_set *c)
{
	fputs("  <cpukind", w->file);
	print_set(w->file, "cpuset", c);
	fprintf(w->file, " forced_efficiency=\"%d\">\n    <info name=\"CoreType\" value=\"%s\"/>\n"
		"  </cpukind>\n", rank, name);
}

static void put_kinds(struct writer *w, const struct vpmu_machine *m)
{
	uint32_t first = vpmu_first_little(m), away = m->cores - m->little.away;
	struct cpu_set big = cpus_between(m, 0, first), little = cpus_between(m, first, away),
		    low = cpus_between(m, away, m->cores);
	int rank = 0;

	if (away < m->cores && first < away)
		put_kind(w, "IntelAtom", rank++, &low);
	else if (away < m->cores)
		little = low;
	put_kind(w, "IntelAtom", rank++, &little);
	if (first > 0)
		put_kind(w, "IntelCore", rank, &big);
}

static void put_machine(struct writer *w, const struct vpmu_machine *m)
{
	struct cpu_set all = { { 0 } };

	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(m); cpu++)
		set_cpu(&all, cpu);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n", w->file);
	open_object(w, "Machine", 0, &all,
		    (UINT32_C(1) << (m->one_node ? 1 : m->packages)) - 1);
	writer_begin(w);
	info(w, "Backend", "VirtualPMU");
	info(w, "VirtualPMUMachine", m->name);
	info(w, "Architecture", "x86_64");
	if (m->one_node)
		put_node(w, 0, &all);
	for (uint32_t package = 0; package < m->packages; package++)
		put_package(w, m, package);
	close_object(w);
	if (m->little.cores)
		put_kinds(w, m);
	fputs("</topology>\n", w->file);
}

int vpmu_topology_write(const struct vpmu_place *place)
{
	const char *path = place->topology;
	const char *wrong = vpmu_beside_unusable(place, path, OWN_TOPOLOGY);
	char temporary[PATH_MAX];
	struct writer w = { .next_id = 1, .depth = 1 };
	int fd, failed;

	if (wrong) {
		vpmu_complain("%s: cannot write the topology: %s; move it away, or name another "
			      "segment with -s", path, wrong);
		return VPMU_EXIT_FAILURE;
	}
	if (snprintf(temporary, sizeof(temporary), "%s" VPMU_UNPUBLISHED "XXXXXX", path) >=
	    (int)sizeof(temporary)) {
		vpmu_complain("%s: the name is too long", path);
		return VPMU_EXIT_FAILURE;
	}
	fd = mkstemp(temporary);
	w.file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!w.file) {
		vpmu_complain("%s: cannot write the topology: %s", temporary, strerror(errno));
		return VPMU_EXIT_FAILURE;
	}
	put_machine(&w, &place->segment->machine);
	failed = ferror(w.file);
	if (fclose(w.file) || failed || rename(temporary, path)) {
		vpmu_complain("%s: cannot write the topology: %s", path, strerror(errno));
		unlink(temporary);
		return VPMU_EXIT_FAILURE;
	}
	return 0;
}
