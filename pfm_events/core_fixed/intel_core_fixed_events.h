/* SPDX-License-Identifier: MIT */
/*
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * PMU: core_fixed (Intel Core 2 fixed counters)
 *
 * Names: Intel SDM 325384-059, Table 18-8. A fixed counter has no event code;
 * the codes are those by which kernels and this library know the events: 0x00c0
 * and 0x003c, as on the general counters, and 0x0300, which is on none.
 */

static const intel_x86_umask_t core_fixed_inst_retired[]={
  { .uname  = "ANY",
    .udesc  = "Instructions retired, on fixed counter 0",
    .ucode  = 0x0,
    .uflags = INTEL_X86_NCOMBO | INTEL_X86_DFL,
  },
};

static const intel_x86_umask_t core_fixed_cpu_clk_unhalted[]={
  { .uname   = "CORE",
    .udesc   = "Clocks of the core while it is not halted, on fixed counter 1",
    .ucode   = 0x003c,
    .ucntmsk = 0x200000000ull,
    .uflags  = INTEL_X86_NCOMBO | INTEL_X86_CODE_OVERRIDE,
  },
  { .uname   = "REF",
    .udesc   = "Clocks at the reference rate while the core is not halted, on fixed counter 2",
    .ucode   = 0x0300,
    .ucntmsk = 0x400000000ull,
    .uflags  = INTEL_X86_NCOMBO | INTEL_X86_CODE_OVERRIDE,
  },
};

static const intel_x86_entry_t intel_core_fixed_pe[]={
  { .name   = "INST_RETIRED",
    .desc   = "Instructions retired",
    .code   = 0xc0,
    .cntmsk = 0x100000000ull,
    .modmsk = INTEL_FIXED2_ATTRS,
    .ngrp   = 1,
    .numasks = LIBPFM_ARRAY_SIZE(core_fixed_inst_retired),
    .umasks  = core_fixed_inst_retired,
  },
  { .name   = "CPU_CLK_UNHALTED",
    .desc   = "Clocks while the core is not halted",
    .code   = 0x3c,
    .cntmsk = 0x600000000ull,
    .modmsk = INTEL_FIXED2_ATTRS,
    .ngrp   = 1,
    .numasks = LIBPFM_ARRAY_SIZE(core_fixed_cpu_clk_unhalted),
    .umasks  = core_fixed_cpu_clk_unhalted,
  },
  { .name   = "UNHALTED_REFERENCE_CYCLES",
    .desc   = "Name of CPU_CLK_UNHALTED:REF in the table of the core PMU",
    .code   = 0x0300,
    .equiv  = "CPU_CLK_UNHALTED:REF",
    .cntmsk = 0x400000000ull,
    .modmsk = INTEL_FIXED2_ATTRS,
  },
};
