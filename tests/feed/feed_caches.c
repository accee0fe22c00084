/* SPDX-License-Identifier: MIT */
/* The feed's caches: rules, as steps of CPUs and what is reported to the model, worked out by
 * hand; and parts of the caches against plain ones. */
#include "feed_runners.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include "virtual_pmu/feed/cache/contention.h"
#include "virtual_pmu/feed/thread/clock.h"

/* ---- rules ---- */

/* Steps, of CPU 0:
 *   0r1 0w1 0c1 0l1   loads line 1, stores to it, fetches it as code, or has a locked instruction
 *                     store to it
 *   0?1 0!1           its L1D has line 1; or has not
 *   0@500 0=500       its clock is made 500; is 500
 *   0~1               it has waited for CPU 1: their clocks are equal
 *   0s 0z 0p          it sleeps in a system call from now; has slept in one; executes a PAUSE
 *   0N1 0n10 0f       stores all of line 1 past the caches; 4 bytes of the 8 with number 10; fences
 *   0#                it is of another process
 *   9*( ... )         these steps nine times
 *   [RE hitm]         what the model got since the last bracket, with numbers above one:
 *     RI RS RE RM     lookups of reads in the LLC, by the state found; WI ... of write-backs
 *     miss hit hitm   answers of other cores to the LLC; out-hit ... when it drops a line
 *     data code write stream   accesses to memory, each with an entry of the arbiter's tracker
 *     past-data ...   requests of cores that are not behind the LLC, away-data ... their entries
 */
enum cores { CORES, CLUSTERS, AWAY };	/* see machine_of() */
struct rule {
	const char *what;
	uint32_t l1, l2, llc;		/* lines; up to 16 are one set */
	enum cores cores;
	const char *steps;
};

#define BEHIND "0w1 0@10000 0w1 [RI data] "	/* CPU 0 uses line 1 at clock 10000 */
/* The load takes the modified line, and the store takes it from CPU 0, which takes it back. Or: it
 * stays after the first. */
#define INCREMENTS_MOVE "10*( 1r1 1w1 ) [RE 29RM 10hit 20hitm] "
#define INCREMENTS_STAY "10*( 1r1 1w1 ) [RE RM hit hitm] "

