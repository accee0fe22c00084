/* SPDX-License-Identifier: MIT */
/*
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * PMU: skl_unc (Intel Skylake client uncore)
 *
 * Names, codes, unit masks and counters are those of Intel 334060-001 (April
 * 2016): Table 3-1 (C-box), Table 3-2 (arbiter, clock), Table 3-3 (DRAM). The
 * DATA_READ rows and the threshold of CYCLES_WITH_ANY_REQUEST are from the
 * event file that Intel publishes for this processor.
 *
 * The manual lists whole unit mask values only, hence one NCOMBO row for each.
 */

#define SKL_UNC_ATTRS	(_INTEL_X86_ATTR_E | _INTEL_X86_ATTR_I | _INTEL_X86_ATTR_C)

static const intel_x86_umask_t skl_unc_cbo_xsnp_response[]={
  { .uname  = "MISS_XCORE",
    .udesc  = "Snoops sent for a core request that missed in a core",
    .ucode  = 0x4100,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "MISS_EVICTION",
    .udesc  = "Snoops sent for an LLC eviction that missed in a core",
    .ucode  = 0x8100,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "HIT_XCORE",
    .udesc  = "Snoops sent for a core request that hit a clean line in a core",
    .ucode  = 0x4400,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "HITM_XCORE",
    .udesc  = "Snoops sent for a core request that hit a modified line in a core",
    .ucode  = 0x4800,
    .uflags = INTEL_X86_NCOMBO,
  },
};

