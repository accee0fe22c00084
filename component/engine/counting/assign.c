/* SPDX-License-Identifier: MIT */
/* Assignment of counters to the events of one box. ipmu_assign() finds a counter and a choice for
 * each request, or names the events that collide. A search with backtracking finds a solution
 * whenever there is one. Of counters that are equal for every request only one is tried, which
 * keeps the search small. With a box, the caller holds the system's lock. The search only reads the
 * box: counters in use keep what they count. */
#include "assign.h"

#include "../base/why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FREE (-1)
#define TAKEN (-2)	/* by a running session */
#define LATER (-2)	/* companion: a request that follows will enable one */

struct counter_search {
	const struct ipmu_box *box;
	struct ipmu_request *requests;
	int n, counters;
	int holder[IPMU_COUNTERS_MAX];	/* request on that counter, FREE or TAKEN */
	int deepest;			/* the request that could not be placed after all others */
	const struct ipmu_reg *reg;	/* ... because of this shared register, or NULL */
	const char *other;		/* ... and this event */
	bool starved;			/* ... or because there was no counter left */
};

bool ipmu_choice_equal(const struct ipmu_choice *a, const struct ipmu_choice *b)
{
	if (a->counters != b->counters || a->select != b->select ||
	    a->companions != b->companions || a->companion_select != b->companion_select ||
	    a->preset != b->preset || a->preset_value != b->preset_value ||
	    a->direction != b->direction || a->nextra != b->nextra)
		return false;
	for (int i = 0; i < a->nextra; i++)
		if (a->extra[i].reg != b->extra[i].reg || a->extra[i].index != b->extra[i].index ||
		    a->extra[i].mask != b->extra[i].mask || a->extra[i].value != b->extra[i].value)
			return false;
	return true;
}

static const struct ipmu_reg *conflict(const struct ipmu_choice *a, const struct ipmu_choice *b)
{
	for (int i = 0; i < a->nextra; i++)
		for (int j = 0; j < b->nextra; j++) {
			const struct ipmu_extra_reg *x = &a->extra[i], *y = &b->extra[j];

			if (x->reg == y->reg && x->index == y->index &&
			    ((x->value ^ y->value) & x->mask & y->mask))
				return x->reg;
		}
	return NULL;
}

static const struct ipmu_choice *chosen(const struct ipmu_request *w)
{
	return &w->choices[w->choice];
}

/* Is a choice compatible with all requests placed so far and with all running counters? */
static bool agrees(struct counter_search *s, int request, const struct ipmu_choice *choice)
{
	const struct ipmu_reg *reg = NULL;
	const char *other = NULL;

	for (int w = 0; w < request && !reg; w++) {
		reg = conflict(choice, chosen(&s->requests[w]));
		other = s->requests[w].event;
	}
	for (int c = 0; s->box && c < s->counters && !reg; c++)
		if (ipmu_slot_taken(s->box, c) && s->box->slots[c].programmed) {
			reg = conflict(choice, &s->box->slots[c].choice);
			other = s->box->slots[c].event;
		}
	if (reg && request >= s->deepest) {
		s->reg = reg;
		s->other = other;
	}
	return !reg;
}

/* Has an equivalent counter been tried already? Equivalent counters suit the same requests. */
static bool alike_tried(const struct counter_search *s, int ctr, uint64_t tried)
{
	for (int c = 0; c < ctr; c++) {
		bool alike = (tried >> c) & 1;

		for (int w = 0; w < s->n && alike; w++)
			for (int k = 0; k < s->requests[w].nchoices && alike; k++) {
				const struct ipmu_choice *q = &s->requests[w].choices[k];
				const uint64_t masks[] = { q->counters, q->companions,
							   q->any_companion };

				for (int i = 0; i < 3; i++)
					alike &= (masks[i] >> c & 1) == (masks[i] >> ctr & 1);
			}
		if (alike)
			return true;
	}
	return false;
}

/* ---- companions */

/* Is the counter enabled by an event that has been placed, or that runs? Counters with a preset do
 * not qualify: they may themselves wait for another one. */
static bool enabled(const struct counter_search *s, int ctr)
{
	if (s->holder[ctr] >= 0)
		return !chosen(&s->requests[s->holder[ctr]])->preset;
	return s->box && ipmu_slot_taken(s->box, ctr) && s->box->slots[ctr].programmed &&
	       !s->box->slots[ctr].choice.preset;
}

static int enabled_companion(const struct counter_search *s, const struct ipmu_choice *choice)
{
	for (int c = 0; c < s->counters; c++)
		if ((choice->any_companion >> c & 1) && enabled(s, c))
			return c;
	return -1;
}

/* Will a request that follows enable one, wherever it is placed? */
static bool one_follows(const struct counter_search *s, int request,
			const struct ipmu_choice *choice)
{
	for (int w = request + 1; w < s->n; w++) {
		bool all = s->requests[w].nchoices > 0;

		for (int k = 0; k < s->requests[w].nchoices && all; k++)
			all = !s->requests[w].choices[k].preset &&
			      !(s->requests[w].choices[k].counters & ~choice->any_companion);
		if (all)
			return true;
	}
	return false;
}

/* All requests have been placed: choose the companions that were left open. */
static bool resolve_companions(struct counter_search *s)
{
	for (int w = 0; w < s->n; w++)
		if (s->requests[w].companion == LATER) {
			s->requests[w].companion = enabled_companion(s, chosen(&s->requests[w]));
			if (s->requests[w].companion < 0)
				return false;
		}
	return true;
}

