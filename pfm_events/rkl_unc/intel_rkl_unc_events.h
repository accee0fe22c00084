/* SPDX-License-Identifier: MIT */
/*
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * PMU: rkl_unc (Intel Rocket Lake client uncore)
 *
 * Names, codes, unit masks and counters are those of the event files that Intel
 * publishes for this processor (perfmon RKL 1.04), which have no C-box event;
 * what those lack is known from Linux and PCM, and says so.
 */

static const intel_x86_umask_t rkl_unc_arb_trk_requests[]={
  { .uname  = "ALL",
    .udesc  = "Outgoing tracker entries allocated, coherent or not",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
  { .uname  = "RD",
    .udesc  = "Coherent data-read entries allocated; no prefetches",
    .ucode  = 0x200,
    .uflags = INTEL_X86_NCOMBO,
  },
};

static const intel_x86_umask_t rkl_unc_arb_coh_trk_requests[]={
  { .uname  = "ALL",
    .udesc  = "Coherency-tracker entries allocated, any type",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

static const intel_x86_umask_t rkl_unc_arb_req_trk_occupancy[]={
  { .uname  = "DRD",
    .udesc  = "Same encoding as TRK_OCCUPANCY.RD",
    .ucode  = 0x200,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

static const intel_x86_umask_t rkl_unc_arb_dat_occupancy[]={
  { .uname  = "ALL",
    .udesc  = "Sum over clocks of coherent core requests waiting at the memory controller",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
  { .uname  = "RD",
    .udesc  = "Sum over clocks of coherent core reads waiting for data from memory",
    .ucode  = 0x200,
    .uflags = INTEL_X86_NCOMBO,
  },
};

static const intel_x86_umask_t rkl_unc_arb_trk_occupancy[]={
  { .uname  = "RD",
    .udesc  = "Sum over clocks of coherent data-read entries; no prefetches",
    .ucode  = 0x200,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "ALL",
    .udesc  = "Sum over clocks of valid entries in the outgoing request tracker",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

static const intel_x86_entry_t intel_rkl_unc_arb_pe[]={
  { .name    = "UNC_ARB_TRK_REQUESTS",
    .desc    = "Entries allocated in the arbiter's tracker",
    .code    = 0x81,
    .cntmsk  = 0x2, /* counter 1 only */
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(rkl_unc_arb_trk_requests),
    .umasks  = rkl_unc_arb_trk_requests,
  },
  { .name    = "UNC_ARB_COH_TRK_REQUESTS",
    .desc    = "Entries allocated in the arbiter's tracker for coherent requests",
    .code    = 0x84,
    .cntmsk  = 0x2, /* counter 1 only */
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(rkl_unc_arb_coh_trk_requests),
    .umasks  = rkl_unc_arb_coh_trk_requests,
  },
  { .name    = "UNC_ARB_REQ_TRK_OCCUPANCY",
    .desc    = "Data-read entries held in the arbiter's tracker (other name of UNC_ARB_TRK_OCCUPANCY:RD)",
    .code    = 0x280, /* with the unit mask: 0x80 is UNC_ARB_TRK_OCCUPANCY */
    .cntmsk  = 0x1, /* counter 0 only */
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(rkl_unc_arb_req_trk_occupancy),
    .umasks  = rkl_unc_arb_req_trk_occupancy,
  },
  { .name    = "UNC_ARB_DAT_OCCUPANCY",
    .desc    = "Coherent requests of the cores waiting for data, added up each clock",
    .code    = 0x85,
    .cntmsk  = 0x1, /* counter 0 only */
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(rkl_unc_arb_dat_occupancy),
    .umasks  = rkl_unc_arb_dat_occupancy,
  },
  { .name    = "UNC_ARB_TRK_OCCUPANCY",
    .desc    = "Entries held in the arbiter's tracker, added up each clock",
    .code    = 0x80,
    .cntmsk  = 0x1, /* counter 0 only */
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(rkl_unc_arb_trk_occupancy),
    .umasks  = rkl_unc_arb_trk_occupancy,
  },
};

static const intel_x86_umask_t rkl_unc_clock[]={
  { .uname  = "SOCKET",
    .udesc  = "Uncore clocks of the package",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

/* code and unit mask are a label; the counter has no event select */
static const intel_x86_entry_t intel_rkl_unc_clk_pe[]={
  { .name    = "UNC_CLOCK",
    .desc    = "Uncore clocks, on the 48-bit fixed counter",
    .code    = 0x00,
    .cntmsk  = 1ULL << 32,
    .flags   = INTEL_X86_FIXED,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(rkl_unc_clock),
    .umasks  = rkl_unc_clock,
  },
};

/* free-running, nothing to select: the code is the counter's offset from the BAR */
static const intel_x86_entry_t intel_rkl_unc_imc_pe[]={
  { .name   = "DRAM_GT_REQUESTS",
    .desc   = "Read and write requests of the graphics engine; not documented by Intel",
    .code   = 0x5040,
    .cntmsk = 1ULL << 32,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "DRAM_IA_REQUESTS",
    .desc   = "Read and write requests of the cores; not documented by Intel",
    .code   = 0x5044,
    .cntmsk = 1ULL << 33,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "DRAM_IO_REQUESTS",
    .desc   = "Read and write requests of I/O agents; not documented by Intel",
    .code   = 0x5048,
    .cntmsk = 1ULL << 34,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "DRAM_DATA_READS",
    .desc   = "Read CAS commands, 64 bytes each, all channels; not documented by Intel",
    .code   = 0x5050,
    .cntmsk = 1ULL << 35,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "DRAM_DATA_WRITES",
    .desc   = "Write CAS commands, 64 bytes each, all channels; not documented by Intel",
    .code   = 0x5054,
    .cntmsk = 1ULL << 36,
    .flags  = INTEL_X86_FIXED,
  },
};
