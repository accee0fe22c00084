/* SPDX-License-Identifier: MIT */
/* The machine as Linux would describe it, in files: what /sys/devices/system/cpu,
 * /sys/devices/system/node and /proc/cpuinfo, meminfo, stat and loadavg hold, in a directory next
 * to the segment (cpu/, node/, cpuinfo and so on).
 * vpmu_system_write() makes the directory under another name and renames it, so that it is never
 * seen half made. vpmu_system_add_safe() adds msr-safe's device files to one in use. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

#define WORDS (VPMU_CPUS_MAX / 32)

struct cpu_list { uint32_t word[WORDS]; };

/* A file that has been written, by what it holds: the set of all CPUs, or less. */
struct written { char text[VPMU_CPUS_MAX / 32 * 9 + 1], path[96]; };

#define WRITTEN_MAX 64	/* the last ones */

/* The directory that is being written, and whether a file could not be. */
struct system {
	const struct vpmu_machine *machine;
	int root, failed;
	uint32_t written_count;
	struct written written[WRITTEN_MAX];
};

typedef bool (*belongs)(const struct vpmu_machine *m, uint32_t cpu, uint32_t to);

static bool to_machine(const struct vpmu_machine *m, uint32_t cpu, uint32_t to)
{
	(void)m, (void)cpu, (void)to;
	return true;
}

static bool to_package(const struct vpmu_machine *m, uint32_t cpu, uint32_t to)
{
	return vpmu_cpu_package(m, cpu) == to;
}

static bool to_core(const struct vpmu_machine *m, uint32_t cpu, uint32_t to)
{
	return vpmu_cpu_core(m, cpu) == to;
}

/* A core's L2 is its own, or its cluster's. */
static bool to_agent(const struct vpmu_machine *m, uint32_t cpu, uint32_t to)
{
	uint32_t core = vpmu_cpu_core(m, cpu);

	return core / m->cores == to / m->cores &&
	       vpmu_core_agent(m, core % m->cores) == vpmu_core_agent(m, to % m->cores);
}

static bool to_llc(const struct vpmu_machine *m, uint32_t cpu, uint32_t to)
{
	return to_package(m, cpu, to) && !vpmu_core_away(m, vpmu_cpu_core(m, cpu));
}

static struct cpu_list select_cpus(const struct vpmu_machine *m, belongs rule, uint32_t to)
{
	struct cpu_list c = { { 0 } };

	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(m); cpu++)
		if (rule(m, cpu, to))
			c.word[cpu / 32] |= UINT32_C(1) << cpu % 32;
	return c;
}

static bool cpus_has(const struct cpu_list *c, uint32_t cpu)
{
	return cpu < VPMU_CPUS_MAX && c->word[cpu / 32] >> cpu % 32 & 1;
}

/* ---- writing ---- */

/* Links a file of the same text under one more name: of hundreds of files few differ. */
static bool put_again(const struct system *s, const char *path, const char *text)
{
	for (uint32_t i = 0; i < s->written_count && i < WRITTEN_MAX; i++)
		if (!strcmp(s->written[i].text, text))
			return !linkat(s->root, s->written[i].path, s->root, path, 0);
	return false;
}

static void system_remember(struct system *s, const char *path, const char *text)
{
	struct written *w = &s->written[s->written_count % WRITTEN_MAX];

	if (strlen(text) >= sizeof(w->text) || strlen(path) >= sizeof(w->path))
		return;
	strcpy(w->text, text);
	strcpy(w->path, path);
	s->written_count++;
}

