/* SPDX-License-Identifier: MIT */
/* Profiles: reading their text, weights, names of instructions, tables, and Callgrind's format. The
 * text is written by hand, and so is what must come out; the code that has names is this test. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/profile/callgrind.h"
#include "measure/profile/tables.h"

static int read_text(const char *text, struct profile *p, char why[PROFILE_WHY_MAX])
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int rc;

	assert_non_null(f);
	rc = profile_read(f, p, why);
	fclose(f);
	return rc;
}

static void must_read(const char *text, struct profile *p)
{
	char why[PROFILE_WHY_MAX] = "";

	if (read_text(text, p, why))
		fail_msg("%s", why);
}

/* ---- reading ---- */

#define HEAD "vpmu-profile 1\nmachine skl-4c8t\nprocess 12 1\nprogram /bin/a b\n"
#define MAPS "map 3 9000 a000 0 0 [anonymous]\nmap 2 1000 2000 0 1 /lib/gone.so\n" \
	"map 1 1000 3000 0 0 /bin/a b\n"
#define KINDS "kind 0 INSTRUCTIONS\nkind 1 LOOKUP\nkind 4 MISS\n"
#define NOTES "note 1 1 1010\nnote 2 2 1010\nnote 3 3 9000\nnote 4 0 77\n"

static void test_reading(void **state)
{
	struct profile p;

	(void)state;
	must_read(HEAD MAPS KINDS NOTES "cell 1 1 7\ncell 3 4 9223372036854775807\n"
		  "cell 1 0 -2\nblock 1 10 134\narc 1 1018 3 1:5 4:2\n"
		  "arc 0 1010 1\nobject 7 heap 5000 5100 1 2\n"
		  "object 1 global 6000 6010 a name\nblocks 7 4 1024\nobject-cell 1 4 9\n"
		  "line 5040 1 8 load 0 4 11 1 8\nline-other 5040 2 63 store 1 3 7 0\n"
		  "lost cells 3\nend\n",
		  &p);
	assert_string_equal(p.machine, "skl-4c8t");
	assert_string_equal(p.program, "/bin/a b");
	assert_int_equal(p.pid, 12);
	assert_int_equal(p.image, 1);
	assert_int_equal(p.nmaps, 3);
	assert_string_equal(p.maps[2].path, "/bin/a b");
	assert_true(p.maps[1].gone && !p.maps[0].gone);
	assert_null(p.maps[0].path);
	assert_int_equal(p.nkinds, 5);
	assert_null(p.kinds[3]);
	assert_string_equal(p.kinds[4], "MISS");
	/* Four notes, and the called function. */
	assert_int_equal(p.nspots, 5);
	assert_int_equal(p.spots[1].address, 0x1010);
	assert_int_equal(p.spots[1].map, 1);
	assert_int_equal(p.spots[2].map, 0);
	assert_int_equal(p.spots[3].map, -1);
	assert_int_equal(p.ncells, 3);
	assert_true(p.cells[1].count == INT64_MAX);
	assert_int_equal(p.cells[2].count, -2);
	assert_int_equal(p.narcs, 2);
	assert_int_equal(p.arcs[0].n, 2);
	assert_int_equal(p.spots[p.arcs[0].to].address, 0x1018);
	assert_int_equal(p.spots[p.arcs[0].to].map, 2);
	assert_true(p.arcs[1].from == PROFILE_NOWHERE);
	assert_int_equal(p.objects[0].n, 2);
	assert_int_equal(p.objects[0].times, 4);
	assert_string_equal(p.objects[1].name, "a name");
	assert_int_equal(p.object_cells[0].count, 9);
	assert_int_equal(p.nsharings, 2);
	assert_true(p.sharings[1].other && p.sharings[1].store && !p.sharings[0].other);
	assert_int_equal(p.sharings[1].offset, 63);
	assert_string_equal(p.lost[0].what, "cells");
	profile_free(&p);
}