static bool request_place(struct counter_search *s, int request);

static bool place_companion(struct counter_search *s, int request, const struct ipmu_choice *choice)
{
	struct ipmu_request *w = &s->requests[request];

	w->companion = enabled_companion(s, choice);
	if (w->companion < 0 && one_follows(s, request, choice))
		w->companion = LATER;
	w->companion_shared = w->companion != -1;
	if (w->companion_shared || !choice->companions)
		return request_place(s, request + 1);
	for (int c = 0; c < s->counters; c++) {
		if (!(choice->companions & (1ull << c)) || s->holder[c] != FREE)
			continue;
		s->holder[c] = request;
		w->companion = c;
		if (request_place(s, request + 1))
			return true;
		s->holder[c] = FREE;
	}
	return false;
}

static bool place_choice(struct counter_search *s, int request, int k)
{
	struct ipmu_request *w = &s->requests[request];
	const struct ipmu_choice *choice = &w->choices[k];
	uint64_t tried = 0;

	w->choice = k;
	if (!agrees(s, request, choice))
		return false;
	s->starved |= request == s->deepest;
	for (int c = 0; c < s->counters; c++) {
		if (!(choice->counters & (1ull << c)) || s->holder[c] != FREE ||
		    alike_tried(s, c, tried))
			continue;
		tried |= 1ull << c;
		s->holder[c] = request;
		w->ctr = c;
		if (place_companion(s, request, choice))
			return true;
		s->holder[c] = FREE;
	}
	return false;
}

/* The companion of a running counter; -1: none. */
static int running_companion(const struct counter_search *s, const struct ipmu_choice *choice)
{
	const struct ipmu_box *box = s->box;

	for (int c = 0; choice->companions && c < box->type->counters; c++)
		if (ipmu_slot_taken(box, c) && box->slots[c].companion &&
		    ipmu_choice_equal(&box->slots[c].choice, choice))
			return c;
	return enabled_companion(s, choice);
}

static bool counts(const struct ipmu_box *box, int c, const struct ipmu_choice *choice)
{
	const struct ipmu_slot *slot = &box->slots[c];

	return ipmu_slot_taken(box, c) && slot->programmed && !slot->companion &&
	       !choice->preset && ipmu_choice_equal(&slot->choice, choice);
}

/* A running counter that does what the request needs. */
static bool share(struct counter_search *s, struct ipmu_request *w)
{
	for (int c = 0; s->box && c < s->counters; c++)
		for (int k = 0; k < w->nchoices; k++)
			if (counts(s->box, c, &w->choices[k])) {
				w->ctr = c;
				w->choice = k;
				w->companion = running_companion(s, &w->choices[k]);
				w->companion_shared = w->companion >= 0;
				return true;
			}
	return false;
}

static bool request_place(struct counter_search *s, int request)
{
	if (request == s->n)
		return resolve_companions(s);
	if (request > s->deepest) {
		s->deepest = request;
		s->reg = NULL;
		s->starved = false;
	}
	if (share(s, &s->requests[request]))
		return request_place(s, request + 1);
	for (int k = 0; k < s->requests[request].nchoices; k++)
		if (place_choice(s, request, k))
			return true;
	return false;
}

static uint64_t possible(const struct ipmu_request *w)
{
	uint64_t mask = 0;

	for (int k = 0; k < w->nchoices; k++)
		mask |= w->choices[k].counters;
	return mask;
}

static uint64_t touched(const struct ipmu_request *w)
{
	uint64_t mask = possible(w);

	for (int k = 0; k < w->nchoices; k++)
		mask |= w->choices[k].companions;
	return mask;
}

static int search_explain(const struct counter_search *s, const struct ipmu_pmu_type *type,
			  int box_index, char *why)
{
	const struct ipmu_request *loser = &s->requests[s->deepest];
	char list[IPMU_WHY_MAX / 2] = "", reg[64];
	size_t n = 0;

	if (s->reg && !s->starved) {
		ipmu_reg_name(s->reg, box_index, 0, reg);
		return ipmu_fail(why, -ENOSPC, "%s collides with %s: they need different values in "
				 "%s of %s box %d: measure them one after the other", loser->event,
				 s->other, reg, type->name, box_index);
	}
	for (int w = 0; w < s->deepest && n < sizeof(list); w++)
		if (touched(&s->requests[w]) & touched(loser))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "",
					      s->requests[w].event);
	for (int c = 0; s->box && c < s->counters && n < sizeof(list); c++)
		if (s->box->slots[c].users && (touched(loser) >> c & 1))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "",
					      s->box->slots[c].event);
	return ipmu_fail(why, -ENOSPC, "%s collides with %s: %s box %d has %d counter%s, %d of "
			 "which can count it: measure them one after the other", loser->event, list,
			 type->name, box_index, s->counters, s->counters == 1 ? "" : "s",
			 __builtin_popcountll(possible(loser) & ((1ull << s->counters) - 1)));
}

int ipmu_assign(const struct ipmu_box *box, const struct ipmu_pmu_type *type, int counters,
		int box_index, struct ipmu_request *requests, int n, int *loser, char *why)
{
	struct counter_search s = { .box = box, .requests = requests, .n = n, .counters = counters,
				    .deepest = -1 };

	for (int c = 0; c < s.counters; c++)
		s.holder[c] = box && (box->elsewhere || ipmu_slot_taken(box, c)) ? TAKEN : FREE;
	if (request_place(&s, 0))
		return 0;
	if (loser)
		*loser = s.deepest;
	return search_explain(&s, type, box_index, why);
}
