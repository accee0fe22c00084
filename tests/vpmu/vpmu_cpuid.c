/* SPDX-License-Identifier: MIT */
/* The caches of CPUID leaf 04H (325462, volume 2A, CPUID) are those of the machine's shape: sizes
 * by the manual's own formula, and by how many CPUs each is shared. On hybrid machines they and the
 * topology are those of the executing CPU. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tsv.h"
#include "virtual_pmu/model/model.h"

struct wanted { uint32_t type, level, bytes, ways, sharers; };

static uint32_t field(uint32_t value, int high, int low)
{
	return value >> low & ((UINT32_C(1) << (high - low + 1)) - 1);
}

static struct vpmu_machine machine(const char *name)
{
	struct vpmu_machine m;
	char why[256];

	assert_int_equal(vpmu_machine_parse(name, &m, why, sizeof(why)), 0);
	return m;
}

static void check_cpu(const char *name, uint32_t cpu, const struct wanted *wanted, uint32_t count)
{
	struct vpmu_machine m = machine(name);
	uint32_t r[4], bytes;

	for (uint32_t i = 0; i < count; i++) {
		const struct wanted *w = &wanted[i];

		assert_true(vpmu_cpuid(&m, cpu, 4, i, r));
		assert_int_equal(field(r[0], 4, 0), w->type);
		assert_int_equal(field(r[0], 7, 5), w->level);
		assert_int_equal(field(r[0], 25, 14) + 1, w->sharers);
		bytes = (field(r[1], 31, 22) + 1) * (field(r[1], 21, 12) + 1) *
			(field(r[1], 11, 0) + 1) * (r[2] + 1);
		assert_int_equal(bytes, w->bytes);
		assert_int_equal(field(r[1], 31, 22) + 1, w->ways);
		/* Only the LLC includes others, by a hash where it has slices. */
		assert_int_equal(r[3], bytes != m.llc.bytes || w->level != m.llc_level ? 0 :
				 m.slices > 1 ? 6 : 2);
	}
	assert_true(vpmu_cpuid(&m, cpu, 4, count, r));
	assert_int_equal(field(r[0], 4, 0), 0);		/* no more caches */
}

static void check(const char *name, const struct wanted *wanted, uint32_t count)
{
	check_cpu(name, 0, wanted, count);
}

enum { DATA = 1, CODE, BOTH };

/* Sizes: 248966 (Skylake client, Core 2, Gracemont), 328207 (Knights Corner),
 * 322568 (Xeon 7500). */
static void caches(void **state)
{
	static const struct wanted skl[] = { { DATA, 1, 32 << 10, 8, 2 },
		{ CODE, 1, 32 << 10, 8, 2 }, { BOTH, 2, 256 << 10, 4, 2 },
		{ BOTH, 3, 8 << 20, 16, 8 } };
	static const struct wanted core2[] = { { DATA, 1, 32 << 10, 8, 1 },
		{ CODE, 1, 32 << 10, 8, 1 }, { BOTH, 2, 4 << 20, 16, 2 } };
	static const struct wanted knc[] = { { DATA, 1, 32 << 10, 8, 4 },
		{ CODE, 1, 32 << 10, 8, 4 }, { BOTH, 2, 512 << 10, 8, 4 } };
	/* Ten cores take the numbers of sixteen. */
	static const struct wanted comet[] = { { DATA, 1, 32 << 10, 8, 2 },
		{ CODE, 1, 32 << 10, 8, 2 }, { BOTH, 2, 256 << 10, 4, 2 },
		{ BOTH, 3, 20 << 20, 16, 32 } };
	/* A cluster of four shares an L2. */
	static const struct wanted little[] = { { DATA, 1, 32 << 10, 8, 1 },
		{ CODE, 1, 64 << 10, 8, 1 }, { BOTH, 2, 2 << 20, 16, 4 },
		{ BOTH, 3, 6 << 20, 12, 8 } };

	(void)state;
	check("adln-8e8t", little, 4);
	check("skl-4c8t", skl, 4);
	check("core2-2c", core2, 3);
	check("knc-4c16t", knc, 3);
	check("cml-10c20t", comet, 4);
}

