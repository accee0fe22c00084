/* SPDX-License-Identifier: MIT */
/* Names of registers, PCI and the memory controller's window, against 334060-001. Its MSRs are in
 * scripts/skl_*.script. */
#include "vpmu_skl.h"

#include "virtual_pmu/model/kinds.h"

#include <errno.h>

static void what_is_not_there_is_not_found(void **state)
{
	struct vpmu_register_info reg;
	uint64_t value;

	(void)state;
	assert_int_equal(vpmu_rdmsr(t.s, 8, GLOBAL_CTRL, &value), -ENXIO);
	assert_int_equal(vpmu_wrmsr(t.s, 8, GLOBAL_CTRL, 1), -ENXIO);
	assert_int_equal(vpmu_model_find(&t.s->machine, "msr_unc_no_such_thing", &reg), -ENOENT);
	assert_int_equal(vpmu_model_find(&t.s->machine, "0x", &reg), -ENOENT);
	assert_int_equal(vpmu_model_find(&t.s->machine, "0xE01x", &reg), -ENOENT);
	assert_int_equal(vpmu_model_find(&t.s->machine, "0xE01", &reg), 0);
	assert_int_equal(vpmu_model_peek(t.s, 8, &reg, &value), -ENXIO);
	assert_int_equal(vpmu_model_poke(t.s, 8, &reg, 0), -ENXIO);
	reg.address = 0xE00;
	assert_int_equal(vpmu_model_peek(t.s, 0, &reg, &value), -ENOENT);
	assert_int_equal(vpmu_model_poke(t.s, 0, &reg, 0), -ENOENT);
}

static uint32_t mmio(uint32_t offset)
{
	uint32_t value;

	memcpy(&value, (uint8_t *)t.s + t.s->mmio_offset + offset, sizeof(value));
	return value;
}

static void imc_counters_run_freely_in_32_bits(void **state)
{
	struct vpmu_register_info reg;

	(void)state;
	assert_int_equal(vpmu_model_find(&t.s->machine, "dram_data_reads", &reg), 0);
	assert_int_equal(vpmu_model_poke(t.s, 0, &reg, 0xfffffffe), 0);
	assert_int_equal(vpmu_model_poke(t.s, 0, &reg, UINT64_C(1) << 32), -ERANGE);
	vpmu_dram(t.s, 0, 7, 5, 3);
	assert_int_equal(mmio(0x5040), 0);
	assert_int_equal(mmio(0x5044), 7);
	assert_int_equal(mmio(0x5048), 0);
	assert_int_equal(mmio(0x504c), 0);
	assert_int_equal(mmio(0x5050), 3);
	assert_int_equal(mmio(0x5054), 3);
}

static void pci_names_the_host_bridge_and_the_bar(void **state)
{
	uint32_t id;
	uint64_t bar, base, bytes;

	(void)state;
	assert_int_equal(vpmu_pci_read(t.s, 0, &id, 4), 0);
	assert_int_equal(id, 0x191f8086);
	assert_int_equal(vpmu_pci_read(t.s, 0x48, &bar, 8), 0);
	assert_int_equal(bar & 1, 1);
	vpmu_mmio_window(t.s, &base, &bytes);
	assert_int_equal(base, bar & UINT64_C(0x7fffff8000));
	assert_true(bytes >= 0x5058 && t.s->mmio_bytes >= bytes);
	assert_int_equal(vpmu_pci_read(t.s, 0xff, &id, 4), -EINVAL);
}

/* ---- kinds of occurrences */

enum { DRAM_REQUESTS, DRAM_READS, DRAM_WRITES, ENTRY_CLOCKS, ENTRIES, COUNTS };

/* Raise the kind so often, and return what each count gains. */
static void raise_kind(uint32_t kind, int32_t times, uint64_t gained[COUNTS])
{
	for (int after = 0; after < 2; after++) {
		const uint64_t now[COUNTS] = { mmio(0x5044), mmio(0x5050), mmio(0x5054),
					       rd(ARB_CTR0), rd(ARB_CTR1) };

		for (int i = 0; i < COUNTS; i++)
			gained[i] = now[i] - (after ? gained[i] : 0);
		assert_true(after || vpmu_kind_raise(t.s, kind, times));
	}
}

/* A kind adds to the events that count it, and to no others. */
static void each_kind_is_what_its_name_says(void **state)
{
	static const struct { uint32_t first, last; bool adds[COUNTS]; } kinds[] = {
		{ VPMU_KIND_DRAM_REQUESTS, VPMU_KIND_DRAM_REQUESTS, { [DRAM_REQUESTS] = true } },
		{ VPMU_KIND_DRAM_READS, VPMU_KIND_DRAM_READS, { [DRAM_READS] = true } },
		{ VPMU_KIND_DRAM_WRITES, VPMU_KIND_DRAM_WRITES, { [DRAM_WRITES] = true } },
		{ VPMU_KIND_TRACKER_DATA_READ, VPMU_KIND_TRACKER_EVICTION,
		  { [ENTRY_CLOCKS] = true, [ENTRIES] = true } },
		{ VPMU_KIND_TRACKER_DATA_READ_CLOCKS, VPMU_KIND_TRACKER_EVICTION_CLOCKS,
		  { [ENTRY_CLOCKS] = true } },
	};

	(void)state;
	wr(ARB_SEL0, EN | OCCUPANCY_ALL);
	wr(ARB_SEL1, EN | REQUESTS_ALL);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (uint32_t kind = kinds[i].first; kind <= kinds[i].last; kind++) {
			uint64_t none[COUNTS], some[COUNTS];

			raise_kind(kind, 0, none);
			raise_kind(kind, 5, some);
			for (int c = 0; c < COUNTS; c++)
				assert_int_equal(some[c] - none[c], kinds[i].adds[c] ? 5 : 0);
		}
}

/* ---- violations */

/* A booted kernel's are counted all, and the first of each register and bits is kept; none is the
 * program's. */
static void violations_of_a_kernel_are_its_own(void **state)
{
	static const struct {
		uint32_t address;
		uint64_t value;
		int rc;
		uint32_t kept;
	} writes[] = {
		{ FIXED_CTRL, 1, 0, 1 }, { FIXED_CTRL, 1, 0, 1 }, { FIXED_CTRL, 2, 0, 2 },
		{ GLOBAL_CTRL, 2 | UINT64_C(1) << 40, 0, 3 }, { FIXED_CTRL, 1 | EN, 0, 3 },
		{ FIXED_CTRL, 2, 0, 3 }, { 0x396, 1, -EIO, 4 }, { 0xabc, 1, -EIO, 5 },
	};

	(void)state;
	t.s->kernel = VPMU_KERNEL_ACCESS;
	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
		assert_int_equal(vpmu_wrmsr(t.s, 0, writes[i].address, writes[i].value),
				 writes[i].rc);
		assert_int_equal(t.s->by_kernel_count, i + 1);
		assert_int_equal(t.s->by_kernel_kept, writes[i].kept);
	}
	assert_int_equal(t.s->by_kernel_first[1].bad_bits, 2);
	assert_int_equal(t.s->by_kernel_first[2].address, GLOBAL_CTRL);
	assert_int_equal(t.s->by_kernel_first[3].kind, VPMU_V_READ_ONLY);
	assert_int_equal(t.s->violation_count, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_is_not_there_is_not_found), T(imc_counters_run_freely_in_32_bits),
		T(pci_names_the_host_bridge_and_the_bar), T(each_kind_is_what_its_name_says),
		T(violations_of_a_kernel_are_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