static bool write_text(struct system *s, const char *path, const char *text, mode_t mode)
{
	int fd = openat(s->root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	size_t bytes = strlen(text);
	bool written = fd >= 0 && write(fd, text, bytes) == (ssize_t)bytes;

	if (!written)
		s->failed = errno;
	if (fd >= 0)
		close(fd);
	return written;
}

__attribute__((format(printf, 3, 4)))
static void system_put(struct system *s, const char *path, const char *format, ...)
{
	char text[PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!put_again(s, path, text) && write_text(s, path, text, 0444))
		system_remember(s, path, text);
}

/* For files that are longer than system_put()'s text. NULL: it cannot be written. */
static FILE *system_open(struct system *s, const char *path)
{
	int fd = openat(s->root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0444);

	return fd < 0 ? NULL : fdopen(fd, "w");
}

static void system_close(struct system *s, FILE *f)
{
	if (!f || fclose(f))
		s->failed = errno;
}

__attribute__((format(printf, 2, 3)))
static void system_make(struct system *s, const char *format, ...)
{
	char path[64];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (mkdirat(s->root, path, 0755))
		s->failed = errno;
}

/* A symbolic link; `to` is seen from the folder that it is in. */
static void put_link(struct system *s, const char *path, const char *to)
{
	if (symlinkat(to, s->root, path))
		s->failed = errno;
}

/* As in "0-3,8": the kernel's lists. */
static void list_text(const struct cpu_list *c, char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t cpu = 0; cpu < VPMU_CPUS_MAX; cpu++) {
		uint32_t last = cpu;

		if (!cpus_has(c, cpu))
			continue;
		while (cpus_has(c, last + 1))
			last++;
		used += (size_t)snprintf(text + used, bytes - used, used ? ",%u" : "%u", cpu);
		if (last > cpu)
			used += (size_t)snprintf(text + used, bytes - used, "-%u", last);
		cpu = last;
	}
}

/* The kernel's masks: 32 bits in hexadecimal, most significant first, as many as there are CPUs. */
static void mask_text(const struct vpmu_machine *m, const struct cpu_list *c, char *text,
		      size_t bytes)
{
	uint32_t count = vpmu_machine_cpus(m);
	int top = (int)((count - 1) / 32);
	size_t used = (size_t)snprintf(text, bytes, "%0*x", (int)((count - 1) % 32 / 4 + 1),
				       c->word[top]);

	while (top-- > 0)
		used += (size_t)snprintf(text + used, bytes - used, ",%08x", c->word[top]);
}

#define LIST_BYTES (VPMU_CPUS_MAX * 4 + 4)

/* A set under two names: MAP as a mask, LIST as a list. */
static void put_set(struct system *s, const char *directory, const char *map, const char *list,
		    const struct cpu_list *c)
{
	char text[LIST_BYTES], path[128];

	mask_text(s->machine, c, text, sizeof(text));
	snprintf(path, sizeof(path), "%s/%s", directory, map);
	system_put(s, path, "%s\n", text);
	list_text(c, text, sizeof(text));
	snprintf(path, sizeof(path), "%s/%s", directory, list);
	system_put(s, path, "%s\n", text);
}

static void system_put_value(struct system *s, const char *directory, const char *name,
			     uint32_t value)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	system_put(s, path, "%u\n", value);
}

/* ---- CPUs ---- */

struct cache_row {
	const char *type;
	uint32_t level;
	const struct vpmu_cache *cache;
	belongs to;			/* rule for the CPUs that share it */
	uint32_t owner;
};

/* Lists the caches of a core, which has its machine-wide number. */
static uint32_t cache_rows(const struct vpmu_machine *m, uint32_t core, struct cache_row rows[4])
{
	bool little = m->little.cores && core >= vpmu_first_little(m);
	bool llc = m->llc_level && !vpmu_core_away(m, core);
	const struct cache_row all[4] = {
		{ "Data", 1, little ? &m->little.l1d : &m->l1d, to_core, core },
		{ "Instruction", 1, little ? &m->little.l1i : &m->l1i, to_core, core },
		{ "Unified", 2, little ? &m->little.l2 : &m->l2, to_agent, core },
		{ "Unified", llc ? m->llc_level : 0, &m->llc, to_llc, core / m->cores },
	};
	uint32_t count = 0;

	for (size_t i = 0; i < 4; i++)
		if (all[i].cache->bytes && all[i].level)
			rows[count++] = all[i];
	return count;
}

/* A number that is different for each cache of a level. */
static uint32_t cache_id(const struct vpmu_machine *m, const struct cache_row *row)
{
	return row->to == to_agent ? row->owner / m->cores * m->cores +
				     vpmu_core_agent(m, row->owner % m->cores) : row->owner;
}

