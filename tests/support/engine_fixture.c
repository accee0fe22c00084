/* SPDX-License-Identifier: MIT */
#include "engine_fixture.h"

#include "forks.h"
#include "on_machine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define REGISTERS_MAX 256
#define CPUS_MAX 64

static uint64_t before[CPUS_MAX][REGISTERS_MAX];
static int registers;

/* ---- registers: of the machine's segment, or by the kernel's devices of a booted one */

static int open_device(uint32_t cpu)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", (unsigned)cpu);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static bool is_readable(const struct vpmu_register_info *reg)
{
	return reg->space == VPMU_MSR && reg->access != VPMU_WO;
}

static uint64_t peek(const struct engine_fixture *f, uint32_t cpu,
		     const struct vpmu_register_info *reg)
{
	uint64_t value = 0;
	int fd, rc;

	if (on_machine_booted() && is_readable(reg)) {
		fd = open_device(cpu);
		assert_int_equal(pread(fd, &value, 8, reg->address), 8);
		close(fd);
		return value;
	}
	vpmu_lock(f->segment);
	rc = vpmu_model_peek(f->segment, cpu, reg, &value);
	vpmu_unlock(f->segment);
	assert_true(!rc || rc == -ENOENT);	/* another kind of core has it */
	return value;
}

static void poke(const struct engine_fixture *f, uint32_t cpu,
		 const struct vpmu_register_info *reg, uint64_t value)
{
	int fd;

	if (on_machine_booted()) {
		fd = open_device(cpu);
		assert_int_equal(pwrite(fd, &value, 8, reg->address), 8);
		close(fd);
		return;
	}
	vpmu_lock(f->segment);
	assert_int_equal(vpmu_model_poke(f->segment, cpu, reg, value), 0);
	vpmu_unlock(f->segment);
}

int engine_fixture_registers(const struct engine_fixture *f, uint32_t cpu, uint64_t *values,
			     int room)
{
	struct vpmu_register_info reg;
	int n = 0;

	for (uint32_t i = 0; vpmu_model_register(&f->segment->machine, i, &reg); i++) {
		assert_true(n < room);
		values[n++] = peek(f, cpu, &reg);
	}
	return n;
}

static uint32_t cpus(const struct engine_fixture *f)
{
	uint32_t n = vpmu_machine_cpus(&f->segment->machine);

	return n < CPUS_MAX ? n : CPUS_MAX;
}

int engine_fixture_open_on(void **state, enum ipmu_scope scope, const struct engine_found *found)
{
	static struct engine_fixture f;
	char why[IPMU_WHY_MAX] = "";

	f.segment = on_machine_segment();
	for (uint32_t cpu = 0; cpu < cpus(&f); cpu++) {
		for (const struct engine_found *r = found; r->reg; r++)
			engine_fixture_poke_on(&f, cpu, r->reg, r->value);
		registers = engine_fixture_registers(&f, cpu, before[cpu], REGISTERS_MAX);
	}
	forks_wait_for_threads();	/* with the engine's locks, which its handler takes */
	if (ipmu_topology_load(&f.topo, why) || ipmu_system_open(f.topo, scope, &f.sys, why)) {
		print_error("%s\n", why);
		return -1;
	}
	*state = &f;
	return 0;
}

int engine_fixture_open(void **state)
{
	static const struct engine_found found[] = {
		{ "MSR_UNC_CBO_0_PERFEVTSEL0", 0x00508834 },
		{ "MSR_UNC_CBO_1_PERFCTR1", 0x123456789ABull },
		{ "MSR_UNC_ARB_PERFCTR1", 0x42 },
		{ "MSR_UNC_PERF_GLOBAL_CTRL", 0x8000000F },
		{ NULL, 0 },
	};

	return engine_fixture_open_on(state, IPMU_SCOPE_PACKAGE, found);
}

/* Nobody can hold these still. */
static bool moves_by_itself(const struct vpmu_register_info *reg)
{
	return reg->space == VPMU_MMIO || strcmp(reg->name, "IA32_TIME_STAMP_COUNTER") == 0 ||
	       strstr(reg->name, "TIMESTAMP_UNIT") != NULL;
}

static int compare(const struct engine_fixture *f, uint32_t cpu, bool tell)
{
	uint64_t after[REGISTERS_MAX];
	struct vpmu_register_info reg;
	int bad = 0;

	engine_fixture_registers(f, cpu, after, REGISTERS_MAX);
	for (int i = 0; i < registers; i++) {
		vpmu_model_register(&f->segment->machine, (uint32_t)i, &reg);
		if (after[i] == before[cpu][i] || moves_by_itself(&reg))
			continue;
		bad++;
		if (tell)
			print_error("%s of CPU %u was 0x%llx, is 0x%llx\n", reg.name, (unsigned)cpu,
				    (unsigned long long)before[cpu][i],
				    (unsigned long long)after[i]);
	}
	return bad;
}

int engine_fixture_changed(const struct engine_fixture *f, bool tell)
{
	int bad = 0;

	for (uint32_t cpu = 0; cpu < cpus(f); cpu++)
		bad += compare(f, cpu, tell);
	return bad;
}