static const struct rule rules[] = {
	{ "the first access of a line misses", 4, 0, 16, CORES,
	  "3*( 0r0 0r1 0r2 0r3 ) [4RI 4data]" },
	{ "code has an L1 of its own, and no L2", 4, 4, 16, CORES,
	  "0c1 0c1 0r1 [RI code]" },
	{ "the L1 loses the least recently used line", 2, 0, 8, CORES,
	  "0r1 0r2 0r1 0r3 [3RI 3data] 0r1 0r3 [] 0r2 [RE]" },
	{ "the L2 loses the least recently used line", 1, 2, 8, CORES,
	  "0r1 0r2 0r1 0r3 [3RI 3data] 0r1 [] 0r2 [RE]" },
	{ "the LLC takes its victims out of the cores", 8, 0, 2, CORES,
	  "0r1 0r2 [2RI 2data] 0r3 [RI out-hit data] 0r1 [RI out-hit data]" },
	{ "a clean line leaves a core without notice", 1, 0, 2, CORES,
	  "0r1 0r2 [2RI 2data] 0r3 [RI out-miss data]" },
	{ "exclusive becomes modified without notice", 4, 0, 2, CORES,
	  "0r1 0w1 0w1 [RI data] 0r2 [RI data] 0r3 [RI out-hitm data write]" },
	{ "a store to a shared line takes it from the others", 4, 4, 8, CORES,
	  "0r1 [RI data] 1r1 [RE hit] 2r1 [RS] 0w1 [RS 2hit] 1r1 [RE hitm] 2r1 [RM] "
	  "2w1 [RM 2hit]" },
	{ "a core that has dropped a line is asked for it", 1, 0, 8, CORES,
	  "0r1 0r2 [2RI 2data] 1r1 [RE miss] 1w1 [] 0r1 [RE hitm]" },
	{ "modified data pass through the LLC", 4, 4, 8, CORES,
	  "0w1 [RI data] 10*( 1~0 1w1 0~1 0w1 ) [RE 19RM 20hitm]" },
	{ "modified lines go down level by level", 1, 2, 4, CORES,
	  "0w1 0w2 [2RI 2data] 0w3 [RI WE data] 0r1 [RM WE] 0w1 0r4 [RI WE data] "
	  "0r5 [RI WM data write]" },
	/* The L2 drops line 1 with newer data while an L1 has it again, in one way or the other. */
	{ "a copy that outlives the L2's is found", 2, 2, 16, CORES,
	  "0w1 0r2 0r3 0r1 0r4 0r1 [4RI 4data] 0r5 [RI WE data] 0r1 [] 1w1 [RM hit] "
	  "0r1 [RM hitm]" },
	{ "and in the other way", 2, 2, 16, CORES,
	  "0r9 0w1 0r2 0r3 0r1 0r4 0r1 [5RI 5data] 0r5 [RI WE data] 0r1 [] 1w1 [RM hit] "
	  "0r1 [RM hitm]" },
	{ "a copy in the L1I is found", 2, 2, 16, CORES,
	  "0w1 0r2 0r3 0c1 0r4 0c1 [4RI 4data] 0r5 [RI WE data] 0c1 [] 1w1 [RM hit] "
	  "0c1 [RM hitm]" },
	{ "and in the other way", 2, 2, 16, CORES,
	  "0c9 0w1 0r2 0r3 0c1 0r4 0c1 [5RI 4data code] 0r5 [RI WE data] 0c1 [] 1w1 [RM hit] "
	  "0c1 [RM hitm]" },
	{ "processes do not share", 8, 0, 16, CORES,
	  "1# 0r1 1r1 [2RI 2data]" },
	/* 2 buffers; 100 clocks of memory, 30 of the LLC */
	{ "lines come at the pace of the fill buffers", 8, 0, 16, CORES,
	  "0r0 0=0 0r1 0=0 0r2 0=100 0r3 0=150 0r4 0=200 1r7 1=0 1r0 1=0 1r1 1r2 1=115" },

	{ "a line stored past the caches leaves them", 4, 4, 8, CORES,
	  "0w1 1w1 [RI RE hitm data] 0N1 0f [hitm stream] 1r1 [RI data]" },
	{ "pieces of a line are requests of their own", 4, 4, 8, CORES,
	  "0n8 0n10 0n10 [] 0f [2stream]" },
	{ "modified data are written first", 4, 4, 8, CORES,
	  "0w2 [RI data] 0n16 0f [2stream]" },
	{ "there are four buffers", 4, 4, 8, CORES,
	  "0n80 0n88 0n96 0n104 0n112 [stream] 0f [4stream]" },

	{ "a cluster reads a line once", 2, 4, 16, CLUSTERS,
	  "1r7 2r7 2c7 [RI data] 1?7 2?7 3r7 [RE hit]" },
	{ "a store takes the line from the cluster's other core", 2, 4, 16, CLUSTERS,
	  "1r7 2r7 1w7 1?7 2!7 2w7 2?7 1!7 1r7 2?7 1?7 1w7 2!7 [RI data]" },
	{ "what a core has modified is the cluster's", 2, 4, 16, CLUSTERS,
	  "1w7 2r7 [RI data] 0r7 [RE hitm] 2w7 [RM hit] 0!7 1!7 0w7 [RM hitm] 2!7" },
	/* Line 1 is modified in the L2, and line 2 only in an L1: the L2 lets line 1 go. */
	{ "the L2 gets what only an L1 had", 2, 1, 16, CLUSTERS,
	  "1w1 1w2 1r3 [3RI 3data] 2r2 [WE] 0r2 [RE hitm] 0r1 [RM]" },
	{ "the LLC takes its victims out of all cores of a cluster", 2, 4, 2, CLUSTERS,
	  "3r1 4r1 0r2 [2RI 2data] 0r3 [RI out-hit data] 3!1 4!1" },
	/* 8 lines of CPU 0, 16 of the cluster; the next one drops line 1. */
	{ "a cluster shares its L2", 2, 16, 64, CLUSTERS,
	  "2*( 0r0 1r1 2r2 0r4 1r5 2r6 0r8 1r9 2r10 0r12 1r13 2r14 0r16 1r17 2r18 0r20 1r21 2r22 "
	  "0r24 1r25 2r26 0r28 1r29 2r30 ) [24RI 24data] 2r34 [RI data] 1r1 [RE]" },
	{ "fill buffers are a core's own", 2, 4, 16, CLUSTERS,
	  "1r0 2r10 1r1 2r11 1=0 2=0 1r5 1=100 2=0" },
	{ "a core that is away reads past the LLC", 1, 1, 16, AWAY,
	  "3r1 4r1 3r2 4r2 3c1 [2past-data past-code 2away-data away-code]" },
	{ "and writes past it", 1, 1, 16, AWAY,
	  "3w1 3r2 [2past-data 2away-data] 3r3 [past-data past-write away-data away-write]" },
	{ "both sides agree on a line", 2, 4, 16, AWAY,
	  "3w7 [past-data away-data] 0r7 [RI hitm] 1r7 [RM] 4w7 [2hit past-data] 0!7 1!7 3!7 "
	  "0r7 [RM hitm]" },
	{ "a line that the other side has dropped is not", 1, 1, 16, AWAY,
	  "3r1 3r2 [2past-data 2away-data] 0r1 [RI miss data] 1r1 [RE hit]" },
	{ "a clean line of the other side is shared", 2, 4, 16, AWAY,
	  "3r7 [past-data away-data] 0r7 [RI hit] 0w7 [RS hit] 3!7 3r7 [hitm past-data]" },

	/* Lines that several cores write at the same time: each store of the one that is behind in
	 * time takes the line and loses it. */
	{ "the line moves twice with each store of the CPU behind", 4, 4, 8, CORES,
	  BEHIND "10*( 1w1 ) [RE 19RM 20hitm] 0w1 []" },
	{ "and with each increment", 4, 4, 8, CORES,
	  BEHIND INCREMENTS_MOVE },
	{ "until the clocks have met", 4, 4, 8, CORES,
	  BEHIND "1w1 [RE RM 2hitm] 1@20000 10*( 1w1 ) [RM hitm]" },
	{ "a line that was left before moves once", 4, 4, 8, CORES,
	  "0w1 0@100 0w1 0@100000 0w2 [2RI 2data] 1@50000 10*( 1w1 ) [RE hitm]" },
	{ "loads alone share it", 4, 4, 8, CORES,
	  BEHIND "10*( 1r1 ) [RE hitm]" },
	{ "lines that were only read are not contended", 4, 4, 8, CORES,
	  BEHIND "0r3 [RI data] 10*( 1r3 1w3 ) [RS RE 2hit]" },
	{ "waits of both order what came before the first", 4, 4, 8, CORES,
	  BEHIND "0z " INCREMENTS_MOVE "1z 10*( 1r1 1w1 ) [2RM hit hitm]" },
	{ "and not what came after it", 4, 4, 8, CORES,
	  BEHIND "0z 0w1 1z " INCREMENTS_MOVE },
	/* CPU 1 finds what it has waited for. */
	{ "loops of PAUSE are waits", 4, 4, 8, CORES,
	  BEHIND "1@10 0p 1p 1r2 0w2 1p 1r2 [RI 2RE hit hitm data] " INCREMENTS_STAY },
	{ "the last one at a barrier has waited", 4, 4, 8, CORES,
	  BEHIND "0w2 0s 1l2 [RI RE hitm data] " INCREMENTS_STAY },
	{ "also if the others used some lines before they waited", 4, 4, 8, CORES,
	  BEHIND "0w2 10*( 0w3 ) 0s 1l2 [2RI RE hitm 2data] " INCREMENTS_STAY },
	{ "but not many: then they wait for another line", 4, 4, 8, CORES,
	  BEHIND "0w2 100*( 0w3 ) 0s 1l2 [2RI RE hitm 2data] " INCREMENTS_MOVE },
	{ "an ordinary store ends no wait", 4, 4, 8, CORES,
	  BEHIND "0w2 0s 1w2 [RI RE hitm data] " INCREMENTS_MOVE },
	{ "where nobody waits, a locked store has not waited", 4, 4, 8, CORES,
	  BEHIND "0w2 1l2 [RI RE hitm data] " INCREMENTS_MOVE },
	/* The second load finds the line lent, and the first store two copies. */
	{ "a third core moves it as well", 4, 4, 8, CORES,
	  BEHIND "10*( 1r1 2r1 1w1 2w1 ) [RE 59RM 20hit 50hitm]" },
	/* CPU 0 has the line at clocks 0 to 10000, in between CPU 1 at 0 to 5000. A store by CPU 2
	 * takes it from the one and is followed by the other: one move more. */
	{ "a store between those of two cores adds one move", 4, 4, 8, CORES,
	  BEHIND "1w1 1@5000 1w1 [RE 3RM 4hitm] 10*( 2w1 ) [10RM 10hitm]" },
	{ "and so does an increment", 4, 4, 8, CORES,
	  BEHIND "1w1 1@5000 1w1 [RE 3RM 4hitm] 10*( 2r1 2w1 ) [20RM 10hit 10hitm]" },
	{ "but two where one of them has stopped", 4, 4, 8, CORES,
	  BEHIND "1w1 1@5000 1w1 [RE 3RM 4hitm] 2@6000 10*( 2w1 ) [20RM 20hitm]" },
	{ "before the owner got the line, stores move it once", 4, 4, 8, CORES,
	  "0@1000 0w1 0@5000 0w1 [RI data] 1@500 10*( 1w1 ) [RE hitm] "
	  "1@1000 1w1 [2RM 2hitm]" },
	{ "and loads once each", 4, 4, 8, CORES,
	  "0@1000 0w1 0@5000 0w1 [RI data] 1@500 10*( 1r1 1w1 ) [RE 9RM 10hitm]" },
	{ "a third core is before or behind the second one", 4, 4, 8, CORES,
	  "0@1000 0w1 0@5000 0w1 [RI data] 1@500 1w1 2@400 2w1 2w1 [RE RM 2hitm] "
	  "2@600 2w1 2w1 [RM hitm] 1@700 1w1 [RM hitm]" },
	{ "a former owner's uses count", 4, 4, 8, CORES,
	  BEHIND "1@20000 1w1 1@30000 1w1 [RE hitm] 2w1 [2RM 2hitm]" },
};