static void put_cache(struct system *s, uint32_t cpu, uint32_t index, const struct cache_row *row)
{
	const struct vpmu_machine *m = s->machine;
	const struct vpmu_cache *c = row->cache;
	struct cpu_list sharers = select_cpus(m, row->to, row->owner);
	char directory[64], path[128];

	snprintf(directory, sizeof(directory), "cpu/cpu%u/cache/index%u", cpu, index);
	system_make(s, "%s", directory);
	snprintf(path, sizeof(path), "%s/type", directory);
	system_put(s, path, "%s\n", row->type);
	snprintf(path, sizeof(path), "%s/size", directory);
	system_put(s, path, "%uK\n", c->bytes / 1024);
	system_put_value(s, directory, "level", row->level);
	system_put_value(s, directory, "id", cache_id(m, row));
	system_put_value(s, directory, "coherency_line_size", c->line);
	system_put_value(s, directory, "physical_line_partition", 1);
	system_put_value(s, directory, "ways_of_associativity", c->ways);
	system_put_value(s, directory, "number_of_sets", c->bytes / c->ways / c->line);
	put_set(s, directory, "shared_cpu_map", "shared_cpu_list", &sharers);
}

/* Threads of a core have the same: all but the first have a link. */
static bool put_link_to_first(struct system *s, uint32_t cpu, const char *directory)
{
	uint32_t first = vpmu_core_cpu(s->machine, vpmu_cpu_core(s->machine, cpu), 0);
	char path[64], to[64];

	if (first == cpu)
		return false;
	snprintf(path, sizeof(path), "cpu/cpu%u/%s", cpu, directory);
	snprintf(to, sizeof(to), "../cpu%u/%s", first, directory);
	put_link(s, path, to);
	return true;
}

static void put_caches(struct system *s, uint32_t cpu)
{
	const struct vpmu_machine *m = s->machine;
	struct cache_row rows[4];

	if (put_link_to_first(s, cpu, "cache"))
		return;
	system_make(s, "cpu/cpu%u/cache", cpu);
	for (uint32_t i = 0, count = cache_rows(m, vpmu_cpu_core(m, cpu), rows); i < count; i++)
		put_cache(s, cpu, i, &rows[i]);
}

static void put_topology(struct system *s, uint32_t cpu)
{
	const struct vpmu_machine *m = s->machine;
	uint32_t core = vpmu_cpu_core(m, cpu), package = vpmu_cpu_package(m, cpu);
	struct cpu_list of_core = select_cpus(m, to_core, core);
	struct cpu_list of_package = select_cpus(m, to_package, package);
	char directory[64];

	if (put_link_to_first(s, cpu, "topology"))
		return;
	snprintf(directory, sizeof(directory), "cpu/cpu%u/topology", cpu);
	system_make(s, "%s", directory);
	system_put_value(s, directory, "physical_package_id", package);
	system_put_value(s, directory, "core_id", core % m->cores);
	system_put_value(s, directory, "die_id", 0);
	put_set(s, directory, "thread_siblings", "thread_siblings_list", &of_core);
	put_set(s, directory, "core_cpus", "core_cpus_list", &of_core);
	put_set(s, directory, "core_siblings", "core_siblings_list", &of_package);
	put_set(s, directory, "package_cpus", "package_cpus_list", &of_package);
	put_set(s, directory, "die_cpus", "die_cpus_list", &of_package);
}

static uint32_t node_of(const struct vpmu_machine *m, uint32_t cpu)
{
	return m->one_node ? 0 : vpmu_cpu_package(m, cpu);
}

static void put_cpu(struct system *s, uint32_t cpu)
{
	const struct vpmu_machine *m = s->machine;
	char directory[64], path[96];

	system_make(s, "cpu/cpu%u", cpu);
	put_topology(s, cpu);
	snprintf(directory, sizeof(directory), "../../node/node%u", node_of(m, cpu));
	snprintf(path, sizeof(path), "cpu/cpu%u/node%u", cpu, node_of(m, cpu));
	put_link(s, path, directory);
	snprintf(path, sizeof(path), "cpu/cpu%u/online", cpu);
	if (cpu)			/* as on Linux, the first cannot be switched off */
		write_text(s, path, "1\n", 0644);	/* a file of its own: it can be written */
	put_caches(s, cpu);
}

