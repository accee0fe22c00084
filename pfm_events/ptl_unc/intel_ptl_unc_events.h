/* SPDX-License-Identifier: MIT */
/*
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * PMU: ptl_unc (Intel Panther Lake uncore)
 *
 * The memory controllers have the events of Lunar Lake, by name, code and counters
 * (perfmon PTL 1.07); the clock's register is known from Linux.
 */
static const intel_x86_umask_t ptl_unc_clock[]={
  { .uname = "SOCKET",
    .udesc = "Uncore clocks of the package",
    .ucode = 0x100,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

static const intel_x86_entry_t intel_ptl_unc_clk_pe[]={
  { .name    = "UNC_CLOCK",
    .desc    = "Uncore clocks, on the 48-bit fixed counter",
    .code    = 0x00,
    .cntmsk  = 1ULL << 32,
    .flags   = INTEL_X86_FIXED,
    .ngrp    = 1,
    .numasks = LIBPFM_ARRAY_SIZE(ptl_unc_clock),
    .umasks  = ptl_unc_clock,
  },
};