/* Four cores. With clusters, CPU 0 is a P core, 1 and 2 are a cluster of E cores, 3 and 4 another,
 * which may be away: not behind the LLC. */
static struct vpmu_machine machine_of(const struct rule *r)
{
	struct vpmu_machine m = one_set_machine(r->l1, r->l2, r->llc);

	if (r->llc > 16)
		m.llc.ways = 16;
	if (r->cores == CORES)
		return m;
	m.cores = 5;
	m.smt_adjacent = 1;
	m.little = (struct vpmu_little){
		.cores = 4, .cluster = 2, .away = r->cores == AWAY ? 2 : 0,
		.l1i = m.l1i, .l1d = m.l1d, .l2 = m.l2,
	};
	return m;
}

struct text { char at[256]; size_t used; };

static void add(struct text *t, uint64_t count, const char *before, const char *what)
{
	char number[24] = "";

	if (!count)
		return;
	if (count > 1)
		snprintf(number, sizeof(number), "%llu", (unsigned long long)count);
	t->used += (size_t)snprintf(t->at + t->used, sizeof(t->at) - t->used, "%s%s%s%s",
				    t->used ? " " : "", number, before, what);
	assert_true(t->used < sizeof(t->at));
}

/* Writes what was seen in the notation of the rules, and forgets it. */
static const char *reported(void)
{
	static const struct { enum vpmu_mesi state; const char *name; } states[] = {
		{ VPMU_I, "I" }, { VPMU_S, "S" }, { VPMU_E, "E" }, { VPMU_M, "M" },
	};
	static const struct { enum vpmu_snoop_result result; const char *name; } results[] = {
		{ VPMU_SNOOP_MISS, "miss" }, { VPMU_SNOOP_HIT, "hit" }, { VPMU_SNOOP_HITM, "hitm" },
	};
	static const struct { enum vpmu_tracker kind; const char *name; } entries[] = {
		{ VPMU_TRK_DATA_READ, "data" }, { VPMU_TRK_CODE_READ, "code" },
		{ VPMU_TRK_EVICTION, "write" }, { VPMU_TRK_WRITE, "stream" },
	};
	uint64_t reads = 0, requests = 0;
	static struct text t;

	t.used = 0;
	t.at[0] = 0;
	for (int i = 0; i < 4; i++)
		add(&t, READS(states[i].state), "R", states[i].name);
	for (int i = 0; i < 4; i++)
		add(&t, WRITES(states[i].state), "W", states[i].name);
	for (int i = 0; i < 3; i++)
		add(&t, XCORE(results[i].result), "", results[i].name);
	for (int i = 0; i < 3; i++)
		add(&t, EVICTION(results[i].result), "out-", results[i].name);
	for (int i = 0; i < 4; i++)
		add(&t, seen.tracker[entries[i].kind], "", entries[i].name);
	add(&t, seen.away_requests[VPMU_TRK_DATA_READ], "past-", "data");
	add(&t, seen.away_requests[VPMU_TRK_CODE_READ], "past-", "code");
	add(&t, seen.away_requests[VPMU_TRK_WRITE], "past-", "write");
	for (int i = 0; i < 4; i++) {
		uint64_t both = seen.tracker[entries[i].kind] + seen.away_tracker[entries[i].kind];

		add(&t, seen.away_tracker[entries[i].kind], "away-", entries[i].name);
		reads += i < 2 ? both : 0;
		requests += both;
	}
	assert_int_equal(seen.reads, reads);
	assert_int_equal(seen.requests, requests);
	forget();
	return t.at;
}

