/* SPDX-License-Identifier: MIT */
#include "on_machine.h"

#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void not_under_tsan(const char *why)
{
	const char *sanitizer = getenv("SANITIZER");

	if (!sanitizer || strcmp(sanitizer, "tsan") != 0)
		return;
	puts(why);
	exit(77);
}

/* All CPUs of the machine, the last number in its name: the caller may be bound to some. */
static void all_cpus(const char *name, char text[32])
{
	size_t last = strcspn(name, "-"), digits;

	for (size_t i = last; name[i]; i += digits ? digits : 1) {
		digits = strspn(name + i, "0123456789");
		if (digits)
			last = i;
	}
	snprintf(text, 32, "0-%ld", strtol(name + last, NULL, 10) - 1);
}

void on_machine(char **argv, const char *name)
{
	char cpus[32];
	const char *vpmu = getenv("VPMU");

	if (getenv("VPMU_SEGMENT"))
		return;
	if (!vpmu) {
		puts("VPMU does not name the vpmu command");
		exit(77);
	}
	/* The shim is preloaded before a sanitizer's runtime, which does no harm. */
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=1", 0);
	all_cpus(name, cpus);
	execl(vpmu, vpmu, "run", "--no-feed", "--strict", "-m", name, "--cpus", cpus, "--", argv[0],
	      (char *)NULL);
	perror(vpmu);
	exit(1);
}

struct vpmu_segment *on_machine_segment(void)
{
	static struct vpmu_segment *segment;
	char why[512];

	if (!segment && vpmu_segment_open(getenv("VPMU_SEGMENT"), &segment, why, sizeof(why))) {
		fprintf(stderr, "%s\n", why);
		exit(1);
	}
	return segment;
}
