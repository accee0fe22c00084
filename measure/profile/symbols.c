/* SPDX-License-Identifier: MIT */
/* Finds names of instructions: symbols_find(). An address of a process becomes one of its file,
 * so a file is read once, whichever processes map it and wherever. Instructions are resolved in the
 * order of their addresses. Each file has a list of functions: those of the symbol tables, also of
 * a separate debug file, and between them what the table of unwinding has: starts of functions in
 * code that was stripped. A line is that of the line table, which has the inlined function's own.
 * perf's maps of JIT compilers name code that is in no file. */
#include "symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code_file.h"

#define RUN_TIME_CODE "(code made at run time)"
#define NO_INSTRUCTION "(no instruction of the program)"

struct text {
	struct text *next;
	char text[];
};

#define BUCKETS 65536u

struct symbols {
	struct text *texts[BUCKETS];
	struct opened { const char *path; struct code_file *file; } *files;
	size_t nfiles;
};

struct symbols *symbols_open(void)
{
	return calloc(1, sizeof(struct symbols));
}

void symbols_close(struct symbols *s)
{
	for (size_t i = 0; s && i < s->nfiles; i++)
		code_file_close(s->files[i].file);
	for (size_t i = 0; s && i < BUCKETS; i++)
		for (struct text *t = s->texts[i], *next; t; t = next) {
			next = t->next;
			free(t);
		}
	if (s)
		free(s->files);
	free(s);
}

const char *symbols_text(struct symbols *s, const char *text)
{
	uint32_t hash = 2166136261u;
	struct text *t;
	size_t bytes;

	for (const char *p = text; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 16777619u;
	for (t = s->texts[hash % BUCKETS]; t; t = t->next)
		if (!strcmp(t->text, text))
			return t->text;
	bytes = strlen(text) + 1;
	t = malloc(sizeof(*t) + bytes);
	if (!t)
		return NULL;
	memcpy(t->text, text, bytes);
	t->next = s->texts[hash % BUCKETS];
	s->texts[hash % BUCKETS] = t;
	return t->text;
}

/* NULL: no memory. */
static struct code_file *file_of(struct symbols *s, const char *path)
{
	struct opened *more;
	struct code_file *file;

	for (size_t i = 0; i < s->nfiles; i++)
		if (!strcmp(s->files[i].path, path))
			return s->files[i].file;
	more = realloc(s->files, (s->nfiles + 1) * sizeof(*more));
	if (!more)
		return NULL;
	s->files = more;
	more[s->nfiles].path = symbols_text(s, path);
	file = more[s->nfiles].path ? code_file_open(path) : NULL;
	if (!file)
		return NULL;
	more[s->nfiles++].file = file;
	return file;
}

/* ---- code of no file ---- */

struct perf_line {
	uint64_t start, bytes;
	char *name;
};

struct perf_map {
	struct perf_line *lines;
	size_t n;
};

/* JIT compilers write this file for perf: a line `START SIZE NAME` for each function. */
static void perf_read(long pid, struct perf_map *map)
{
	char path[64], *line = NULL;
	size_t room = 0;
	int fd;
	FILE *f;

	*map = (struct perf_map){ .n = 0 };
	snprintf(path, sizeof(path), "/tmp/perf-%ld.map", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (fd >= 0 && !f)
		close(fd);
	while (f && getline(&line, &room, f) > 0) {
		struct perf_line *more, one;
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &one.start, &one.bytes, &at) != 2 ||
		    !at || !line[at])
			continue;
		more = realloc(map->lines, (map->n + 1) * sizeof(*more));
		if (!more || !(one.name = strdup(line + at)))
			break;
		map->lines = more;
		map->lines[map->n++] = one;
	}
	free(line);
	if (f)
		fclose(f);
}

static void perf_free(struct perf_map *map)
{
	for (size_t i = 0; i < map->n; i++)
		free(map->lines[i].name);
	free(map->lines);
}

/* A function that was compiled again has the later line. */
static const char *perf_name(const struct perf_map *map, uint64_t address)
{
	for (size_t i = map->n; i; i--)
		if (address - map->lines[i - 1].start < map->lines[i - 1].bytes)
			return map->lines[i - 1].name;
	return RUN_TIME_CODE;
}

/* ---- instructions ---- */

struct finding {
	struct symbols *s;
	const struct profile *p;
	struct perf_map perf;
	bool has_perf;
};

/* As the caller has all texts: interned. */
static int intern(struct symbols *s, struct place *place)
{
	const char **texts[] = { &place->object, &place->function, &place->home, &place->file };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		*texts[i] = symbols_text(s, *texts[i]);
		if (!*texts[i])
			return -ENOMEM;
	}
	return 0;
}

static int find_in_file(struct finding *f, const struct profile_map *map, uint64_t address,
			struct place *out)
{
	struct code_file *file = file_of(f->s, map->path);
	struct code_place code;
	char name[32];

	if (!file)
		return -ENOMEM;
	*out = (struct place){ .object = map->path, .home = "", .file = "" };
	out->address = code_file_address(file, address - map->start + map->offset);
	if (code_file_find(file, out->address, &code)) {
		snprintf(name, sizeof(name), "0x%" PRIx64, code.start);
		out->function = code.name ? code.name : name;
		out->home = code.home ? code.home : "";
		out->home_line = code.home_line;
		out->file = code.file ? code.file : "";
		out->line = code.line;
	} else {
		out->function = "(no function)";
	}
	return intern(f->s, out);
}

static int find_one(struct finding *f, const struct profile_spot *spot, struct place *out)
{
	const struct profile_map *map = spot->map < 0 ? NULL : &f->p->maps[spot->map];

	if (map && map->path && *map->path == '/')
		return find_in_file(f, map, spot->address, out);
	*out = (struct place){ .object = map && map->path ? map->path : map ? "[anonymous]" : "",
			       .function = NO_INSTRUCTION, .home = "", .file = "",
			       .address = spot->address };
	if (map && !f->has_perf) {
		perf_read(f->p->pid, &f->perf);
		f->has_perf = true;
	}
	if (map)
		out->function = map->path ? map->path : perf_name(&f->perf, spot->address);
	return intern(f->s, out);
}

static int by_address(const void *a, const void *b, void *arg)
{
	const struct profile_spot *spots = arg, *x = &spots[*(const uint32_t *)a],
				  *y = &spots[*(const uint32_t *)b];

	if (x->map != y->map)
		return x->map < y->map ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

int symbols_find(struct symbols *s, const struct profile *p, struct place *out)
{
	struct finding f = { .s = s, .p = p };
	uint32_t *order = malloc((p->nspots + 1) * sizeof(*order));
	int rc = order ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < p->nspots; i++)
		order[i] = (uint32_t)i;
	if (!rc)
		qsort_r(order, p->nspots, sizeof(*order), by_address, p->spots);
	for (size_t i = 0; !rc && i < p->nspots; i++)
		rc = find_one(&f, &p->spots[order[i]], &out[order[i]]);
	free(order);
	perf_free(&f.perf);
	return rc;
}

bool symbols_known(void)
{
	return code_file_known();
}

const char *symbols_name(struct symbols *s, const char *name)
{
	char *demangled = code_file_demangle(name);
	const char *text = symbols_text(s, demangled ? demangled : name);

	free(demangled);
	return text;
}
