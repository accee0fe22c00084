/* SPDX-License-Identifier: MIT */
/*
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * PMU: tgl_unc (Intel Tiger Lake client uncore)
 *
 * Names, codes, unit masks and counters are those of the event files that Intel
 * publishes for this processor (perfmon TGL 1.19), which have no C-box event;
 * what those lack is known from Linux and PCM, and says so.
 */

static const intel_x86_umask_t tgl_unc_arb_trk_requests[]={
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

static const intel_x86_umask_t tgl_unc_arb_coh_trk_requests[]={
  { .uname  = "ALL",
    .udesc  = "Coherency-tracker entries allocated, any type",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

static const intel_x86_umask_t tgl_unc_arb_trk_occupancy[]={
  { .uname  = "ALL",
    .udesc  = "Sum over clocks of valid entries in the outgoing request tracker",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
  { .uname  = "RD",
    .udesc  = "Sum over clocks of coherent data-read entries; no prefetches",
    .ucode  = 0x200,
    .uflags = INTEL_X86_NCOMBO,
  },
};

static const intel_x86_umask_t tgl_unc_arb_req_trk_occupancy[]={
  { .uname  = "DRD",
    .udesc  = "Same encoding as TRK_OCCUPANCY.RD",
    .ucode  = 0x200,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

static const intel_x86_umask_t tgl_unc_arb_req_trk_request[]={
  { .uname  = "DRD",
    .udesc  = "Same encoding as TRK_REQUESTS.RD",
    .ucode  = 0x200,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
  { .uname  = "RD",
    .udesc  = "Other name of DRD",
    .ucode  = 0x200,
    .uequiv = "DRD",
    .uflags = INTEL_X86_NCOMBO,
  },
};

static const intel_x86_umask_t tgl_unc_arb_ifa_occupancy[]={
  { .uname  = "ALL",
    .udesc  = "Old name of DAT_OCCUPANCY.ALL (deprecated)",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

static const intel_x86_umask_t tgl_unc_arb_dat_occupancy[]={
  { .uname  = "RD",
    .udesc  = "Sum over clocks of coherent core reads waiting for data from memory",
    .ucode  = 0x200,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "ALL",
    .udesc  = "Sum over clocks of coherent core requests waiting at the memory controller",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

static const intel_x86_umask_t tgl_unc_arb_dat_requests[]={
  { .uname  = "RD",
    .udesc  = "Old name of REQ_TRK_REQUEST.DRD (deprecated)",
    .ucode  = 0x200,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

static const intel_x86_entry_t intel_tgl_unc_arb_pe[]={
  { .name    = "UNC_ARB_TRK_REQUESTS",
    .desc    = "Entries allocated in the arbiter's tracker",
    .code    = 0x81,
    .cntmsk  = 0x3,
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(tgl_unc_arb_trk_requests),
    .umasks  = tgl_unc_arb_trk_requests,
  },
  { .name    = "UNC_ARB_COH_TRK_REQUESTS",
    .desc    = "Entries allocated in the arbiter's tracker for coherent requests",
    .code    = 0x84,
    .cntmsk  = 0x3,
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(tgl_unc_arb_coh_trk_requests),
    .umasks  = tgl_unc_arb_coh_trk_requests,
  },
  { .name    = "UNC_ARB_TRK_OCCUPANCY",
    .desc    = "Entries held in the arbiter's tracker, added up each clock",
    .code    = 0x80,
    .cntmsk  = 0x1, /* counter 0 only */
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(tgl_unc_arb_trk_occupancy),
    .umasks  = tgl_unc_arb_trk_occupancy,
  },
  { .name    = "UNC_ARB_REQ_TRK_OCCUPANCY",
    .desc    = "Data-read entries held in the arbiter's tracker (other name of UNC_ARB_TRK_OCCUPANCY:RD)",
    .code    = 0x280, /* with the unit mask: 0x80 is UNC_ARB_TRK_OCCUPANCY */
    .cntmsk  = 0x1, /* counter 0 only */
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(tgl_unc_arb_req_trk_occupancy),
    .umasks  = tgl_unc_arb_req_trk_occupancy,
  },
  { .name    = "UNC_ARB_REQ_TRK_REQUEST",
    .desc    = "Data-read entries allocated in the arbiter's tracker (other name of UNC_ARB_TRK_REQUESTS:RD)",
    .code    = 0x281, /* with the unit mask: 0x81 is UNC_ARB_TRK_REQUESTS */
    .cntmsk  = 0x3,
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(tgl_unc_arb_req_trk_request),
    .umasks  = tgl_unc_arb_req_trk_request,
  },
  { .name    = "UNC_ARB_IFA_OCCUPANCY",
    .desc    = "Coherent requests of the cores waiting for data (old name of UNC_ARB_DAT_OCCUPANCY)",
    .equiv   = "UNC_ARB_DAT_OCCUPANCY",
    .code    = 0x85,
    .cntmsk  = 0x1, /* counter 0 only */
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(tgl_unc_arb_ifa_occupancy),
    .umasks  = tgl_unc_arb_ifa_occupancy,
  },
  { .name    = "UNC_ARB_DAT_OCCUPANCY",
    .desc    = "Coherent requests of the cores waiting for data, added up each clock",
    .code    = 0x85,
    .cntmsk  = 0x1, /* counter 0 only */
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(tgl_unc_arb_dat_occupancy),
    .umasks  = tgl_unc_arb_dat_occupancy,
  },
  { .name    = "UNC_ARB_DAT_REQUESTS",
    .desc    = "Data-read entries allocated in the arbiter's tracker (old name of UNC_ARB_TRK_REQUESTS:RD)",
    .equiv   = "UNC_ARB_REQ_TRK_REQUEST",
    .code    = 0x281,
    .cntmsk  = 0x3,
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(tgl_unc_arb_dat_requests),
    .umasks  = tgl_unc_arb_dat_requests,
  },
};

static const intel_x86_umask_t tgl_unc_clock[]={
  { .uname  = "SOCKET",
    .udesc  = "Uncore clocks of the package",
    .ucode  = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

/* code and unit mask are a label; the counter has no event select */
static const intel_x86_entry_t intel_tgl_unc_clk_pe[]={
  { .name    = "UNC_CLOCK",
    .desc    = "Uncore clocks, on the 48-bit fixed counter",
    .code    = 0x00,
    .cntmsk  = 1ULL << 32,
    .flags   = INTEL_X86_FIXED,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(tgl_unc_clock),
    .umasks  = tgl_unc_clock,
  },
};

/* free-running, nothing to select: the code is the kernel's number, and bit 16 the controller */
static const intel_x86_entry_t intel_tgl_unc_imc_pe[]={
  { .name   = "UNC_MC0_TOTAL_REQCOUNT_FREERUN",
    .desc   = "Requests entering the controller, reads and writes",
    .code   = 0x10ff,
    .cntmsk = 1ULL << 32,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "UNC_MC0_RDCAS_COUNT_FREERUN",
    .desc   = "Read CAS commands, 64 bytes each, all channels of the controller",
    .code   = 0x20ff,
    .cntmsk = 1ULL << 33,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "UNC_MC0_WRCAS_COUNT_FREERUN",
    .desc   = "Write CAS commands, 64 bytes each, all channels of the controller",
    .code   = 0x30ff,
    .cntmsk = 1ULL << 34,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "UNC_MC1_TOTAL_REQCOUNT_FREERUN",
    .desc   = "Requests entering the controller, reads and writes",
    .code   = 0x110ff,
    .cntmsk = 1ULL << 35,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "UNC_MC1_RDCAS_COUNT_FREERUN",
    .desc   = "Read CAS commands, 64 bytes each, all channels of the controller",
    .code   = 0x120ff,
    .cntmsk = 1ULL << 36,
    .flags  = INTEL_X86_FIXED,
  },
  { .name   = "UNC_MC1_WRCAS_COUNT_FREERUN",
    .desc   = "Write CAS commands, 64 bytes each, all channels of the controller",
    .code   = 0x130ff,
    .cntmsk = 1ULL << 37,
    .flags  = INTEL_X86_FIXED,
  },
};