static void other_leaves(void **state)
{
	struct vpmu_machine m = machine("skl-4c8t");
	uint32_t r[4];

	(void)state;
	assert_true(vpmu_cpuid(&m, 0, 2, 0, r));
	assert_int_equal(r[0] & 0xff, 1);		/* one query is enough */
	assert_int_equal(r[0] >> 8 & 0xff, 0xff);	/* leaf 04H has the caches */
	assert_true(vpmu_cpuid(&m, 0, 0x80000006, 0, r));
	assert_int_equal(r[2] >> 16, 256);		/* KB of L2 */
	assert_int_equal(r[2] & 0xff, 64);
	r[2] = 0x40;
	assert_true(vpmu_cpuid(&m, 0, 1, 0, r));
	assert_int_equal(r[2], 0x8040);			/* bit 15: IA32_PERF_CAPABILITIES */
	assert_false(vpmu_cpuid(&m, 0, 7, 0, r));
	assert_false(vpmu_cpuid(&m, 0, 0xb, 0, r));
	assert_false(vpmu_cpuid(&m, 0, 0x1a, 0, r));
}

static void check_leaf_a(const char *name, const uint32_t given[4])
{
	struct vpmu_machine m = machine(name);
	uint32_t r[4];

	assert_true(vpmu_cpuid(&m, vpmu_machine_cpus(&m) - 1, 0xa, 0, r));
	assert_memory_equal(r, given, sizeof(r));
}

/* Leaf 23H: bit i of the first sub-leaf's EAX stands for sub-leaf i, and all others are zeros. */
static void check_leaf_23(const char *name)
{
	struct vpmu_machine m = machine(name);
	uint32_t r[4], valid = 0;

	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(&m); cpu++)
		for (uint32_t i = 0; i < 32; i++) {
			memset(r, 0xff, sizeof(r));
			assert_true(vpmu_cpuid(&m, cpu, 0x23, i, r));
			valid = i ? valid : r[0];
			assert_int_equal(valid >> i & 1, (r[0] | r[1] | r[2] | r[3]) != 0);
		}
}

/* Leaf 0AH as such parts gave it: two threads to a core, or one. */
static void performance_counters(void **state)
{
	static const struct { const char *machine; uint32_t leaf[4]; } parts[] = {
		{ "skl-4c8t", { 0x07300404, 0, 0, 0x603 } },
		{ "skl-4c4t", { 0x07300804, 0, 0, 0x603 } },
		{ "cml-10c20t", { 0x07300404, 0, 0, 0x603 } },
		{ "core2-2c", { 0x07280202, 0, 0, 0x503 } },
	};
	/* Leaf 23H: counters, fixed ones, events; of the first CPU, a P core, or the last. */
	static const struct { const char *machine; uint32_t general, fixed, events; } kinds[] = {
		{ "mtl-6p8e2lp22t", 0xff, 0xf, 0xdff }, { "mtl-6p8e2lp22t", 0xff, 0x7, 0x7f },
		{ "lnl-4p4e8t", 0x3ff, 0xf, 0x1dff }, { "lnl-4p4e8t", 0xff, 0x77, 0x1f7f },
	};
	uint32_t r[4], given[4];
	struct tsv t;

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct vpmu_machine m = machine(kinds[i].machine);
		uint32_t cpu = i % 2 ? vpmu_machine_cpus(&m) - 1 : 0;

		r[0] = 0;
		assert_true(vpmu_cpuid(&m, cpu, 7, 1, r));
		assert_int_equal(r[0], 1 << 8);
		assert_true(vpmu_cpuid(&m, cpu, 0x23, 1, r));
		assert_int_equal(r[0], kinds[i].general);
		assert_int_equal(r[1], kinds[i].fixed);
		assert_true(vpmu_cpuid(&m, cpu, 0x23, 3, r));
		assert_int_equal(r[0], kinds[i].events);
	}
	check_leaf_23("mtl-6p8e2lp22t");
	check_leaf_23("lnl-4p4e8t");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		check_leaf_a(parts[i].machine, parts[i].leaf);
	/* Numbers of both kinds of cores; Lunar Lake's stand in for those of later machines. */
	for (tsv_open(&t, "clients.tsv"); tsv_next(&t);)
		if (sscanf(tsv_cell(&t, "leaf_0a"), "%x %x %x %x", &given[0], &given[1], &given[2],
			   &given[3]) == 4)
			check_leaf_a(tsv_cell(&t, "machine"), given);
}