int engine_fixture_close(void **state)
{
	struct engine_fixture *f = *state;
	int bad;

	ipmu_system_close(f->sys);
	ipmu_topology_free(f->topo);
	bad = engine_fixture_changed(f, true);
	if (f->segment->violation_count) {
		print_error("%llu reserved bits or registers touched\n",
			    (unsigned long long)f->segment->violation_count);
		bad++;
	}
	vpmu_segment_close(f->segment);
	return bad ? -1 : 0;
}

struct ipmu_event engine_fixture_event(const struct engine_fixture *f, const char *name)
{
	struct ipmu_event event;
	char why[IPMU_WHY_MAX] = "";

	if (ipmu_event_parse(f->sys, name, &event, why))
		fail_msg("%s: %s", name, why);
	return event;
}

void engine_fixture_poke_on(const struct engine_fixture *f, uint32_t cpu, const char *name,
			    uint64_t value)
{
	struct vpmu_register_info reg;

	assert_int_equal(vpmu_model_find(&f->segment->machine, name, &reg), 0);
	poke(f, cpu, &reg, value);
}

uint64_t engine_fixture_peek_on(const struct engine_fixture *f, uint32_t cpu, const char *name)
{
	struct vpmu_register_info reg;

	assert_int_equal(vpmu_model_find(&f->segment->machine, name, &reg), 0);
	return peek(f, cpu, &reg);
}

void engine_fixture_poke(const struct engine_fixture *f, const char *name, uint64_t value)
{
	engine_fixture_poke_on(f, 0, name, value);
}

uint64_t engine_fixture_peek(const struct engine_fixture *f, const char *name)
{
	return engine_fixture_peek_on(f, 0, name);
}

/* A core cannot be made to miss so often, so its counters of lookups are set forward. */
static void set_forward(const struct engine_fixture *f, uint32_t slice, int n)
{
	char select[40], counter[40];
	uint64_t was;

	for (int i = 0; i < 2; i++) {
		snprintf(select, sizeof(select), "MSR_UNC_CBO_%u_PERFEVTSEL%d", (unsigned)slice, i);
		snprintf(counter, sizeof(counter), "MSR_UNC_CBO_%u_PERFCTR%d", (unsigned)slice, i);
		was = engine_fixture_peek(f, counter);
		if ((engine_fixture_peek(f, select) & 0x4000FF) == 0x400034)
			engine_fixture_poke(f, counter, was + (uint64_t)n);
	}
}

void engine_fixture_misses(const struct engine_fixture *f, uint32_t slice, int n)
{
	if (on_machine_booted()) {
		set_forward(f, slice, n);
		return;
	}
	vpmu_lock(f->segment);
	for (int i = 0; i < n; i++) {
		uint64_t clock = f->segment->uclk[0];

		vpmu_llc_lookup(f->segment, 0, slice, VPMU_READ, VPMU_I, clock);
		vpmu_clock(f->segment, 0, clock + 1);
	}
	vpmu_unlock(f->segment);
}

void engine_fixture_raise(const struct engine_fixture *f, uint32_t cpu, enum vpmu_core_event event,
			  uint32_t n, uint32_t clocks)
{
	uint32_t counts[VPMU_CORE_EVENTS] = { 0 };

	counts[event] = n;
	vpmu_lock(f->segment);
	vpmu_core_events(f->segment, cpu, counts, clocks);
	vpmu_unlock(f->segment);
}

struct ipmu_session *engine_fixture_session(const struct engine_fixture *f,
					    const char *const *names, int n)
{
	struct ipmu_session *s;
	struct ipmu_event events[16];
	char why[IPMU_WHY_MAX] = "";

	assert_in_range(n, 0, 16);
	for (int i = 0; i < n; i++)
		events[i] = engine_fixture_event(f, names[i]);
	assert_int_equal(ipmu_session_new(f->sys, &s, why), 0);
	if (ipmu_session_set(s, events, n, why))
		fail_msg("%s", why);
	return s;
}

void engine_fixture_start(struct ipmu_session *s)
{
	char why[IPMU_WHY_MAX] = "";

	if (ipmu_session_start(s, why))
		fail_msg("%s", why);
}

struct ipmu_session *engine_fixture_started(const struct engine_fixture *f,
					    const char *const *names, int n)
{
	struct ipmu_session *s = engine_fixture_session(f, names, n);

	engine_fixture_start(s);
	return s;
}

void engine_fixture_expect(struct ipmu_session *s, int rc, uint64_t a, uint64_t b)
{
	uint64_t v[2] = { 77, 77 };

	assert_int_equal(ipmu_session_read(s, v), rc);
	assert_int_equal(v[0], a);
	assert_int_equal(v[1], b);
}

void engine_fixture_end(struct ipmu_session *s, uint64_t *values)
{
	char why[IPMU_WHY_MAX] = "";

	if (ipmu_session_stop(s, values, why))
		fail_msg("%s", why);
	ipmu_session_free(s);
}