static struct vpmu_combining combining[RUNNERS];

static void gather(int by, uint64_t line, uint64_t bytes)
{
	if (vpmu_combining_add(&combining[by], line * 64, bytes))
		return;
	vpmu_lock(segment);
	vpmu_combining_open(&caches, &runner[by], &combining[by], line * 64, bytes);
	vpmu_unlock(segment);
}

static void fence(int by)
{
	vpmu_lock(segment);
	vpmu_combining_flush(&caches, &runner[by], &combining[by]);
	vpmu_unlock(segment);
}

/* Takes a step of CPU `by`. what, n: the character behind it, and the number behind that. */
static bool take_step(int by, char what, uint64_t n)
{
	struct vpmu_runner *r = &runner[by];

	switch (what) {
	case 'r': load(by, n); return true;
	case 'w': store(by, n); return true;
	case 'c': access_line(by, n, VPMU_CODE); return true;
	case 'l': vpmu_contended_locked(r); store(by, n); return true;
	case '?': case '!':
		return (what == '?') == !!vpmu_fast_find(&r->l1d, vpmu_runner_tag(r, n * 64));
	case '@': r->clock = n; vpmu_runner_number(r); return true;
	case '=': return r->clock == n;
	case '~': r->clock = runner[n].clock; return true;
	case 's': case 'z':
		vpmu_contended_sleep(r, true);
		vpmu_contended_sleep(r, what == 's');
		return true;
	case 'p': vpmu_contended_pause(r); return true;
	case 'N': gather(by, n, UINT64_MAX); return true;
	case 'n': gather(by, n / 8, 0xf0ull << 8 * (n % 8)); return true;
	case 'f': fence(by); return true;
	case '#': r->space = 1ull << VPMU_SPACE_SHIFT; return true;
	default: return false;
	}
}

