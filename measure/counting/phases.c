/* SPDX-License-Identifier: MIT */
/* Counts named regions while programs run: phases_enter() and phases_leave(). The counters are read
 * when the first thread of the node enters a region and when the last one has left it; the
 * difference is added to the region's counts. Calls in between take the time alone. Each call is an
 * entry of a list. Threads may leave regions in any order, and enter a region that they are in.
 *
 * All names together make one more phase, `all`, whose counts are those of --only-regions. */
#include "phases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "virtual.h"

/* A thread is in a region. */
struct entry {
	int phase;		/* index: the list may move */
	int rank, process, thread;
};

struct phases {
	struct phase_list list;
	struct phase_list all;	/* of one */
	struct sets *sets;
	int nparts, places, place;
	struct count *now;
	struct entry *entries;
	size_t n, room;
};

/* ---- names ---- */

/* The length of the UTF-8 sequence at `text`; 0: it is none, or a control character. */
static size_t sequence(const unsigned char *text)
{
	static const unsigned char least[] = { 0, 0, 0, 0xa0, 0x90 };
	size_t n = *text < 0x80 ? 1 : *text >= 0xc2 && *text < 0xe0 ? 2 :
		   *text >= 0xe0 && *text < 0xf0 ? 3 : *text >= 0xf0 && *text < 0xf5 ? 4 : 0;

	if (n == 1)
		return *text >= 0x20 && *text != 0x7f;
	for (size_t i = 1; i < n; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* Spelled longer than need be, surrogates, beyond the last character, controls. */
	if ((*text == 0xe0 && text[1] < least[3]) || (*text == 0xf0 && text[1] < least[4]) ||
	    (*text == 0xed && text[1] >= 0xa0) || (*text == 0xf4 && text[1] >= 0x90) ||
	    (*text == 0xc2 && text[1] < 0xa0))
		return 0;
	return n;
}

/* Reports take text: all else becomes a question mark. */
static void clean(const char *from, char out[REGION_NAME_MAX])
{
	size_t at = 0;

	memset(out, 0, REGION_NAME_MAX);
	while (from[at]) {
		size_t n = sequence((const unsigned char *)from + at);

		if (n)
			memcpy(out + at, from + at, n);
		else
			out[at] = '?';
		at += n ? n : 1;
	}
}

/* ---- the life of all ---- */

struct phases *phases_new(int nparts, int places, bool only)
{
	struct phases *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->nparts = nparts;
	p->places = places;
	p->list.only = only;
	p->now = calloc((size_t)nparts + 1, sizeof(*p->now));
	if (p->now && phase_append(&p->all, "", nparts, places))
		return p;
	phases_free(p);
	return NULL;
}

void phases_free(struct phases *p)
{
	if (!p)
		return;
	phase_list_free(&p->list);
	phase_list_free(&p->all);
	free(p->now);
	free(p->entries);
	free(p);
}

const struct phase_list *phases_list(const struct phases *p)
{
	return &p->list;
}

void phases_begin(struct phases *p, struct sets *s, int place)
{
	p->sets = s;
	p->place = place;
	if (p->list.only)
		virtual_pause(true);
	memset(p->now, 0, (size_t)p->nparts * sizeof(*p->now));
}

/* ---- begin and end ---- */

static void phase_begin(struct phases *p, struct phase *ph, uint64_t ns)
{
	if (ph->inside++)
		return;
	memcpy(ph->begin, p->now, (size_t)p->nparts * sizeof(*p->now));
	ph->since = ns;
}

/* Adds what has been counted since the begin, and begins anew. */
static void phase_add(struct phases *p, struct phase *ph, uint64_t ns)
{
	struct count *counts = ph->counts + (size_t)p->place * (size_t)p->nparts;

	ph->ns[p->place] += ns - ph->since;
	ph->since = ns;
	for (int i = 0; i < p->nparts; i++) {
		counts[i].known &= ph->begin[i].known && p->now[i].known;
		counts[i].value += p->now[i].value - ph->begin[i].value;
	}
	memcpy(ph->begin, p->now, (size_t)p->nparts * sizeof(*p->now));
}

static void phase_end(struct phases *p, struct phase *ph, uint64_t ns)
{
	if (!--ph->inside)
		phase_add(p, ph, ns);
}

/* Reads the counters if that is needed. Returns the time. kind: of the reading, if nothing but
 * regions is counted. */
static uint64_t phases_read(struct phases *p, bool needed, enum sample kind)
{
	return needed ? watch_sample(p->sets, p->now, p->list.only ? kind : SAMPLE) : watch_now();
}

static struct entry *entry_append(struct phases *p)
{
	size_t room = p->room ? 2 * p->room : 64;
	struct entry *more;

	if (p->n < p->room)
		return &p->entries[p->n++];
	more = realloc(p->entries, room * sizeof(*more));
	if (!more)
		return NULL;
	p->entries = more;
	p->room = room;
	return &p->entries[p->n++];
}

static void note_ignored(struct phases *p, uint64_t *kind, const char *name)
{
	if (!p->list.strays && !p->list.beyond)
		memcpy(p->list.stray, name, REGION_NAME_MAX);
	++*kind;
}

int phases_enter(struct phases *p, const struct region_message *m)
{
	char name[REGION_NAME_MAX];
	struct phase_rank *r = NULL;
	struct phase *ph;
	struct entry *e;
	uint64_t ns;

	clean(m->name, name);
	ph = phase_find(&p->list, name);
	if (!ph && p->list.n == PHASES_MAX) {
		note_ignored(p, &p->list.beyond, name);
		return -ENOSPC;
	}
	if (!ph)
		ph = phase_append(&p->list, name, p->nparts, p->places);
	if (ph)
		r = phase_rank_of(ph, m->rank);
	e = r ? entry_append(p) : NULL;
	if (!e)
		return -ENOMEM;
	*e = (struct entry){ (int)(ph - p->list.phase), m->rank, m->process, m->thread };
	ns = phases_read(p, !ph->inside, p->n == 1 ? SAMPLE_BEGIN : SAMPLE);
	phase_begin(p, ph, ns);
	phase_begin(p, p->all.phase, ns);
	ph->calls[p->place]++;
	r->calls++;
	if (!r->inside++)
		r->since = ns;
	return 0;
}

static void entry_close(struct phases *p, size_t i)
{
	struct phase *ph = &p->list.phase[p->entries[i].phase];
	struct phase_rank *r = phase_rank_of(ph, p->entries[i].rank);
	uint64_t ns = phases_read(p, ph->inside == 1, p->n == 1 ? SAMPLE_END : SAMPLE);

	phase_end(p, ph, ns);
	phase_end(p, p->all.phase, ns);
	if (!--r->inside)
		r->ns += ns - r->since;
	memmove(&p->entries[i], &p->entries[i + 1], (--p->n - i) * sizeof(p->entries[0]));
}

int phases_leave(struct phases *p, const struct region_message *m)
{
	char name[REGION_NAME_MAX];
	size_t i = p->n;

	clean(m->name, name);
	while (i-- > 0) {
		const struct entry *e = &p->entries[i];

		if (e->thread == m->thread && e->process == m->process && e->rank == m->rank &&
		    !strcmp(p->list.phase[e->phase].name, name)) {
			entry_close(p, i);
			return 0;
		}
	}
	if (!phase_find(&p->list, name) && p->list.beyond)
		return -ENOSPC;		/* its begin was ignored */
	note_ignored(p, &p->list.strays, name);
	return -ENOENT;
}

static void close_unfinished(struct phases *p, size_t i)
{
	p->list.phase[p->entries[i].phase].unfinished++;
	entry_close(p, i);
}

void phases_gone(struct phases *p, int rank, int process)
{
	for (size_t i = p->n; i-- > 0;)
		if (p->entries[i].process == process && p->entries[i].rank == rank)
			close_unfinished(p, i);
}

void phases_end(struct phases *p)
{
	while (p->n)
		close_unfinished(p, p->n - 1);
}

static void ranks_add(struct phase *ph, uint64_t ns)
{
	for (int i = 0; i < ph->nranks; i++) {
		struct phase_rank *r = &ph->ranks[i];

		if (r->inside)
			r->ns += ns - r->since;
		r->since = ns;
	}
}

void phases_settle(struct phases *p)
{
	uint64_t ns = phases_read(p, p->n, SAMPLE_END);

	for (int i = 0; i < p->list.n && p->n; i++)
		if (p->list.phase[i].inside) {
			phase_add(p, &p->list.phase[i], ns);
			ranks_add(&p->list.phase[i], ns);
		}
	if (p->n)
		phase_add(p, p->all.phase, ns);
}

void phases_apply(const struct phases *p, struct count *counts, uint64_t *ns)
{
	const struct phase *all = p->all.phase;

	if (!p->list.only)
		return;
	memcpy(counts, all->counts + (size_t)p->place * (size_t)p->nparts,
	       (size_t)p->nparts * sizeof(*counts));
	*ns = all->ns[p->place];
}
