/* SPDX-License-Identifier: MIT */
/* The table of machine families: vpmu_families[] has one row per family. A row has the forms of its
 * names, the processor's identity, caches, latencies and counts of cores. shape.c makes a machine
 * of a row and a name. The rows are constant, and a number that stands in for silicon is marked. */
#include "families.h"

/* Features of QEMU's model that its translator cannot execute: switched off, or it prints a warning
 * for each at every start. None is visible to ordinary programs. ERMS, the flag for fast REP MOVSB
 * and STOSB, is off because they are not: they are executed, and counted, byte by byte. The C
 * library and the kernel then copy by vectors and by REP MOVSQ. */
#define SKL_QEMU_CPU "Skylake-Client,-hypervisor,-pcid,-x2apic,-tsc-deadline,-invpcid,-hle,-rtm," \
		     "-rdseed,-3dnowprefetch,-xsavec,-erms"
#define ICL_QEMU_CPU SKL_QEMU_CPU ",rdpid=on"
#define SNB_QEMU_CPU "SandyBridge,-hypervisor,-x2apic,-tsc-deadline"
#define IVB_QEMU_CPU "IvyBridge,-hypervisor,-x2apic,-tsc-deadline,-erms"
#define HSW_QEMU_CPU "Haswell-noTSX,-hypervisor,-pcid,-x2apic,-tsc-deadline,-invpcid,-erms"
#define BDW_QEMU_CPU "Broadwell-noTSX,-hypervisor,-pcid,-x2apic,-tsc-deadline,-invpcid,-rdseed," \
		     "-3dnowprefetch,-erms,model=71,stepping=1"
/* Features of AMD and of a hypervisor that QEMU's plain 64-bit CPU has. SSE2 stays on also for
 * machines without it, because programs for x86-64 need it. */
#define QEMU64_WITHOUT ",stepping=1,-hypervisor,-svm"

#define KIB(n) ((n) << 10)
#define CACHE(bytes_, ways_) { .bytes = bytes_, .ways = ways_, .line = 64 }

/* A package of cores that are all alike, with one or two threads. */
#define CORES(prefix_, most) \
	.prefix = prefix_, .pattern = prefix_ "-<C>c<T>t", .forms = "ct", \
	.cores_min = 1, .cores_max = most, .threads_allowed = 1u << 1 | 1u << 2
#define EIGHT(prefix) CORES(prefix, 8), .meaning = "C cores, at most 8, T = C or 2C threads"
#define IDENTITY(family, model, stepping) \
	.cpuid_family = family, .cpuid_model = model, .cpuid_stepping = stepping

/* Members that the client generations share. Latencies in UCLK are stand-ins of the usual
 * magnitude. */
#define CLIENT(cores, model, stepping, l1d_, buffers) \
	CLIENT_OF(6, cores, model, stepping, buffers, l1d_)
#define CLIENT_OF(cpuid_family_, cores, model, stepping, buffers, ...) \
	.core_design = cores, IDENTITY(cpuid_family_, model, stepping), .packages = 1, \
	.llc_level = 3, \
	.l1i = CACHE(KIB(32u), 8), .l1d = __VA_ARGS__, \
	.llc_clocks = 34, .memory_clocks = 180, .write_clocks = 60, .fill_buffers = buffers
#define L1D_32K { .bytes = KIB(32u), .ways = 8, .line = 64 }
#define L1D_48K { .bytes = KIB(48u), .ways = 12, .line = 64 }
/* P cores as the later clients' and clusters of four E cores, which share an L2. Alder Lake's sizes
 * are from 248966, chapters on Golden Cove and Gracemont, others' from Intel's product pages. */
#define HYBRID(prefix_, least, most, e_least, e_most) \
	.prefix = prefix_, .cores_min = least, .cores_max = most, \
	.little_min = e_least, .little_max = e_most, .llc_slice_bytes = KIB(3072u)
#define P_E_T(prefix) .pattern = prefix "-<P>p<E>e<T>t", .forms = "pet"
#define HYBRID_BASE(cores, model, stepping, native, l2_bytes, l2_ways, e_l2_bytes) \
	HYBRID_BASE_OF(6, cores, model, stepping, native, l2_bytes, l2_ways, e_l2_bytes)
#define HYBRID_BASE_OF(cpuid_family_, cores, model, stepping, native_, l2_bytes, l2_ways, \
		       e_l2_bytes) \
	CLIENT_OF(cpuid_family_, cores, model, stepping, 16, L1D_48K), .smt_adjacent = 1, \
	.memory_boxes = 2, \
	.l2 = CACHE(l2_bytes, l2_ways), LLC_WAYS(12), \
	.little = { .cluster = 4, .native = native_, .l1i = CACHE(KIB(64u), 8), .l1d = L1D_32K, \
		    .l2 = CACHE(e_l2_bytes, 16) }