static void put_cpus(struct system *s)
{
	static const char *const lists[] = { "online", "present", "possible" };
	struct cpu_list all = select_cpus(s->machine, to_machine, 0);
	char text[LIST_BYTES], path[64];

	system_make(s, "cpu");
	list_text(&all, text, sizeof(text));
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		snprintf(path, sizeof(path), "cpu/%s", lists[i]);
		system_put(s, path, "%s\n", text);
	}
	system_put(s, "cpu/offline", "\n");
	system_put(s, "cpu/isolated", "\n");
	system_put(s, "cpu/kernel_max", "%d\n", VPMU_CPUS_MAX - 1);
	system_make(s, "cpu/smt");
	system_put(s, "cpu/smt/active", "%d\n", s->machine->threads > 1);
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(s->machine); cpu++)
		put_cpu(s, cpu);
}

/* ---- memory ---- */

static void put_node(struct system *s, uint32_t node, uint32_t nodes)
{
	struct cpu_list c = select_cpus(s->machine, nodes > 1 ? to_package : to_machine, node);
	char directory[64], path[96], text[VPMU_PACKAGES_MAX * 4] = "";
	size_t used = 0;

	snprintf(directory, sizeof(directory), "node/node%u", node);
	system_make(s, "%s", directory);
	put_set(s, directory, "cpumap", "cpulist", &c);
	snprintf(path, sizeof(path), "%s/meminfo", directory);
	system_put(s, path, "Node %u MemTotal:       %llu kB\nNode %u MemFree:        %llu kB\n",
		   node, VPMU_NODE_BYTES >> 10, node, VPMU_NODE_BYTES >> 10);
	for (uint32_t other = 0; other < nodes; other++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, used ? " %d" : "%d",
					 other == node ? 10 : 20);
	snprintf(path, sizeof(path), "%s/distance", directory);
	system_put(s, path, "%s\n", text);
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(s->machine); cpu++) {
		if (!cpus_has(&c, cpu))
			continue;
		snprintf(path, sizeof(path), "../../cpu/cpu%u", cpu);
		snprintf(directory, sizeof(directory), "node/node%u/cpu%u", node, cpu);
		put_link(s, directory, path);
	}
}

static void put_nodes(struct system *s)
{
	static const char *const lists[] = { "online", "possible", "has_cpu", "has_memory",
					     "has_normal_memory" };
	uint32_t nodes = vpmu_machine_nodes(s->machine);
	char path[64];

	system_make(s, "node");
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		snprintf(path, sizeof(path), "node/%s", lists[i]);
		system_put(s, path, nodes > 1 ? "0-%u\n" : "%u\n", nodes - 1);
	}
	for (uint32_t node = 0; node < nodes; node++)
		put_node(s, node, nodes);
}

/* All of it is free, as in sysinfo() and the nodes. */
static void put_meminfo(struct system *s)
{
	static const struct { const char *name; bool all; } rows[] = {
		{ "MemTotal:", true }, { "MemFree:", true }, { "MemAvailable:", true },
		{ "Buffers:", false }, { "Cached:", false }, { "SwapCached:", false },
		{ "SwapTotal:", false }, { "SwapFree:", false }, { "Shmem:", false },
	};
	unsigned long long kib = vpmu_machine_nodes(s->machine) * (VPMU_NODE_BYTES >> 10);
	FILE *f = system_open(s, "meminfo");

	for (size_t i = 0; f && i < sizeof(rows) / sizeof(rows[0]); i++)
		fprintf(f, "%-15s %8llu kB\n", rows[i].name, rows[i].all ? kib : 0);
	if (f)
		fprintf(f, "HugePages_Total:       0\nHugePages_Free:        0\n"
			"Hugepagesize:       2048 kB\n");
	system_close(s, f);
}