static const intel_x86_umask_t skl_unc_cbo_cache_lookup[]={
  { .uname  = "WRITE_M",
    .udesc  = "LLC writes finding the line in M",
    .ucode  = 0x2100,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "ANY_M",
    .udesc  = "LLC lookups of any kind finding M",
    .ucode  = 0x8100,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "READ_I",
    .udesc  = "LLC reads finding I (misses)",
    .ucode  = 0x1800,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "ANY_I",
    .udesc  = "LLC lookups of any kind finding I (misses)",
    .ucode  = 0x8800,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "READ_MESI",
    .udesc  = "LLC reads, any state",
    .ucode  = 0x1f00,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "WRITE_MESI",
    .udesc  = "LLC writes, any state",
    .ucode  = 0x2f00,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "ANY_MESI",
    .udesc  = "All LLC lookups",
    .ucode  = 0x8f00,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
  { .uname  = "ANY_ES",
    .udesc  = "LLC lookups of any kind finding E or S",
    .ucode  = 0x8600,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "READ_ES",
    .udesc  = "LLC reads finding E or S",
    .ucode  = 0x1600,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "WRITE_ES",
    .udesc  = "LLC writes finding E or S",
    .ucode  = 0x2600,
    .uflags = INTEL_X86_NCOMBO,
  },
};

static const intel_x86_entry_t intel_skl_unc_cbo_pe[]={
  { .name    = "UNC_CBO_XSNP_RESPONSE",
    .desc    = "Answers of the cores to the snoops of this slice",
    .code    = 0x22,
    .cntmsk  = 0x3,
    .modmsk  = SKL_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(skl_unc_cbo_xsnp_response),
    .umasks  = skl_unc_cbo_xsnp_response,
  },
  { .name    = "UNC_CBO_CACHE_LOOKUP",
    .desc    = "LLC lookups in this slice, by kind of request and state found",
    .code    = 0x34,
    .cntmsk  = 0x3,
    .modmsk  = SKL_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(skl_unc_cbo_cache_lookup),
    .umasks  = skl_unc_cbo_cache_lookup,
  },
};

static const intel_x86_umask_t skl_unc_arb_trk_occupancy[]={
  { .uname  = "ALL",
    .udesc  = "Sum over clocks of valid outgoing tracker entries of the cores",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
  { .uname  = "CYCLES_WITH_ANY_REQUEST",
    .udesc  = "Clocks with one or more requests waiting for memory (cores, GT, LLC)",
    .ucode  = 0x100 | (0x1 << INTEL_X86_CMASK_BIT), /* threshold 1 */
    .modhw  = _INTEL_X86_ATTR_C,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "DATA_READ",
    .udesc  = "Sum over clocks of outstanding data-read entries",
    .ucode  = 0x200,
    .uflags = INTEL_X86_NCOMBO,
  },
};

static const intel_x86_umask_t skl_unc_arb_trk_requests[]={
  { .uname  = "ALL",
    .udesc  = "Outgoing tracker entries allocated, coherent or not",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
  { .uname  = "WRITES",
    .udesc  = "Write entries allocated: full, partial, evictions",
    .ucode  = 0x2000,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "DATA_READ",
    .udesc  = "Data-read entries allocated",
    .ucode  = 0x200,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "DRD_DIRECT",
    .udesc  = "Data-read entries allocated (other name of DATA_READ)",
    .ucode  = 0x200,
    .uequiv = "DATA_READ",
    .uflags = INTEL_X86_NCOMBO,
  },
};

static const intel_x86_umask_t skl_unc_arb_coh_trk_requests[]={
  { .uname  = "ALL",
    .udesc  = "Coherent tracker entries allocated, any type",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

static const intel_x86_entry_t intel_skl_unc_arb_pe[]={
  { .name    = "UNC_ARB_TRK_OCCUPANCY",
    .desc    = "Entries held in the arbiter's tracker, added up each clock",
    .code    = 0x80,
    .cntmsk  = 0x1, /* counter 0 only */
    .modmsk  = SKL_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(skl_unc_arb_trk_occupancy),
    .umasks  = skl_unc_arb_trk_occupancy,
  },
  { .name    = "UNC_ARB_TRK_REQUESTS",
    .desc    = "Entries allocated in the arbiter's tracker",
    .code    = 0x81,
    .cntmsk  = 0x3,
    .modmsk  = SKL_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(skl_unc_arb_trk_requests),
    .umasks  = skl_unc_arb_trk_requests,
  },
  { .name    = "UNC_ARB_COH_TRK_REQUESTS",
    .desc    = "Entries allocated in the arbiter's tracker for coherent requests",
    .code    = 0x84,
    .cntmsk  = 0x3,
    .modmsk  = SKL_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(skl_unc_arb_coh_trk_requests),
    .umasks  = skl_unc_arb_coh_trk_requests,
  },
};

static const intel_x86_umask_t skl_unc_clock[]={
  { .uname  = "SOCKET",
    .udesc  = "Uncore clocks of the package",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

/* code and unit mask are the manual's label; the counter has no event select */
static const intel_x86_entry_t intel_skl_unc_clk_pe[]={
  { .name    = "UNC_CLOCK",
    .desc    = "Uncore clocks, on the 48-bit fixed counter",
    .code    = 0x00,
    .cntmsk  = 1ULL << 32,
    .flags   = INTEL_X86_FIXED,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(skl_unc_clock),
    .umasks  = skl_unc_clock,
  },
};

/* free-running, nothing to select: the code is the counter's offset from the BAR */
static const intel_x86_entry_t intel_skl_unc_imc_pe[]={
  { .name   = "DRAM_GT_REQUESTS",
    .desc   = "Read and write requests of the graphics engine; partial writes to a line merge, so requests x 64 bytes is more than was transferred",
    .code   = 0x5040,
    .cntmsk = 1ULL << 32,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "DRAM_IA_REQUESTS",
    .desc   = "Read and write requests of the cores, hardware prefetch included; partial writes to a line merge, so requests x 64 bytes is more than was transferred",
    .code   = 0x5044,
    .cntmsk = 1ULL << 33,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "DRAM_IO_REQUESTS",
    .desc   = "Read and write requests of I/O agents (PCIe, display, USB audio); partial writes to a line merge, so requests x 64 bytes is more than was transferred",
    .code   = 0x5048,
    .cntmsk = 1ULL << 34,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "DRAM_DATA_READS",
    .desc   = "Read CAS commands, 64 bytes each, all channels: for bandwidth",
    .code   = 0x5050,
    .cntmsk = 1ULL << 35,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "DRAM_DATA_WRITES",
    .desc   = "Write CAS commands, 64 bytes each, all channels: for bandwidth",
    .code   = 0x5054,
    .cntmsk = 1ULL << 36,
    .flags  = INTEL_X86_FIXED,
  },
};
