/* SPDX-License-Identifier: MIT */
/* Shared by the files of the glue. */
#ifndef PAPI_GLUE_INSIDE_H
#define PAPI_GLUE_INSIDE_H

#include "glue.h"

#include <sched.h>

#define INFO(g) ((g)->vector->cmp_info)

/* Running set of a thread, or of a CPU to which it is attached. */
struct glue_running {
	struct ipmu_session *session;
	struct glue_running **where;	/* NULL: it is not */
	struct glue_running *next;	/* of those with CPUs */
	cpu_set_t *cpus;		/* where its thread may run and it counts, or NULL */
};

/* With by_affinity the set counts wherever its thread may run. Returns a CPU on which another
 * thread's set does so as well, once in a process, or -1. */
int glue_running_begin(hwd_context_t *ctx, struct glue_running *r, struct ipmu_session *session,
		       bool by_affinity);
void glue_running_end(struct glue_running *r);
void glue_running_forget(void);

/* PAPI's code for a negative errno. */
int glue_papi_code(int rc);
/* Report why, once: as one of PAPI's messages, if they are on, and in the component's
 * "disabled_reason". Returns PAPI's code. */
int glue_report(struct glue *g, int rc, const char *why);
void glue_set_reason(struct glue *g, const char *why);
void glue_forget_reason(struct glue *g);	/* of an earlier call */
/* The same for a register that was not restored, if there has been one. */
void glue_report_left(struct glue *g);
/* Touch the registers now, if that has not been done. PAPI_OK, or why the component is disabled. */
int glue_initialize(struct glue *g);

/* Options that a client has set on an event set, beside its events. */
struct glue_options {
	int cpu;	/* attached to it; -1: to none */
	int domain;
};

/* ---- presets.c */

/* Load the presets of the machine's PMUs, from PAPI's table. Without the component's lock. */
void glue_presets_load(struct glue *g);
/* The component whose presets the calling thread loads; NULL: none. PAPI requests the names of that
 * one's events from all components. */
const struct glue *glue_presets_loading(void);
/* Forget the presets of an earlier start of PAPI, which has freed what they point to. */
void glue_presets_forget(const struct glue *g);
/* While this thread loads presets: describe an event as PAPI's loader reads it, and return true. */
bool glue_presets_describe(const struct event_entry *e, PAPI_event_info_t *info);

/* ---- options.c */

void glue_options_default(const struct glue *g, struct glue_options *options);
/* The same in the engine's terms. -EINVAL: no such CPU for us, or a domain that cannot be had. */
int glue_options_frame(const struct glue *g, const struct glue_options *options,
		       struct ipmu_frame *frame, char *why);

/* ---- glue.c */

struct glue *glue_of(const hwd_control_state_t *ctl);
const struct glue_options *glue_options_of(const hwd_control_state_t *ctl);
/* Change them, with the events that the set has. PAPI's code; after a failure the old ones hold. */
int glue_options_change(hwd_control_state_t *ctl, const struct glue_options *options);

#endif
