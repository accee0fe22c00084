/* SPDX-License-Identifier: MIT */
/* The programmable counters of Alder Lake's memory controllers, in the window: events, freeze,
 * resets, and what is reserved. Offsets are of the table of facts. */
#include "vpmu_machine.h"

#include "virtual_pmu/model/core_events.h"

#define GLOBAL_CTL 0xd9c0u
#define BOX_CTL 0xd9c4u
#define SELECT(i) (0xd9d0u + 4 * (i))
#define COUNTER(i) (0xd9e8u + 8 * (i))
#define MC1 0x10000u
#define FRZ 1u

static struct scratch t;

static int setup(void **state)
{
	(void)state;
	scratch_open(&t, "adl-8p8e24t");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scratch_close(&t);
	return 0;
}

static void write32(uint32_t offset, uint32_t value)
{
	vpmu_mmio_write(t.s, 0, offset, value, 4);
}

static uint64_t read64(uint32_t offset)
{
	uint64_t value;

	memcpy(&value, vpmu_package_mmio(t.s, 0) + offset, sizeof(value));
	return value;
}

/* Controller 0 gets 7 requests, 5 reads and 2 writes of lines; 3 commands hit an open page, 1 read
 * and 1 write miss one, and 2 reads find none. Controller 1 gets one read that hits. */
static void happen(void)
{
	static const struct { bool write; enum vpmu_page page; int n; } commands[] = {
		{ false, VPMU_PAGE_HIT, 2 }, { false, VPMU_PAGE_EMPTY, 2 },
		{ false, VPMU_PAGE_MISS, 1 }, { true, VPMU_PAGE_HIT, 1 },
		{ true, VPMU_PAGE_MISS, 1 },
	};

	vpmu_dram_at(t.s, 0, 0, 7, 5, 2);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		for (int n = 0; n < commands[i].n; n++)
			vpmu_memory_command(t.s, 0, 0, commands[i].write, commands[i].page, 1);
	vpmu_dram_at(t.s, 0, 1, 1, 1, 0);
	vpmu_memory_command(t.s, 0, 1, false, VPMU_PAGE_HIT, 1);
	vpmu_clock(t.s, 0, t.s->uclk[0] + 100);
}

static void each_event_counts_what_it_says(void **state)
{
	static const struct { uint32_t code; uint64_t first, second; } events[] = {
		{ 0x01, 100, 100 }, { 0x02, 5, 1 }, { 0x03, 2, 0 },
		{ 0x1c, 2, 1 }, { 0x1d, 2, 0 }, { 0x1e, 1, 0 },
		{ 0x1f, 1, 0 }, { 0x20, 0, 0 }, { 0x21, 1, 0 },
		{ 0x22, 5, 1 }, { 0x23, 2, 0 }, { 0x24, 3, 0 }, { 0x25, 1, 0 },
		{ 0x26, 4, 0 }, { 0x27, 2, 0 },
	};

	(void)state;
	for (uint32_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		uint32_t counter = i % 5;

		vpmu_mmio_write(t.s, 0, COUNTER(counter), 1000, 8);
		write32(SELECT(counter), events[i].code);
		write32(SELECT(counter) + MC1, events[i].code);
		happen();
		assert_int_equal(read64(COUNTER(counter)), 1000 + events[i].first);
		assert_int_equal(read64(COUNTER(counter) + MC1), events[i].second);
		write32(SELECT(counter), 0);
		happen();
		assert_int_equal(read64(COUNTER(counter)), 1000 + events[i].first);
		write32(GLOBAL_CTL + MC1, 6);
	}
	assert_int_equal(t.s->violation_count, 0);
	assert_int_equal(t.s->undriven_count, 0);
}

/* The free-running ones go on, and so does the other controller. */
static void a_frozen_controller_does_not_count(void **state)
{
	(void)state;
	write32(SELECT(2), 0x22);
	write32(SELECT(2) + MC1, 0x22);
	write32(BOX_CTL, FRZ);
	happen();
	assert_int_equal(read64(COUNTER(2)), 0);
	assert_int_equal(read64(COUNTER(2) + MC1), 1);
	assert_int_equal(read64(0xd858), 5);
	write32(BOX_CTL, 0);
	happen();
	assert_int_equal(read64(COUNTER(2)), 5);
	assert_int_equal(read64(0xd858), 10);
	assert_int_equal(read64(0xd840) + read64(0xd840 + MC1), 16);
	assert_int_equal(read64(0xd8a0), 4);
}

