/* SPDX-License-Identifier: MIT */
/* Reads the text of `vpmu profile`: profile_read(). A line is a word that names its kind, and
 * fields. The reader trusts nothing in it: each number has its range, and each reference is to
 * something that stands before it. Notes are the printer's numbers of instructions, and an
 * instruction is a spot here, so that a called function's first one can be, too. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

#define VERSION "vpmu-profile 1"
#define NONE PROFILE_NOWHERE
#define OBJECTS_MAX 10000000

struct profile_reader {
	struct profile *p;
	char *why;
	unsigned long number;		/* of the line */
	char *at;			/* the rest of the line */
	uint32_t *notes;		/* the spot of each note; NONE: there is no such note */
	size_t nnotes;
	uint32_t *objects;		/* as the notes: where the object of a number is */
	size_t nobjects;
	uint32_t *hash;			/* spot + 1 by map and address; 0: empty */
	size_t slots;
	bool ended;
};

__attribute__((format(printf, 2, 3)))
static int fault(const struct profile_reader *r, const char *format, ...)
{
	va_list args;
	int n = snprintf(r->why, PROFILE_WHY_MAX, "line %lu of the profile: ", r->number);

	va_start(args, format);
	vsnprintf(r->why + n, (size_t)(PROFILE_WHY_MAX - n), format, args);
	va_end(args);
	return -EINVAL;
}

/* Makes room for one more in an array of n, whose size is the power of two that is not less. */
static bool grow(void *array, size_t n, size_t bytes)
{
	void **a = array, *more;

	if (n && (n & (n - 1)))
		return true;
	more = realloc(*a, (n ? 2 * n : 1) * bytes);
	if (more)
		*a = more;
	return more != NULL;
}

#define ADD(array, n, ...) \
	(grow(&(array), (n), sizeof(*(array))) ? ((array)[(n)++] = (__VA_ARGS__), 0) : -ENOMEM)

/* ---- fields ---- */

/* NULL: the line has no more. */
static char *word(struct profile_reader *r)
{
	char *begin = r->at + strspn(r->at, " ");

	if (!*begin)
		return NULL;
	r->at = begin + strcspn(begin, " ");
	if (*r->at)
		*r->at++ = '\0';
	return begin;
}

/* The rest of the line, which may have blanks; NULL: there is none. */
static char *rest(struct profile_reader *r)
{
	char *begin = r->at + strspn(r->at, " ");

	r->at = begin + strlen(begin);
	return *begin ? begin : NULL;
}

static int number_of(const struct profile_reader *r, const char *text, int base, uint64_t most,
		     uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = text ? text : "";
	uint64_t n = 0;

	for (; *p; p++) {
		const char *digit = strchr(digits, *p);
		uint64_t value = digit ? (uint64_t)(digit - digits) : 16;

		if (value >= (uint64_t)base || n > (UINT64_MAX - value) / (uint64_t)base)
			break;
		n = n * (uint64_t)base + value;
	}
	if (!text || p == text || *p || n > most)
		return fault(r, "'%.40s' is no number up to %" PRIu64, text ? text : "", most);
	*out = n;
	return 0;
}

static int decimal(struct profile_reader *r, uint64_t most, uint64_t *out)
{
	return number_of(r, word(r), 10, most, out);
}

static int hexadecimal(struct profile_reader *r, uint64_t *out)
{
	return number_of(r, word(r), 16, UINT64_MAX, out);
}

static int text_of(char **out, const char *text)
{
	*out = strdup(text ? text : "");
	return *out ? 0 : -ENOMEM;
}

/* A number that may have a sign. */
static int signed_of(const struct profile_reader *r, const char *text, int64_t *out)
{
	bool negative = text && *text == '-';
	uint64_t n;
	int rc = number_of(r, negative ? text + 1 : text, 10, INT64_MAX, &n);

	if (!rc)
		*out = negative ? -(int64_t)n : (int64_t)n;
	return rc;
}

