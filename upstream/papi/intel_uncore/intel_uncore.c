/* SPDX-License-Identifier: MIT */
/* PAPI component for the uncore of Skylake, Kaby Lake, Coffee Lake and Comet Lake clients: C-Boxes,
 * arbiter and clock, by their documented registers (Intel 334060-001). perf_event_uncore counts
 * what the kernel has a driver for and lets the user have; this component needs the msr device or
 * msr-safe instead. Counts are of the whole processor, whoever causes them. One event set of one
 * process counts at a time. */
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "papi.h"
#include "papi_internal.h"
#include "papi_vector.h"

#include "uncore_count.h"
#include "uncore_events.h"
#include "uncore_msr.h"

papi_vector_t _intel_uncore_vector;
#define INFO (_intel_uncore_vector.cmp_info)

typedef struct {
	struct uncore_counts counts;
	long long zero[UNCORE_EVENTS_MAX];	/* counts at the last reset */
	long long values[UNCORE_EVENTS_MAX];
} uncore_control_state_t;

typedef struct {
	int unused;
} uncore_context_t;

static int boxes;			/* C-Boxes of this processor */
static int lock_id;
static const uncore_control_state_t *running;	/* the set that counts, of ... */
static pid_t running_pid;		/* ... this process: a forked child does not stop it */

static int is_supported(void)
{
	const PAPI_hw_info_t *hw = &_papi_hwi_system_info.hw_info;

	if (hw->vendor != PAPI_VENDOR_INTEL || hw->cpuid_family != 6)
		return 0;
	switch (hw->cpuid_model) {
	case 0x4e:	/* Skylake mobile */
	case 0x5e:	/* Skylake */
	case 0x8e:	/* Kaby Lake, Amber Lake, Whiskey Lake mobile */
	case 0x9e:	/* Kaby Lake, Coffee Lake */
	case 0xa5:	/* Comet Lake */
	case 0xa6:	/* Comet Lake mobile */
		return 1;
	default:
		return 0;
	}
}

static int disable(int rc)
{
	uncore_msr_close();
	INFO.disabled = rc;
	return rc;
}

static int _intel_uncore_init_component(int cidx)
{
	INFO.CmpIdx = cidx;
	lock_id = PAPI_NUM_LOCK + NUM_INNER_LOCK + cidx;
	if (!is_supported()) {
		strcpy(INFO.disabled_reason, "Not a Skylake to Comet Lake client");
		return disable(PAPI_ENOSUPP);
	}
	if (uncore_msr_open(INFO.disabled_reason) != PAPI_OK)
		return disable(PAPI_ENOSUPP);
	boxes = uncore_count_boxes(INFO.disabled_reason);
	if (boxes < 0)
		return disable(PAPI_ENOSUPP);
	INFO.num_native_events = (int) uncore_event_listed();
	INFO.num_cntrs = 2 * boxes + 3;
	INFO.num_mpx_cntrs = INFO.num_cntrs;
	INFO.disabled = PAPI_OK;
	return PAPI_OK;
}

static int _intel_uncore_init_thread(hwd_context_t *ctx)
{
	(void) ctx;
	return PAPI_OK;
}

static int _intel_uncore_shutdown_thread(hwd_context_t *ctx)
{
	(void) ctx;
	return PAPI_OK;
}

static int _intel_uncore_shutdown_component(void)
{
	if (running && running_pid == getpid())
		uncore_lease_give_up();	/* the set may be freed already */
	running = NULL;
	uncore_event_forget();
	uncore_msr_close();
	return PAPI_OK;
}

/* ---- event sets */

static int _intel_uncore_init_control_state(hwd_control_state_t *ctl)
{
	memset(ctl, 0, sizeof(uncore_control_state_t));
	return PAPI_OK;
}

