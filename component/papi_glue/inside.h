/* SPDX-License-Identifier: MIT */
/* Shared by the files of the glue. */
#ifndef PAPI_GLUE_INSIDE_H
#define PAPI_GLUE_INSIDE_H

#include "glue.h"

#define INFO(g) ((g)->vector->cmp_info)

/* PAPI's code for a negative errno. */
int glue_papi_code(int rc);
/* Tell the user why, once, where PAPI's messages are wanted; returns PAPI's code. */
int glue_report(struct glue *g, int rc, const char *why);
/* Touch the registers now, if that has not been done. PAPI_OK, or why the component is disabled. */
int glue_initialize(struct glue *g);

#endif
