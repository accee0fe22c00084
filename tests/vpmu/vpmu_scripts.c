/* SPDX-License-Identifier: MIT */
/* Runs tests/vpmu/scripts/: what registers do, as the sections of a manual say it; the README.md
 * there explains the language. Each [case] starts on a new machine. At its end the counts of
 * violations and of undriven selects are those of its last `violations` line, or none. */
#include "vpmu_registers.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>

#define WORDS_MAX 96
#define NAMES_MAX 256
#define CASES_MAX 512
#define SCRIPTS_MAX 32
#define LINES_MAX 2048
#define LINE_MAX_BYTES 512

/* Addresses that are no register's number: a counter's for RDPMC, a byte's of the memory
 * controller's window (in 8 or 4 bytes), and what the machine has noted. */
#define RDPMC (UINT64_C(1) << 40)
#define WINDOW (UINT64_C(1) << 41)
#define WINDOW4 (UINT64_C(1) << 42)
#define INTERRUPTS (UINT64_C(1) << 43)
#define COUNTING (UINT64_C(1) << 44)
#define RDTSC (UINT64_C(1) << 45)

static struct script {
	char *lines[LINES_MAX];
	const char *path;
	int nlines;
} *at;
static int line;	/* that is executed */

static struct name { char name[32]; uint64_t value; } names[NAMES_MAX] = {
#define X(kind) { #kind, 1000 + 7 * VPMU_##kind },	/* how many of them `happen all` makes */
	VPMU_CORE_EVENT_LIST(X)
#undef X
	{ "M", VPMU_M }, { "E", VPMU_E }, { "S", VPMU_S }, { "I", VPMU_I },
	{ "XCORE", VPMU_XCORE }, { "EVICTION", VPMU_EVICTION }, { "SNOOP_MISS", VPMU_SNOOP_MISS },
	{ "SNOOP_HIT", VPMU_SNOOP_HIT }, { "SNOOP_HITM", VPMU_SNOOP_HITM },
	{ "DATA", VPMU_TRK_DATA_READ }, { "CODE", VPMU_TRK_CODE_READ },
	{ "WRITE", VPMU_TRK_WRITE }, { "PAGE_HIT", VPMU_PAGE_HIT },
	{ "PAGE_EMPTY", VPMU_PAGE_EMPTY }, { "PAGE_MISS", VPMU_PAGE_MISS },
	{ "RESERVED_BITS", VPMU_V_RESERVED_BITS }, { "READ_ONLY", VPMU_V_READ_ONLY },
	{ "WRITE_ONLY", VPMU_V_WRITE_ONLY }, { "UNKNOWN_MSR", VPMU_V_UNKNOWN_MSR },
	{ "rdpmc", RDPMC }, { "window", WINDOW }, { "window4", WINDOW4 },
	{ "interrupts", INTERRUPTS }, { "counting", COUNTING },
	{ "rdtsc", RDTSC },
};
static int known, names_used;	/* names of this table, and with those of the script */

#define REFUSE(...) do {								\
	print_error("%s:%d: %s: ", at->path, line + 1, at->lines[line]);		\
	fail_msg(__VA_ARGS__);								\
} while (0)

/* ---- expressions: C's operators, without blanks */

static uint64_t sum_of(const char **p, int level);

static uint64_t named(const char *name)
{
	struct vpmu_register_info reg;

	for (int i = names_used - 1; i >= 0; i--)
		if (strcmp(names[i].name, name) == 0)
			return names[i].value;
	if (strcmp(name, "now") == 0)
		return t.s->uclk[0];
	if (vpmu_model_find(&t.s->machine, name, &reg))
		REFUSE("'%s' is no name and no register", name);
	return reg.address + (reg.space == VPMU_MMIO ? WINDOW : 0);
}

static uint64_t operand(const char **p)
{
	char name[64];
	uint64_t value;
	int n = 0;

	if (**p == '~' || **p == '(') {
		bool complement = *(*p)++ == '~';

		value = complement ? ~operand(p) : sum_of(p, 0);
		*p += !complement && **p == ')';
		return value;
	}
	if (isdigit((unsigned char)**p))
		return strtoull(*p, (char **)(uintptr_t)p, 0);
	while (isalnum((unsigned char)**p) || **p == '_')
		name[n < 63 ? n++ : 63] = *(*p)++;
	name[n] = '\0';
	return named(name);
}

