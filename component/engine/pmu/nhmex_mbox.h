/* SPDX-License-Identifier: MIT */
/* M-Boxes of the Xeon 7500 and E7: the freeze of a package's whole uncore after N events, which is
 * the qualifier freeze=N of an event of theirs (nhmex_unc_mbox.BBOX_CMDS_ALL:freeze=1000). */
#ifndef IPMU_NHMEX_MBOX_H
#define IPMU_NHMEX_MBOX_H

#include "../access/access.h"

extern const struct ipmu_family ipmu_nehalem_ex, ipmu_westmere_ex;

/* Has a counter that a running session uses (p->active) frozen the uncore of this package? One
 * register read, more only if it stands still. 0 or a negative errno. */
int ipmu_nhmex_frozen(struct ipmu_regs *p, bool *frozen);

#endif