#define LLC_WAYS(ways_) .llc = { .ways = ways_, .line = 64 }

const struct vpmu_family_row vpmu_families[] = {
	{
		/* Sizes: Intel optimisation manual 248966, chapter on Skylake client. */
		CORES("skl", VPMU_CPUS_MAX),
		.meaning = "C cores, T = C or 2C threads, at most 512",
		.examples = "skl-4c8t, skl-4c4t, skl-2c4t",
		.brand = "Skylake client", .qemu_cpu = SKL_QEMU_CPU,
		.llc_slice_bytes = KIB(2048u),
		.base = {
			CLIENT(VPMU_SKYLAKE_CORES, 0x5e, 3, L1D_32K, 10),
			.l2 = CACHE(KIB(256u), 4), LLC_WAYS(16),
		},
	}, {
		/* The i9-10900K, which is the largest: ten cores or none. */
		.prefix = "cml",
		.pattern = "cml-10c<T>t",
		.meaning = "10 cores, T = 10 or 20 threads",
		.examples = "cml-10c20t, cml-10c10t",
		.brand = "10-core Comet Lake",
		.qemu_cpu = SKL_QEMU_CPU ",model=165,stepping=5",
		.forms = "ct",
		.cores_min = 10, .cores_max = 10,
		.threads_allowed = 1u << 1 | 1u << 2,
		.slices_max = 10, .llc_slice_bytes = KIB(2048u),
		.base = {
			CLIENT(VPMU_SKYLAKE_CORES, 0xa5, 5, L1D_32K, 10),
			.l2 = CACHE(KIB(256u), 4), LLC_WAYS(16),
		},
	}, {
		/* Sizes, of the client generations before Skylake: 248966. */
		EIGHT("snb"), .examples = "snb-4c8t, snb-2c4t",
		.brand = "Sandy Bridge", .qemu_cpu = SNB_QEMU_CPU,
		.llc_slice_bytes = KIB(2048u), .slices_max = 4,
		.base = {
			CLIENT(VPMU_OLD_CORES, 0x2a, 7, L1D_32K, 10),
			.l2 = CACHE(KIB(256u), 8), LLC_WAYS(16),
		},
	}, {
		EIGHT("ivb"), .examples = "ivb-4c8t, ivb-2c4t",
		.brand = "Ivy Bridge", .qemu_cpu = IVB_QEMU_CPU,
		.llc_slice_bytes = KIB(2048u), .slices_max = 4,
		.base = {
			CLIENT(VPMU_OLD_CORES, 0x3a, 9, L1D_32K, 10),
			.l2 = CACHE(KIB(256u), 8), LLC_WAYS(16),
		},
	}, {
		EIGHT("hsw"), .examples = "hsw-4c8t, hsw-2c4t",
		.brand = "Haswell client", .qemu_cpu = HSW_QEMU_CPU,
		.llc_slice_bytes = KIB(2048u), .slices_max = 4,
		.base = {
			CLIENT(VPMU_OLD_CORES, 0x3c, 3, L1D_32K, 10),
			.l2 = CACHE(KIB(256u), 8), LLC_WAYS(16),
		},
	}, {
		EIGHT("bdw"), .examples = "bdw-4c8t, bdw-2c4t",
		.brand = "Broadwell client", .qemu_cpu = BDW_QEMU_CPU,
		.llc_slice_bytes = KIB(1536u), .slices_max = 4,
		.base = {
			CLIENT(VPMU_OLD_CORES, 0x47, 1, L1D_32K, 10),
			.l2 = CACHE(KIB(256u), 8), LLC_WAYS(16),
		},
	}, {
		/* Sizes: 248966, chapters on Sunny Cove and Willow Cove. */
		EIGHT("icl"), .examples = "icl-4c8t, icl-2c4t",
		.brand = "Ice Lake client", .qemu_cpu = ICL_QEMU_CPU ",model=126,stepping=5",
		.llc_slice_bytes = KIB(2048u),
		.base = {
			CLIENT(VPMU_SUNNY_COVE, 0x7e, 5, L1D_48K, 12),
			.l2 = CACHE(KIB(512u), 8), LLC_WAYS(16),
		},
	}, {
		EIGHT("tgl"), .examples = "tgl-4c8t, tgl-2c4t",
		.brand = "Tiger Lake U", .qemu_cpu = ICL_QEMU_CPU ",model=140,stepping=1",
		.llc_slice_bytes = KIB(3072u),
		.base = {
			CLIENT(VPMU_SUNNY_COVE, 0x8c, 1, L1D_48K, 12),
			.l2 = CACHE(KIB(1280u), 20), LLC_WAYS(12),
		},
	}, {
		EIGHT("tglh"), .examples = "tglh-8c16t",
		.brand = "Tiger Lake H", .qemu_cpu = ICL_QEMU_CPU ",model=141,stepping=1",
		.llc_slice_bytes = KIB(3072u),
		.base = {
			CLIENT(VPMU_SUNNY_COVE, 0x8d, 1, L1D_48K, 12),
			.l2 = CACHE(KIB(1280u), 20), LLC_WAYS(12),
		},
	}, {
		EIGHT("rkl"), .examples = "rkl-8c16t, rkl-6c12t",
		.brand = "Rocket Lake", .qemu_cpu = ICL_QEMU_CPU ",model=167,stepping=1",
		.llc_slice_bytes = KIB(2048u),
		.base = {
			CLIENT(VPMU_SUNNY_COVE, 0xa7, 1, L1D_48K, 12),
			.l2 = CACHE(KIB(512u), 8), LLC_WAYS(16),
		},
	}, {
		HYBRID("adl", 1, 8, 4, 8), P_E_T("adl"), .slices_max = 10,
		.meaning = "P cores, at most 8, 4 or 8 E cores, T = P + E or 2P + E threads",
		.examples = "adl-8p8e24t, adl-6p4e16t", .brand = "Alder Lake",
		.qemu_cpu = ICL_QEMU_CPU ",model=151,stepping=2",
		.threads_allowed = 1u << 1 | 1u << 2,
		.base = {
			HYBRID_BASE(VPMU_GOLDEN_COVE, 0x97, 2, 1, KIB(1280u), 10, KIB(2048u)),
		},
	}, {
		HYBRID("rpl", 1, 8, 4, 16), P_E_T("rpl"), .slices_max = 12,
		.meaning = "P cores, at most 8, 4 to 16 E cores, T = P + E or 2P + E threads",
		.examples = "rpl-8p16e32t", .brand = "Raptor Lake",
		.qemu_cpu = ICL_QEMU_CPU ",model=183,stepping=1",
		.threads_allowed = 1u << 1 | 1u << 2,
		.base = {
			HYBRID_BASE(VPMU_GOLDEN_COVE, 0xb7, 1, 1, KIB(2048u), 16, KIB(4096u)),
		},
	}, {
		HYBRID("adln", 0, 0, 4, 8), .slices_max = 2,
		.pattern = "adln-<E>e<T>t", .forms = "et",
		.meaning = "4 or 8 E cores, T = E threads",
		.examples = "adln-8e8t, adln-4e4t", .brand = "Alder Lake-N",
		.qemu_cpu = ICL_QEMU_CPU ",model=190,stepping=1",
		.threads_allowed = 1u << 1,
		.base = {
			HYBRID_BASE(VPMU_GOLDEN_COVE, 0xbe, 1, 1, KIB(1280u), 10, KIB(2048u)),
		},
	}, {
		HYBRID("mtl", 1, 6, 4, 8), .low = 2, .slices_max = 8,
		.pattern = "mtl-<P>p<E>e2lp<T>t", .forms = "pelt",
		.meaning = "P cores, at most 6, 4 or 8 E cores, 2 E cores of the SoC tile, "
			   "T = P + E + 2 or 2P + E + 2 threads",
		.examples = "mtl-6p8e2lp22t", .brand = "Meteor Lake",
		.qemu_cpu = ICL_QEMU_CPU ",model=170,stepping=4",
		.threads_allowed = 1u << 1 | 1u << 2,
		.base = {
			HYBRID_BASE(VPMU_REDWOOD_COVE, 0xaa, 4, 2, KIB(2048u), 16, KIB(2048u)),
		},
	}, {
		HYBRID("arl", 1, 8, 4, 16), P_E_T("arl"), .slices_max = 12,
		.meaning = "P cores, at most 8, 4 to 16 E cores, T = P + E threads",
		.examples = "arl-8p16e24t", .brand = "Arrow Lake",
		.qemu_cpu = ICL_QEMU_CPU ",model=198,stepping=2",
		.threads_allowed = 1u << 1,
		.base = {
			HYBRID_BASE(VPMU_LION_COVE, 0xc6, 2, 3, KIB(3072u), 12, KIB(4096u)),
		},
	}, {
		/* Only the P cores are behind the LLC. */
		HYBRID("lnl", 4, 4, 4, 4), P_E_T("lnl"), .slices = 4, .slices_max = 4,
		.away = 4,
		.meaning = "4 P cores, 4 E cores, 8 threads",
		.examples = "lnl-4p4e8t", .brand = "Lunar Lake",
		.qemu_cpu = ICL_QEMU_CPU ",model=189,stepping=1",
		.threads_allowed = 1u << 1,
		.base = {
			HYBRID_BASE(VPMU_LION_COVE, 0xbd, 1, 3, KIB(2560u), 10, KIB(4096u)),
		},
	}, {
		/* The largest part. Of its sizes only the numbers of cores are Intel's; the caches
		 * and the cores' PMUs are Lunar Lake's as a stand-in, and so are those below. */
		HYBRID("ptl", 4, 4, 8, 8), .low = 4, .slices = 6, .slices_max = 6,
		.pattern = "ptl-<P>p<E>e4lp<T>t", .forms = "pelt",
		.meaning = "4 P cores, 8 E cores, 4 low-power E cores, 16 threads",
		.examples = "ptl-4p8e4lp16t", .brand = "Panther Lake",
		.qemu_cpu = ICL_QEMU_CPU ",model=204,stepping=2",
		.threads_allowed = 1u << 1,
		.base = {
			HYBRID_BASE(VPMU_LION_COVE, 0xcc, 2, 4, KIB(2560u), 10, KIB(4096u)),
		},
	}, {
		/* The numbers of cores and the size of the LLC are from the press, and the rest is
		 * Panther Lake's as a stand-in. */
		HYBRID("wcl", 2, 2, 0, 0), .low = 4, .slices = 2, .slices_max = 2,
		.pattern = "wcl-<P>p4lp<T>t", .forms = "plt",
		.meaning = "2 P cores, 4 low-power E cores, 6 threads",
		.examples = "wcl-2p4lp6t", .brand = "Wildcat Lake",
		.qemu_cpu = ICL_QEMU_CPU ",model=213,stepping=2",
		.threads_allowed = 1u << 1,
		.base = {
			HYBRID_BASE(VPMU_LION_COVE, 0xd5, 2, 4, KIB(2560u), 10, KIB(4096u)),
		},
	}, {
		/* A compute tile: as many cores as the twelve slices of Linux have room for. */
		HYBRID("nvl", 8, 8, 16, 16), .low = 4, .slices = 12, .slices_max = 12,
		.pattern = "nvl-<P>p<E>e4lp<T>t", .forms = "pelt",
		.meaning = "8 P cores, 16 E cores, 4 low-power E cores, 28 threads",
		.examples = "nvl-8p16e4lp28t", .brand = "Nova Lake",
		.qemu_cpu = ICL_QEMU_CPU ",family=18,model=1,stepping=0",
		.threads_allowed = 1u << 1,
		.base = {
			HYBRID_BASE_OF(18, VPMU_LION_COVE, 1, 0, 5, KIB(2560u), 10, KIB(4096u)),
		},
	}, {
		/* Sizes: Intel Xeon Phi Coprocessor System Software Developers Guide. The tag
		 * directories of the ring are one directory that has room for twice the L2s. */
		.prefix = "knc",
		.pattern = "knc-<C>c<T>t",
		.meaning = "C cores, 1 to 61, T = 4C threads",
		.examples = "knc-60c240t, knc-4c16t",
		.brand = "Knights Corner",
		.qemu_cpu = "qemu64,vendor=GenuineIntel,family=11,model=1" QEMU64_WITHOUT,
		.forms = "ct",
		.cores_min = 1, .cores_max = 61,
		.threads_allowed = 1u << 4,
		.llc_core_bytes = 1u << 20,
		.base = {
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
		.brand = "Core 2",
		.qemu_cpu = "core2duo,-hypervisor",
		.forms = "c",
		.cores_fixed = 2,
		.threads_allowed = 1u << 1,
		.slices = 1, .llc_slice_bytes = 4u << 20,
		.base = {
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
		.brand = "Xeon 7500",
		.qemu_cpu = "Nehalem,model=46,stepping=6,-hypervisor,rdtscp=on",
		.forms = "pct",
		.cores_min = 1, .cores_max = 8,
		.threads_allowed = 1u << 1 | 1u << 2,
		.slices = 8, .llc_slice_bytes = 3u << 20,
		.base = {
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
		.brand = "Pentium 4",
		.qemu_cpu = "qemu64,vendor=GenuineIntel,family=15,model=4" QEMU64_WITHOUT,
		.forms = "ct pt",
		.cores_min = 1, .cores_max = 1,
		.threads_allowed = 1u << 1 | 1u << 2,
		.slices = 1, .llc_slice_bytes = 1u << 20,
		.base = {
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

const uint32_t vpmu_family_count = sizeof(vpmu_families) / sizeof(vpmu_families[0]);