static void check_reported(const struct rule *rule, const char *expected, size_t length)
{
	const char *got = reported();

	if (strlen(got) != length || strncmp(got, expected, length))
		fail_msg("%s: [%s], not [%s", rule->what, got, expected);
}

static uint64_t number_at(const char **at)
{
	uint64_t n = 0;

	for (; isdigit((unsigned char)**at); ++*at)
		n = 10 * n + (uint64_t)(**at - '0');
	return n;
}

/* Takes the steps up to a closing parenthesis or the end. Returns what is behind. */
static const char *take_steps(const struct rule *rule, const char *at)
{
	while (*at && *at != ')') {
		const char *begin = at;
		uint64_t first = number_at(&at);
		char what = *at++;

		if (what == '*') {
			begin = at + 1;
			while (first--)
				at = take_steps(rule, begin);
		} else if (what == '[') {
			check_reported(rule, at, strcspn(at, "]"));
			at += strcspn(at, "]") + 1;
		} else if (what != ' ' && !take_step((int)first, what, number_at(&at))) {
			fail_msg("%s: not so: %s", rule->what, begin);
		}
	}
	return *at ? at + 1 : at;
}

static void rules_hold(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct vpmu_machine m = machine_of(&rules[i]);

		start(&m);
		take_steps(&rules[i], rules[i].steps);
		stop_runners();
	}
}

