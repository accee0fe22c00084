/* SPDX-License-Identifier: MIT */
/* The families in the order in which they are tried, for a macro FAMILY(name). No include guard:
 * families.h and families.c expand the list differently. Each entry stands on a line of its own,
 * because add-to-papi --families removes lines. */
FAMILY(cml_client_uncore)	/* before Skylake, with which it shares a model */
FAMILY(skl_client_uncore)
FAMILY(snb_client_uncore)
FAMILY(ivb_client_uncore)
FAMILY(hsw_client_uncore)
FAMILY(bdw_client_uncore)
FAMILY(icl_client_uncore)
FAMILY(tgl_client_uncore)
FAMILY(tglh_client_uncore)
FAMILY(rkl_client_uncore)
FAMILY(adl_client_uncore)
FAMILY(mtl_client_uncore)
FAMILY(arl_client_uncore)
FAMILY(lnl_client_uncore)
FAMILY(ptl_client_uncore)
FAMILY(nvl_client_uncore)
FAMILY(knc)
FAMILY(nehalem_ex)
FAMILY(westmere_ex)
FAMILY(netburst)
FAMILY(netburst_p)
FAMILY(core2)
FAMILY(skl_core)
FAMILY(arch_core)	/* last: takes what no other family of its scope takes */
