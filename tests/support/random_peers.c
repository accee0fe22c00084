/* SPDX-License-Identifier: MIT */
/* The players are PEERS processes, each with at most one session on one of the sets below. The game
 * raises what the sets count, so it has the exact count of each session. A count may differ only
 * while its session says that it is lost. That is allowed only after the game itself has disturbed
 * the counters: `disturbed` is set until nobody counts any more.
 *
 * A killed process leaves registers changed until the next one comes: `unclean` is set then, and a
 * visitor that counts nothing comes before registers are compared. */
#include "random_peers.h"

#include "lease/journal.h"
#include "peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define PEERS 4
#define CHILDREN 6
#define STEP_BYTES 3
#define JOURNAL "package-0.skl_unc"

enum kind { NOTHING, MISSES_0, MISSES_1, REQUESTS, CLOCKS, READS, KINDS };
enum { CBO_0 = 1, CBO_1 = 2, ARBITER = 4, CLOCK = 8 };

static const struct set {
	const char *names[3];
	enum kind kinds[2];
	unsigned boxes;
} sets[] = {
	{ { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0" }, { MISSES_0 }, CBO_0 },
	{ { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_M:box=0" }, { NOTHING }, CBO_0 },
	{ { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:box=0" }, { MISSES_0 }, CBO_0 },
	{ { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0",
	    "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=1" }, { MISSES_0, MISSES_1 },
	  CBO_0 | CBO_1 },
	{ { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=1", "skl_unc_clk.UNC_CLOCK" },
	  { MISSES_1, CLOCKS }, CBO_1 | CLOCK },
	{ { "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL" }, { REQUESTS }, ARBITER },
	{ { "skl_unc_arb.UNC_ARB_TRK_REQUESTS:WRITES", "skl_unc_clk.UNC_CLOCK" },
	  { NOTHING, CLOCKS }, ARBITER | CLOCK },
	{ { "skl_unc_imc.DRAM_DATA_READS" }, { READS }, 0 },
};
#define SETS (sizeof(sets) / sizeof(sets[0]))
static const struct set *const free_running = &sets[SETS - 1];

struct player {
	struct peer p;
	const struct set *set;		/* NULL: no session */
	uint64_t base[2];
	bool counting;
	bool lost;			/* a count has been reported lost since the start */
	unsigned programmed;		/* boxes that nobody else counted on at its start */
};

static struct {
	const struct engine_fixture *f;
	struct player players[PEERS];
	pid_t children[CHILDREN];
	int starts, set_back;		/* since nobody counted */
	uint64_t totals[KINDS];
	uint64_t found[16];
	uint32_t addresses[16];		/* of the registers that the sets change */
	bool unclean, disturbed, damaged, suspended, unwritten;
	size_t step;
} game;

#define MUST(condition) do {								\
	if (!(condition))								\
		fail_msg("step %zu: not so: %s", game.step, #condition);		\
} while (0)

/* ---- faults: a time that all processes share, and writes that fail or kill */

static time_t *slept_s;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	int rc = __real_clock_gettime(id, t);

	if (id == CLOCK_BOOTTIME && slept_s)
		t->tv_sec += *slept_s;
	return rc;
}

static bool is_journal(int fd)
{
	char link[32], path[256] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return readlink(link, path, sizeof(path) - 1) > 0 && strstr(path, "/package-");
}

ssize_t __real_pwrite(int fd, const void *bytes, size_t length, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t length, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t length, off_t at)
{
	if (peer_fault.kind == PEER_KILLED && peer_fault.left-- == 0)
		raise(SIGKILL);
	if (peer_fault.kind == PEER_DISK_FULL && is_journal(fd) && peer_fault.left-- <= 0) {
		errno = ENOSPC;
		return -1;
	}
	return __real_pwrite(fd, bytes, length, at);
}

/* ---- what happens */

static void raise_events(unsigned what)
{
	const struct engine_fixture *f = game.f;
	uint64_t n = 1 + what / 4 % 8;

	if (what % 4 < 2) {
		engine_fixture_misses(f, what % 4, (int)n);
		game.totals[MISSES_0 + what % 4] += n;
		game.totals[CLOCKS] += n;
		return;
	}
	vpmu_lock(f->segment);
	if (what % 4 == 2) {
		vpmu_dram(f->segment, 0, (uint32_t)n, (uint32_t)n, 0);
		game.totals[READS] += n;
	} else {
		uint64_t clock = f->segment->uclk[0];

		for (uint64_t i = 0; i < n; i++)
			vpmu_tracker(f->segment, 0, VPMU_TRK_DATA_READ, true, clock, clock + 1);
		game.totals[REQUESTS] += n;
	}
	vpmu_unlock(f->segment);
}

static const char *journal_path(void)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/" JOURNAL, getenv("IPMU_STATE_DIR"));
	return path;
}

/* ---- what must hold */

static int others_counting(const struct player *p, unsigned boxes)
{
	int n = 0;

	for (const struct player *q = game.players; q < game.players + PEERS; q++)
		n += q != p && q->counting && (q->set->boxes & boxes);
	return n;
}

static bool nobody_counts(void)
{
	for (int i = 0; i < PEERS; i++)
		if (game.players[i].counting)
			return false;
	return true;
}

static void check_counts(struct player *p, int rc, const uint64_t *values)
{
	if (rc)
		MUST(game.disturbed);
	if (p->lost && !game.damaged)
		MUST(rc);
	for (int i = 0; p->set->names[i]; i++) {
		uint64_t n = game.totals[p->set->kinds[i]] - p->base[i];

		if (rc ? values[i] > n : values[i] != n)
			fail_msg("step %zu: %s: %d, %llu, but %llu have happened", game.step,
				 p->set->names[i], rc, (unsigned long long)values[i],
				 (unsigned long long)n);
	}
	p->lost = p->lost || rc == -ESTALE || rc == -ESHUTDOWN;
}

static void check_files(void)
{
	DIR *dir = opendir(getenv("IPMU_STATE_DIR"));
	const struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, JOURNAL) != 0)
			fail_msg("step %zu: %s is left", game.step, entry->d_name);
	closedir(dir);
}

/* The registers that the sets change. */
static const char *const changed[] = {
	"MSR_UNC_CBO_0_PERFEVTSEL0", "MSR_UNC_CBO_0_PERFCTR0", "MSR_UNC_CBO_0_PERFEVTSEL1",
	"MSR_UNC_CBO_0_PERFCTR1", "MSR_UNC_CBO_1_PERFEVTSEL0", "MSR_UNC_CBO_1_PERFCTR0",
	"MSR_UNC_ARB_PERFEVTSEL0", "MSR_UNC_ARB_PERFCTR0", "MSR_UNC_PERF_FIXED_CTRL",
	"MSR_UNC_PERF_FIXED_CTR", "MSR_UNC_PERF_GLOBAL_CTRL",
};
#define CHANGED (sizeof(changed) / sizeof(changed[0]))

static const struct ipmu_journal_entry *entry_of(const struct ipmu_journal *j, uint32_t address)
{
	for (uint32_t i = 0; i < j->header.nsaved; i++)
		if (j->saved[i].addr == address)
			return &j->saved[i];
	return NULL;
}

static bool describes(const struct ipmu_journal *j, const char *event)
{
	for (uint32_t i = 0; i < j->header.nslots; i++)
		if (j->slots[i].used && strcmp(j->slots[i].event, event) == 0)
			return true;
	return false;
}

/* Whichever process is killed next, the journal names each register that differs from what was
 * found, with that value. Between two steps it also has what registers hold and which events are
 * counted, unless a process has been killed or could not write it. */
static void check_journal(void)
{
	static struct ipmu_journal j;
	int fd = open(journal_path(), O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : pread(fd, &j, sizeof(j), 0);

	if (fd >= 0)
		close(fd);
	if (game.disturbed || length != (ssize_t)sizeof(j))
		return;
	game.unwritten = game.unwritten && j.header.changing;
	for (size_t i = 0; i < CHANGED; i++) {
		uint64_t value = engine_fixture_peek(game.f, changed[i]);
		const struct ipmu_journal_entry *e = entry_of(&j, game.addresses[i]);

		if (value != game.found[i])
			MUST(e && !((e->found ^ game.found[i]) & e->writable));
		if (e && !game.unclean && !game.unwritten && !strstr(changed[i], "CTR"))
			MUST(!((e->now ^ value) & e->writable));
	}
	if (game.unclean || game.unwritten)
		return;
	MUST(!j.header.changing);
	for (const struct player *p = game.players; p < game.players + PEERS; p++)
		for (int i = 0; p->counting && p->set != free_running && p->set->names[i]; i++)
			MUST(describes(&j, p->set->names[i]));
}

/* A process that counts nothing in a box. It refuses a damaged journal until that is removed. */
static void visit(void)
{
	struct peer p = peer_new(game.f, IPMU_SCOPE_PACKAGE);
	struct peer_answer a;

	if (game.damaged)
		unlink(journal_path());
	a = peer_do(&p, PEER_START, free_running->names);
	if (a.rc)
		fail_msg("step %zu: %s", game.step, a.why);
	assert_int_equal(peer_do(&p, PEER_CLOSE, NULL).rc, 0);
	peer_kill(&p);
	game.unclean = false;
}

/* ---- steps */

/* PEERS_TRACE=1 shows the way to a failure. */
static void trace(const struct player *p, const char *what, int rc)
{
	if (getenv("PEERS_TRACE"))
		print_message("step %zu: %d %s %s: %d\n", game.step, (int)(p - game.players), what,
			      p->set ? p->set->names[0] : "", rc);
}

static void began(struct player *p)
{
	p->counting = true;
	game.starts++;
	p->lost = false;
	p->programmed = 0;
	for (unsigned box = CBO_0; box <= CLOCK; box *= 2)
		if ((p->set->boxes & box) && !others_counting(p, box))
			p->programmed |= box;
	for (int i = 0; i < 2; i++)
		p->base[i] = game.totals[p->set->kinds[i]];
}

/* Nobody stands in the way of a set alone on its boxes, or beside the same sets. */
static bool starts_surely(const struct player *p)
{
	for (const struct player *q = game.players; q < game.players + PEERS; q++)
		if (q != p && q->counting && (q->set->boxes & p->set->boxes) && q->set != p->set)
			return false;
	return true;
}

/* Another process has programmed one of the boxes, for other events. */
static bool collides(const struct player *p)
{
	for (const struct player *q = game.players; q < game.players + PEERS; q++)
		if (q != p && q->counting && q->set != p->set && !q->set->names[1] &&
		    !p->set->names[1] && (q->programmed & p->set->boxes))
			return true;
	return false;
}

static void buried(struct player *p)
{
	trace(p, "died", 0);
	p->p = peer_new(game.f, IPMU_SCOPE_PACKAGE);
	p->set = NULL;
	p->counting = false;
	game.unclean = true;
}

static void stop(struct player *p, enum peer_command command, struct peer_fault fault)
{
	struct peer_answer a;

	if (fault.kind == PEER_DISK_FULL)
		game.disturbed = game.damaged = true;
	if (!peer_try(&p->p, command, NULL, fault, &a)) {
		buried(p);
		return;
	}
	trace(p, command == PEER_STOP ? "stop" : "free", a.rc);
	p->counting = false;
	if (command == PEER_STOP)
		check_counts(p, a.rc, a.values);
	else
		p->set = NULL;
}

static bool may_refuse(const struct player *p, int rc)
{
	if (!game.disturbed)
		return rc == -EBUSY && !starts_surely(p);
	return rc == -EBUSY || rc == -ESTALE || rc == -ESHUTDOWN ||
	       (rc == -EBADMSG && game.damaged);
}

static void start(struct player *p, enum peer_command command, struct peer_fault fault)
{
	struct peer_answer a;

	if (!peer_try(&p->p, command, p->set->names, fault, &a)) {
		buried(p);
		return;
	}
	trace(p, command == PEER_START ? "start" : "start again", a.rc);
	if (a.rc && fault.kind != PEER_DISK_FULL && !may_refuse(p, a.rc))
		fail_msg("step %zu: %d: %s", game.step, a.rc, a.why);
	if (!a.rc && !game.disturbed)
		MUST(!collides(p));
	if (!a.rc)
		began(p);
	else if (command == PEER_START)
		stop(p, PEER_FREE, (struct peer_fault){ PEER_SOUND, 0 });
}

/* Each sanctioned way out of the process, and each that is none. */
static void die(struct player *p, unsigned how)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE,
				    SIGSEGV, SIGTERM, -1, 0 };
	bool clean = !p->set;	/* a stopped session keeps its registers */

	if (how % 16 < 11) {
		peer_die(&p->p, ends[how % 16]);
		clean = clean || ends[how % 16];
	} else {
		peer_kill(&p->p);
	}
	clean = clean && !game.unclean;
	buried(p);
	game.unclean = game.unclean && !clean;
}

static void fork_child(struct player *p)
{
	for (int i = 0; i < CHILDREN; i++)
		if (!game.children[i]) {
			game.children[i] = (pid_t)peer_do(&p->p, PEER_FORK, NULL).values[0];
			MUST(game.children[i] > 0);
			return;
		}
}

/* A quarter or half of the range back since all rested, so that no event can have made the step. A
 * third time would add up to a quarter forward. */
static void set_back(void)
{
	static const char *const registers[] = {
		"MSR_UNC_CBO_0_PERFEVTSEL0", "MSR_UNC_CBO_0_PERFCTR0", "MSR_UNC_CBO_0_PERFEVTSEL1",
		"MSR_UNC_CBO_0_PERFCTR1", "MSR_UNC_ARB_PERFEVTSEL0", "MSR_UNC_ARB_PERFCTR0",
	};

	if (nobody_counts() || game.set_back == 2)
		return;
	game.set_back++;
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i += 2) {
		uint64_t was = engine_fixture_peek(game.f, registers[i + 1]);

		if ((engine_fixture_peek(game.f, registers[i]) & 0x500000) == 0x400000)
			engine_fixture_poke(game.f, registers[i + 1],
					    (was - (1ull << 42)) & ((1ull << 44) - 1));
	}
	game.disturbed = true;
}

/* A suspend resets registers. What was found in them before is then nobody's any more: at rest a
 * register is zero, or restored. */
static void suspend(void)
{
	if (nobody_counts())
		return;
	*slept_s += 2;
	for (size_t i = 0; i < CHANGED; i++)
		engine_fixture_poke(game.f, changed[i], 0);
	game.disturbed = game.suspended = true;
}

static void resume(void)
{
	for (size_t i = 0; i < CHANGED; i++)
		if (!engine_fixture_peek(game.f, changed[i]))
			engine_fixture_poke(game.f, changed[i], game.found[i]);
}

/* Only if one process has counted since the rest: what others have changed and left to the journal
 * is known by nothing else. */
static void damage(unsigned how)
{
	static const off_t lengths[] = { 0, 100, 200 };
	int fd;

	if (game.unclean || nobody_counts() || game.starts > 1)
		return;
	fd = open(journal_path(), O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	if (how % 4 < 3)
		assert_int_equal(ftruncate(fd, lengths[how % 4]), 0);
	else
		assert_int_equal(__real_pwrite(fd, "xxxxxxxx", 8, 0), 8);
	close(fd);
	game.disturbed = game.damaged = true;
}

/* As our messages advise: the journal goes while nobody counts by it. */
static void remove_journal(void)
{
	for (int i = 0; i < PEERS; i++)
		if (game.players[i].set || game.unclean)
			return;
	unlink(journal_path());
}

static void disturb(unsigned how)
{
	trace(game.players, "disturb", (int)how % 16);
	switch (how % 16) {
	case 0: set_back(); break;
	case 1: suspend(); break;
	case 2: damage(how / 16); break;
	case 3: remove_journal(); break;
	default: raise_events(how); break;
	}
}

static void act(struct player *p, unsigned what, unsigned how)
{
	static const enum peer_command ends[] = { PEER_STOP, PEER_FREE, PEER_CLOSE };
	struct peer_fault fault = { .kind = PEER_SOUND };
	struct peer_answer a;

	if (what == 14 && !game.damaged)	/* as one of those below, but it goes wrong */
		fault = (struct peer_fault){ how & 64 ? PEER_DISK_FULL : PEER_KILLED,
					     (int)how / 2 % 32 };
	game.unwritten |= fault.kind == PEER_DISK_FULL;
	if (what == 13) {
		if (!game.damaged)
			die(p, how);
	} else if (what == 12) {
		fork_child(p);
	} else if (!p->set) {
		p->set = &sets[how % SETS];
		start(p, PEER_START, fault);
	} else if (!p->counting && what % 2) {
		start(p, PEER_AGAIN, fault);
	} else if (!p->counting || what > 9) {
		stop(p, p->counting ? ends[how % 3] : ends[1 + how % 2], fault);
	} else if (what == 9) {
		a = peer_do(&p->p, PEER_RESET, NULL);
		if (a.rc)
			MUST(game.disturbed);
		for (int i = 0; i < 2; i++)
			p->base[i] = game.totals[p->set->kinds[i]];
	} else {
		a = peer_do(&p->p, PEER_READ, NULL);
		trace(p, "read", a.rc);
		check_counts(p, a.rc, a.values);
	}
}

/* A stopped session keeps its registers for the next start, until it is freed. */
static void check_rest(void)
{
	if (!nobody_counts())
		return;
	for (int i = 0; i < PEERS; i++)
		if (game.players[i].set)
			stop(&game.players[i], PEER_FREE, (struct peer_fault){ PEER_SOUND, 0 });
	if (game.unclean || game.damaged)
		visit();
	if (game.suspended)
		resume();
	if (engine_fixture_changed(game.f, true))
		fail_msg("step %zu: registers are not as they were", game.step);
	check_files();
	game.starts = game.set_back = 0;
	game.disturbed = game.damaged = game.suspended = false;
}

static void end_all(void)
{
	const struct peer_fault none = { .kind = PEER_SOUND };

	for (int i = 0; i < PEERS; i++) {
		struct player *p = &game.players[i];

		if (p->counting)
			stop(p, PEER_STOP, none);
		peer_do(&p->p, PEER_CLOSE, NULL);
		peer_kill(&p->p);
		p->set = NULL;
	}
	for (int i = 0; i < CHILDREN; i++)
		if (game.children[i])
			kill(game.children[i], SIGKILL);
	check_rest();
}

void random_peers_play(const struct engine_fixture *f, const uint8_t *bytes, size_t length)
{
	memset(&game, 0, sizeof(game));
	game.f = f;
	if (!slept_s)
		slept_s = mmap(NULL, sizeof(*slept_s), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(slept_s != MAP_FAILED);
	for (size_t i = 0; i < CHANGED; i++) {
		struct vpmu_register_info reg;

		assert_int_equal(vpmu_model_find(&f->segment->machine, changed[i], &reg), 0);
		game.addresses[i] = reg.address;
		game.found[i] = engine_fixture_peek(f, changed[i]);
	}
	for (int i = 0; i < PEERS; i++)
		game.players[i].p = peer_new(f, IPMU_SCOPE_PACKAGE);
	for (; game.step < length / STEP_BYTES; game.step++) {
		const uint8_t *b = bytes + game.step * STEP_BYTES;

		if (b[0] % 16 < 5)
			raise_events(b[2]);
		else if (b[0] % 16 == 15)
			disturb(b[2]);
		else
			act(&game.players[b[1] % PEERS], b[0] % 16, b[2]);
		check_journal();
		if (b[2] & 1)	/* at times something else comes first */
			check_rest();
	}
	end_all();
}

/* The generator of POSIX's example for rand(). */
static uint8_t random_byte(uint32_t *state)
{
	*state = *state * 1103515245u + 12345u;
	return (uint8_t)(*state >> 16);
}

void random_peers_play_seed(const struct engine_fixture *f, unsigned long seed, size_t steps)
{
	uint8_t *bytes = malloc(steps * STEP_BYTES);
	uint32_t random = (uint32_t)seed;

	assert_non_null(bytes);
	for (size_t i = 0; i < steps * STEP_BYTES; i++)
		bytes[i] = random_byte(&random);
	print_message("PEERS_SEED=%lu\n", seed);
	random_peers_play(f, bytes, steps * STEP_BYTES);
	free(bytes);
}

/* No select is enabled: a start would let it count, with the switch that all boxes share. */
int random_peers_open(void **state)
{
	static const struct engine_found found[] = {
		{ "MSR_UNC_CBO_0_PERFEVTSEL0", 0x00108834 },
		{ "MSR_UNC_CBO_0_PERFCTR0", 0x123 },
		{ "MSR_UNC_CBO_1_PERFCTR1", 0x123456789AB },
		{ "MSR_UNC_ARB_PERFCTR1", 0x42 },
		{ "MSR_UNC_PERF_FIXED_CTR", 0x1234 },
		{ "MSR_UNC_PERF_GLOBAL_CTRL", 0x8000000F },
		{ NULL, 0 },
	};

	return engine_fixture_open_on(state, IPMU_SCOPE_PACKAGE, found);
}
