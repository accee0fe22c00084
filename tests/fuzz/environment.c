/* SPDX-License-Identifier: MIT */
/* Environment settings of the engine and the components: texts separated by NUL, then the name of a
 * file in the state directory. */
#include "event_check.h"
#include "lease/state.h"
#include "counting/system.h"
#include "fuzz.h"
#include "node_sum.h"

#include <unistd.h>

static const char *const variables[] = {
	"IPMU_NODE_SUM", "IPMU_STATE_DIR", "IPMU_TAKE_BUSY", "IPMU_ALLOW_PMI",
	"IPMU_SIGNALS",
	"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "PMIX_NAMESPACE", "PMI_JOBID",
};
#define VARIABLES (sizeof(variables) / sizeof(variables[0]))

static const char *next(const char **at, const char *end)
{
	const char *text = *at;

	*at = text + strlen(text) + (text + strlen(text) < end);
	return text;
}

static void check_node_sum(void)
{
	static const int codes[] = { 7, 8, 7 };
	struct node_sum_share first = { 0 }, second = { 0 };
	char why[IPMU_WHY_MAX] = "";

	if (node_sum_setting(why))
		REQUIRE(why[0]);
	if (node_sum_is_on()) {
		int rc = node_sum_claim(&first, codes, 2, sizeof(codes[0]), why);

		REQUIRE(!rc || (why[0] && !first.reported));
		rc = node_sum_claim(&second, codes + 2, 1, sizeof(codes[0]), why);
		REQUIRE(!rc || (why[0] && !second.reported));
		REQUIRE((first.reported & ~3ull) == 0 && (second.reported & ~1ull) == 0);
		REQUIRE(!(first.reported & second.reported & 1));	/* one event, once */
		node_sum_release(&first);
		node_sum_release(&second);
	}
	node_sum_end();
}

static void check_state(const struct ipmu_family *family, const char *name)
{
	char why[IPMU_WHY_MAX] = "", again[64];
	const char *path;
	int place = ipmu_state_place(family, name);
	int dir = ipmu_state_none() ? -1 : ipmu_state_open(false, &path, why);

	REQUIRE(ipmu_state_none() || dir >= 0 || why[0]);
	if (dir >= 0)
		close(dir);
	if (place < 0)
		return;
	ipmu_state_name(family, place, again);
	REQUIRE(strcmp(name, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ipmu_family *family = event_check_system(fuzz_byte(&data, &size))->family;
	char text[512];
	const char *at = text, *end;

	size = size < sizeof(text) ? size : sizeof(text) - 1;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	end = text + size;
	for (size_t i = 0; i < VARIABLES; i++) {
		const char *value = next(&at, end);

		if (*value)
			setenv(variables[i], value, 1);
		else
			unsetenv(variables[i]);
	}
	check_node_sum();
	check_state(family, next(&at, end));
	return 0;
}
