/* SPDX-License-Identifier: MIT */
/* Names of virtual machines, and geometries of caches: what is accepted can be laid out, listed and
 * described. Up to a NUL the input is the name; then there are numbers of caches. */
#include "machine/geometry.h"
#include "fuzz.h"
#include "machine/machine.h"
#include "model/model.h"
#include "machine/segment.h"

static uint32_t number(const uint8_t **data, size_t *size)
{
	uint32_t n = 0;

	for (int i = 0; i < 4; i++)
		n = n << 8 | fuzz_byte(data, size);
	return n;
}

static void check_machine(const struct vpmu_machine *m)
{
	struct vpmu_register_info reg;
	struct vpmu_state_bytes state;
	struct vpmu_layout layout;
	uint32_t n = 0;

	REQUIRE(vpmu_machine_cpus(m) >= 1 && vpmu_machine_cpus(m) <= VPMU_CPUS_MAX);
	REQUIRE(m->packages >= 1 && m->packages <= VPMU_PACKAGES_MAX);
	REQUIRE(m->slices >= 1 && m->slices <= VPMU_SLICES_MAX);
	REQUIRE(vpmu_model_state_bytes(m, &state) == 0);
	REQUIRE(state.package + state.core + state.thread > 0);
	REQUIRE(vpmu_machine_whole(m));
	REQUIRE((vpmu_layout_make(m, &layout) == 0) == (m->cores <= 64));
	while (vpmu_model_register(m, n, &reg))
		n++;
	REQUIRE(n > 0);
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(m); cpu++)
		REQUIRE(vpmu_cpu_package(m, cpu) < m->packages);
}

static void try_caches(struct vpmu_machine *m, const uint8_t *data, size_t size)
{
	struct vpmu_cache *const caches[] = { &m->l1i, &m->l1d, &m->l2, &m->llc };
	struct vpmu_layout layout;

	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]) && size; i++) {
		caches[i]->bytes = number(&data, &size);
		caches[i]->ways = number(&data, &size);
		caches[i]->line = number(&data, &size);
	}
	if (vpmu_layout_make(m, &layout) == 0)
		REQUIRE(vpmu_caches_bytes(m) == layout.bytes && layout.bytes > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vpmu_machine m = { .cores = 77 };
	const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
	size_t length = end ? (size_t)(end - data) : size;
	char name[128], why[512] = "";

	length = length < sizeof(name) ? length : sizeof(name) - 1;
	if (length)
		memcpy(name, data, length);
	name[length] = '\0';
	if (vpmu_machine_parse(name, &m, why, sizeof(why))) {
		REQUIRE(why[0] && m.cores == 77);
		return 0;
	}
	check_machine(&m);
	if (end)
		try_caches(&m, end + 1, size - (size_t)(end + 1 - data));
	return 0;
}