/* ---- threads in turns ---- */

#define STORES 20000u

/* The one of those with stores left that has the smallest clock, but for `not`; -1: none. */
static int first_of(int threads, const uint32_t *left, int not)
{
	int first = -1;

	for (int i = 0; i < threads; i++)
		if (left[i] && i != not && (first < 0 || runner[i].clock < runner[first].clock))
			first = i;
	return first;
}

/* Threads run as the scheduler lets them: a thread stores each 10 clocks, and they begin 2 clocks
 * apart. Returns the modified lines that other cores had. */
static uint64_t moves_of(int threads, uint64_t lines, uint64_t slice)
{
	struct vpmu_machine m = one_set_machine(16, 16, 16);
	uint32_t left[RUNNERS];
	uint64_t moves;
	int by;

	m.cores = RUNNERS;
	start(&m);
	for (int i = 0; i < threads; i++) {
		left[i] = STORES;
		runner[i].clock = 2 * (uint64_t)i;
	}
	while ((by = first_of(threads, left, -1)) >= 0) {
		int next = first_of(threads, left, by);
		uint64_t end = next < 0 ? UINT64_MAX : runner[next].clock + slice;
		struct vpmu_runner *r = &runner[by];

		do {
			store(by, --left[by] % lines);
			r->clock += 10;
			if (vpmu_runner_number_is_due(r))
				vpmu_runner_number(r);
		} while (left[by] && r->clock < end);
	}
	moves = XCORE(VPMU_SNOOP_HITM);
	stop_runners();
	return moves;
}

/* By arithmetic the threads' stores to a line alternate, so each takes it from another core. The
 * clock of a use is exact to 1,024 clocks, a twentieth of a slice. */
static void each_store_moves_a_shared_line(void **state)
{
	static const uint64_t slices[] = { 1000, 5000, 20000 };

	(void)state;
	for (int threads = 2; threads <= RUNNERS; threads++) {
		uint64_t all = STORES * (uint64_t)threads;

		for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
			assert_in_range(moves_of(threads, 1, slices[i]), all * 98 / 100,
					all * 102 / 100);
			assert_in_range(moves_of(threads, 8, slices[i]), all * 93 / 100,
					all * 107 / 100);
		}
	}
}

/* ---- threads of one core ---- */

/* Each numbers its uses by itself, and in the order of their clocks. */
static void two_threads_of_a_core_replace_the_least_recently_used(void **state)
{
	struct vpmu_machine m = one_set_machine(2, 0, 8);

	(void)state;
	start(&m);
	vpmu_caches_place(&caches, &runner[1], 0);
	for (runner[0].clock = 0; runner[0].clock < 1000; runner[0].clock++)
		load(0, 1);
	load(0, 2);
	segment->uclk[0] = runner[0].clock;
	vpmu_runner_catch_up(&runner[1]);
	load(1, 3);	/* 1 falls out */
	load(0, 4);	/* 2 falls out */
	forget();
	load(1, 3);
	load(0, 4);
	assert_int_equal(all_lookups(), 0);
	stop_runners();
}

/* A thread's last loads are in its L1, whatever another thread of the core did. */
static void load_and_keep(uint64_t from, uint64_t lines)
{
	for (uint64_t line = from; line < from + lines; line++)
		load(0, line);
	for (uint64_t line = from + lines - 2; line < from + lines; line++)
		assert_non_null(vpmu_fast_find(&runner[0].l1d,
					       vpmu_runner_tag(&runner[0], line * 64)));
}