/* Each is a text of which one line is wrong, and the sentence says so. */
static void test_faults(void **state)
{
	static const struct { const char *text, *why; } cases[] = {
		{ "vpmu-profile 2\nend\n", "line 1 " },
		{ HEAD, "ends before 'end'" }, { HEAD "map 1 1 2 3 2 /a\nend\n", "line 5 " },
		{ HEAD "map 0 1 2 3 0 /a\nend\n", "no new one" },
		{ HEAD "map 1 1 2 3 0 /a\nmap 1 4 5 0 0 /a\nend\n", "no new one" },
		{ HEAD "map 1 x 2 3 0 /a\nend\n", "'x' is no number" },
		{ HEAD KINDS "kind 1 AGAIN\nend\n", "a second kind 1" },
		{ HEAD "kind 65536 X\nend\n", "no number up to 65535" },
		{ HEAD "note 1 1 10\nend\n", "no mapping 1" },
		{ HEAD MAPS "note 4000000000 0 10\nend\n", "no notes before" },
		{ HEAD MAPS NOTES "cell 1 0 1\nend\n", "no kind 0" },
		{ HEAD KINDS "cell 1 0 1\nend\n", "no note 1" },
		{ HEAD MAPS KINDS NOTES "cell 0 0 1\nend\n", "no note 0" },
		{ HEAD MAPS KINDS NOTES "cell 1 3 1\nend\n", "no kind 3" },
		{ HEAD MAPS KINDS NOTES "cell 1 1 --1\nend\n", "'-1' is no number" },
		{ HEAD MAPS KINDS NOTES "cell 1 1 9223372036854775808\nend\n", "is no number" },
		{ HEAD MAPS KINDS NOTES "cell 1 1 1 1\nend\n", "too many fields" },
		{ HEAD MAPS KINDS NOTES "arc 1 10 1 5\nend\n", "no KIND:COUNT" },
		{ HEAD "object 1 heap 1 2\nobject 1 heap 1 2\nend\n", "a second object 1" },
		{ HEAD "blocks 0 1 2\nend\n", "no object 0" },
		{ HEAD MAPS KINDS NOTES "line 0 1 64 load 0 1 1 0 0\nend\n", "up to 63" },
		{ HEAD MAPS KINDS NOTES "line 0 1 8 load 0 1 1 x 0\nend\n", "'x' is no number" },
		{ HEAD MAPS KINDS NOTES "line 0 1 0 lock 0 1 1 0 0\nend\n", "neither a load" },
		{ HEAD "what\nend\n", "'what' is unknown" },
		{ HEAD "\nend\n", "'' is unknown" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char why[PROFILE_WHY_MAX] = "";
		struct profile p;

		assert_int_equal(read_text(cases[i].text, &p, why), -EINVAL);
		if (!strstr(why, cases[i].why))
			fail_msg("%zu: '%s' instead of '%s'", i, why, cases[i].why);
		profile_free(&p);
	}
}

/* ---- weights ---- */

static struct weights weights_of_text(const char *text, int nevents)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct weights w;

	assert_int_equal(weights_read(f, nevents, &w), 0);
	fclose(f);
	return w;
}

static void test_weights(void **state)
{
	static const char *const bad[] = { "A 1\n", "A 1 2 3\n", "A 1 x\n", "A 1 2-\n", "A\n" };
	static const bool all[] = { true, true }, second[] = { false, true };
	struct weights w = weights_of_text("LOOKUP 1 0\nINSTRUCTIONS 0 -3\nMISS 1 2\n", 2);
	struct profile p;
	int64_t *costs;

	(void)state;
	must_read(HEAD MAPS KINDS NOTES "cell 1 1 7\ncell 1 4 2\ncell 1 0 10\ncell 3 4 5\nend\n",
		  &p);
	costs = weights_costs(&w, &p, all);
	assert_int_equal(costs[0], 9);			/* 7 lookups, 2 misses */
	assert_int_equal(costs[1], 2 * 2 - 3 * 10);
	assert_int_equal(costs[2 * 2], 5);
	free(costs);
	costs = weights_costs(&w, &p, second);
	assert_int_equal(costs[0], 0);
	assert_int_equal(costs[1], -26);
	free(costs);
	profile_free(&p);
	weights_free(&w);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		FILE *f = fmemopen((void *)(uintptr_t)bad[i], strlen(bad[i]), "r");

		assert_int_equal(weights_read(f, 2, &w), -EINVAL);
		fclose(f);
		weights_free(&w);
	}
}

/* ---- names ---- */

enum { MARKED_LINE = __LINE__ + 1 };
__attribute__((noinline, used)) static int marked(int x)
{
	return x * 3;
}

struct own_map {
	unsigned long start, end, offset;
	char path[512];
};

/* The mapping of this program that has the address. */
static struct own_map own_map_of(uintptr_t address)
{
	FILE *f = fopen("/proc/self/maps", "re");
	struct own_map m = { 0 };
	char line[1024];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %511[^\n]", &m.start, &m.end, &m.offset,
			   m.path) == 4 && address >= m.start && address < m.end)
			break;
	fclose(f);
	return m;
}