/* A P core has the room of a cluster of four, as in the silicon; on Meteor Lake's SoC tile and of
 * Lunar Lake's E cores nobody is behind an L3. Sizes: 248966 and Intel's product pages. */
static void hybrid_caches(void **state)
{
	static const struct wanted big[] = { { DATA, 1, 48 << 10, 12, 2 },
		{ CODE, 1, 32 << 10, 8, 2 }, { BOTH, 2, 1280 << 10, 10, 8 },
		{ BOTH, 3, 30 << 20, 12, 128 } };
	static const struct wanted little[] = { { DATA, 1, 32 << 10, 8, 2 },
		{ CODE, 1, 64 << 10, 8, 2 }, { BOTH, 2, 2 << 20, 16, 8 },
		{ BOTH, 3, 30 << 20, 12, 128 } };
	static const struct wanted away[] = { { DATA, 1, 32 << 10, 8, 1 },
		{ CODE, 1, 64 << 10, 8, 1 }, { BOTH, 2, 4 << 20, 16, 4 } };

	(void)state;
	check_cpu("adl-8p8e24t", 0, big, 4);
	check_cpu("adl-8p8e24t", 15, big, 4);
	check_cpu("adl-8p8e24t", 16, little, 4);
	check_cpu("adl-8p8e24t", 23, little, 4);
	check_cpu("mtl-6p8e2lp22t", 20, little, 3);
	check_cpu("mtl-6p8e2lp22t", 21, little, 3);
	check_cpu("lnl-4p4e8t", 4, away, 3);
}

static uint32_t native(const char *name, uint32_t cpu)
{
	struct vpmu_machine m = machine(name);
	uint32_t r[4] = { 1, 1, 1, 1 };

	assert_true(vpmu_cpuid(&m, cpu, 0x1a, 0, r));
	assert_int_equal(r[1] | r[2] | r[3], 0);
	return r[0];
}

/* Leaf 1AH: bits 31:24 20H Intel Atom, 40H Intel Core. Leaf 7: EDX bit 15, the rest is kept. */
static void kinds(void **state)
{
	struct vpmu_machine m = machine("adl-8p8e24t");
	uint32_t r[4] = { 1, 2, 3, 4 };
	struct tsv t;

	(void)state;
	assert_int_equal(native("adl-8p8e24t", 15), 0x40000001);
	assert_int_equal(native("adl-8p8e24t", 16), 0x20000001);
	assert_int_equal(native("nvl-8p16e4lp28t", 7), 0x40000005);
	assert_int_equal(native("nvl-8p16e4lp28t", 8), 0x20000005);
	/* The first CPU is a P core's and the last an E core's. IDs 4 and 5 are of perfmon's
	 * mapfile.csv, 2026-08. */
	for (tsv_open(&t, "clients.tsv"); tsv_next(&t);) {
		struct vpmu_machine one = machine(tsv_cell(&t, "machine"));
		uint32_t id = (uint32_t)tsv_number(&t, "native");

		if (!id)
			continue;
		assert_int_equal(native(one.name, 0), 0x40000000 | id);
		assert_int_equal(native(one.name, vpmu_machine_cpus(&one) - 1), 0x20000000 | id);
	}
	assert_true(vpmu_cpuid(&m, 0, 7, 0, r));
	assert_int_equal(r[0], 1);
	assert_int_equal(r[1], 2);
	assert_int_equal(r[2], 3);
	assert_int_equal(r[3], 0x8004);
	assert_true(vpmu_cpuid(&m, 0, 7, 1, r));
	assert_int_equal(r[3], 0x8004);
}

static uint32_t topology(const struct vpmu_machine *m, uint32_t cpu, uint32_t r[2][4])
{
	uint32_t older[4];

	for (uint32_t level = 0; level < 2; level++) {
		assert_true(vpmu_cpuid(m, cpu, 0x1f, level, r[level]));
		assert_true(vpmu_cpuid(m, cpu, 0xb, level, older));
		assert_memory_equal(older, r[level], sizeof(older));
		assert_int_equal(r[level][2], (level + 1) << 8 | level);
		assert_int_equal(r[level][3], r[0][3]);
	}
	assert_true(vpmu_cpuid(m, cpu, 0x1f, 2, older));
	assert_int_equal(older[0] | older[1], 0);
	assert_int_equal(older[2], 2);
	return r[0][3];
}