static void old_lines_of_another_thread_are_replaced(void **state)
{
	struct vpmu_machine m = one_set_machine(4, 8, 16);

	(void)state;
	m.l2.bytes *= 32;	/* for all lines */
	m.llc.bytes *= 32;
	start(&m);
	vpmu_caches_place(&caches, &runner[1], 0);
	load_and_keep(100, 100);
	vpmu_runner_catch_up(&runner[1]);
	for (uint64_t line = 1; line < 5; line++)
		load(1, line);
	load_and_keep(200, 10);		/* from memory */
	runner[1].clock += 1000000;	/* it has run alone for a while */
	for (uint64_t line = 5; line < 9; line++)
		load(1, line);
	assert_true(vpmu_runner_behind(&runner[0]));
	load_and_keep(100, 10);		/* from the L2 */
	stop_runners();
}

static void every_bit_of_an_address_tells_lines_apart(void **state)
{
	struct vpmu_machine m = one_set_machine(16, 0, 16);

	(void)state;
	for (int bit = 0; bit < 48; bit++) {
		start(&m);
		for (int i = 0; i < 2; i++)
			vpmu_caches_access(&caches, &runner[0],
					   vpmu_runner_tag(&runner[0], (uint64_t)i << bit),
					   VPMU_LOAD);
		assert_int_equal(all_lookups(), bit < 6 ? 1 : 2);
		stop_runners();
	}
}

/* ---- slices ---- */

#define SLICES_HERE 10	/* machines have 1 to 8, and 10 */

static struct vpmu_machine sliced_machine(uint32_t slices)
{
	struct vpmu_machine m = one_set_machine(8, 0, 16);

	m.slices = slices;
	m.llc = (struct vpmu_cache){ slices * 64 * 16 * 32, 16, 64 };
	return m;
}

static void count_slices(uint64_t stride, uint64_t lines, uint64_t *count)
{
	uint32_t set;

	memset(count, 0, VPMU_SLICES_MAX * sizeof(*count));
	for (uint64_t i = 0; i < lines; i++)
		count[vpmu_caches_slice(&caches, (0x7f0000000ull + i * stride) << 6, &set)]++;
}

static void slices_are_balanced(void **state)
{
	uint64_t count[VPMU_SLICES_MAX];

	(void)state;
	for (uint32_t slices = 1; slices <= SLICES_HERE; slices += slices == 8 ? 2 : 1) {
		struct vpmu_machine m = sliced_machine(slices);

		start(&m);
		count_slices(1, 840 * 10, count);
		for (uint32_t i = 0; i < slices; i++)	/* whole groups, give or take the ends */
			assert_in_range(count[i], 8400 / slices - 1, 8400 / slices + 1);
		for (uint64_t stride = 2; stride <= 4096; stride++) {
			count_slices(stride, 4096, count);
			/* A quarter of the even share is 5 standard deviations of chance. */
			for (uint32_t i = 0; i < slices; i++)
				assert_in_range(count[i], 4096 / slices * 3 / 4,
						4096 / slices * 5 / 4 + 1);
		}
		stop_runners();
	}
}

/* Every line of a cache-sized run has a place of its own: the whole LLC is usable. */
static void slices_and_sets_cover_the_llc(void **state)
{
	(void)state;
	for (uint32_t slices = 1; slices <= SLICES_HERE; slices += slices == 8 ? 2 : 1) {
		struct vpmu_machine m = sliced_machine(slices);
		uint8_t used[VPMU_SLICES_MAX][32] = { { 0 } };

		start(&m);
		for (uint64_t line = 0; line < slices * 32; line++) {
			uint32_t set, slice = vpmu_caches_slice(&caches, line << 6, &set);

			assert_true(slice < slices && set < 32);
			assert_int_equal(used[slice][set]++, 0);
		}
		stop_runners();
	}
}

/* ---- against an independent simulation ---- */

#define REF_SETS 48
#define REF_WAYS 6

static struct { uint64_t line, last; } ref[REF_SETS][REF_WAYS];

static bool ref_misses(uint64_t line, uint64_t now)
{
	uint32_t oldest = 0;
	uint64_t set = line % REF_SETS;

	for (uint32_t way = 0; way < REF_WAYS; way++) {
		if (ref[set][way].last && ref[set][way].line == line) {
			ref[set][way].last = now;
			return false;
		}
		if (ref[set][way].last < ref[set][oldest].last)
			oldest = way;
	}
	ref[set][oldest].line = line;
	ref[set][oldest].last = now;
	return true;
}

