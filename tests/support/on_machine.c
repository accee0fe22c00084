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

const char *on_machine_booted(void)
{
	return getenv("BOOTED_MACHINE");
}

/* As `vpmu run` does it for each machine. */
static void make_state(void)
{
	static char path[] = "state.XXXXXX";
	char *whole = mkdtemp(path) ? realpath(path, NULL) : NULL;

	if (!whole || setenv("IPMU_STATE_DIR", whole, 1)) {
		perror(path);
		exit(1);
	}
	free(whole);
}

void on_machine(char **argv, const char *name)
{
	char cpus[32];
	const char *vpmu = getenv("VPMU");

	if (on_machine_booted())
		make_state();
	if (getenv("VPMU_SEGMENT") || on_machine_booted())
		return;
	if (!vpmu) {
		puts("VPMU does not name the vpmu command");
		exit(77);
	}
	/* The machine's library is preloaded before a sanitizer's runtime, which does no harm. */
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=1", 0);
	/* Memory that malloc keeps for a thread's next request counts as in use in mallinfo2(). */
	setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1);
	all_cpus(name, cpus);
	execl(vpmu, vpmu, "run", "--no-feed", "--strict", "-m", name, "--cpus", cpus, "--", argv[0],
	      (char *)NULL);
	perror(vpmu);
	exit(1);
}

void on_safe_machine(char **argv, const char *name, const char *processor)
{
	static const char script[] = "list=$(mktemp) && "
		"\"$STAGE/bin/ipmu-allowlist\" -m \"$3\" >\"$list\" && "
		"\"$VPMU\" run --no-feed --strict -m \"$2\" --msr-safe=\"$list\" --cpus \"$4\" -- "
		"\"$1\"; status=$?; rm -f \"$list\"; exit $status";
	char cpus[32];

	if (getenv("VPMU_SEGMENT"))
		return;
	if (!getenv("VPMU") || !getenv("STAGE") || on_machine_booted()) {
		puts("VPMU and STAGE do not name the commands, or the machine is a booted one");
		exit(77);
	}
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=1", 0);
	all_cpus(name, cpus);
	execl("/bin/sh", "sh", "-c", script, "sh", argv[0], name, processor, cpus, (char *)NULL);
	perror("/bin/sh");
	exit(1);
}

static int describe_booted(struct vpmu_segment **out, char *why, size_t why_bytes)
{
	struct vpmu_machine m;
	int rc = vpmu_machine_parse(on_machine_booted(), &m, why, why_bytes);

	unlink("described");
	if (!rc)
		rc = vpmu_segment_create("described", &m, out, why, why_bytes);
	return rc;
}

struct vpmu_segment *on_machine_segment(void)
{
	static struct vpmu_segment *segment;
	char why[512];

	if (segment)
		return segment;
	if (on_machine_booted() ? describe_booted(&segment, why, sizeof(why)) :
	    vpmu_segment_open(getenv("VPMU_SEGMENT"), &segment, why, sizeof(why))) {
		fprintf(stderr, "%s\n", why);
		exit(1);
	}
	return segment;
}
