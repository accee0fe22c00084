/* SPDX-License-Identifier: MIT */
/* Choices for an event of NetBurst. ipmu_netburst_encode() turns the request in the event's name
 * (netburst_request.h) into the combinations of ESCR, counter, tags and cascade that can count it.
 * Only data is made: no register is touched, and no lock is needed. */
#include "netburst_request.h"

#include "../base/why.h"

#include <errno.h>

#define TAG_BITS 0xFull

/* At the Nth event, or at every one; of a cascade it is the receiver that may interrupt. */
static bool request_interrupts(const struct netburst_request *r)
{
	return r->force_ovf || (r->period && !r->start);
}

static uint64_t levels(const struct netburst_request *r)
{
	return (r->os ? ESCR_OS : 0) | (r->usr ? ESCR_USR : 0);
}

static uint64_t filter(const struct netburst_request *r)
{
	uint64_t cccr = 0;

	if (r->edge)
		cccr |= CCCR_EDGE;
	if (r->complement)
		cccr |= CCCR_COMPLEMENT;
	cccr |= ipmu_bits_put(CCCR_THRESHOLD, r->threshold);
	return cccr ? cccr | CCCR_COMPARE : 0;
}

static uint64_t cccr_of(int number, unsigned active)
{
	return CCCR_ENABLE | ipmu_bits_put(CCCR_ESCR_SELECT, (uint64_t)number) |
	       ipmu_bits_put(CCCR_ACTIVE_THREAD, active);
}

static void add_extra(struct ipmu_choice *c, const struct ipmu_reg *reg, uint64_t mask,
		     uint64_t value)
{
	c->extra[c->nextra++] = (struct ipmu_extra_reg){ .reg = reg, .mask = mask, .value = value };
}

static uint64_t tag_fields(uint64_t value)
{
	return value ? ipmu_bits_put(ESCR_TAG_VALUE, value) | ESCR_TAG_ENABLE : 0;
}

static void add_escr(struct ipmu_choice *c, int escr, const struct netburst_event *e,
		     uint64_t mask, uint64_t rest)
{
	const struct ipmu_reg *reg = &ipmu_netburst_escrs[escr];

	add_extra(c, reg, ipmu_reg_fields(reg), ipmu_bits_put(ESCR_EVENT_SELECT, e->event) |
		  ipmu_bits_put(ESCR_EVENT_MASK, mask) | rest);
}

/* Claim the tags that the event sets: two events that use one tag must mean the same micro-ops by
 * it. */
static void agree(struct ipmu_choice *c, const struct netburst_event *tagger, uint64_t mask,
		  uint64_t tags)
{
	uint64_t bits = 0, owner = 0;

	c->clear = true;
	if (tagger->role == TAGS_FRONT_END)
		add_extra(c, &ipmu_netburst_front_end_tag, ~0ull, mask);
	for (int t = 0; t < 4 && tagger->role == TAGS_EXECUTION; t++)
		if (tags & (1ull << t)) {
			bits |= 0xFFFFull << 16 * t;
			owner |= (tagger->event | (mask & 0xFF) << 8) << 16 * t;
		}
	if (bits)
		add_extra(c, &ipmu_netburst_execution_tags, bits, owner);
}

static struct ipmu_choice *add_choice(struct ipmu_event *e, const struct netburst_request *r,
				      int escr, uint32_t counters)
{
	struct ipmu_choice *c = &e->choices[e->nchoices++];
	int number = r->number < 0 ? r->event->number : r->number;

	c->counters = counters;
	c->select = cccr_of(number, r->active) | filter(r);
	if (request_interrupts(r))
		c->select |= CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1;
	if (r->force_ovf)
		c->select |= CCCR_FORCE_OVF;
	if (r->period && !r->start) {
		c->select |= CCCR_PERIOD(r->period);
		c->preset = true;
	}
	add_escr(c, escr, r->event, r->mask,
		 levels(r) | tag_fields(r->tag_value));
	if (r->tag_value || r->event->role == TAGS_FRONT_END)
		agree(c, r->event, r->mask, r->tag_value);
	return c;
}

/* Counter 1 is broken on some parts (Linux avoids it): it comes last. */
static void plain_choices(struct ipmu_event *e, const struct netburst_request *r)
{
	const uint32_t broken = 1u << 1;

	for (int last = 0; last < 2; last++)
		for (int i = 0; i < 2; i++) {
			int escr = r->event->escrs[i];
			uint32_t counters = escr == NO_ESCR ? 0 :
					    ipmu_netburst_routes[escr].counters;

			counters &= last ? broken : ~broken;
			if (counters)
				add_choice(e, r, escr, counters);
		}
}

/* Counter `to` waits for the overflow of the counter that counts the other event. */
static void add_cascade(struct ipmu_event *e, const struct netburst_request *r, int to)
{
	int from = ipmu_netburst_cascades_from(to), upstream = NO_ESCR, own = NO_ESCR;
	struct ipmu_choice *c;

	for (int i = 0; i < 2; i++) {
		int a = r->event->escrs[i], b = r->start->escrs[i];

		if (a != NO_ESCR && (ipmu_netburst_routes[a].counters >> to & 1))
			own = a;
		if (b != NO_ESCR && (ipmu_netburst_routes[b].counters >> from & 1))
			upstream = b;
	}
	if (own == NO_ESCR || upstream == NO_ESCR)
		return;
	c = add_choice(e, r, own, 1u << to);
	c->select = (c->select & ~CCCR_ENABLE) | CCCR_CASCADE;
	c->preset = true;
	c->companions = 1u << from;
	c->companion_select = cccr_of(r->start->number, CCCR_ANY) | CCCR_PERIOD(r->period) |
			      (r->start->edge ? CCCR_EDGE | CCCR_COMPARE : 0);
	add_escr(c, upstream, r->start, r->start_mask, levels(r));
}

