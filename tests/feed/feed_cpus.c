/* SPDX-License-Identifier: MIT */
/* The CPUs of a booted machine take turns. Each is a host thread here, as in QEMU. They execute
 * blocks of some clocks, and nothing else of the feed is there. A test waits for what has to come,
 * so only a hang depends on time. */
#include "feed_qemu.h"

#include <sched.h>
#include <semaphore.h>

#include "virtual_pmu/emulator/user_calls.h"
#include "virtual_pmu/feed/thread/scheduler.h"

#define CPUS 4u
#define BLOCKS 2000u
#define BLOCK_CLOCKS 7001u

static struct vpmu_user_host emulator;
static const struct vpmu_core *core = (const void *)&emulator;
static sem_t looked;
static uint64_t executing, blocks, at_once, behind, spun;

static void leave(void)
{
}

static uint32_t cpu_of(unsigned int vcpu)
{
	return vcpu;
}

static int fresh(void **state)
{
	struct vpmu_machine m = one_set_machine(2, 2, 4);

	(void)state;
	vpmu_feed.segment = segment = segment_of(&m);
	vpmu_processes_power_on(&segment->processes);
	vpmu_feed.cpu_of = cpu_of;
	emulator.leave = leave;
	vpmu_scheduler_begin(&emulator, false);
	executing = blocks = at_once = behind = spun = 0;
	return sem_init(&looked, 0, 0);
}

static int done(void **state)
{
	(void)state;
	while (vpmu_turns.first)
		vpmu_turn_remove(vpmu_turns.first);
	vpmu_turns.owner = vpmu_turn_self = NULL;
	vpmu_turns.outside = 0;
	free(segment);
	return vpmu_turns.count || vpmu_turns_spinning;
}

static void take_turn(unsigned int vcpu)
{
	while (!vpmu_scheduler_cpu_turn(vcpu))
		sem_post(&looked);
}

/* Executes a block without protection from others. */
static void execute(void)
{
	const struct vpmu_turn *least;

	at_once += __atomic_fetch_add(&executing, 1, __ATOMIC_RELAXED) != 0;
	blocks++;
	vpmu_turns_lock();
	least = vpmu_turn_least(vpmu_turn_self);
	behind += least && vpmu_turn_self->clock > least->clock + VPMU_SLICE_CLOCKS &&
		  vpmu_turn_self->clock != vpmu_turn_self->began;
	vpmu_turns_unlock();
	vpmu_turn_self->clock += BLOCK_CLOCKS;
	if (vpmu_newest_clock(segment) < vpmu_turn_self->clock)
		__atomic_store_n(&segment->uclk[0], vpmu_turn_self->clock, __ATOMIC_RELAXED);
	if (vpmu_turn_is_over(vpmu_turn_self->clock))
		vpmu_scheduler_leave();
	__atomic_fetch_sub(&executing, 1, __ATOMIC_RELAXED);
}

/* Halts now and then. */
static void *cpu(void *vcpu)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		take_turn((unsigned int)(uintptr_t)vcpu);
		execute();
		if (i % 64 == 63)
			vpmu_scheduler_cpu_halts();
	}
	vpmu_scheduler_cpu_halts();
	return NULL;
}

static void one_cpu_executes_at_a_time(void **state)
{
	pthread_t thread[CPUS];

	(void)state;
	for (uintptr_t i = 0; i < CPUS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, cpu, (void *)i), 0);
	for (unsigned int i = 0; i < BLOCKS; i++)
		vpmu_scheduler_cpu_kicked(i % CPUS);
	for (uint32_t i = 0; i < CPUS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(at_once, 0);
	assert_int_equal(blocks, CPUS * BLOCKS);
	assert_int_equal(behind, 0);
	assert_null(vpmu_turns.owner);
	assert_int_equal(vpmu_turns.outside, CPUS);
}

static void *halts_at_once(void *vcpu)
{
	take_turn((unsigned int)(uintptr_t)vcpu);
	blocks++;
	vpmu_scheduler_cpu_halts();
	return NULL;
}

static void a_kick_ends_a_wait_for_a_moment(void **state)
{
	pthread_t thread;

	(void)state;
	take_turn(0);
	assert_true(vpmu_scheduler_has_turn());
	assert_int_equal(pthread_create(&thread, NULL, halts_at_once, (void *)1), 0);
	sem_wait(&looked);	/* once in any case: kicks before this are not known */
	vpmu_scheduler_cpu_kicked(1);
	sem_wait(&looked);
	assert_int_equal(blocks, 0);
	assert_true(vpmu_scheduler_has_turn());
	vpmu_scheduler_cpu_halts();
	assert_false(vpmu_scheduler_has_turn());
	pthread_join(thread, NULL);
	assert_int_equal(blocks, 1);
}

static bool somebody_waits(void)
{
	bool any;

	vpmu_turns_lock();
	any = vpmu_turn_least(vpmu_turn_self);
	vpmu_turns_unlock();
	return any;
}

/* CPU 0 waits for its turn meanwhile. */
static void *spins(void *vcpu)
{
	take_turn(1);
	sem_post(vcpu);
	while (!somebody_waits())
		sched_yield();
	spun = vpmu_turn_self->clock;
	vpmu_scheduler_cpu_kicked(1);	/* by itself: without effect */
	vpmu_scheduler_spin(core, spun);
	return halts_at_once((void *)1);
}

static void a_kick_ends_a_loop_of_pauses(void **state)
{
	const struct vpmu_turn *other;
	pthread_t thread;
	sem_t has_turn;

	(void)state;
	assert_int_equal(sem_init(&has_turn, 0, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, spins, &has_turn), 0);
	sem_wait(&has_turn);
	take_turn(0);
	sem_wait(&looked);
	other = vpmu_turn_find(1);
	assert_ptr_equal(other->spins, core);
	assert_int_equal(other->clock, spun + VPMU_SPIN_SLICES * VPMU_SLICE_CLOCKS);
	vpmu_scheduler_cpu_kicked(1);
	sem_wait(&looked);
	assert_null(other->spins);
	assert_int_equal(other->clock, spun);
	vpmu_scheduler_cpu_halts();
	pthread_join(thread, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_cpu_executes_at_a_time, fresh, done),
		cmocka_unit_test_setup_teardown(a_kick_ends_a_wait_for_a_moment, fresh, done),
		cmocka_unit_test_setup_teardown(a_kick_ends_a_loop_of_pauses, fresh, done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