/* ---- load: none, on each CPU ---- */

static void put_load(struct system *s)
{
	static const char idle[] = "0 0 0 0 0 0 0 0 0 0";
	uint32_t cpus = vpmu_machine_cpus(s->machine);
	FILE *f = system_open(s, "stat");

	if (f)
		fprintf(f, "cpu  %s\n", idle);
	for (uint32_t cpu = 0; f && cpu < cpus; cpu++)
		fprintf(f, "cpu%u %s\n", cpu, idle);
	if (f)
		fprintf(f, "intr 0\nctxt 0\nbtime %lld\nprocesses 1\nprocs_running 1\n"
			"procs_blocked 0\n", VPMU_TIME_START);
	system_close(s, f);
	system_put(s, "loadavg", "0.00 0.00 0.00 1/1 1\n");
}

/* ---- /proc/cpuinfo ---- */

/* Features beyond those of the first processors for x86-64, in Linux's names: the values of CPUID
 * leaves 1 (ECX), 7, 0DH and 80000001H on the machine. */
static const char *features(const struct vpmu_machine *m)
{
	static const struct { const char *qemu_cpu, *names; } rows[] = {
		{ "qemu64", "pni cx16 lahf_lm" },
		{ "core2duo", "pni ssse3 cx16 lahf_lm" },
		{ "Nehalem", "rdtscp pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm" },
		{ "SandyBridge", "rdtscp pni pclmulqdq ssse3 cx16 sse4_1 sse4_2 popcnt aes "
		  "xsave avx lahf_lm xsaveopt" },
		{ "IvyBridge", "rdtscp pni pclmulqdq ssse3 cx16 sse4_1 sse4_2 popcnt aes xsave "
		  "avx f16c rdrand lahf_lm fsgsbase smep xsaveopt" },
		{ "Haswell", "rdtscp pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt "
		  "aes xsave avx f16c rdrand lahf_lm abm fsgsbase bmi1 avx2 smep bmi2 xsaveopt" },
		{ "Broadwell", "rdtscp pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt "
		  "aes xsave avx f16c rdrand lahf_lm abm fsgsbase bmi1 avx2 smep bmi2 adx smap "
		  "xsaveopt" },
		{ "Skylake", "rdtscp pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt "
		  "aes xsave avx f16c rdrand lahf_lm abm fsgsbase bmi1 avx2 smep bmi2 adx smap "
		  "xsaveopt xgetbv1" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strncmp(m->qemu_cpu, rows[i].qemu_cpu, strlen(rows[i].qemu_cpu)) == 0)
			return rows[i].names;
	return "pni";
}

static void put_processor(FILE *f, const struct vpmu_machine *m, uint32_t cpu)
{
	uint32_t outer = m->llc_level ? m->llc.bytes : m->l2.bytes;

	if (vpmu_core_away(m, vpmu_cpu_core(m, cpu)))
		outer = m->little.l2.bytes;
	fprintf(f, "processor\t: %u\nvendor_id\t: GenuineIntel\ncpu family\t: %u\nmodel\t\t: %u\n"
		"model name\t: %s\nstepping\t: %u\n", cpu, m->cpuid_family, m->cpuid_model,
		m->brand, m->cpuid_stepping);
	/* The model's time has one clock per nanosecond. */
	fprintf(f, "cpu MHz\t\t: 1000.000\ncache size\t: %u KB\nphysical id\t: %u\n"
		"siblings\t: %u\ncore id\t\t: %u\ncpu cores\t: %u\napicid\t\t: %u\n"
		"initial apicid\t: %u\n", outer / 1024, vpmu_cpu_package(m, cpu),
		vpmu_machine_cpus(m) / m->packages, vpmu_cpu_core(m, cpu) % m->cores, m->cores,
		vpmu_cpu_apic(m, cpu), vpmu_cpu_apic(m, cpu));
	fprintf(f, "fpu\t\t: yes\nfpu_exception\t: yes\nwp\t\t: yes\nflags\t\t: fpu vme de pse tsc "
		"msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2%s "
		"syscall nx lm constant_tsc %s%s\n", m->threads > 1 ? " ht" : "", features(m),
		strstr(m->qemu_cpu, "rdpid=on") ? " rdpid" : "");
	fprintf(f, "bogomips\t: 2000.00\nclflush size\t: %u\ncache_alignment\t: %u\n"
		"address sizes\t: 36 bits physical, 48 bits virtual\npower management:\n\n",
		m->l1d.line, m->l1d.line);
}

static void put_cpuinfo(struct system *s)
{
	FILE *f = system_open(s, "cpuinfo");

	for (uint32_t cpu = 0; f && cpu < vpmu_machine_cpus(s->machine); cpu++)
		put_processor(f, s->machine, cpu);
	system_close(s, f);
}

/* ---- /dev: empty files, whose names determine the device ---- */

/* Opens the file to all users: the machine's rules decide about a device, not the file's mode. */
static void put_device(struct system *s, const char *path)
{
	if (write_text(s, path, "", 0666) && fchmodat(s->root, path, 0666, 0))
		s->failed = errno;
}

static void put_link_to_device(struct system *s, const char *path)
{
	if (linkat(s->root, "dev/mem", s->root, path, 0) && errno != EEXIST)
		s->failed = errno;
}

static void put_devices(struct system *s)
{
	char path[64];

	system_make(s, "dev");
	system_make(s, "dev/cpu");
	put_device(s, "dev/mem");
	put_device(s, "dev/config");
	put_device(s, "dev/vpmu");
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(s->machine); cpu++) {
		system_make(s, "dev/cpu/%u", cpu);
		snprintf(path, sizeof(path), "dev/cpu/%u/msr", cpu);
		put_link_to_device(s, path);
		snprintf(path, sizeof(path), "dev/cpu/%u/cpuid", cpu);
		put_link_to_device(s, path);
	}
}

