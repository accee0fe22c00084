/* SPDX-License-Identifier: MIT */
/* Common part of intel_core and intel_uncore: a thin layer between PAPI and libintelpmu.
 *
 * Delayed initialization: registers are first touched when a client lists or adds an event. PAPI's
 * callbacks do not have their component as an argument; GLUE_COMPONENT writes the small functions
 * that do, and the vector. */
#ifndef PAPI_GLUE_H
#define PAPI_GLUE_H

#include "event_table.h"

#include "papi.h"
#include "papi_internal.h"
#include "papi_vector.h"

#define GLUE_EVENTS_MAX 64	/* in one event set; PAPI's overflow supports no more */
#define GLUE_CONTROL_STATE_BYTES 4096
#define GLUE_CONTEXT_BYTES 8

struct glue {
	papi_vector_t *vector;
	enum ipmu_scope scope;
	const char *description;
	const struct ipmu_topology *topology;	/* shared with the other component */
	struct ipmu_system *machine;
	struct event_table events;
	int lock_id;
	char last_why[IPMU_WHY_MAX];
	/* Names of PMUs that PAPI points to: those of any machine, as many as there is room for,
	 * and this machine's. */
	char pmus[PAPI_PMU_MAX][32], own[PAPI_PMU_MAX][32];
};

int glue_init_component(struct glue *g, int cidx);
int glue_shutdown_component(struct glue *g);
int glue_init_thread(hwd_context_t *ctx);
int glue_shutdown_thread(hwd_context_t *ctx);
int glue_init_control_state(struct glue *g, hwd_control_state_t *ctl);
int glue_update_control_state(hwd_control_state_t *ctl, NativeInfo_t *native, int count,
			      hwd_context_t *ctx);
int glue_cleanup_eventset(hwd_control_state_t *ctl);
int glue_start(hwd_context_t *ctx, hwd_control_state_t *ctl);
int glue_stop(hwd_context_t *ctx, hwd_control_state_t *ctl);
int glue_read(hwd_context_t *ctx, hwd_control_state_t *ctl, long long **counts, int flags);
int glue_reset(hwd_context_t *ctx, hwd_control_state_t *ctl);
void glue_dispatch_timer(struct glue *g, hwd_siginfo_t *info, void *context);
int glue_set_domain(hwd_control_state_t *ctl, int domain);
int glue_ctl(struct glue *g, hwd_context_t *ctx, int code, _papi_int_option_t *option);
int glue_enumerate(struct glue *g, unsigned int *code, int modifier);
int glue_name_to_code(struct glue *g, const char *name, unsigned int *code);
int glue_code_to_name(struct glue *g, unsigned int code, char *name, int len);
int glue_code_to_descr(struct glue *g, unsigned int code, char *descr, int len);
int glue_code_to_info(struct glue *g, unsigned int code, PAPI_event_info_t *info);

/* kernel_multiplex is set so that a request for multiplexing is passed on to this component and is
 * refused: PAPI's own needs a cycle counter in the same set. */
#define GLUE_COMPONENT(name_, scope_, granularity_, description_)				\
	papi_vector_t _##name_##_vector;							\
	static struct glue glue = { .vector = &_##name_##_vector, .scope = scope_,		\
				    .description = description_ };				\
	static int init_component(int cidx) { return glue_init_component(&glue, cidx); }	\
	static int shutdown_component(void) { return glue_shutdown_component(&glue); }		\
	static int init_control_state(hwd_control_state_t *ctl)					\
	{ return glue_init_control_state(&glue, ctl); }						\
	static int ctl(hwd_context_t *ctx, int code, _papi_int_option_t *option)		\
	{ return glue_ctl(&glue, ctx, code, option); }						\
	static void dispatch_timer(int signal, hwd_siginfo_t *info, void *context)		\
	{ (void)signal; glue_dispatch_timer(&glue, info, context); }				\
	static int enumerate(unsigned int *code, int modifier)					\
	{ return glue_enumerate(&glue, code, modifier); }					\
	static int name_to_code(const char *name, unsigned int *code)				\
	{ return glue_name_to_code(&glue, name, code); }					\
	static int code_to_name(unsigned int code, char *name, int len)				\
	{ return glue_code_to_name(&glue, code, name, len); }					\
	static int code_to_descr(unsigned int code, char *descr, int len)			\
	{ return glue_code_to_descr(&glue, code, descr, len); }					\
	static int code_to_info(unsigned int code, PAPI_event_info_t *info)			\
	{ return glue_code_to_info(&glue, code, info); }					\
	papi_vector_t _##name_##_vector = {							\
		.cmp_info = {									\
			.name = #name_, .short_name = #name_, .version = "1.0",			\
			.description = description_,						\
			.default_domain = PAPI_DOM_ALL, .available_domains = PAPI_DOM_ALL,	\
			.default_granularity = granularity_,					\
			.available_granularities = granularity_,				\
			.kernel_multiplex = 1, .cntr_umasks = 1, .cpu = 1,			\
		},										\
		.size = {									\
			.context = GLUE_CONTEXT_BYTES,						\
			.control_state = GLUE_CONTROL_STATE_BYTES,				\
			.reg_value = sizeof(int), .reg_alloc = sizeof(int),			\
		},										\
		.init_component = init_component, .shutdown_component = shutdown_component,	\
		.init_thread = glue_init_thread, .shutdown_thread = glue_shutdown_thread,	\
		.init_control_state = init_control_state,					\
		.update_control_state = glue_update_control_state,				\
		.cleanup_eventset = glue_cleanup_eventset,					\
		.dispatch_timer = dispatch_timer,						\
		.start = glue_start, .stop = glue_stop, .read = glue_read,			\
		.reset = glue_reset, .set_domain = glue_set_domain, .ctl = ctl,			\
		.ntv_enum_events = enumerate, .ntv_name_to_code = name_to_code,			\
		.ntv_code_to_name = code_to_name, .ntv_code_to_descr = code_to_descr,		\
		.ntv_code_to_info = code_to_info,						\
	}

#endif
