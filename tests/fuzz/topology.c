/* SPDX-License-Identifier: MIT */
/* HWLOC_SYNTHETIC of any text, and any identity on top: the tables must be whole. Six bytes are for
 * the identity and the CPUs that are not allowed, the rest is the text. */
#include "fuzz.h"
#include "topology_check.h"

#include <ctype.h>

/* hwloc builds any topology, however large: limit its size to what fits a run. */
static int too_large(const char *text)
{
	double product = 1;

	while (*text) {
		if (isdigit((unsigned char)*text)) {
			char *end;
			double n = strtod(text, &end);

			product *= n > 1 ? n : 1;
			text = end > text ? end : text + 1;
		} else {
			text++;
		}
	}
	return product > 48;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int families[] = { 6, 11, 15 };
	struct ipmu_topology *t = NULL;
	unsigned identity[6];
	char text[256], why[IPMU_WHY_MAX] = "";

	for (int i = 0; i < 6; i++)
		identity[i] = fuzz_byte(&data, &size);
	size = size < sizeof(text) ? size : sizeof(text) - 1;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (too_large(text) || !text[0])
		return 0;
	REQUIRE(setenv("HWLOC_SYNTHETIC", text, 1) == 0);
	if (ipmu_topology_load(&t, why)) {
		REQUIRE(why[0] && !t);
		return 0;
	}
	topology_check(t);
	strcpy(t->vendor, "GenuineIntel");
	t->family = families[identity[0] % 3];
	t->model = (int)identity[1];
	t->noffline = (int)identity[2];
	for (int i = 0; i < t->ncpus; i++)
		t->cpus[i].core_os += (int)identity[3] % 3 * i;
	topology_check_boxes(t);
	ipmu_topology_free(t);
	return 0;
}