static int kind_of(struct profile_reader *r, const char *text, uint32_t *out)
{
	uint64_t n;
	int rc = number_of(r, text, 10, UINT32_MAX - 1, &n);

	if (!rc && (n >= r->p->nkinds || !r->p->kinds[n]))
		return fault(r, "there is no kind %" PRIu64, n);
	if (!rc)
		*out = (uint32_t)n;
	return rc;
}

static int note_of(struct profile_reader *r, const char *text, uint32_t *out)
{
	uint64_t n;
	int rc = number_of(r, text, 10, UINT32_MAX - 1, &n);

	if (!rc && (n >= r->nnotes || r->notes[n] == NONE))
		return fault(r, "there is no note %" PRIu64, n);
	if (!rc)
		*out = r->notes[n];
	return rc;
}

/* ---- spots ---- */

static size_t spot_hash(int map, uint64_t address)
{
	const uint64_t h = address + (uint64_t)map * 0x632be59bd9b4e019u;

	return (size_t)(h * 0x9e3779b97f4a7c15u >> 20);
}

static bool rehash(struct profile_reader *r)
{
	const struct profile *p = r->p;
	size_t slots = r->slots ? 2 * r->slots : 1024;
	uint32_t *hash = calloc(slots, sizeof(*hash));

	if (!hash)
		return false;
	for (size_t i = 0; i < p->nspots; i++) {
		size_t h = spot_hash(p->spots[i].map, p->spots[i].address) & (slots - 1);

		while (hash[h])
			h = (h + 1) & (slots - 1);
		hash[h] = (uint32_t)i + 1;
	}
	free(r->hash);
	r->hash = hash;
	r->slots = slots;
	return true;
}

static int spot_at(struct profile_reader *r, int map, uint64_t address, uint32_t *out)
{
	struct profile *p = r->p;
	size_t h;

	if (2 * p->nspots >= r->slots && !rehash(r))
		return -ENOMEM;
	h = spot_hash(map, address) & (r->slots - 1);
	for (; r->hash[h]; h = (h + 1) & (r->slots - 1)) {
		const struct profile_spot *s = &p->spots[r->hash[h] - 1];

		if (s->address == address && s->map == map) {
			*out = r->hash[h] - 1;
			return 0;
		}
	}
	if (p->nspots >= NONE - 1)
		return fault(r, "too many instructions");
	*out = (uint32_t)p->nspots;
	r->hash[h] = *out + 1;
	return ADD(p->spots, p->nspots, (struct profile_spot){ map, address });
}

/* The mapping with that address that was made last; -1: none. */
static int map_at(const struct profile *p, uint64_t address)
{
	int found = -1;

	for (size_t i = 0; i < p->nmaps; i++)
		if (address >= p->maps[i].start && address < p->maps[i].end &&
		    (found < 0 || p->maps[i].number > p->maps[found].number))
			found = (int)i;
	return found;
}

/* The mapping of that number; -1: there is none. */
static int map_numbered(const struct profile *p, uint64_t number)
{
	for (size_t i = 0; i < p->nmaps; i++)
		if (p->maps[i].number == number)
			return (int)i;
	return -1;
}

/* A called function is in the map of the call if that has its address. */
static int target_spot(struct profile_reader *r, uint32_t from, uint64_t address, uint32_t *out)
{
	const struct profile *p = r->p;
	int map = from == PROFILE_NOWHERE ? -1 : p->spots[from].map;

	if (map < 0 || address < p->maps[map].start || address >= p->maps[map].end)
		map = map_at(p, address);
	return spot_at(r, map, address, out);
}

/* ---- lines ---- */

static int read_machine(struct profile_reader *r)
{
	return r->p->machine ? fault(r, "a second machine") : text_of(&r->p->machine, rest(r));
}

static int read_program(struct profile_reader *r)
{
	return r->p->program ? fault(r, "a second program") : text_of(&r->p->program, rest(r));
}

static int read_process(struct profile_reader *r)
{
	uint64_t pid, image;
	int rc = decimal(r, INT_MAX, &pid);

	if (!rc)
		rc = decimal(r, INT_MAX, &image);
	if (rc)
		return rc;
	r->p->pid = (long)pid;
	r->p->image = (int)image;
	return 0;
}

