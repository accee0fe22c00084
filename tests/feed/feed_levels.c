/* SPDX-License-Identifier: MIT */
/* Clocks per line by the level that has it, on every machine there is, for independent loads and
 * for a chase of pointers: as the machine's stated latencies say by arithmetic, never less at a
 * farther level, and as in the table of docs/virtual-machine.md. */
#include "feed_runners.h"

#include <math.h>
#include <stdio.h>

#define MEASURED 240u	/* lines; a multiple of every machine's number of fill buffers */
#define MORE 1024u	/* lines beyond a cache, so that it has lost the first ones */
#define STRIDE 77u	/* of a chase, in lines: no common divisor with the lines it visits */

enum level { L1, L2, LLC, OTHER, MEMORY, LEVELS };
enum kind { INDEPENDENT, CHASE, KINDS };
#define ABSENT 0.0

/* A core of a machine, and another one of the same package. */
struct subject {
	struct vpmu_machine m;
	const struct vpmu_cache *l1d, *l2;
	uint32_t cpu, other;
	bool away, alone;
};

struct costs { double of[KINDS][LEVELS]; };

static void load_lines(int by, uint64_t lines)
{
	for (uint64_t line = 0; line < lines; line++)
		load(by, line);
}

static uint64_t lines_of(const struct vpmu_cache *cache)
{
	return cache->bytes / 64;
}

/* Puts the first lines where the level has them, and the core has not. */
static void prepare(const struct subject *s, enum level level)
{
	const struct vpmu_cache *last = s->l2->bytes ? s->l2 : s->l1d;

	if (level == L1)
		load_lines(0, MEASURED);
	else if (level == L2)
		load_lines(0, lines_of(s->l1d) + MORE);
	else if (level == LLC)
		load_lines(0, lines_of(last) + MORE);
	else if (level == OTHER)
		load_lines(1, 2 * MEASURED);
}

/* Half of the lines until as many fills as there are buffers are under way, then the measured half.
 * A chase visits them in an order that no stream foretells: the feed sees no more of it. */
static double clocks_per_line(const struct subject *s, enum level level, enum kind kind, bool plain)
{
	static struct vpmu_llc_counts counts;
	uint64_t lines = level == L1 ? MEASURED : 2 * MEASURED, before = 0;

	llc_counts = plain ? &counts : NULL;
	start(&s->m);
	vpmu_caches_place(&caches, &runner[0], s->cpu);
	vpmu_caches_place(&caches, &runner[1], s->other);
	prepare(s, level);
	runner[0].clock += 2 * s->m.memory_clocks;	/* all have come */
	for (uint64_t i = 0; i < 2 * MEASURED; i++) {
		if (i == MEASURED)
			before = runner[0].clock;
		runner[0].clock++;	/* the instruction */
		load(0, (kind == CHASE ? i * STRIDE : i) % lines);
	}
	llc_counts = NULL;
	stop_runners();
	return (double)(runner[0].clock - before) / MEASURED;
}

static bool llc_has_data(const struct subject *s)
{
	return s->m.llc_level && !s->away;
}

static uint32_t latency_of(const struct subject *s, enum level level)
{
	if (level == MEMORY || (level == LLC && !llc_has_data(s)))
		return s->m.memory_clocks;
	return level == LLC || level == OTHER ? s->m.llc_clocks : 0;
}

/* Clocks between lines: of an instruction, or of the level. Where the clock estimates time, an L2
 * gives one each 2 clocks. */
static double clocks_of(const struct subject *s, enum level level)
{
	if (level == L2 && vpmu_clock_estimates(&s->m))
		return 2;
	return fmax(1, (double)latency_of(s, level) / s->m.fill_buffers);
}

static bool has_level(const struct subject *s, enum level level)
{
	return (level != L2 || s->l2->bytes) && (level != OTHER || !s->alone);
}

/* A line of which the LLC has no data costs as much as memory, and is no level of its own. */
static struct costs measure(const struct subject *s)
{
	struct costs costs = { 0 };
	double farthest = 0;

