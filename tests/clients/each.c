/* SPDX-License-Identifier: MIT */
/* Counts each event whose name is on a line of standard input, by itself, and prints the names of
 * those that cannot be counted, with PAPI's reason. */
#include <papi.h>
#include <stdio.h>
#include <string.h>

static int count(const char *name)
{
	int set = PAPI_NULL, rc = PAPI_create_eventset(&set), rc_end;
	long long value = -1;

	if (rc != PAPI_OK)
		return rc;
	rc = PAPI_add_named_event(set, name);
	if (rc == PAPI_OK)
		rc = PAPI_start(set);
	if (rc == PAPI_OK)
		rc = PAPI_stop(set, &value);
	PAPI_cleanup_eventset(set);
	rc_end = PAPI_destroy_eventset(&set);
	if (rc == PAPI_OK && value < 0)
		rc = PAPI_EBUG;
	return rc == PAPI_OK ? rc_end : rc;
}

int main(void)
{
	char name[PAPI_MAX_STR_LEN];
	int counted = 0;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 2;
	while (fgets(name, sizeof(name), stdin)) {
		int rc;

		name[strcspn(name, "\n")] = '\0';
		rc = count(name);
		if (rc == PAPI_OK)
			counted++;
		else
			printf("%s: %s\n", name, PAPI_strerror(rc));
	}
	PAPI_shutdown();
	fprintf(stderr, "%d counted\n", counted);
	return 0;
}