static void cascade_choices(struct ipmu_event *e, const struct netburst_request *r)
{
	const uint32_t broken = 1u << 1;

	for (int to = 0; to < NETBURST_COUNTERS; to++)
		if (!((1u << ipmu_netburst_cascades_from(to) | 1u << to) & broken))
			add_cascade(e, r, to);
}

/* An ESCR's counters, and those of the ESCR that it is paired with: a group, but for SSU_ESCR0. */
static uint32_t counters_group(uint32_t counters)
{
	static const uint32_t groups[] = { BPU_0 | BPU_1, MS_0 | MS_1, FLAME_0 | FLAME_1,
					   IQ_0 | IQ_1 };
	int i = 0;

	while (!(groups[i] & counters))
		i++;
	return groups[i];
}

/* An upstream ESCR works only beside an enabled counter of its own or its pair's (18.15.5.9), be it
 * another event's: if there is none, a companion is enabled. Those of the front end are fed to the
 * very counters that count at retirement. */
static void add_upstream(struct ipmu_choice *c, const struct netburst_request *r,
			 const struct netburst_event *up, int escr, uint64_t tags)
{
	const struct netburst_route *route = &ipmu_netburst_routes[escr];

	agree(c, up, r->tag->mask, tags);
	add_escr(c, escr, up, r->tag->mask, levels(r) | tag_fields(tags));
	if (route->counters & (IQ_0 | IQ_1))
		return;
	c->companions = route->counters & ~2u;
	c->companion_select = cccr_of(route->number, CCCR_ANY);
	c->any_companion = counters_group(route->counters);
}

static void tagged_choice(struct ipmu_event *e, const struct netburst_request *r, int escr, int up,
			  uint64_t tags)
{
	const struct netburst_event *upstream = r->tag->event ?
						ipmu_netburst_event(r->tag->event) : NULL;
	struct ipmu_choice *c = add_choice(e, r, escr, ipmu_netburst_routes[escr].counters);

	c->clear = true;
	if (upstream)
		add_upstream(c, r, upstream, upstream->escrs[up], tags);
	if (!r->tag->pebs_enable)
		return;
	add_extra(c, &ipmu_netburst_pebs_enable, ipmu_reg_writable(&ipmu_netburst_pebs_enable),
		 r->tag->pebs_enable);
	add_extra(c, &ipmu_netburst_pebs_matrix_vert,
		 ipmu_reg_writable(&ipmu_netburst_pebs_matrix_vert), r->tag->matrix_vert);
}

static void tagged_pairs(struct ipmu_event *e, const struct netburst_request *r, uint64_t tags)
{
	unsigned escrs = r->tag->event ? r->tag->escrs : 1;

	for (int down = 0; down < 2; down++)
		for (int up = 0; up < 2; up++)
			if (escrs >> up & 1)
				tagged_choice(e, r, r->event->escrs[down], up, tags);
}

/* Without a mask the execution tag is free: two are enough, as there are two ESCRs to tag from. */
static void tagged_choices(struct ipmu_event *e, struct netburst_request *r)
{
	bool execution = r->tag->role == COUNTS_EXECUTION;

	if (!execution || r->mask) {
		tagged_pairs(e, r, execution ? (r->mask | r->mask >> 4) & TAG_BITS : 0);
		return;
	}
	for (int tag = 0; tag < 2; tag++) {
		r->mask = 1ull << tag;
		tagged_pairs(e, r, r->mask);
	}
}

int ipmu_netburst_encode(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
			 const uint64_t *codes, int ncodes, char *why)
{
	struct netburst_request r;
	int rc = ipmu_netburst_request(&r, e->type, event, q, why);

	(void)codes, (void)ncodes;
	if (rc)
		return rc;
	e->interrupts = request_interrupts(&r);
	if (r.tag)
		tagged_choices(e, &r);
	else if (r.start)
		cascade_choices(e, &r);
	else
		plain_choices(e, &r);
	return e->nchoices ? 0 : ipmu_fail(why, -EINVAL, "%s cannot be started by %s: they do not "
					   "count on neighbouring counters", r.event->name,
					   r.start->name);
}

/* Without Hyper-Threading the field has to be "any". */
int ipmu_netburst_check_threads(const struct ipmu_event *e, const struct ipmu_topology *topo,
				char *why)
{
	if (ipmu_bits_get(CCCR_ACTIVE_THREAD, e->choices[0].select) == CCCR_ANY)
		return 0;
	for (int i = 0; i < topo->ncpus; i++)
		if (topo->cpus[i].smt_idx > 0)
			return 0;
	return ipmu_fail(why, -EINVAL, "threads=: a core of this machine has one thread, and there "
			 "Active Thread (CCCR bits 17:16) must be any: remove it");
}

static bool is_escr(const struct ipmu_reg *reg)
{
	return reg >= ipmu_netburst_escrs && reg < ipmu_netburst_escrs + NETBURST_ESCR_COUNT;
}

/* Events that cannot be attributed to a logical processor count for both all the same. */
void ipmu_netburst_for_threads(struct ipmu_choice *choice, unsigned threads)
{
	uint64_t gone = (threads & 1 ? 0 : ESCR_T0) | (threads & 2 ? 0 : ESCR_T1);

	for (int i = 0; i < choice->nextra; i++)
		if (is_escr(choice->extra[i].reg))
			choice->extra[i].value &= ~gone;
	choice->select &= ~((threads & 1 ? 0 : CCCR_OVF_PMI_T0) |
			    (threads & 2 ? 0 : CCCR_OVF_PMI_T1));
}
