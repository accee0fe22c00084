/* SPDX-License-Identifier: MIT */
/* Names of registers, PCI and the memory controller's window, against 334060-001. Its MSRs are in
 * scripts/skl_*.script. */
#include "vpmu_skl.h"

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

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_is_not_there_is_not_found), T(imc_counters_run_freely_in_32_bits),
		T(pci_names_the_host_bridge_and_the_bar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