/* Clocks of a stop, and those before the event was chosen, do not count. */
static void clocks_count_while_they_are_asked_for(void **state)
{
	(void)state;
	happen();
	write32(SELECT(0), 0x01);
	happen();
	write32(BOX_CTL, FRZ);
	happen();
	write32(BOX_CTL, 0);
	happen();
	assert_int_equal(read64(COUNTER(0)), 200);
}

/* The one of MC1 serves both; that of MC0 does nothing. */
static void global_control_resets(void **state)
{
	(void)state;
	write32(SELECT(0), 0x22);
	write32(SELECT(1) + MC1, 0x22);
	happen();
	write32(GLOBAL_CTL, 6);
	assert_int_equal(read64(COUNTER(0)), 5);
	write32(GLOBAL_CTL + MC1, 4);
	assert_int_equal(read64(COUNTER(0)), 0);
	happen();
	assert_int_equal(read64(COUNTER(0)), 5);
	write32(BOX_CTL, FRZ);
	write32(GLOBAL_CTL + MC1, 2);
	assert_int_equal(read64(SELECT(0)) & UINT32_MAX, 0);
	assert_int_equal(read64(BOX_CTL) & UINT32_MAX, 0);
	happen();
	assert_int_equal(read64(COUNTER(0)), 5);
	assert_int_equal(read64(COUNTER(1) + MC1), 1);
}

static void only_channel_0_is_there(void **state)
{
	(void)state;
	write32(SELECT(0), 0x122);	/* channel 0 */
	write32(SELECT(1), 0xf22);	/* all */
	write32(SELECT(2), 0x222);	/* channel 1 */
	write32(SELECT(3), 0x40022);	/* edges */
	write32(SELECT(4), 0x04);	/* VC1 */
	happen();
	assert_int_equal(read64(COUNTER(0)), 5);
	assert_int_equal(read64(COUNTER(1)), 5);
	for (uint32_t i = 2; i < 5; i++)
		assert_int_equal(read64(COUNTER(i)), 0);
	assert_int_equal(t.s->undriven_count, 3);
	write32(SELECT(0), 0x3c);	/* of later generations */
	assert_int_equal(t.s->undriven_count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		char text[256];

		vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[i], text, sizeof(text));
		assert_non_null(strstr(text, "MC0_PERFEVTSEL"));
		assert_non_null(strstr(text, "stays 0"));
	}
}

static void what_cannot_be_written_is_a_violation(void **state)
{
	const uint32_t kinds[] = { VPMU_V_RESERVED_BITS, VPMU_V_READ_ONLY, VPMU_V_UNKNOWN_MSR,
				   VPMU_V_UNKNOWN_MSR };

	(void)state;
	write32(SELECT(0), 0x80000022);
	assert_int_equal(read64(SELECT(0)) & UINT32_MAX, 0x22);
	vpmu_mmio_write(t.s, 0, 0xd858, 1, 8);
	assert_int_equal(read64(0xd858), 0);
	write32(0x5040, 1);
	vpmu_mmio_write(t.s, 0, SELECT(0), 1, 8);	/* two registers at once */
	assert_int_equal(t.s->violation_count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(t.s->violations[i].kind, kinds[i]);
		assert_int_equal(t.s->violations[i].space, VPMU_MMIO);
	}
	assert_int_equal(t.s->violations[0].bad_bits, 0x80000000);
}

static void halves_of_a_counter_are_written_alone(void **state)
{
	(void)state;
	vpmu_mmio_write(t.s, 0, COUNTER(0), UINT64_C(0x1122334455667788), 8);
	write32(COUNTER(0) + 4, 0xaabbccdd);
	assert_int_equal(read64(COUNTER(0)), UINT64_C(0xaabbccdd55667788));
	write32(COUNTER(0), 1);
	assert_int_equal(read64(COUNTER(0)), UINT64_C(0xaabbccdd00000001));
	vpmu_mmio_write(t.s, 0, COUNTER(0), UINT64_MAX, 8);
	write32(SELECT(0), 0x22);
	happen();
	assert_int_equal(read64(COUNTER(0)), 4);	/* it wraps */
}

static void left_changed(const struct vpmu_register_info *reg, const struct vpmu_touched *w,
			 uint64_t value, void *arg)
{
	(void)w, (void)arg;
	assert_string_equal(reg->name, "MC1_PERFEVTSEL3");
	assert_int_equal(value & UINT32_MAX, 0x23);
}

