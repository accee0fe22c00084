/* SPDX-License-Identifier: MIT */
/*
 * This file is part of libpfm, a performance monitoring support library for
 * applications on Linux.
 *
 * PMU: nvl_unc (Intel Nova Lake uncore)
 *
 * Names, codes and counters are those of the event file that Intel publishes for
 * this processor (perfmon NVL 1.00). The counters that always run are Lunar Lake's.
 */

/* the events with a unit mask of 0; the select has no enable bit */
static const intel_x86_entry_t intel_nvl_unc_imc_pe[]={
  { .name   = "UNC_M_CAS_COUNT_RD",
    .desc   = "Read CAS commands",
    .code   = 0x22,
    .cntmsk = 0x1f,
    .modmsk = _INTEL_X86_ATTR_E,
  },
  { .name   = "UNC_M_CAS_COUNT_WR",
    .desc   = "Write CAS commands",
    .code   = 0x23,
    .cntmsk = 0x1f,
    .modmsk = _INTEL_X86_ATTR_E,
  },
  { .name   = "UNC_M_RD_DATA",
    .desc   = "32-byte units read",
    .code   = 0x3a,
    .cntmsk = 0x1f,
    .modmsk = _INTEL_X86_ATTR_E,
  },
  { .name   = "UNC_M_WR_DATA",
    .desc   = "32-byte units written",
    .code   = 0x3b,
    .cntmsk = 0x1f,
    .modmsk = _INTEL_X86_ATTR_E,
  },
  { .name   = "UNC_M_TOTAL_DATA",
    .desc   = "32-byte units moved, both ways",
    .code   = 0x3c,
    .cntmsk = 0x1f,
    .modmsk = _INTEL_X86_ATTR_E,
  },
};