static int _intel_uncore_update_control_state(hwd_control_state_t *ctl, NativeInfo_t *native,
					      int count, hwd_context_t *ctx)
{
	uncore_control_state_t *state = (uncore_control_state_t *) ctl;
	const struct uncore_event *events[UNCORE_EVENTS_MAX] = { NULL };
	int rc;

	(void) ctx;
	if (count > UNCORE_EVENTS_MAX)
		return PAPI_ECOUNT;
	for (int i = 0; i < count; i++) {
		events[i] = uncore_event_get((unsigned) native[i].ni_event);
		if (events[i] == NULL)
			return PAPI_ENOEVNT;
	}
	rc = uncore_count_assign(&state->counts, events, count, boxes);
	for (int i = 0; i < count && rc == PAPI_OK; i++)
		native[i].ni_position = i;
	return rc;
}

/* ---- counting */

static int is_running(const uncore_control_state_t *state)
{
	return running == state && running_pid == getpid();
}

static void reset_counts(uncore_control_state_t *state)
{
	for (int i = 0; i < state->counts.n; i++)
		state->zero[i] = state->counts.uses[i].count;
}

static int start_locked(uncore_control_state_t *state)
{
	char reason[UNCORE_REASON_MAX] = "a register or the journal cannot be written";
	int rc;

	if (running && running_pid == getpid())
		return PAPI_ECNFLCT;
	rc = uncore_count_start(&state->counts, boxes, reason);
	if (rc != PAPI_OK) {
		PAPIERROR("intel_uncore: %s", reason);
		return rc;
	}
	running = state;
	running_pid = getpid();
	reset_counts(state);
	return PAPI_OK;
}

static int _intel_uncore_start(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	int rc;

	(void) ctx;
	_papi_hwi_lock(lock_id);
	rc = start_locked((uncore_control_state_t *) ctl);
	_papi_hwi_unlock(lock_id);
	return rc;
}

static int _intel_uncore_read(hwd_context_t *ctx, hwd_control_state_t *ctl, long long **values,
			      int flags)
{
	uncore_control_state_t *state = (uncore_control_state_t *) ctl;
	int rc = PAPI_OK;

	(void) ctx;
	(void) flags;
	_papi_hwi_lock(lock_id);
	if (is_running(state))
		rc = uncore_count_read(&state->counts);
	for (int i = 0; i < state->counts.n; i++)
		state->values[i] = state->counts.uses[i].count - state->zero[i];
	_papi_hwi_unlock(lock_id);
	*values = state->values;
	return rc;
}

/* PAPI has read the set before, and stops it after a start that failed, too. */
static int _intel_uncore_stop(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	uncore_control_state_t *state = (uncore_control_state_t *) ctl;
	int rc = PAPI_OK;

	(void) ctx;
	_papi_hwi_lock(lock_id);
	if (is_running(state)) {
		rc = uncore_count_stop(&state->counts);
		running = NULL;
	}
	_papi_hwi_unlock(lock_id);
	return rc;
}

static int _intel_uncore_reset(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
	uncore_control_state_t *state = (uncore_control_state_t *) ctl;
	int rc = PAPI_OK;

	(void) ctx;
	_papi_hwi_lock(lock_id);
	if (is_running(state))
		rc = uncore_count_read(&state->counts);
	reset_counts(state);
	_papi_hwi_unlock(lock_id);
	return rc;
}

static int _intel_uncore_set_domain(hwd_control_state_t *ctl, int domain)
{
	(void) ctl;
	return domain == PAPI_DOM_ALL ? PAPI_OK : PAPI_EINVAL;
}

static int _intel_uncore_ctl(hwd_context_t *ctx, int code, _papi_int_option_t *option)
{
	(void) ctx;
	switch (code) {
	case PAPI_DOMAIN:
	case PAPI_DEFDOM:
		return option->domain.domain == PAPI_DOM_ALL ? PAPI_OK : PAPI_EINVAL;
	case PAPI_GRANUL:
	case PAPI_DEFGRN:
		return option->granularity.granularity == PAPI_GRN_SYS ? PAPI_OK : PAPI_ECMP;
	default:
		return PAPI_ENOSUPP;
	}
}

/* ---- events */

