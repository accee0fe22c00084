/* SPDX-License-Identifier: MIT */
/* A stand-in for libpapi whose counts are known before: what the sums over ranks, packages and
 * nodes must be is then arithmetic.
 *
 *   intel_uncore:::NODE     counts 1000 + 10 * p on package p, from start to any read
 *   intel_uncore:::HALF     can be counted on even packages only
 *   intel_uncore:::BUSY     can be added, not started
 *   intel_uncore:::FULL     collides with any other event
 *   intel_core:::RANK       counts the rank in MPI_COMM_WORLD + 1
 *   intel_core:::ODD        can be started by odd ranks only
 *   intel_core:::EVEN       can be started by even ranks only
 *   STUB_LACKS=host,NAME    the event does not exist on that host
 *   STUB_GROWS=1            each read of a set since its start counts as much once more
 *   STUB_ASKED=FILE gets a line "RANK NAME" for each name that is requested */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NODE, HALF, BUSY, FULL, RANK, ODD, EVEN, EVENTS };
static const char *const names[EVENTS] = {
	"intel_uncore:::NODE", "intel_uncore:::HALF", "intel_uncore:::BUSY", "intel_uncore:::FULL",
	"intel_core:::RANK", "intel_core:::ODD", "intel_core:::EVEN",
};
#define PACKAGE_NONE 63
#define PACKAGES 2
#define CODE(event, package) (PAPI_NATIVE_MASK | (event) << 8 | (package))

static struct { int codes[64], n, used, running, reads; } sets[64];
static int initialized;
static const char *const strings[] = { [0] = "No error" };

static int event_of(int code)
{
	return code >> 8 & 0xff;
}

static int package_of(int code)
{
	return (code & 0xff) == PACKAGE_NONE ? 0 : code & 0xff;
}

static int world_rank(void)
{
	const char *text = getenv("OMPI_COMM_WORLD_RANK");

	text = text ? text : getenv("PMI_RANK");
	return text ? atoi(text) : 0;
}

static int lacking(const char *name)
{
	const char *text = getenv("STUB_LACKS");
	char host[64] = "", mine[160];

	gethostname(host, sizeof(host) - 1);
	snprintf(mine, sizeof(mine), "%s,%s", host, name);
	return text && !strcmp(text, mine);
}

static void tell_asked(const char *name)
{
	const char *path = getenv("STUB_ASKED");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (!f)
		return;
	fprintf(f, "%d %s\n", world_rank(), name);
	fclose(f);
}

int PAPI_is_initialized(void)
{
	return initialized ? PAPI_LOW_LEVEL_INITED : PAPI_NOT_INITED;
}

int PAPI_library_init(int version)
{
	initialized = 1;
	return version;
}

void PAPI_shutdown(void)
{
	initialized = 0;
	memset(sets, 0, sizeof(sets));
}

char *PAPI_strerror(int rc)
{
	static char text[32];

	snprintf(text, sizeof(text), "%s%d", rc ? "stub error " : strings[0], rc);
	return text;
}

int PAPI_num_components(void)
{
	return 2;
}

const PAPI_component_info_t *PAPI_get_component_info(int cidx)
{
	static PAPI_component_info_t info[2];

	snprintf(info[0].name, sizeof(info[0].name), "intel_uncore");
	snprintf(info[1].name, sizeof(info[1].name), "intel_core");
	return cidx == 0 || cidx == 1 ? &info[cidx] : NULL;
}

/* Functions that only ipmu-run calls. */
int PAPI_get_component_index(const char *name)
{
	return !strcmp(name, "intel_uncore") ? 0 : !strcmp(name, "intel_core") ? 1 : PAPI_ENOCMP;
}

const PAPI_hw_info_t *PAPI_get_hardware_info(void)
{
	static const PAPI_hw_info_t info = { .model_string = "stub" };

	return &info;
}

int PAPI_assign_eventset_component(int set, int cidx)
{
	(void)set;
	(void)cidx;
	return PAPI_OK;
}

int PAPI_set_opt(int option, PAPI_option_t *value)
{
	(void)option;
	(void)value;
	return PAPI_OK;
}

int PAPI_event_name_to_code(const char *name, int *code)
{
	const char *package = strcasestr(name, ":package=");
	size_t bytes = package ? (size_t)(package - name) : strlen(name);

	tell_asked(name);
	if (!initialized)
		return PAPI_ENOINIT;
	for (int i = 0; i < EVENTS; i++)
		if ((!package || atoi(package + 9) < PACKAGES) && strlen(names[i]) == bytes &&
		    !strncmp(names[i], name, bytes) &&
		    !lacking(names[i])) {
			*code = CODE(i, package ? atoi(package + 9) : PACKAGE_NONE);
			return PAPI_OK;
		}
	return PAPI_ENOEVNT;
}

int PAPI_get_event_component(int code)
{
	return event_of(code) >= RANK;
}

/* The stub lists no events. */
int PAPI_enum_cmp_event(int *code, int modifier, int cidx)
{
	(void)code, (void)modifier, (void)cidx;
	return PAPI_ENOEVNT;
}

int PAPI_event_code_to_name(int code, char *name)
{
	(void)code, (void)name;
	return PAPI_ENOEVNT;
}

int PAPI_get_event_info(int code, PAPI_event_info_t *info)
{
	memset(info, 0, sizeof(*info));
	snprintf(info->units, sizeof(info->units), "%s", event_of(code) >= RANK ? "" : "lines");
	return PAPI_OK;
}

int PAPI_create_eventset(int *set)
{
	for (int i = 0; i < 64; i++)
		if (!sets[i].used) {
			sets[i].used = 1;
			sets[i].n = 0;
			*set = i;
			return PAPI_OK;
		}
	return PAPI_ENOMEM;
}

int PAPI_add_event(int set, int code)
{
	if (event_of(code) == HALF && package_of(code) % 2)
		return PAPI_ECMP;
	if (sets[set].n && (event_of(code) == FULL || event_of(sets[set].codes[0]) == FULL))
		return PAPI_ECNFLCT;
	sets[set].codes[sets[set].n++] = code;
	return PAPI_OK;
}

int PAPI_cleanup_eventset(int set)
{
	sets[set].n = 0;
	return PAPI_OK;
}

int PAPI_destroy_eventset(int *set)
{
	sets[*set].used = 0;
	*set = PAPI_NULL;
	return PAPI_OK;
}

int PAPI_start(int set)
{
	for (int i = 0; i < sets[set].n; i++)
		if (event_of(sets[set].codes[i]) == BUSY ||
		    (event_of(sets[set].codes[i]) == ODD && world_rank() % 2 == 0) ||
		    (event_of(sets[set].codes[i]) == EVEN && world_rank() % 2 == 1))
			return PAPI_ECNFLCT;
	sets[set].running = 1;
	sets[set].reads = 0;
	return PAPI_OK;
}

int PAPI_read(int set, long long *values)
{
	if (!initialized || !sets[set].running)
		return initialized ? PAPI_ENOTRUN : PAPI_ENOINIT;
	sets[set].reads = getenv("STUB_GROWS") ? sets[set].reads + 1 : 1;
	for (int i = 0; i < sets[set].n; i++)
		values[i] = sets[set].reads *
			    (event_of(sets[set].codes[i]) >= RANK ? world_rank() + 1 :
			     1000 +
			     10 * package_of(sets[set].codes[i]));
	return PAPI_OK;
}

int PAPI_stop(int set, long long *values)
{
	int rc = PAPI_read(set, values);

	if (rc == PAPI_OK)
		sets[set].running = 0;
	return rc;
}
