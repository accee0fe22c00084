// SPDX-License-Identifier: MIT
/* weights EVENT... <KINDS: a line "EVENT KIND WEIGHT" for each kind that the event counts. */
#include <errno.h>
#include <fcntl.h>
#include <papi.h>
#include <stdio.h>
#include <string.h>
#include "machine_device.h"

#define TIMES 4

static long long gain(int set, int device, const char *kind, int times)
{
	struct machine_occurrence what = { .times = times };
	long long value = 0;

	snprintf(what.name, sizeof(what.name), "%s", kind);
	PAPI_start(set);
	if (ioctl(device, MACHINE_RAISE, &what) && errno != EINVAL)	/* of other machines */
		fprintf(stderr, "%s: %s\n", kind, strerror(errno));
	PAPI_stop(set, &value);
	return value;
}

int main(int argc, char **argv)
{
	static char kinds[400][64];
	int count = 0, device = open(MACHINE_DEVICE, O_RDWR);

	while (count < 400 && scanf("%63s", kinds[count]) == 1)
		count++;
	PAPI_library_init(PAPI_VER_CURRENT);
	for (int e = 1; e < argc; e++) {
		int set = PAPI_NULL, rc;

		PAPI_create_eventset(&set);
		rc = PAPI_add_named_event(set, argv[e]);
		if (rc)
			fprintf(stderr, "%s: %s\n", argv[e], PAPI_strerror(rc));
		for (int k = 0; !rc && k < count; k++) {
			long long n =
				gain(set, device, kinds[k], TIMES) - gain(set, device, kinds[k], 0);

			if (n)
				printf("%s %s %g\n", argv[e], kinds[k], (double)n / TIMES);
		}
		PAPI_cleanup_eventset(set);
		PAPI_destroy_eventset(&set);
	}
	return 0;
}