static int _intel_uncore_ntv_enum_events(unsigned int *code, int modifier)
{
	switch (modifier) {
	case PAPI_ENUM_FIRST:
		*code = 0;
		return uncore_event_listed() > 0 ? PAPI_OK : PAPI_ENOEVNT;
	case PAPI_ENUM_EVENTS:
		if (*code + 1 >= uncore_event_listed())
			return PAPI_ENOEVNT;
		++*code;
		return PAPI_OK;
	default:
		return PAPI_EINVAL;
	}
}

/* PAPI before 7.3 passes the component's name, and names of other components. */
static int _intel_uncore_ntv_name_to_code(const char *name, unsigned int *code)
{
	static const char prefix[] = "intel_uncore:::";
	int rc;

	if (strncmp(name, prefix, sizeof(prefix) - 1) == 0)
		name += sizeof(prefix) - 1;
	_papi_hwi_lock(lock_id);
	rc = uncore_event_code(name, boxes, code);
	_papi_hwi_unlock(lock_id);
	return rc;
}

static int copy_text(char *to, int len, const char *text)
{
	return snprintf(to, (size_t) len, "%s", text) < len ? PAPI_OK : PAPI_EBUF;
}

static int _intel_uncore_ntv_code_to_name(unsigned int code, char *name, int len)
{
	const struct uncore_event *e = uncore_event_get(code);

	return e ? copy_text(name, len, e->name) : PAPI_ENOEVNT;
}

static int _intel_uncore_ntv_code_to_descr(unsigned int code, char *descr, int len)
{
	const struct uncore_event *e = uncore_event_get(code);

	return e ? copy_text(descr, len, e->description) : PAPI_ENOEVNT;
}

static int _intel_uncore_ntv_code_to_info(unsigned int code, PAPI_event_info_t *info)
{
	const struct uncore_event *e = uncore_event_get(code);

	if (e == NULL)
		return PAPI_ENOEVNT;
	snprintf(info->symbol, sizeof(info->symbol), "%s", e->name);
	snprintf(info->long_descr, sizeof(info->long_descr), "%s", e->description);
	snprintf(info->units, sizeof(info->units), "%s", e->unit == UNIT_CLK ? "clocks" : "events");
	info->location = PAPI_LOCATION_UNCORE;
	info->data_type = PAPI_DATATYPE_INT64;
	info->value_type = PAPI_VALUETYPE_RUNNING_SUM;
	info->timescope = PAPI_TIMESCOPE_SINCE_START;
	return PAPI_OK;
}

papi_vector_t _intel_uncore_vector = {
	.cmp_info = {
		.name = "intel_uncore",
		.short_name = "intel_uncore",
		.description = "Uncore of Skylake to Comet Lake clients, by its registers",
		.version = "1.0",
		.default_domain = PAPI_DOM_ALL,
		.available_domains = PAPI_DOM_ALL,
		.default_granularity = PAPI_GRN_SYS,
		.available_granularities = PAPI_GRN_SYS,
	},
	.size = {
		.context = sizeof(uncore_context_t),
		.control_state = sizeof(uncore_control_state_t),
		.reg_value = 1,
		.reg_alloc = 1,
	},
	.init_component = _intel_uncore_init_component,
	.init_thread = _intel_uncore_init_thread,
	.init_control_state = _intel_uncore_init_control_state,
	.update_control_state = _intel_uncore_update_control_state,
	.start = _intel_uncore_start,
	.stop = _intel_uncore_stop,
	.read = _intel_uncore_read,
	.reset = _intel_uncore_reset,
	.shutdown_thread = _intel_uncore_shutdown_thread,
	.shutdown_component = _intel_uncore_shutdown_component,
	.set_domain = _intel_uncore_set_domain,
	.ctl = _intel_uncore_ctl,
	.ntv_enum_events = _intel_uncore_ntv_enum_events,
	.ntv_name_to_code = _intel_uncore_ntv_name_to_code,
	.ntv_code_to_name = _intel_uncore_ntv_code_to_name,
	.ntv_code_to_descr = _intel_uncore_ntv_code_to_descr,
	.ntv_code_to_info = _intel_uncore_ntv_code_to_info,
};