static bool share(const struct vpmu_machine *m, uint32_t a, uint32_t b, uint32_t cache)
{
	uint32_t r[4], x[2][4], y[2][4], bits = 0;

	assert_true(vpmu_cpuid(m, a, 4, cache, r));
	while (field(r[0], 25, 14) + 1 > UINT32_C(1) << bits)
		bits++;
	return topology(m, a, x) >> bits == topology(m, b, y) >> bits;
}

/* Compares two CPUs' topology and shared caches; b comes after a. */
static void check_pair(const struct vpmu_machine *m, uint32_t a, uint32_t b)
{
	uint32_t r[2][4], other[2][4], ca = vpmu_cpu_core(m, a), cb = vpmu_cpu_core(m, b);

	assert_int_not_equal(topology(m, a, r), topology(m, b, other));
	assert_int_equal(r[0][3] >> r[0][0] == other[0][3] >> r[0][0], ca == cb);
	assert_int_equal(share(m, a, b, 0), ca == cb);
	assert_int_equal(share(m, a, b, 2), vpmu_core_agent(m, ca) == vpmu_core_agent(m, cb));
	if (!vpmu_core_away(m, ca))
		assert_int_equal(share(m, a, b, 3), !vpmu_core_away(m, cb));
}

static void check_places(const char *name)
{
	struct vpmu_machine m = machine(name);
	uint32_t r[2][4], cpus = vpmu_machine_cpus(&m);

	for (uint32_t a = 0; a < cpus; a++) {
		uint32_t apic = topology(&m, a, r), core = vpmu_cpu_core(&m, a);

		assert_int_equal(vpmu_place_core(&m, vpmu_core_place(&m, core)), core);
		assert_int_equal(r[0][1], core < vpmu_first_little(&m) ? m.threads : 1);
		assert_int_equal(r[1][1], cpus);
		assert_int_equal(apic >> r[1][0], 0);		/* package 0 */
		for (uint32_t b = a + 1; b < cpus; b++)
			check_pair(&m, a, b);
	}
}

/* Leaf 01H has the number that leaf 0BH has, and how many a package has room for: 255 if there are
 * more. What the host says of anything else stays. */
static void check_apic(const char *name)
{
	struct vpmu_machine m = machine(name);
	uint32_t cpus = vpmu_machine_cpus(&m), room = 0, most = 0;

	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		uint32_t r[4] = { 1, 0xffff1234, 3, 0xffffffff }, b[4];

		vpmu_cpuid_place(&m, cpu, 0xb, 1, b);
		vpmu_cpuid_place(&m, cpu, 0x1, 0, r);
		assert_int_equal(r[0], 1);
		assert_int_equal(r[2], 3);
		assert_int_equal(field(r[1], 15, 0), 0x1234);
		assert_int_equal(field(r[1], 31, 24), b[3]);
		room = field(r[1], 23, 16);
		assert_int_equal(room, b[0] < 8 ? 1u << b[0] : 255);
		assert_int_equal(r[3], cpus > m.packages ? 0xffffffff : 0xefffffff);
		most = b[3] > most ? b[3] : most;
	}
	assert_in_range(most, 0, m.packages * room - 1);
}

static void apic_numbers(void **state)
{
	struct tsv t;

	(void)state;
	check_apic("skl-4c8t");
	check_apic("core2-2c");
	check_apic("p4-2p4t");
	for (tsv_open(&t, "clients.tsv"); tsv_next(&t);)
		check_apic(tsv_cell(&t, "machine"));
}

/* Leaves 0BH and 1FH, and which CPUs share what by the numbers of their local APICs. */
static void places(void **state)
{
	struct tsv t;

	(void)state;
	check_places("adl-1p4e6t");
	check_places("mtl-1p4e2lp7t");
	for (tsv_open(&t, "clients.tsv"); tsv_next(&t);)
		if (tsv_number(&t, "native"))
			check_places(tsv_cell(&t, "machine"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches), cmocka_unit_test(other_leaves),
		cmocka_unit_test(performance_counters),
		cmocka_unit_test(hybrid_caches), cmocka_unit_test(kinds), cmocka_unit_test(places),
		cmocka_unit_test(apic_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