	for (enum level level = 0; level < LEVELS; level++) {
		double want = clocks_of(s, level);

		if (!has_level(s, level))
			continue;
		for (enum kind kind = 0; kind < KINDS; kind++) {
			double got = clocks_per_line(s, level, kind, false);

			if (got != want)
				fail_msg("%s, CPU %u, level %d: %g, not %g", s->m.name, s->cpu,
					 level, got, want);
			assert_true(clocks_per_line(s, level, kind, true) == got);
			if (level == LLC && !llc_has_data(s))
				continue;
			assert_true(got >= farthest);
			costs.of[kind][level] = got;
		}
		farthest = fmax(farthest, costs.of[CHASE][level]);
	}
	return costs;
}

/* ---- the table ---- */

/* Each row names the first machine that has its costs. */
static struct row { struct costs costs; char who[32]; } rows[16];
static size_t row_count;

static void add_to_table(const struct costs *costs, const char *prefix, bool away)
{
	struct row *r = rows;

	while (r < rows + row_count && memcmp(&r->costs, costs, sizeof(*costs)) != 0)
		r++;
	if (r == rows + row_count) {
		assert_in_range(++row_count, 1, sizeof(rows) / sizeof(rows[0]));
		r->costs = *costs;
		snprintf(r->who, sizeof(r->who), "| `%s`%s", prefix, away ? " outside" : "");
	}
}

static void add_core(struct subject *s, const char *prefix, uint32_t core)
{
	bool little = core >= vpmu_first_little(&s->m);
	struct costs costs;

	s->l1d = little ? &s->m.little.l1d : &s->m.l1d;
	s->l2 = little ? &s->m.little.l2 : &s->m.l2;
	s->cpu = vpmu_core_cpu(&s->m, core, 0);
	s->other = vpmu_core_cpu(&s->m, core ? 0 : s->m.cores - 1, 0);
	s->away = vpmu_core_away(&s->m, core);
	s->alone = s->m.cores == 1;
	costs = measure(s);
	if (core == 0 || s->away)
		add_to_table(&costs, prefix, s->away);
}

static void print_row(char *out, size_t bytes, const struct row *r)
{
	size_t used = (size_t)snprintf(out, bytes, " |");

	for (enum level level = 0; level < LEVELS; level++) {
		double independent = r->costs.of[INDEPENDENT][level];

		used += (size_t)(independent == ABSENT ?
			snprintf(out + used, bytes - used, " - |") :
			snprintf(out + used, bytes - used, " %.4g / %.4g |", independent,
				 r->costs.of[CHASE][level]));
	}
	snprintf(out + used, bytes - used, "\n");
}

/* The page has a row that begins so, whose cells behind the first one are these. */
static bool page_has(const char *who, const char *cells)
{
	const char *data = getenv("TEST_DATA");
	char path[4096], line[1024];
	bool found = false;
	FILE *page;

	assert_non_null(data);
	snprintf(path, sizeof(path), "%s/../../docs/virtual-machine.md", data);
	page = fopen(path, "r");
	assert_non_null(page);
	while (!found && fgets(line, sizeof(line), page))
		found = strncmp(line, who, strlen(who)) == 0 && strchr(", ", line[strlen(who)]) &&
			strcmp(strstr(line, " |"), cells) == 0;
	fclose(page);
	return found;
}

static void a_farther_level_never_takes_less(void **state)
{
	const char *prefix, *examples;
	char text[512], why[512];
	bool written = true;

	(void)state;
	for (uint32_t i = 0; (prefix = vpmu_machine_family(i, &examples)); i++) {
		struct subject s;

		snprintf(text, sizeof(text), "%.*s", (int)strcspn(examples, ","), examples);
		assert_int_equal(vpmu_machine_parse(text, &s.m, why, sizeof(why)), 0);
		add_core(&s, prefix, 0);
		if (vpmu_is_hybrid(&s.m))
			add_core(&s, prefix, vpmu_first_little(&s.m));
		if (s.m.little.away && s.m.little.away < s.m.little.cores)
			add_core(&s, prefix, s.m.cores - 1);
	}
	for (size_t i = 0; i < row_count; i++) {
		print_row(text, sizeof(text), &rows[i]);
		print_message("%s%s", rows[i].who, text);
		written &= page_has(rows[i].who, text);
	}
	assert_true(written);	/* in docs/virtual-machine.md */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_farther_level_never_takes_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