/* ---- the directory ---- */

/* 0 or an errno. */
static int write_to(const char *path, const struct vpmu_segment *segment)
{
	struct system s = { .machine = &segment->machine };
	char temporary[PATH_MAX];

	s.root = vpmu_beside_begin(temporary, path, OWN_SYSTEM);
	if (s.root < 0)
		return -s.root;
	fchmod(s.root, 0755);
	put_cpus(&s);
	put_nodes(&s);
	put_meminfo(&s);
	put_load(&s);
	put_cpuinfo(&s);
	put_devices(&s);
	close(s.root);
	if (!s.failed)
		return vpmu_beside_publish(temporary, path);
	vpmu_folder_remove(temporary);
	return s.failed;
}

int vpmu_system_add_safe(const struct vpmu_place *place)
{
	const struct vpmu_machine *m = &place->segment->machine;
	struct system s = { .machine = m };
	char path[64];

	s.root = open(place->system, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	put_link_to_device(&s, "dev/cpu/msr_batch");
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(m); cpu++) {
		snprintf(path, sizeof(path), "dev/cpu/%u/msr_safe", cpu);
		put_link_to_device(&s, path);
	}
	if (s.root >= 0)
		close(s.root);
	if (s.failed)
		vpmu_complain("%s: cannot add msr-safe's devices: %s", place->system,
			      strerror(s.failed));
	return s.failed ? VPMU_EXIT_FAILURE : 0;
}

int vpmu_system_write(const struct vpmu_place *place)
{
	const char *wrong;
	struct stat st;
	mode_t mask;
	int rc = 0;

	/* The directory is published as a whole: if it exists, it is complete. Whose it is has
	 * to be checked now: another user may have made it while this one was written. */
	if (lstat(place->system, &st)) {
		mask = umask(022);	/* readable for users that the program switches to */
		rc = write_to(place->system, place->segment);
		umask(mask);
	}
	wrong = rc ? strerror(rc) : vpmu_beside_unusable(place, place->system, OWN_SYSTEM);
	if (wrong)
		vpmu_complain("%s: cannot describe the machine: %s", place->system, wrong);
	return wrong ? VPMU_EXIT_FAILURE : 0;
}