static uint64_t sum_of(const char **p, int level)
{
	static const char *const operators[] = { "|", "^", "&", "<>", "+-", "*/%" };
	uint64_t left = level < 6 ? sum_of(p, level + 1) : operand(p), right;

	while (level < 6 && **p && strchr(operators[level], **p)) {
		char o = *(*p)++;

		*p += level == 3;	/* the second < or > */
		right = sum_of(p, level + 1);
		left = o == '|' ? left | right : o == '^' ? left ^ right :
		       o == '&' ? left & right : o == '<' ? left << right :
		       o == '>' ? left >> right : o == '+' ? left + right :
		       o == '-' ? left - right : o == '*' ? left * right :
		       o == '/' ? left / right : left % right;
	}
	return left;
}

static uint64_t number(const char *text)
{
	const char *p = text;
	uint64_t value = sum_of(&p, 0);

	if (*p)
		REFUSE("'%s' is not understood from '%s' on", text, p);
	return value;
}

/* ---- words of a line: KEY=VALUE, or "in quotation marks" */

static char *words[WORDS_MAX];
static int nwords;

static void split(char *text)
{
	for (nwords = 0; *(text += strspn(text, " \t")) && *text != '#'; nwords++) {
		char *end = text + strcspn(text, *text == '"' ? "" : " \t");

		if (*text == '"')
			end = strchr(++text, '"');
		if (!end || nwords == WORDS_MAX)
			REFUSE("too long, or a quotation mark is missing");
		words[nwords] = text;
		text = *end ? end + 1 : end;
		*end = '\0';
	}
}

static uint64_t value_of(const char *key, uint64_t otherwise)
{
	size_t n = strlen(key);

	for (int i = 1; i < nwords; i++)
		if (strncmp(words[i], key, n) == 0 && words[i][n] == '=')
			return number(words[i] + n + 1);
	return otherwise;
}

static uint32_t small_of(const char *key, uint32_t otherwise)
{
	return (uint32_t)value_of(key, otherwise);
}

/* ---- wr and rd: pairs of REGISTER[@CPU] and VALUE, or `fails` */

static int transfer(bool write, uint32_t cpu, uint64_t address, uint64_t *value)
{
	uint32_t offset = (uint32_t)address;

	if (address & (WINDOW | WINDOW4)) {
		uint32_t bytes = address & WINDOW4 ? 4 : 8;

		if (write)
			vpmu_mmio_write(t.s, cpu, offset, *value, bytes);
		else
			memcpy(value, vpmu_package_mmio(t.s, 0) + offset, bytes);
		return 0;
	}
	if (address & INTERRUPTS)
		return *value = vpmu_model_interrupts(t.s, cpu), 0;
	if (address & COUNTING)
		return *value = t.s->core_counting, 0;
	if (address & RDTSC)
		return vpmu_rdtsc(t.s, cpu, value) ? 0 : -EIO;
	if (address & RDPMC)
		return vpmu_rdpmc(t.s, cpu, offset, value);
	return write ? vpmu_wrmsr(t.s, cpu, offset, *value) : vpmu_rdmsr(t.s, cpu, offset, value);
}

static void access_all(bool write)
{
	for (int i = 1; i + 1 < nwords; i += 2) {
		char *cpu = strchr(words[i], '@');
		bool fails = strcmp(words[i + 1], "fails") == 0;
		uint64_t wanted = fails ? 1 : number(words[i + 1]), value = write ? wanted : 0;
		int rc;

		if (cpu)
			*cpu++ = '\0';
		rc = transfer(write, cpu ? (uint32_t)number(cpu) : 0, number(words[i]), &value);
		if (rc != (fails ? -EIO : 0) || (!fails && value != wanted))
			REFUSE("%s: %d, 0x%llx, expected %llu (0x%llx)", words[i], rc,
			       (unsigned long long)value, (unsigned long long)wanted,
			       (unsigned long long)wanted);
	}
}

/* ---- happen */

static void happen_on_core(bool all)
{
	uint32_t counts[VPMU_CORE_EVENTS];

	for (uint32_t i = 0; i < VPMU_CORE_EVENTS; i++)
		counts[i] = all ? 1000 + 7 * i : 0;
	for (int i = all ? 2 : 1; i < nwords; i++) {
		char *value = strchr(words[i], '=');
		uint64_t kind;

		if (!value || !isupper((unsigned char)words[i][0]))
			continue;	/* clocks, cpu, kernel */
		*value = '\0';
		kind = (number(words[i]) - 1000) / 7;
		*value = '=';
		assert_true(kind < VPMU_CORE_EVENTS);
		counts[kind] = (uint32_t)number(value + 1);
	}
	vpmu_core_events_at(t.s, small_of("cpu", 0),
			    small_of("kernel", 0) ? VPMU_KERNEL : VPMU_USER, counts,
			    small_of("clocks", 0));
}

