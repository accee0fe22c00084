/* SPDX-License-Identifier: MIT */
/* Event sets of PAPI in tests; each of these ends the test with the reason if it fails. */
#ifndef PAPI_SETS_H
#define PAPI_SETS_H

#include <papi.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* PAPI 7.3 queries perf_event alone for a name without a component, and earlier versions all
 * components. */
#define PAPI_SETS_BARE_NAMES (PAPI_VERSION < PAPI_VERSION_NUMBER(7, 3, 0, 0))

#define assert_papi(call, code) papi_sets_check(#call, call, code)

static inline void papi_sets_check(const char *what, int rc, int code)
{
	if (rc != code)
		fail_msg("%s: %d (%s), not %d", what, rc, PAPI_strerror(rc), code);
}

static inline int papi_sets_of(const char *const *names, int n)
{
	int set = PAPI_NULL;

	assert_papi(PAPI_create_eventset(&set), PAPI_OK);
	for (int i = 0; i < n; i++)
		papi_sets_check(names[i], PAPI_add_named_event(set, names[i]), PAPI_OK);
	return set;
}

static inline int papi_sets_one(const char *name)
{
	return papi_sets_of(&name, 1);
}

static inline int papi_sets_code(const char *name)
{
	int code = PAPI_NULL;

	papi_sets_check(name, PAPI_event_name_to_code(name, &code), PAPI_OK);
	return code;
}

/* PAPI's messages from here on, which it writes to stderr, until papi_sets_heard has compared
 * or papi_sets_what_was_heard has given them. */
struct papi_sets_ear {
	FILE *file;
	int stderr_fd;
};

static inline struct papi_sets_ear papi_sets_listen(void)
{
	struct papi_sets_ear ear = { .file = tmpfile(), .stderr_fd = dup(STDERR_FILENO) };

	assert_non_null(ear.file);
	assert_papi(PAPI_set_debug(PAPI_VERB_ECONT), PAPI_OK);
	fflush(stderr);
	dup2(fileno(ear.file), STDERR_FILENO);
	return ear;
}

static inline void papi_sets_what_was_heard(struct papi_sets_ear ear, char text[4096])
{
	fflush(stderr);
	dup2(ear.stderr_fd, STDERR_FILENO);
	close(ear.stderr_fd);
	assert_papi(PAPI_set_debug(PAPI_QUIET), PAPI_OK);
	rewind(ear.file);
	text[fread(text, 1, 4095, ear.file)] = '\0';
	fclose(ear.file);
}

static inline void papi_sets_heard(struct papi_sets_ear ear, const char *words)
{
	char text[4096];

	papi_sets_what_was_heard(ear, text);
	if (!strstr(text, words))
		fail_msg("'%s' is not in: %s", words, text);
}

static inline void papi_sets_end(int set)
{
	assert_papi(PAPI_cleanup_eventset(set), PAPI_OK);
	assert_papi(PAPI_destroy_eventset(&set), PAPI_OK);
}

static inline int papi_sets_attach(int set, unsigned cpu)
{
	PAPI_option_t option = { .cpu = { .eventset = set, .cpu_num = cpu } };

	return PAPI_set_opt(PAPI_CPU_ATTACH, &option);
}

/* Attaching must fail, for that reason. */
static inline void papi_sets_attach_refused(int set, unsigned cpu, const char *reason)
{
	struct papi_sets_ear ear = papi_sets_listen();
	int rc = papi_sets_attach(set, cpu);

	papi_sets_heard(ear, reason);
	papi_sets_check(reason, rc, PAPI_EINVAL);
}

static inline int papi_sets_domain(int set, int domain)
{
	PAPI_option_t option = { .domain = { .eventset = set, .domain = domain } };

	return PAPI_set_opt(PAPI_DOMAIN, &option);
}

static inline int papi_sets_granularity(int set, int granularity)
{
	PAPI_option_t option = { .granularity = { .eventset = set, .granularity = granularity } };

	return PAPI_set_opt(PAPI_GRANUL, &option);
}

#endif
