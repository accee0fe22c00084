/* SPDX-License-Identifier: MIT */
/* The machines there are: one row of geometry per family. */
#include "machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Features of QEMU's model that its translator cannot execute: switched off, or it prints a
 * warning for each at every start. None is visible to ordinary programs. */
#define SKL_QEMU_CPU "Skylake-Client,-hypervisor,-pcid,-x2apic,-tsc-deadline,-invpcid,-hle,-rtm," \
		     "-rdseed,-3dnowprefetch,-xsavec"

struct family_row {
	const char *prefix;
	const char *examples;
	const char *brand;		/* "%s": the machine's name */
	const char *qemu_cpu;
	uint32_t llc_slice_bytes;
	uint32_t cores_max;		/* per package */
	struct vpmu_machine base;
};

static const struct family_row families[] = {
	{
		/* Sizes: Intel optimisation manual 248966, chapter on Skylake client. The latencies
		 * in UCLK are this model's stand-ins of the usual magnitude. */
		.prefix = "skl",
		.examples = "skl-4c8t, skl-4c4t, skl-2c4t",
		.brand = "VirtualPMU %s (Skylake client model)",
		.qemu_cpu = SKL_QEMU_CPU,
		.llc_slice_bytes = 2u << 20,
		.cores_max = VPMU_CPUS_MAX,
		.base = {
			.family_id = VPMU_SKYLAKE_CLIENT,
			.cpuid_family = 6, .cpuid_model = 0x5e, .cpuid_stepping = 3,
			.packages = 1,
			.l1i = { .bytes = 32u << 10, .ways = 8, .line = 64 },
			.l1d = { .bytes = 32u << 10, .ways = 8, .line = 64 },
			.l2 = { .bytes = 256u << 10, .ways = 4, .line = 64 },
			.llc = { .ways = 16, .line = 64 },
			.llc_clocks = 34, .memory_clocks = 180, .write_clocks = 60,
			.fill_buffers = 10,
		},
	},
};

static const struct family_row *family_find(const char *name, size_t bytes)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strlen(families[i].prefix) == bytes &&
		    strncmp(families[i].prefix, name, bytes) == 0)
			return &families[i];
	return NULL;
}

static void list_families(char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]) && used < bytes; i++) {
		int n = snprintf(text + used, bytes - used, "%s%s-<C>c<T>t (%s, ...)",
				 i ? "; " : "", families[i].prefix, families[i].examples);
		used += n > 0 ? (size_t)n : 0;
	}
}

/* "-4c8t" -> 4, 8; the whole text must match, without signs, blanks or leading zeros. */
static bool parse_shape(const char *text, uint32_t *cores, uint32_t *threads)
{
	char again[VPMU_NAME_MAX];

	if (strlen(text) >= sizeof(again) || sscanf(text, "-%5uc%5ut", cores, threads) != 2)
		return false;
	snprintf(again, sizeof(again), "-%uc%ut", *cores, *threads);
	return strcmp(text, again) == 0;
}

static int check_shape(const struct family_row *f, uint32_t cores, uint32_t threads, char *why,
		       size_t why_bytes)
{
	if (cores == 0 || cores > f->cores_max || threads > VPMU_CPUS_MAX) {
		snprintf(why, why_bytes, "%s machines have 1 to %u cores and at most %u CPUs",
			 f->prefix, f->cores_max, VPMU_CPUS_MAX);
		return -EINVAL;
	}
	if (threads != cores && threads != 2 * cores) {
		snprintf(why, why_bytes, "%u threads on %u cores: a core has one thread or two, "
			 "so say %s-%uc%ut or %s-%uc%ut", threads, cores, f->prefix, cores, cores,
			 f->prefix, cores, 2 * cores);
		return -EINVAL;
	}
	return 0;
}

static void fill(const struct family_row *f, const char *name, uint32_t cores, uint32_t threads,
		 struct vpmu_machine *m)
{
	memset(m, 0, sizeof(*m));
	*m = f->base;
	snprintf(m->name, sizeof(m->name), "%s", name);
	/* The family's rows have one "%s" for the name: spelt out by hand to keep the format
	 * string out of the data. */
	const char *gap = strstr(f->brand, "%s");
	snprintf(m->brand, sizeof(m->brand), "%.*s%s%s", (int)(gap - f->brand), f->brand, name,
		 gap + 2);
	snprintf(m->qemu_cpu, sizeof(m->qemu_cpu), "%s", f->qemu_cpu);
	m->cores = cores;
	m->threads = threads / cores;
	m->slices = cores < VPMU_SLICES_MAX ? cores : VPMU_SLICES_MAX;
	m->llc.bytes = f->llc_slice_bytes * m->slices;
}

int vpmu_machine_parse(const char *name, struct vpmu_machine *out, char *why, size_t why_bytes)
{
	uint32_t cores, threads;
	size_t prefix = strcspn(name, "-");
	const struct family_row *f = family_find(name, prefix);
	char have[512];

	if (!f || strlen(name) >= VPMU_NAME_MAX || !parse_shape(name + prefix, &cores, &threads)) {
		list_families(have, sizeof(have));
		snprintf(why, why_bytes, "unknown machine '%.64s'; there are: %s", name, have);
		return -EINVAL;
	}
	int rc = check_shape(f, cores, threads, why, why_bytes);
	if (rc)
		return rc;
	fill(f, name, cores, threads, out);
	return 0;
}

const char *vpmu_machine_family(uint32_t index, const char **examples)
{
	if (index >= sizeof(families) / sizeof(families[0]))
		return NULL;
	*examples = families[index].examples;
	return families[index].prefix;
}

int vpmu_machine_slices(struct vpmu_machine *m, uint32_t slices)
{
	uint32_t each = m->llc.bytes / m->slices;

	if (slices == 0 || slices > VPMU_SLICES_MAX)
		return -EINVAL;
	m->slices = slices;
	m->llc.bytes = each * slices;
	return 0;
}