static int read_map(struct profile_reader *r)
{
	struct profile_map map = { .path = NULL };
	uint64_t number, gone;
	const char *path;
	int rc = decimal(r, UINT32_MAX, &number);

	if (!rc)
		rc = hexadecimal(r, &map.start);
	if (!rc)
		rc = hexadecimal(r, &map.end);
	if (!rc)
		rc = hexadecimal(r, &map.offset);
	if (!rc)
		rc = decimal(r, 1, &gone);
	if (rc)
		return rc;
	if (!number || map_numbered(r->p, number) >= 0)
		return fault(r, "mapping %" PRIu64 " is no new one", number);
	map.number = (uint32_t)number;
	map.gone = gone;
	path = rest(r);
	if (path && strcmp(path, "[anonymous]") && text_of(&map.path, path))
		return -ENOMEM;
	rc = ADD(r->p->maps, r->p->nmaps, map);
	if (rc)
		free(map.path);
	return rc;
}

static int read_kind(struct profile_reader *r)
{
	uint64_t n;
	const char *name;
	int rc = decimal(r, 65535, &n);

	name = rc ? NULL : word(r);
	if (rc || !name)
		return rc ? rc : fault(r, "a kind has no name");
	while (r->p->nkinds <= n)
		if (ADD(r->p->kinds, r->p->nkinds, NULL))
			return -ENOMEM;
	return r->p->kinds[n] ? fault(r, "a second kind %" PRIu64, n) :
				text_of(&r->p->kinds[n], name);
}

/* Mapping 0 is none. */
static int read_note(struct profile_reader *r)
{
	uint64_t n, map, address;
	uint32_t spot = 0;
	int rc = decimal(r, UINT32_MAX - 1, &n), in = -1;

	if (!rc)
		rc = decimal(r, UINT32_MAX, &map);
	if (!rc)
		rc = hexadecimal(r, &address);
	if (rc)
		return rc;
	if (map && (in = map_numbered(r->p, map)) < 0)
		return fault(r, "there is no mapping %" PRIu64, map);
	if (n > 2 * r->nnotes + 1024)	/* the printer numbers them without large gaps */
		return fault(r, "there are no notes before %" PRIu64, n);
	rc = spot_at(r, in, address, &spot);
	while (!rc && r->nnotes <= n)
		rc = ADD(r->notes, r->nnotes, NONE);
	if (!rc)
		r->notes[n] = spot;
	return rc;
}

/* Cells have what blocks count. */
static int read_block(struct profile_reader *r)
{
	r->at += strlen(r->at);
	return 0;
}

static int read_cell(struct profile_reader *r)
{
	struct profile_cell cell;
	int rc = note_of(r, word(r), &cell.spot);

	if (!rc)
		rc = kind_of(r, word(r), &cell.kind);
	if (!rc)
		rc = signed_of(r, word(r), &cell.count);
	return rc ? rc : ADD(r->p->cells, r->p->ncells, cell);
}

static int read_arc_cell(struct profile_reader *r, char *text)
{
	struct profile_cell cell = { .spot = 0 };
	char *colon = strchr(text, ':');
	int rc;

	if (!colon)
		return fault(r, "'%.40s' is no KIND:COUNT", text);
	*colon = '\0';
	rc = kind_of(r, text, &cell.kind);
	if (!rc)
		rc = signed_of(r, colon + 1, &cell.count);
	return rc ? rc : ADD(r->p->arc_cells, r->p->narc_cells, cell);
}

static int read_arc(struct profile_reader *r)
{
	struct profile *p = r->p;
	struct profile_arc arc = { .from = PROFILE_NOWHERE, .first = (uint32_t)p->narc_cells };
	uint64_t address;
	char *text = word(r);
	int rc = text && !strcmp(text, "0") ? 0 : note_of(r, text, &arc.from);

	if (!rc)
		rc = hexadecimal(r, &address);
	if (!rc)
		rc = decimal(r, UINT64_MAX, &arc.calls);
	if (!rc)
		rc = target_spot(r, arc.from, address, &arc.to);
	while (!rc && (text = word(r)) != NULL)
		rc = read_arc_cell(r, text);
	if (!rc && p->narc_cells >= NONE)
		return fault(r, "too many costs of calls");
	arc.n = (uint32_t)(p->narc_cells - arc.first);
	return rc ? rc : ADD(p->arcs, p->narcs, arc);
}