static void happen_once(const char *what)
{
	uint64_t clock = value_of("clock", t.s->uclk[0]), from = value_of("from", clock);
	uint32_t package = small_of("package", 0), box = small_of("box", 0);
	uint32_t slice = small_of("slice", 0), write = small_of("write", 0);

	if (strcmp(what, "lookup") == 0)
		vpmu_llc_lookup(t.s, package, slice, write ? VPMU_WRITE : VPMU_READ,
				(enum vpmu_mesi)value_of("found", VPMU_I), clock);
	else if (strcmp(what, "snoop") == 0)
		vpmu_snoop(t.s, package, slice, (enum vpmu_snoop_cause)value_of("cause", 0),
			   (enum vpmu_snoop_result)value_of("result", 0), clock);
	else if (strcmp(what, "entry") == 0)
		vpmu_tracker(t.s, package, (enum vpmu_tracker)value_of("kind", VPMU_TRK_DATA_READ),
			     value_of("coherent", 1), from, value_of("to", from + 1));
	else if (strcmp(what, "command") == 0)
		vpmu_memory_command(t.s, package, box, write,
				    (enum vpmu_page)value_of("page", VPMU_PAGE_HIT), clock);
	else if (strcmp(what, "dram") == 0)
		vpmu_dram_at(t.s, package, box, small_of("requests", 0), small_of("reads", 0),
			     small_of("writes", 0));
	else if (strcmp(what, "clock") == 0)
		vpmu_clock(t.s, package, value_of("to", clock));
	else if (strcmp(what, "reset") == 0)
		vpmu_model_reset(t.s);
	else if (strcmp(what, "init") == 0)
		vpmu_model_init(t.s);
	else
		REFUSE("'%s' cannot happen", what);
}

static void happen(void)
{
	if (strchr(words[1], '=') || strcmp(words[1], "all") == 0)
		happen_on_core(!strchr(words[1], '='));
	else
		for (uint64_t n = value_of("times", 1); n; n--)
			happen_once(words[1]);
}

/* ---- violations COUNT [kind= bits= at= cpu=], of the last one; undriven= [says=, quoted] */

static uint64_t said_violations, said_undriven;

static void check_violations(void)
{
	if (t.s->violation_count != said_violations || t.s->undriven_count != said_undriven)
		REFUSE("%llu violations, %llu undriven", (unsigned long long)t.s->violation_count,
		       (unsigned long long)t.s->undriven_count);
}

static void violations(void)
{
	const struct vpmu_segment *s = t.s;
	const struct vpmu_violation *v;
	char text[256] = "";

	said_violations = strchr(words[1], '=') ? said_violations : number(words[1]);
	said_undriven = value_of("undriven", said_undriven);
	check_violations();
	v = &s->violations[said_violations ? said_violations - 1 : 0];
	if (said_violations && (v->bad_bits != value_of("bits", v->bad_bits) ||
				v->kind != value_of("kind", v->kind) ||
				v->address != value_of("at", v->address) ||
				v->cpu != value_of("cpu", v->cpu)))
		REFUSE("kind=%u bits=0x%llx at=0x%x cpu=%u", v->kind,
		       (unsigned long long)v->bad_bits, v->address, v->cpu);
	for (int i = 1; i < nwords; i++) {
		if (strcmp(words[i], "says") != 0)
			continue;
		vpmu_model_undriven_text(&s->machine, &s->undriven[said_undriven - 1], text,
					 sizeof(text));
		if (!strstr(text, words[++i]))
			REFUSE("it says: %s", text);
	}
}

/* ---- lines, loops and cases */

static void set_name(const char *name, uint64_t value)
{
	if (names_used == NAMES_MAX)
		REFUSE("too many names");
	snprintf(names[names_used].name, sizeof(names[0].name), "%s", name);
	names[names_used++].value = value;
}

static void run_lines(int first, int last);

/* loop NAME... : VALUE... : VALUE..., more rows in lines that begin with a colon, then the body,
 * which is indented further. A row FIRST..LAST stands for a row of each number. */
static void run_loop(int first, int body, int last)
{
	char variables[8][32], rows[LINE_MAX_BYTES], *next, *row;
	int used = names_used, n = 0;

	for (int i = first; i < body; i++) {
		strcpy(rows, at->lines[i]);
		rows[strcspn(rows, "#")] = '\0';
		next = rows;
		row = strsep(&next, ":");
		split(row);
		for (n = i == first ? 0 : n; i == first && n + 1 < nwords && n < 8; n++)
			snprintf(variables[n], sizeof(variables[n]), "%s", words[n + 1]);
		while ((row = strsep(&next, ":"))) {
			char *range = strstr(row, "..");
			uint64_t values[8] = { 0 }, times;

			if (range)
				*range = ' ';
			if (range)
				range[1] = ' ';
			line = i;
			split(row);
			if (nwords != (range ? 2 : n))
				REFUSE("%d values for %d names", nwords, n);
			for (int v = 0; v < nwords; v++)
				values[v] = number(words[v]);
			for (times = range ? values[1] - values[0] + 1 : 1; times; times--) {
				for (int v = 0; v < n; v++)
					set_name(variables[v], values[v]);
				run_lines(body, last);
				names_used = used;
				values[0]++;
			}
		}
	}
}