static void test_names(void **state)
{
	const struct own_map m = own_map_of((uintptr_t)marked);
	struct symbols *s = symbols_open();
	struct place places[3];
	char *text;
	struct profile p;

	(void)state;
	if (!symbols_known())
		skip();
	assert_int_equal(asprintf(&text, HEAD "map 1 %lx %lx %lx 0 %s\nnote 1 1 %lx\nnote 2 0 0\n"
				  "note 3 1 %lx\nend\n", m.start, m.end, m.offset, m.path,
				  (unsigned long)(uintptr_t)marked, m.end - 1) > 0, true);
	must_read(text, &p);
	assert_int_equal(symbols_find(s, &p, places), 0);
	assert_string_equal(places[0].function, "marked");
	assert_string_equal(places[0].object, m.path);
	assert_non_null(strstr(places[0].home, "run_profile.c"));
	assert_true(places[0].home_line >= MARKED_LINE && places[0].home_line <= MARKED_LINE + 1);
	assert_ptr_equal(places[0].home, places[0].file);
	assert_string_equal(places[1].function, "(no instruction of the program)");
	assert_string_equal(symbols_name(s, "_ZN1a1bE"), "a::b");
	assert_string_equal(symbols_name(s, "plain"), "plain");
	profile_free(&p);
	symbols_close(s);
	free(text);
}

/* Code of a JIT compiler, by the file that it leaves for perf. */
static void test_perf_map(void **state)
{
	char path[64], *text;
	struct symbols *s = symbols_open();
	struct place places[2];
	struct profile p;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", 0x7ffffff);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs("9000 10 old\nno line\n9000 20 loop in script.js:3\n", f);
	fclose(f);
	assert_true(asprintf(&text, "vpmu-profile 1\nprocess %d 0\n"
			     "map 1 9000 a000 0 0 [anonymous]\n"
			     "note 1 1 901f\nnote 2 1 9020\nend\n", 0x7ffffff) > 0);
	must_read(text, &p);
	assert_int_equal(symbols_find(s, &p, places), 0);
	assert_string_equal(places[0].function, "loop in script.js:3");
	assert_string_equal(places[0].object, "[anonymous]");
	assert_string_equal(places[1].function, "(code made at run time)");
	remove(path);
	profile_free(&p);
	symbols_close(s);
	free(text);
}

/* ---- tables ---- */

static struct place place(struct symbols *s, const char *function, const char *home, int home_line,
			  const char *file, int line, uint64_t address)
{
	return (struct place){ symbols_text(s, "/bin/a"), symbols_text(s, function),
			       symbols_text(s, home), home_line, symbols_text(s, file), line,
			       address };
}

static const char cost_text[] = HEAD "map 1 1000 2000 0 0 /bin/a\nkind 0 INSTRUCTIONS\n"
	"kind 1 MISS\nkind 2 SNOOP_HITM\nnote 1 1 1000\nnote 2 1 1004\nnote 3 1 1100\n"
	"cell 1 0 10\ncell 2 0 10\ncell 3 0 100\ncell 1 1 5\ncell 3 1 20\n"
	"arc 2 1100 10 0:100 1:20\n"
	"arc 0 1000 1 0:120 1:25\nobject 0 global 6000 6010 table\nobject 1 heap 7000 8000 2 1\n"
	"object 2 heap 9000 9010 2\nblocks 1 2 8192\nobject-cell 0 1 5\nobject-cell 1 1 20\n"
	"line 6000 1 0 load 0 2 30 0 0\nline 6000 3 8 store 1 2 31 0 8\n"
	"line-other 6000 3 8 store 1 9 0 8\nline 6040 1 0 load 0 2 1 0 0\nend\n";