/* A one-line L1 hides nothing but repetitions, which change no order. Sets: not a power of two. */
static void misses_as_a_plain_lru_has_them(void **state)
{
	struct vpmu_machine m = one_set_machine(1, 0, 16);
	uint64_t misses = 0, x = 1;

	(void)state;
	m.llc = (struct vpmu_cache){ REF_SETS * REF_WAYS * 64, REF_WAYS, 64 };
	start(&m);
	memset(ref, 0, sizeof(ref));
	for (uint64_t now = 1; now <= 200000; now++) {
		uint64_t line;

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		line = (x >> 33) % 500;
		misses += ref_misses(line, now);
		if (x >> 63)
			load(0, line);
		else
			store(0, line);
	}
	assert_in_range(misses, 50000, 150000);	/* the case is worth something */
	assert_int_equal(READS(VPMU_I), misses);
	assert_int_equal(seen.reads, misses);
	stop_runners();
}

/* ---- the order word ---- */

static void naive_move(uint32_t *order, uint32_t ways, uint32_t way, bool to_front)
{
	uint32_t at = 0;

	while (order[at] != way)
		at++;
	for (; to_front && at > 0; at--)
		order[at] = order[at - 1];
	for (; !to_front && at + 1 < ways; at++)
		order[at] = order[at + 1];
	order[at] = way;
}

static void order_word_follows_a_plain_list(void **state)
{
	uint64_t stored, words[16], x = 7;

	(void)state;
	for (uint32_t ways = 1; ways <= 16; ways++) {
		struct vpmu_set set = { &stored, words, ways };
		uint32_t order[16];

		stored = 0;
		for (uint32_t i = 0; i < ways; i++)
			order[i] = i;
		for (int i = 0; i < 20000; i++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			uint32_t way = (uint32_t)(x >> 40) % ways;

			if (x >> 62)
				set_touch(&stored, way);
			else
				set_remove(&set, way);
			naive_move(order, ways, way, x >> 62);
			assert_int_equal(set_last(&set), order[ways - 1]);
		}
	}
}

/* ---- geometries ---- */

static void bad_geometries_are_refused(void **state)
{
	static const struct rule good = { .l1 = 2, .l2 = 4, .llc = 16, .cores = CLUSTERS };
	struct vpmu_machine bad[8];
	struct vpmu_layout layout;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		bad[i] = machine_of(&good);
	assert_int_not_equal(vpmu_caches_bytes(&bad[0]), 0);
	bad[0].llc.ways = 17;
	bad[1].l1i.bytes = bad[1].l1d.bytes = bad[1].l1i.ways = bad[1].l1d.ways = 0;
	bad[2].cores = 65;
	bad[3].fill_buffers = 0;
	bad[4].little.cluster = 0;
	bad[5].little.cluster = VPMU_CLUSTER_MAX + 1;
	bad[6].little.cores = 6;
	bad[7].little.l2.bytes = 0;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(vpmu_layout_make(&bad[i], &layout), -EINVAL);
		assert_int_equal(vpmu_caches_bytes(&bad[i]), 0);
	}
}

static void segments_of_another_size_are_refused(void **state)
{
	struct vpmu_machine m = one_set_machine(4, 4, 8);

	(void)state;
	start(&m);
	segment->caches_bytes--;
	assert_int_equal(vpmu_caches_open(&caches, segment), -EINVAL);
	segment->caches_bytes++;
	segment->machine.llc.ways = 17;
	assert_int_equal(vpmu_caches_open(&caches, segment), -EINVAL);
	stop_runners();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_hold),
		cmocka_unit_test(each_store_moves_a_shared_line),
		cmocka_unit_test(two_threads_of_a_core_replace_the_least_recently_used),
		cmocka_unit_test(old_lines_of_another_thread_are_replaced),
		cmocka_unit_test(every_bit_of_an_address_tells_lines_apart),
		cmocka_unit_test(slices_are_balanced),
		cmocka_unit_test(slices_and_sets_cover_the_llc),
		cmocka_unit_test(misses_as_a_plain_lru_has_them),
		cmocka_unit_test(order_word_follows_a_plain_list),
		cmocka_unit_test(bad_geometries_are_refused),
		cmocka_unit_test(segments_of_another_size_are_refused),
	};

	return cmocka_run_group_tests_name("feed caches", tests, NULL, NULL);
}
