/* SPDX-License-Identifier: MIT */
/*
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * PMU: adl_unc_cbo, mtl_unc_cbo (C-boxes of Intel Alder Lake and Meteor Lake)
 *
 * The event files that Intel publishes for these processors (perfmon ADL 1.40,
 * MTL 1.22) have no C-box event. These two are from one source, not Intel.
 */

static const intel_x86_umask_t client_cbo_cache_lookup[]={
  { .uname  = "ANY_MESI",
    .udesc  = "All LLC lookups (one source, not Intel)",
    .ucode  = 0x8f00,
    .uflags = INTEL_X86_NCOMBO,
  },
  { .uname  = "ANY_I",
    .udesc  = "LLC lookups of any kind finding I (misses) (one source, not Intel)",
    .ucode  = 0x8800,
    .uflags = INTEL_X86_NCOMBO,
  },
};

static const intel_x86_entry_t intel_client_cbo_pe[]={
  { .name    = "UNC_CBO_CACHE_LOOKUP",
    .desc    = "Lookups in the slice of the last-level cache",
    .code    = 0x34,
    .cntmsk  = 0x3,
    .modmsk  = CLIENT_UNC_ATTRS,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(client_cbo_cache_lookup),
    .umasks  = client_cbo_cache_lookup,
  },
};