static const struct where_row *row_named(const struct where_row *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].function, name))
			return &rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void test_tables(void **state)
{
	static const bool wanted[] = { true, true };
	static const int both[] = { 0, 1 };
	struct weights w = weights_of_text("INSTRUCTIONS 4 0\nMISS 0 4\n", 2);
	struct symbols *s = symbols_open();
	struct tables *t = tables_begin(s, 2);
	struct place places[] = {
		place(s, "main", "/src/a.c", 3, "/src/a.c", 4, 0x1000),
		place(s, "main", "/src/a.c", 3, "/src/inline.h", 9, 0x1004),
		place(s, "work", "/src/a.c", 20, "/src/a.c", 21, 0x1100),
	};
	const struct where_row *row;
	const struct where *where;
	struct profile p;
	size_t top[4];
	int64_t *costs;

	(void)state;
	must_read(cost_text, &p);
	costs = weights_costs(&w, &p, wanted);
	for (int twice = 0; twice < 2; twice++)		/* two processes */
		assert_int_equal(tables_add(t, &p, places, costs, &w, wanted), 0);
	where = tables_end(t, 10);
	assert_non_null(where);
	assert_int_equal(where->processes, 2);
	assert_int_equal(where->sums[0], 2 * (10 + 10 + 100));
	assert_int_equal(where->sums[1], 2 * 25);
	assert_int_equal(where->nfunctions, 2);
	row = row_named(where->functions, where->nfunctions, "main");
	assert_int_equal(row->counts[0], 40);
	assert_int_equal(row->counts[1], 10);
	assert_int_equal(row->inclusive[0], 240);
	assert_int_equal(row->line, 3);
	row = row_named(where->functions, where->nfunctions, "work");
	assert_int_equal(row->inclusive[1], 40);
	assert_int_equal(row->calls, 20);
	assert_int_equal(where->nlines, 3);
	assert_int_equal(where_rank(where, where->lines, where->nlines, both, 2, 4, top), 3);
	assert_int_equal(where->lines[top[0]].line, 21);	/* 200 / 240 + 40 / 50 */
	assert_int_equal(where->lines[top[1]].line, 4);
	assert_int_equal(where->lines[top[2]].line, 9);
	assert_null(where->lines[top[0]].source);
	assert_int_equal(where->ndata, 2);		/* the third object was not accessed */
	assert_int_equal(where_rank_data(where, both, 2, 4, top), 2);
	assert_string_equal(where->data[top[0]].name, "main");
	assert_string_equal(where->data[top[0]].storage, "heap");
	assert_int_equal(where->data[top[0]].line, 9);
	assert_int_equal(where->data[top[0]].times, 4);
	assert_int_equal(where->data[top[0]].counts[1], 40);
	assert_string_equal(where->data[top[1]].name, "table");
	/* Lines of memory are those of a process. */
	assert_int_equal(where->ncontended, 4);
	assert_int_equal(where->contended[0].modified, 61);
	assert_int_equal(where->contended[0].nasked, 2);
	assert_int_equal(where->contended[0].nsides, 3);
	assert_string_equal(where->contended[0].sides[0].function, "work");
	assert_string_equal(where->contended[0].sides[0].data, "table");
	assert_int_equal(where->contended[0].sides[0].data_offset, 8);
	assert_int_equal(where->contended[0].sides[2].times, 9);
	assert_int_equal(where->contended[3].modified, 1);
	free(costs);
	profile_free(&p);
	weights_free(&w);
	tables_free(t);
	symbols_close(s);
}

/* ---- Callgrind's format ---- */

static void test_callgrind(void **state)
{
	static const bool wanted[] = { true, true };
	static const char *const events[] = { "Ir", "Miss" };
	static const char right[] =
		"# callgrind format\nversion: 1\ncreator: ipmu-run " IPMU_VERSION "\npid: 12\n"
		"cmd: /bin/a b\npart: 1\n\npositions: instr line\nevents: Ir Miss\n"
		"summary: 120 25\n\n"
		"ob=(1) /bin/a\nfl=(1) /src/a.c\nfn=(1) main\n0x1000 4 10 5\n"
		"fi=(2) /src/inline.h\n0x1004 9 10\n"
		"cob=(1)\ncfi=(1)\ncfn=(2) work\ncalls=10 0x1100 21\n0x1004 9 100 20\n"
		"ob=(1)\nfl=(1)\nfn=(2)\n0x1100 21 100 20\n";
	struct weights w = weights_of_text("INSTRUCTIONS 4 0\nMISS 0 4\n", 2);
	struct symbols *s = symbols_open();
	struct place places[] = {
		place(s, "main", "/src/a.c", 3, "/src/a.c", 4, 0x1000),
		place(s, "main", "/src/a.c", 3, "/src/inline.h", 9, 0x1004),
		place(s, "work", "/src/a.c", 20, "/src/a.c", 21, 0x1100),
	};
	struct profile p;
	int64_t *costs;
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	(void)state;
	must_read(cost_text, &p);
	costs = weights_costs(&w, &p, wanted);
	assert_int_equal(callgrind_write(f, &p, places, costs, &w, events), 0);
	fclose(f);
	assert_string_equal(text, right);
	free(text);
	free(costs);
	profile_free(&p);
	weights_free(&w);
	symbols_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reading), cmocka_unit_test(test_faults),
		cmocka_unit_test(test_weights), cmocka_unit_test(test_names),
		cmocka_unit_test(test_perf_map), cmocka_unit_test(test_tables),
		cmocka_unit_test(test_callgrind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