static enum profile_storage storage_of(const char *name)
{
	static const char *const names[] = {
		[PROFILE_GLOBAL] = "global", [PROFILE_HEAP] = "heap", [PROFILE_MMAP] = "mmap",
		[PROFILE_STACK] = "stack",
	};

	for (int i = 0; i < PROFILE_UNKNOWN; i++)
		if (!strcmp(name, names[i]))
			return (enum profile_storage)i;
	return PROFILE_UNKNOWN;
}

/* The place of the object of that number. */
static int object_of(struct profile_reader *r, uint32_t *out)
{
	uint64_t n;
	int rc = decimal(r, UINT32_MAX - 1, &n);

	if (!rc && (n >= r->nobjects || r->objects[n] == NONE))
		return fault(r, "there is no object %" PRIu64, n);
	if (!rc)
		*out = r->objects[n];
	return rc;
}

/* Sites are numbers, so a name that follows them begins with another character; a stack has none,
 * but the number of its thread. */
static int read_object(struct profile_reader *r)
{
	struct profile *p = r->p;
	struct profile_object o = { .first = (uint32_t)p->nsites };
	const char *storage, *name;
	uint64_t n;
	int rc = decimal(r, UINT32_MAX - 1, &n);

	if (!rc && n < r->nobjects && r->objects[n] != NONE)
		return fault(r, "a second object %" PRIu64, n);
	if (!rc && n > OBJECTS_MAX)
		return fault(r, "more than %d objects", OBJECTS_MAX);
	storage = rc ? NULL : word(r);
	if (!rc && !storage)
		return fault(r, "an object is of no storage");
	if (!rc)
		rc = hexadecimal(r, &o.start);
	if (!rc)
		rc = hexadecimal(r, &o.end);
	if (rc)
		return rc;
	o.storage = storage_of(storage);
	while (!rc && o.storage != PROFILE_STACK &&
	       (r->at += strspn(r->at, " "), *r->at >= '0' && *r->at <= '9')) {
		uint32_t site = 0;

		rc = note_of(r, word(r), &site);
		if (!rc)
			rc = ADD(p->sites, p->nsites, site);
	}
	o.n = (uint32_t)(p->nsites - o.first);
	name = rc ? NULL : rest(r);
	if (name)
		rc = text_of(&o.name, name);
	while (!rc && r->nobjects <= n)
		rc = ADD(r->objects, r->nobjects, NONE);
	if (!rc)
		rc = ADD(p->objects, p->nobjects, o);
	if (rc) {
		free(o.name);
		return rc;
	}
	r->objects[n] = (uint32_t)(p->nobjects - 1);
	return 0;
}

static int read_blocks(struct profile_reader *r)
{
	uint32_t object;
	uint64_t times, bytes;
	int rc = object_of(r, &object);

	if (!rc)
		rc = decimal(r, UINT64_MAX, &times);
	if (!rc)
		rc = decimal(r, UINT64_MAX, &bytes);
	if (rc)
		return rc;
	r->p->objects[object].times = times;
	r->p->objects[object].bytes = bytes;
	return 0;
}

static int read_object_cell(struct profile_reader *r)
{
	struct profile_object_cell cell;
	int rc = object_of(r, &cell.object);

	if (!rc)
		rc = kind_of(r, word(r), &cell.kind);
	if (!rc)
		rc = signed_of(r, word(r), &cell.count);
	return rc ? rc : ADD(r->p->object_cells, r->p->nobject_cells, cell);
}

