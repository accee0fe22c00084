/* SPDX-License-Identifier: MIT */
/* Qualifiers of any bytes behind a documented event: one byte for the family, two for the event,
 * one for its unit mask. */
#include "event_check.h"
#include "fuzz.h"
#include "ipmu.h"

static int count_events(const struct ipmu_system *sys)
{
	struct ipmu_event_info info;
	int n = 0;

	while (ipmu_event_list(sys, n, -1, &info) == 0)
		n++;
	return n;
}

/* Listing is slow, so the names are looked up once. */
static const char *event_of(const struct ipmu_system *sys, unsigned family, unsigned event,
			    unsigned umask)
{
	static struct ipmu_event_info info;
	static int counts[FAMILIES_MAX];
	int *count = &counts[family];

	if (!*count)
		*count = count_events(sys);
	REQUIRE(*count > 0);
	if (ipmu_event_list(sys, (int)event % *count, (int)umask % 8, &info))
		REQUIRE(ipmu_event_list(sys, (int)event % *count, -1, &info) == 0);
	return info.name;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned family = fuzz_byte(&data, &size) % event_check_families();
	const struct ipmu_system *sys = event_check_system(family);
	unsigned event = fuzz_byte(&data, &size) << 8;
	const char *documented;
	char name[256];
	int n;

	event |= fuzz_byte(&data, &size);
	documented = event_of(sys, family, event, fuzz_byte(&data, &size));
	n = snprintf(name, sizeof(name), "%s:%.*s", documented, (int)(size < 100 ? size : 100),
		     (const char *)data);
	REQUIRE(n > 0 && (size_t)n < sizeof(name));
	event_check_parse(sys, name);
	return 0;
}