static void what_is_left_changed_is_told(void **state)
{
	(void)state;
	write32(SELECT(3) + MC1, 0x23);
	write32(SELECT(2) + MC1, 0x23);
	write32(SELECT(2) + MC1, 0);
	assert_int_equal(vpmu_model_changed(t.s, left_changed, NULL), 1);
	write32(SELECT(3) + MC1, 0);
	assert_int_equal(vpmu_model_changed(t.s, left_changed, NULL), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* The registers behind Lunar Lake's SAFBAR, by physical addresses: the second box is below the
 * first, sNCU resets both, and traffic that the memory controllers count changes nothing. */
static void home_boxes_hold_and_are_reset(void **state)
{
	static const struct { uint64_t select, counter; } boxes[] = {
		{ 0xe54550 + 8 * 3, 0xe54570 + 8 * 3 }, { 0xe53550, 0xe53570 },
		{ 0xe53568, 0xe53588 }, { 0xe4b3a8, 0xe4b3a0 }, { 0xe4b398, 0xe4b390 },
	};
	uint64_t window, bytes, bar, from;

	(void)state;
	scratch_close(&t);
	scratch_open(&t, "lnl-4p4e8t");
	vpmu_mmio_window(t.s, &window, &bytes);
	assert_int_equal(vpmu_pci_read(t.s, 0x68, &bar, sizeof(bar)), 0);
	assert_int_equal(bar & 0xfff, 1);
	from = bar - 1 - window;	/* may be below 0 */
	for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
		uint32_t select = (uint32_t)(from + boxes[i].select),
			 counter = (uint32_t)(from + boxes[i].counter);

		write32(select, 0x101);
		vpmu_mmio_write(t.s, 0, counter, 1000, 8);
		happen();
		assert_int_equal(read64(counter), 1000);
		write32((uint32_t)(from + 0xe4b700), 4);	/* the counters */
		assert_int_equal(read64(counter), 0);
		assert_int_equal(read64(select) & UINT32_MAX, 0x101);
		write32((uint32_t)(from + 0xe4b700), 2);	/* the selects */
		assert_int_equal(read64(select) & UINT32_MAX, 0);
		vpmu_mmio_write(t.s, 0, counter, 1000, 8);
		write32(select, 0x120101);			/* RST and FRZ_ON_OV */
		assert_int_equal(read64(select), 0x100101);
		assert_int_equal(read64(counter), 0);
	}
	assert_int_equal(t.s->violation_count, 0);
}

static uint32_t offset_of(const char *name, uint32_t controller)
{
	struct vpmu_register_info info;
	char text[64];

	snprintf(text, sizeof(text), name, controller);
	assert_int_equal(vpmu_model_find(&t.s->machine, text, &info), 0);
	return info.address;
}

/* Each controller counts its own commands, at the registers that have its number. */
static void each_controller_counts_its_own(void **state)
{
	static const struct { const char *machine, *global, *select, *counter; } rows[] = {
		{ "adl-8p8e24t", "MC0_BOX_CTL", "MC%u_PERFEVTSEL0", "MC%u_PERFCTR0" },
		{ "ptl-4p8e4lp16t", "UNITS_GLOBAL_CTL", "IMC%u_PERFEVTSEL0", "IMC%u_PERFCTR0" },
		{ "nvl-8p16e4lp28t", "UNITS_GLOBAL_CTL", "IMC%u_PERFEVTSEL0", "IMC%u_PERFCTR0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		scratch_close(&t);
		scratch_open(&t, rows[i].machine);
		write32(offset_of(rows[i].global, 0), 0);	/* no freeze */
		for (uint32_t mc = 0; mc < 2; mc++)
			write32(offset_of(rows[i].select, mc), 0x22);
		happen();
		assert_int_equal(read64(offset_of(rows[i].counter, 0)), 5);
		assert_int_equal(read64(offset_of(rows[i].counter, 1)), 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(each_event_counts_what_it_says), T(a_frozen_controller_does_not_count),
		T(clocks_count_while_they_are_asked_for), T(global_control_resets),
		T(only_channel_0_is_there), T(what_cannot_be_written_is_a_violation),
		T(halves_of_a_counter_are_written_alone), T(what_is_left_changed_is_told),
		T(home_boxes_hold_and_are_reset), T(each_controller_counts_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
