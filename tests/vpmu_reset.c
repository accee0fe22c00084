/* SPDX-License-Identifier: MIT */
/* Power-on of a used machine: every byte of its registers is as in a new one. */
#include "vpmu_machine.h"

#define USED 0xA5	/* in every byte, so that no register has kept its power-on value */

static void check(const char *machine)
{
	struct scratch t;
	uint8_t *registers, *window, *fresh;
	size_t bytes;

	scratch_open(&t, machine);
	vpmu_lock(t.s);
	registers = (uint8_t *)t.s + t.s->registers_offset;
	window = (uint8_t *)t.s + t.s->mmio_offset;
	bytes = t.s->registers_bytes + t.s->mmio_bytes;
	assert_true(t.s->registers_bytes > 0);
	fresh = malloc(bytes);
	assert_non_null(fresh);
	memcpy(fresh, registers, t.s->registers_bytes);
	memcpy(fresh + t.s->registers_bytes, window, t.s->mmio_bytes);
	memset(registers, USED, t.s->registers_bytes);
	memset(window, USED, t.s->mmio_bytes);
	vpmu_model_reset(t.s);
	assert_memory_equal(registers, fresh, t.s->registers_bytes);
	assert_memory_equal(window, fresh + t.s->registers_bytes, t.s->mmio_bytes);
	free(fresh);
	vpmu_unlock(t.s);
	scratch_close(&t);
}

static void power_on_leaves_nothing(void **state)
{
	static const char *const machines[] = { "skl-4c8t", "knc-4c16t", "core2-4c",
						"nhmex-4p32c64t", "p4-2p4t", "nhmex-1p8c16t" };

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		print_message("%s\n", machines[i]);
		check(machines[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(power_on_leaves_nothing) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