static void run_line(char *text)
{
	split(text);
	if (nwords == 3 && strcmp(words[1], "=") == 0)
		set_name(words[0], number(words[2]));
	else if (nwords > 1 && strcmp(words[0], "wr") == 0)
		access_all(true);
	else if (nwords > 1 && strcmp(words[0], "rd") == 0)
		access_all(false);
	else if (nwords > 1 && strcmp(words[0], "happen") == 0)
		happen();
	else if (nwords > 1 && strcmp(words[0], "violations") == 0)
		violations();
	else if (nwords)
		REFUSE("not understood");
}

static size_t indentation(int i)
{
	return strspn(at->lines[i], "\t");
}

static void run_lines(int first, int last)
{
	char text[LINE_MAX_BYTES];

	for (int i = first, body, end; i < last; i++) {
		if (strncmp(at->lines[i] + indentation(i), "loop ", 5) == 0) {
			body = i + 1;
			while (body < last && at->lines[body][indentation(body)] == ':')
				body++;
			end = body;
			while (end < last && indentation(end) > indentation(i))
				end++;
			run_loop(i, body, end);
			i = end - 1;
			continue;
		}
		line = i;
		strcpy(text, at->lines[i]);
		run_line(text);
	}
}

static struct script scripts[SCRIPTS_MAX];
static struct CMUnitTest cases[CASES_MAX];
static struct place { struct script *script; int first, last; } places[CASES_MAX];

/* [NAME], or [NAME MACHINE], or [NAME MACHINE MODEL], where MODEL is another one for CPUID. The
 * machine of most cases is in the script's first line, `on MACHINE`. */
static void run_case(void **state)
{
	const struct place *place = *state;
	char machine[64] = "", model[16] = "";
	struct vpmu_machine m;

	at = place->script;
	line = place->first;
	sscanf(at->lines[0], "on %63s", machine);
	sscanf(at->lines[line], "[%*s %63[^] ] %15[^]]", machine, model);
	m = scratch_machine(machine);
	if (model[0])
		m.cpuid_model = (uint32_t)strtoul(model, NULL, 0);
	scratch_make(&t, &m);
	vpmu_lock(t.s);
	names_used = known;
	said_violations = said_undriven = 0;
	for (int i = 1; i < at->nlines && at->lines[i][0] != '['; i++)
		run_lines(i, i + 1);	/* names for all cases */
	run_lines(place->first + 1, place->last);
	check_violations();
	vpmu_unlock(t.s);
	scratch_close(&t);
}

static void load(struct script *script, const char *path)
{
	char text[LINE_MAX_BYTES];
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	script->path = path;
	while (script->nlines < LINES_MAX && fgets(text, sizeof(text), file)) {
		text[strcspn(text, "\n")] = '\0';
		script->lines[script->nlines] = strdup(text);
		assert_non_null(script->lines[script->nlines++]);
	}
	fclose(file);
}

/* A case for each line that begins with a bracket. */
static size_t list_cases(struct script *script, size_t n)
{
	for (int i = 0; i < script->nlines; i++) {
		if (script->lines[i][0] != '[')
			continue;
		assert_true(n < CASES_MAX);
		places[n] = (struct place){ script, i, i + 1 };
		while (places[n].last < script->nlines && script->lines[places[n].last][0] != '[')
			places[n].last++;
		cases[n] = (struct CMUnitTest){ .name = script->lines[i], .test_func = run_case,
						.initial_state = &places[n] };
		n++;
	}
	return n;
}

int main(void)
{
	char pattern[4096];
	size_t n = 0;
	glob_t found;
	int rc;

	while (names[known].name[0])
		known++;
	snprintf(pattern, sizeof(pattern), "%s/tests/vpmu/scripts/*.script", getenv("SRCDIR"));
	if (glob(pattern, 0, NULL, &found) || found.gl_pathc > SCRIPTS_MAX) {
		fprintf(stderr, "%s: no scripts, or too many\n", pattern);
		return 1;
	}
	for (size_t i = 0; i < found.gl_pathc; i++) {
		load(&scripts[i], found.gl_pathv[i]);
		n = list_cases(&scripts[i], n);
	}
	rc = _cmocka_run_group_tests("register scripts", cases, n, NULL, NULL);
	for (size_t i = 0; i < found.gl_pathc; i++)
		while (scripts[i].nlines)
			free(scripts[i].lines[--scripts[i].nlines]);
	globfree(&found);
	return rc;
}
