/* SPDX-License-Identifier: MIT */
/* The machines there are: one row of geometry per family. */
#include "machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Features of QEMU's model that its translator cannot execute: switched off, or it prints a
 * warning for each at every start. None is visible to ordinary programs. */
#define SKL_QEMU_CPU "Skylake-Client,-hypervisor,-pcid,-x2apic,-tsc-deadline,-invpcid,-hle,-rtm," \
		     "-rdseed,-3dnowprefetch,-xsavec"
#define SNB_QEMU_CPU "SandyBridge,-hypervisor,-x2apic,-tsc-deadline"
#define IVB_QEMU_CPU "IvyBridge,-hypervisor,-x2apic,-tsc-deadline"
#define HSW_QEMU_CPU "Haswell-noTSX,-hypervisor,-pcid,-x2apic,-tsc-deadline,-invpcid"
#define BDW_QEMU_CPU "Broadwell-noTSX,-hypervisor,-pcid,-x2apic,-tsc-deadline,-invpcid,-rdseed," \
		     "-3dnowprefetch,model=71,stepping=1"
/* Features of AMD and of a hypervisor that QEMU's plain 64-bit CPU has. SSE2 stays on also for
 * machines without it, because programs for x86-64 need it. */
#define QEMU64_WITHOUT ",stepping=1,-hypervisor,-svm"

/* What follows the prefix: numbers with their letters, in the order p, c, t. */
struct shape { uint32_t packages, cores, threads; };	/* totals; 0: not given */

struct family_row {
	const char *prefix;
	const char *pattern;		/* all forms of the name */
	const char *meaning;		/* of the letters */
	const char *examples;
	const char *brand;		/* "%s": the machine's name */
	const char *qemu_cpu;
	const char *forms;		/* letters of the accepted forms: "ct", "pct pt" */
	uint32_t cores_min, cores_max;	/* per package */
	uint32_t cores_fixed;		/* per package; 0: packages come from the name */
	uint32_t threads_allowed;	/* bit n: n threads per core; 0 in the name: the lowest */
	uint32_t slices;		/* 0: one per core, as far as there are so many */
	uint32_t slices_max;		/* 0: 8 */
	uint32_t llc_slice_bytes, llc_core_bytes;	/* either of them */
	struct vpmu_machine base;
};

/* What the client generations share. The latencies in UCLK are stand-ins of the usual magnitude. */
#define CLIENT_BASE \
	.packages = 1, \
	.l1i = { .bytes = 32u << 10, .ways = 8, .line = 64 }, \
	.l1d = { .bytes = 32u << 10, .ways = 8, .line = 64 }, \
	.llc = { .ways = 16, .line = 64 }, .llc_level = 3, \
	.llc_clocks = 34, .memory_clocks = 180, .write_clocks = 60, .fill_buffers = 10

#define LATER_CLIENT_BASE \
	.packages = 1, \
	.l1i = { .bytes = 32u << 10, .ways = 8, .line = 64 }, \
	.l1d = { .bytes = 48u << 10, .ways = 12, .line = 64 }, \
	.llc_level = 3, \
	.llc_clocks = 34, .memory_clocks = 180, .write_clocks = 60, .fill_buffers = 12