static int read_sharing(struct profile_reader *r, bool other)
{
	struct profile_sharing s = { .other = other };
	uint64_t offset, thread, object;
	const char *way;
	int rc = hexadecimal(r, &s.line);

	if (!rc)
		rc = note_of(r, word(r), &s.spot);
	if (!rc)
		rc = decimal(r, 63, &offset);
	way = rc ? NULL : word(r);
	if (!rc && (!way || (strcmp(way, "load") && strcmp(way, "store"))))
		return fault(r, "an access is neither a load nor a store");
	if (!rc)
		rc = decimal(r, UINT32_MAX, &thread);
	if (!rc && !other)
		rc = kind_of(r, word(r), &s.kind);
	if (!rc)
		rc = decimal(r, UINT64_MAX, &s.count);
	if (!rc)
		rc = decimal(r, UINT32_MAX - 1, &object);
	if (!rc)
		rc = decimal(r, UINT64_MAX, &s.object_offset);
	if (rc)
		return rc;
	s.object = object < r->nobjects ? r->objects[object] : NONE;
	s.offset = (uint8_t)offset;
	s.store = *way == 's';
	s.thread = (uint32_t)thread;
	return ADD(r->p->sharings, r->p->nsharings, s);
}

static int read_line(struct profile_reader *r)
{
	return read_sharing(r, false);
}

static int read_line_other(struct profile_reader *r)
{
	return read_sharing(r, true);
}

static int read_lost(struct profile_reader *r)
{
	struct profile_lost lost;
	const char *what = word(r);
	int rc = what ? decimal(r, UINT64_MAX, &lost.n) : fault(r, "nothing is lost");

	if (!rc)
		rc = text_of(&lost.what, what);
	if (rc)
		return rc;
	rc = ADD(r->p->lost, r->p->nlost, lost);
	if (rc)
		free(lost.what);
	return rc;
}

static int read_end(struct profile_reader *r)
{
	r->ended = true;
	return 0;
}

static int read_one(struct profile_reader *r, char *line)
{
	static const struct {
		const char *name;
		int (*read)(struct profile_reader *r);
	} kinds[] = {
		{ "cell", read_cell }, { "note", read_note }, { "block", read_block },
		{ "arc", read_arc }, { "machine", read_machine }, { "process", read_process },
		{ "program", read_program }, { "map", read_map }, { "kind", read_kind },
		{ "object", read_object }, { "object-cell", read_object_cell },
		{ "blocks", read_blocks }, { "line", read_line },
		{ "line-other", read_line_other }, { "lost", read_lost },
		{ "end", read_end },
	};
	const char *name;

	r->at = line;
	name = word(r);
	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i].name)) {
			int rc = kinds[i].read(r);

			if (!rc && word(r))
				return fault(r, "'%s' has too many fields", name);
			return rc;
		}
	return fault(r, "'%.40s' is unknown", name ? name : "");
}

int profile_read(FILE *from, struct profile *out, char why[PROFILE_WHY_MAX])
{
	struct profile_reader r = { .p = out, .why = why };
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int rc = 0;

	*out = (struct profile){ .nmaps = 0 };
	while (!rc && !r.ended && (n = getline(&line, &room, from)) > 0) {
		r.number++;
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (r.number == 1)
			rc = strcmp(line, VERSION) ? fault(&r, "it does not begin with '%s'",
							   VERSION) : 0;
		else
			rc = read_one(&r, line);
	}
	r.number++;
	if (!rc && !r.ended)
		rc = fault(&r, "the text ends before 'end'");
	if (rc == -ENOMEM)
		snprintf(why, PROFILE_WHY_MAX, "no memory");
	free(line);
	free(r.notes);
	free(r.objects);
	free(r.hash);
	return rc;
}

void profile_free(struct profile *p)
{
	for (size_t i = 0; i < p->nmaps; i++)
		free(p->maps[i].path);
	for (size_t i = 0; i < p->nkinds; i++)
		free(p->kinds[i]);
	for (size_t i = 0; i < p->nobjects; i++)
		free(p->objects[i].name);
	for (size_t i = 0; i < p->nlost; i++)
		free(p->lost[i].what);
	free(p->machine);
	free(p->program);
	free(p->maps);
	free(p->kinds);
	free(p->spots);
	free(p->cells);
	free(p->arcs);
	free(p->arc_cells);
	free(p->objects);
	free(p->object_cells);
	free(p->sites);
	free(p->sharings);
	free(p->lost);
	*p = (struct profile){ .nmaps = 0 };
}
