/* SPDX-License-Identifier: MIT */
/* Names of events: "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I", as listed, and behind it qualifiers
 * in any order: box=N for one C-Box, and the modifiers of the event select, e (edge), i (invert)
 * and c=N (threshold), as in libpfm4. A name with qualifiers gets a code when it is first used. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "papi.h"
#include "papi_memory.h"
#include "uncore_events.h"

#define EVENTS_MAX 1024	/* as many names with qualifiers as a process may use */

#define EDGE (1ull << 18)
#define INVERT (1ull << 23)
#define THRESHOLD(n) ((uint64_t) (n) << 24)	/* bits 28:24 */
#define THRESHOLD_MAX 31

static const struct row {
	const char *name;
	enum uncore_unit unit;
	unsigned code, umask, threshold, counters;
	const char *description;
} rows[] = {
#include "skl_events.h"
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static struct uncore_event *events[EVENTS_MAX];
static unsigned nevents;

static void fill(struct uncore_event *e, const struct row *row)
{
	memset(e, 0, sizeof(*e));
	strncpy(e->name, row->name, sizeof(e->name) - 1);
	e->description = row->description;
	e->unit = row->unit;
	e->box = -1;
	e->counters = row->counters;
	e->select = row->code | row->umask << 8 | THRESHOLD(row->threshold);
}

static int append(const struct uncore_event *e)
{
	struct uncore_event *copy;

	if (nevents == EVENTS_MAX)
		return PAPI_ENOMEM;
	copy = papi_malloc(sizeof(*copy));
	if (copy == NULL)
		return PAPI_ENOMEM;
	*copy = *e;
	events[nevents++] = copy;
	return PAPI_OK;
}

static int load_table(void)
{
	int rc = PAPI_OK;

	while (nevents < ROWS && rc == PAPI_OK) {
		struct uncore_event e;

		fill(&e, &rows[nevents]);
		rc = append(&e);
	}
	return rc;
}

/* The row whose name begins this one; what follows are qualifiers. */
static const struct row *find_row(const char *name, const char **qualifiers)
{
	for (unsigned i = 0; i < ROWS; i++) {
		size_t n = strlen(rows[i].name);

		if (strncasecmp(name, rows[i].name, n) == 0 && (!name[n] || name[n] == ':')) {
			*qualifiers = name + n;
			return &rows[i];
		}
	}
	return NULL;
}

/* "KEY=N" with N from 0 to max, at the beginning of text. */
static int parse_number(const char *text, const char *key, long max, long *number)
{
	size_t n = strlen(key);
	char *end;

	if (strncasecmp(text, key, n) != 0 || text[n] < '0' || text[n] > '9')
		return PAPI_EINVAL;
	*number = strtol(text + n, &end, 10);
	return *number <= max && (*end == '\0' || *end == ':') ? PAPI_OK : PAPI_EINVAL;
}

static int parse_qualifier(const char *text, int boxes, struct uncore_event *e)
{
	size_t n = strcspn(text, ":");
	long number;

	if (e->unit == UNIT_CBO && parse_number(text, "box=", boxes - 1, &number) == PAPI_OK) {
		e->box = (int) number;
		return PAPI_OK;
	}
	if (e->unit == UNIT_CLK)
		return PAPI_EINVAL;
	if (parse_number(text, "c=", THRESHOLD_MAX, &number) == PAPI_OK)
		e->select = (e->select & ~THRESHOLD(THRESHOLD_MAX)) | THRESHOLD(number);
	else if (n == 1 && (*text == 'e' || *text == 'E'))
		e->select |= EDGE;
	else if (n == 1 && (*text == 'i' || *text == 'I'))
		e->select |= INVERT;
	else
		return PAPI_EINVAL;
	return PAPI_OK;
}

static int parse(const char *name, int boxes, struct uncore_event *e)
{
	const char *rest;
	const struct row *row = find_row(name, &rest);
	int rc = PAPI_OK;

	if (row == NULL || strlen(name) >= UNCORE_NAME_MAX)
		return PAPI_ENOEVNT;
	fill(e, row);
	strcpy(e->name, name);
	while (*rest && rc == PAPI_OK) {
		rc = parse_qualifier(rest + 1, boxes, e);
		rest += 1 + strcspn(rest + 1, ":");
	}
	return rc;
}

int uncore_event_code(const char *name, int boxes, unsigned *code)
{
	struct uncore_event e;
	int rc = load_table();

	for (unsigned i = 0; i < nevents && rc == PAPI_OK; i++)
		if (strcasecmp(events[i]->name, name) == 0) {
			*code = i;
			return PAPI_OK;
		}
	if (rc == PAPI_OK)
		rc = parse(name, boxes, &e);
	if (rc == PAPI_OK)
		rc = append(&e);
	if (rc == PAPI_OK)
		*code = nevents - 1;
	return rc;
}

const struct uncore_event *uncore_event_get(unsigned code)
{
	return code < nevents ? events[code] : NULL;
}

unsigned uncore_event_listed(void)
{
	return load_table() == PAPI_OK ? ROWS : 0;
}

void uncore_event_forget(void)
{
	while (nevents > 0)
		papi_free(events[--nevents]);
}