static const struct family_row families[] = {
	{
		/* Sizes: Intel optimisation manual 248966, chapter on Skylake client. */
		.prefix = "skl",
		.pattern = "skl-<C>c<T>t",
		.meaning = "C cores, T = C or 2C threads, at most 512",
		.examples = "skl-4c8t, skl-4c4t, skl-2c4t",
		.brand = "VirtualPMU %s (Skylake client model)",
		.qemu_cpu = SKL_QEMU_CPU,
		.forms = "ct",
		.cores_min = 1, .cores_max = VPMU_CPUS_MAX,
		.threads_allowed = 1u << 1 | 1u << 2,
		.llc_slice_bytes = 2u << 20,
		.base = {
			.family_id = VPMU_SKYLAKE_CLIENT,
			.cpuid_family = 6, .cpuid_model = 0x5e, .cpuid_stepping = 3,
			CLIENT_BASE,
			.l2 = { .bytes = 256u << 10, .ways = 4, .line = 64 },
		},
	}, {
		/* The i9-10900K, which is the largest: ten cores or none. */
		.prefix = "cml",
		.pattern = "cml-10c<T>t",
		.meaning = "10 cores, T = 10 or 20 threads",
		.examples = "cml-10c20t, cml-10c10t",
		.brand = "VirtualPMU %s (10-core Comet Lake model)",
		.qemu_cpu = SKL_QEMU_CPU ",model=165,stepping=5",
		.forms = "ct",
		.cores_min = 10, .cores_max = 10,
		.threads_allowed = 1u << 1 | 1u << 2,
		.slices_max = 10, .llc_slice_bytes = 2u << 20,
		.base = {
			.family_id = VPMU_COMET_LAKE,
			.cpuid_family = 6, .cpuid_model = 0xa5, .cpuid_stepping = 5,
			CLIENT_BASE,
			.l2 = { .bytes = 256u << 10, .ways = 4, .line = 64 },
		},
	}, {
		/* Sizes, of the client generations before Skylake: 248966. */
		.prefix = "snb",
		.pattern = "snb-<C>c<T>t",
		.meaning = "C cores, at most 8, T = C or 2C threads",
		.examples = "snb-4c8t, snb-2c4t",
		.brand = "VirtualPMU %s (Sandy Bridge model)",
		.qemu_cpu = SNB_QEMU_CPU,
		.forms = "ct",
		.cores_min = 1, .cores_max = 8,
		.threads_allowed = 1u << 1 | 1u << 2,
		.slices_max = 4, .llc_slice_bytes = 2u << 20,
		.base = {
			.family_id = VPMU_SANDY_BRIDGE,
			.cpuid_family = 6, .cpuid_model = 0x2a, .cpuid_stepping = 7,
			CLIENT_BASE,
			.l2 = { .bytes = 256u << 10, .ways = 8, .line = 64 },
		},
	}, {
		.prefix = "ivb",
		.pattern = "ivb-<C>c<T>t",
		.meaning = "C cores, at most 8, T = C or 2C threads",
		.examples = "ivb-4c8t, ivb-2c4t",
		.brand = "VirtualPMU %s (Ivy Bridge model)",
		.qemu_cpu = IVB_QEMU_CPU,
		.forms = "ct",
		.cores_min = 1, .cores_max = 8,
		.threads_allowed = 1u << 1 | 1u << 2,
		.slices_max = 4, .llc_slice_bytes = 2u << 20,
		.base = {
			.family_id = VPMU_IVY_BRIDGE,
			.cpuid_family = 6, .cpuid_model = 0x3a, .cpuid_stepping = 9,
			CLIENT_BASE,
			.l2 = { .bytes = 256u << 10, .ways = 8, .line = 64 },
		},
	}, {
		.prefix = "hsw",
		.pattern = "hsw-<C>c<T>t",
		.meaning = "C cores, at most 8, T = C or 2C threads",
		.examples = "hsw-4c8t, hsw-2c4t",
		.brand = "VirtualPMU %s (Haswell client model)",
		.qemu_cpu = HSW_QEMU_CPU,
		.forms = "ct",
		.cores_min = 1, .cores_max = 8,
		.threads_allowed = 1u << 1 | 1u << 2,
		.slices_max = 4, .llc_slice_bytes = 2u << 20,
		.base = {
			.family_id = VPMU_HASWELL,
			.cpuid_family = 6, .cpuid_model = 0x3c, .cpuid_stepping = 3,
			CLIENT_BASE,
			.l2 = { .bytes = 256u << 10, .ways = 8, .line = 64 },
		},
	}, {
		.prefix = "bdw",
		.pattern = "bdw-<C>c<T>t",
		.meaning = "C cores, at most 8, T = C or 2C threads",
		.examples = "bdw-4c8t, bdw-2c4t",
		.brand = "VirtualPMU %s (Broadwell client model)",
		.qemu_cpu = BDW_QEMU_CPU,
		.forms = "ct",
		.cores_min = 1, .cores_max = 8,
		.threads_allowed = 1u << 1 | 1u << 2,
		.slices_max = 4, .llc_slice_bytes = 3u << 19,
		.base = {
			.family_id = VPMU_BROADWELL,
			.cpuid_family = 6, .cpuid_model = 0x47, .cpuid_stepping = 1,
			CLIENT_BASE,
			.l2 = { .bytes = 256u << 10, .ways = 8, .line = 64 },
		},
	}, {
		/* Sizes: 248966, chapters on Sunny Cove and Willow Cove. */
		.prefix = "icl",
		.pattern = "icl-<C>c<T>t",
		.meaning = "C cores, at most 8, T = C or 2C threads",
		.examples = "icl-4c8t, icl-2c4t",
		.brand = "VirtualPMU %s (Ice Lake client model)",
		.qemu_cpu = SKL_QEMU_CPU ",model=126,stepping=5",
		.forms = "ct",
		.cores_min = 1, .cores_max = 8,
		.threads_allowed = 1u << 1 | 1u << 2,
		.llc_slice_bytes = 2u << 20,
		.base = {
			.family_id = VPMU_ICE_LAKE,
			.cpuid_family = 6, .cpuid_model = 0x7e, .cpuid_stepping = 5,
			LATER_CLIENT_BASE,
			.l2 = { .bytes = 512u << 10, .ways = 8, .line = 64 },
			.llc = { .ways = 16, .line = 64 },
		},
	}, {
		.prefix = "tgl",
		.pattern = "tgl-<C>c<T>t",
		.meaning = "C cores, at most 8, T = C or 2C threads",
		.examples = "tgl-4c8t, tgl-2c4t",
		.brand = "VirtualPMU %s (Tiger Lake U model)",
		.qemu_cpu = SKL_QEMU_CPU ",model=140,stepping=1",
		.forms = "ct",
		.cores_min = 1, .cores_max = 8,
		.threads_allowed = 1u << 1 | 1u << 2,
		.llc_slice_bytes = 3u << 20,
		.base = {
			.family_id = VPMU_TIGER_LAKE,
			.cpuid_family = 6, .cpuid_model = 0x8c, .cpuid_stepping = 1,
			LATER_CLIENT_BASE,
			.l2 = { .bytes = 1280u << 10, .ways = 20, .line = 64 },
			.llc = { .ways = 12, .line = 64 },
		},
	}, {
		.prefix = "tglh",
		.pattern = "tglh-<C>c<T>t",
		.meaning = "C cores, at most 8, T = C or 2C threads",
		.examples = "tglh-8c16t",
		.brand = "VirtualPMU %s (Tiger Lake H model)",
		.qemu_cpu = SKL_QEMU_CPU ",model=141,stepping=1",
		.forms = "ct",
		.cores_min = 1, .cores_max = 8,
		.threads_allowed = 1u << 1 | 1u << 2,
		.llc_slice_bytes = 3u << 20,
		.base = {
			.family_id = VPMU_TIGER_LAKE_H,
			.cpuid_family = 6, .cpuid_model = 0x8d, .cpuid_stepping = 1,
			LATER_CLIENT_BASE,
			.l2 = { .bytes = 1280u << 10, .ways = 20, .line = 64 },
			.llc = { .ways = 12, .line = 64 },
		},
	}, {
		.prefix = "rkl",
		.pattern = "rkl-<C>c<T>t",
		.meaning = "C cores, at most 8, T = C or 2C threads",
		.examples = "rkl-8c16t, rkl-6c12t",
		.brand = "VirtualPMU %s (Rocket Lake model)",
		.qemu_cpu = SKL_QEMU_CPU ",model=167,stepping=1",
		.forms = "ct",
		.cores_min = 1, .cores_max = 8,
		.threads_allowed = 1u << 1 | 1u << 2,
		.llc_slice_bytes = 2u << 20,
		.base = {
			.family_id = VPMU_ROCKET_LAKE,
			.cpuid_family = 6, .cpuid_model = 0xa7, .cpuid_stepping = 1,
			LATER_CLIENT_BASE,
			.l2 = { .bytes = 512u << 10, .ways = 8, .line = 64 },
			.llc = { .ways = 16, .line = 64 },
		},
	}, {
		/* Sizes: Intel Xeon Phi Coprocessor System Software Developers Guide. The tag
		 * directories of the ring are one directory that has room for twice the L2s. */
		.prefix = "knc",
		.pattern = "knc-<C>c<T>t",
		.meaning = "C cores, 1 to 61, T = 4C threads",
		.examples = "knc-60c240t, knc-4c16t",
		.brand = "VirtualPMU %s (Knights Corner model)",
		.qemu_cpu = "qemu64,vendor=GenuineIntel,family=11,model=1" QEMU64_WITHOUT,
		.forms = "ct",
		.cores_min = 1, .cores_max = 61,
		.threads_allowed = 1u << 4,
		.llc_core_bytes = 1u << 20,
		.base = {
			.family_id = VPMU_KNIGHTS_CORNER,
			.cpuid_family = 11, .cpuid_model = 1, .cpuid_stepping = 1,
			.packages = 1, .smt_adjacent = 1,
			.l1i = { .bytes = 32u << 10, .ways = 8, .line = 64 },
			.l1d = { .bytes = 32u << 10, .ways = 8, .line = 64 },
			.l2 = { .bytes = 512u << 10, .ways = 8, .line = 64 },
			.llc = { .ways = 16, .line = 64 },
			.llc_clocks = 200, .memory_clocks = 300, .write_clocks = 100,
			.fill_buffers = 8,
		},
	}, {
		/* Sizes: 248966, chapter on Core microarchitecture (65 nm). Two cores and their
		 * L2 are one die; each die is a package here, also of a four-core part. */
		.prefix = "core2",
		.pattern = "core2-<C>c",
		.meaning = "C cores, 2 to 16, in pairs that share an L2 and are a package",
		.examples = "core2-4c, core2-2c",
		.brand = "VirtualPMU %s (Core 2 model)",
		.qemu_cpu = "core2duo,-hypervisor",
		.forms = "c",
		.cores_fixed = 2,
		.threads_allowed = 1u << 1,
		.slices = 1, .llc_slice_bytes = 4u << 20,
		.base = {
			.family_id = VPMU_CORE2,
			.cpuid_family = 6, .cpuid_model = 15, .cpuid_stepping = 11,
			.one_node = 1,
			.l1i = { .bytes = 32u << 10, .ways = 8, .line = 64 },
			.l1d = { .bytes = 32u << 10, .ways = 8, .line = 64 },
			.llc = { .ways = 16, .line = 64 },
			.llc_level = 2,
			.llc_clocks = 14, .memory_clocks = 200, .write_clocks = 60,
			.fill_buffers = 8,
		},
	}, {
		/* Sizes: Intel Xeon 7500 datasheet 323340. */
		.prefix = "nhmex",
		.pattern = "nhmex-<P>p<C>c<T>t",
		.meaning = "P packages, at most 8, C cores in all, at most 8 each, "
			   "T = C or 2C threads",
		.examples = "nhmex-4p32c64t, nhmex-1p8c16t",
		.brand = "VirtualPMU %s (Xeon 7500 model)",
		.qemu_cpu = "Nehalem,model=46,stepping=6,-hypervisor",
		.forms = "pct",
		.cores_min = 1, .cores_max = 8,
		.threads_allowed = 1u << 1 | 1u << 2,
		.slices = 8, .llc_slice_bytes = 3u << 20,
		.base = {
			.family_id = VPMU_NEHALEM_EX,
			.cpuid_family = 6, .cpuid_model = 46, .cpuid_stepping = 6,
			.l1i = { .bytes = 32u << 10, .ways = 4, .line = 64 },
			.l1d = { .bytes = 32u << 10, .ways = 8, .line = 64 },
			.l2 = { .bytes = 256u << 10, .ways = 8, .line = 64 },
			.llc = { .ways = 24, .line = 64 },
			.llc_level = 3,
			.llc_clocks = 50, .memory_clocks = 220, .write_clocks = 70,
			.fill_buffers = 10,
			.memory_boxes = 2,
		},
	}, {
		/* Sizes: 90 nm Pentium 4. The 16 KiB code cache stands in for the trace cache. */
		.prefix = "p4",
		.pattern = "p4-1c<T>t or p4-<P>p<T>t",
		.meaning = "P packages, at most 8, of one core, T = P or 2P threads",
		.examples = "p4-1c2t, p4-2p4t",
		.brand = "VirtualPMU %s (Pentium 4 model)",
		.qemu_cpu = "qemu64,vendor=GenuineIntel,family=15,model=4" QEMU64_WITHOUT,
		.forms = "ct pt",
		.cores_min = 1, .cores_max = 1,
		.threads_allowed = 1u << 1 | 1u << 2,
		.slices = 1, .llc_slice_bytes = 1u << 20,
		.base = {
			.family_id = VPMU_NETBURST,
			.cpuid_family = 15, .cpuid_model = 4, .cpuid_stepping = 1,
			.one_node = 1,
			.l1i = { .bytes = 16u << 10, .ways = 8, .line = 64 },
			.l1d = { .bytes = 16u << 10, .ways = 8, .line = 64 },
			.llc = { .ways = 8, .line = 64 },
			.llc_level = 2,
			.llc_clocks = 20, .memory_clocks = 250, .write_clocks = 80,
			.fill_buffers = 8,
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
		int n = snprintf(text + used, bytes - used, "%s%s (%s, ...)", i ? "; " : "",
				 families[i].pattern, families[i].examples);
		used += n > 0 ? (size_t)n : 0;
	}
}

/* Reads a number without signs, blanks or leading zeros. Advances *text. */
static bool parse_part(const char **text, uint32_t *number, char *letter)
{
	size_t digits = strspn(*text, "0123456789");

	if (digits == 0 || digits > 5 || (digits > 1 && **text == '0'))
		return false;
	*number = (uint32_t)strtoul(*text, NULL, 10);
	*letter = (*text)[digits];
	*text += digits + (*letter != '\0');
	return true;
}

/* "-4p32c64t" -> { 4, 32, 64 } and "pct". */
static bool parse_shape(const char *text, struct shape *shape, char letters[4])
{
	static const char order[] = "pct";
	uint32_t *const numbers[] = { &shape->packages, &shape->cores, &shape->threads };
	size_t next = 0, used = 0;

	*shape = (struct shape){ 0 };
	if (*text++ != '-')
		return false;
	while (*text) {
		uint32_t number;
		const char *at;
		char letter;

		if (!parse_part(&text, &number, &letter) || !letter)
			return false;
		at = strchr(order + next, letter);
		if (!at || used == 3)
			return false;
		*numbers[at - order] = number;
		next = (size_t)(at - order) + 1;
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

static int bad_cores(const struct family_row *f, char *why, size_t why_bytes)
{
	if (f->cores_fixed)
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

/* Fills in cores and packages where the name leaves them out. It gives 0 packages where the cores
 * do not fill whole packages. */
static void complete_cores(const struct family_row *f, struct shape *n)
{
	if (!n->cores && strchr(f->forms, 'p'))
		n->cores = n->packages;		/* "p4-2p4t": one core each */
	if (f->cores_fixed)
		n->packages = n->cores % f->cores_fixed ? 0 : n->cores / f->cores_fixed;
	else if (!n->packages)
		n->packages = f->base.packages ? f->base.packages : 1;
}

static bool cores_fit(const struct family_row *f, const struct shape *n)
{
	uint32_t each;

	if (n->packages == 0 || n->packages > VPMU_PACKAGES_MAX || n->cores == 0 ||
	    n->cores % n->packages)
		return false;
	each = n->cores / n->packages;
	return f->cores_fixed || (each >= f->cores_min && each <= f->cores_max);
}

/* Fills in what the name leaves out. */
static int complete_shape(const struct family_row *f, struct shape *n, const char *letters,
			  char *why, size_t why_bytes)
{
	if (strchr(letters, 'p') && !n->packages)
		return bad_cores(f, why, why_bytes);
	complete_cores(f, n);
	if (!cores_fit(f, n))
		return bad_cores(f, why, why_bytes);
	if (!n->threads && !strchr(letters, 't'))
		n->threads = n->cores * (uint32_t)__builtin_ctz(f->threads_allowed);
	return n->threads > VPMU_CPUS_MAX ? bad_cores(f, why, why_bytes) : 0;
}

static void shape_text(const struct shape *n, const char *letters, char *text, size_t bytes)
{
	const uint32_t numbers[] = { n->packages, n->cores, n->threads };
	size_t used = 0;

	for (; *letters; letters++) {
		uint32_t number = numbers[strchr("pct", *letters) - "pct"];
		int wrote = snprintf(text + used, bytes - used, "%u%c", number, *letters);

		used += (size_t)wrote;
	}
}

static int check_threads(const struct family_row *f, const struct shape *n, const char *letters,
			 char *why, size_t why_bytes)
{
	uint32_t each = n->threads / n->cores, allowed = f->threads_allowed;
	char offer[VPMU_NAME_MAX], offers[3 * VPMU_NAME_MAX] = "";

	if (n->threads % n->cores == 0 && each < 32 && (allowed >> each & 1))
		return 0;
	for (; allowed; allowed &= allowed - 1) {
		struct shape good = *n;
		size_t used = strlen(offers);

		good.threads = n->cores * (uint32_t)__builtin_ctz(allowed);
		shape_text(&good, letters, offer, sizeof(offer));
		snprintf(offers + used, sizeof(offers) - used, "%s%s-%s", used ? " or " : "",
			 f->prefix, offer);
	}
	snprintf(why, why_bytes, "%u threads on %u cores are not in such machines: say %s",
		 n->threads, n->cores, offers);
	return -EINVAL;
}

static uint32_t slices_most(const struct family_row *f)
{
	return f->slices_max ? f->slices_max : 8;
}

static void fill(const struct family_row *f, const char *name, const struct shape *n,
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
	m->packages = n->packages;
	m->cores = n->cores / n->packages;
	m->threads = n->threads / n->cores;
	m->slices = f->slices;
	if (!m->slices)
		m->slices = m->cores < slices_most(f) ? m->cores : slices_most(f);
	m->llc.bytes = f->llc_core_bytes ? f->llc_core_bytes * m->cores :
					   f->llc_slice_bytes * m->slices;
}

int vpmu_machine_parse(const char *name, struct vpmu_machine *out, char *why, size_t why_bytes)
{
	size_t prefix = strcspn(name, "-");
	const struct family_row *f = family_find(name, prefix);
	char have[1024], letters[4];
	struct shape shape;
	int rc;

	if (!f || strlen(name) >= VPMU_NAME_MAX || !parse_shape(name + prefix, &shape, letters) ||
	    !has_form(f->forms, letters)) {
		list_families(have, sizeof(have));
		snprintf(why, why_bytes, "unknown machine '%.64s'; there are: %s", name, have);
		return -EINVAL;
	}
	rc = complete_shape(f, &shape, letters, why, why_bytes);
	if (!rc)
		rc = check_threads(f, &shape, letters, why, why_bytes);
	if (!rc)
		fill(f, name, &shape, out);
	return rc;
}

bool vpmu_machine_whole(const struct vpmu_machine *m)
{
	struct vpmu_machine named;
	char why[512];

	if (!memchr(m->name, '\0', sizeof(m->name)) ||
	    vpmu_machine_parse(m->name, &named, why, sizeof(why)) ||
	    m->slices == 0 || m->slices > vpmu_machine_slices_max(m))
		return false;
	named.smt_adjacent = m->smt_adjacent != 0;
	named.slices = m->slices;
	named.l1i = m->l1i;
	named.l1d = m->l1d;
	named.l2 = m->l2;
	named.llc = m->llc;
	return memcmp(&named, m, sizeof(named)) == 0;
}

const char *vpmu_machine_family(uint32_t index, const char **examples)
{
	if (index >= sizeof(families) / sizeof(families[0]))
		return NULL;
	*examples = families[index].examples;
	return families[index].prefix;
}

const char *vpmu_machine_shapes(uint32_t index, const char **meaning)
{
	if (index >= sizeof(families) / sizeof(families[0]))
		return NULL;
	*meaning = families[index].meaning;
	return families[index].pattern;
}

uint32_t vpmu_machine_slices_max(const struct vpmu_machine *m)
{
	return slices_most(family_find(m->name, strcspn(m->name, "-")));
}

int vpmu_machine_slices(struct vpmu_machine *m, uint32_t slices)
{
	uint32_t each = m->llc.bytes / m->slices;

	if (slices == 0 || slices > vpmu_machine_slices_max(m))
		return -EINVAL;
	m->slices = slices;
	m->llc.bytes = each * slices;
	return 0;
}
