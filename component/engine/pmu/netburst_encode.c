/* SPDX-License-Identifier: MIT */
/* From an event name with its qualifiers to the ways of counting it. libpfm4 chooses neither ESCR
 * nor counter and drops the replay tags, so names are read here. */
#include "netburst.h"

#include "counter_ops.h"

#include "../base/why.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define ESCR_ALL 0x7FFFFFFFull
#define TAG_BITS 0xFull
#define MASKS_OF_TAGS 0xFFu	/* of execution_event: NBOGUS0 to 3, BOGUS0 to 3 */

/* tag=, start= (another event: counting begins when that has overflowed), ovf= (after so many),
 * force_ovf (at every one), select= (the CCCR's ESCR number, where the document's is in doubt). */
const struct ipmu_qualifier ipmu_netburst_qualifiers[] = {
	{ .name = "tag" },	/* listed with the events that have tags */
	{ .name = "start", .form = "start=EVENT.MASK:ovf=N" },	/* ... where N may be 1 */
	{ .name = "ovf", .least = 2, .most = NETBURST_PERIOD_MAX },
	{ .name = "force_ovf", .form = "force_ovf" },
	{ .name = "select", .least = 0, .most = 7 },
	{ 0 },
};

struct request {
	const struct netburst_event *event, *start;
	const struct netburst_tag *tag;
	uint64_t mask, start_mask, tag_value;	/* tag_value: for an event that tags */
	bool os, usr, said_level;
	bool edge, said_edge, complement, force_ovf;
	uint64_t threshold, period;
	int number;	/* of the ESCR; -1: the event's */
};

/* ---- reading names */

/* "key" or "key=value"; *value is then "1" or the value. */
static bool has_key(const char *word, const char *key, const char **value)
{
	size_t n = strlen(key);

	if (strncasecmp(word, key, n) != 0 || (word[n] != '\0' && word[n] != '='))
		return false;
	*value = word[n] ? word + n + 1 : "1";
	return true;
}

static int set_flag(const char *value, bool *flag, const char *word, char *why)
{
	uint64_t number = 0;

	if (strcasecmp(value, "y") == 0 || strcasecmp(value, "t") == 0)
		number = 1;
	else if (strcasecmp(value, "n") && strcasecmp(value, "f") && ipmu_number(value, 1, &number))
		return ipmu_fail(why, -EINVAL, "%s: the value is 0 or 1", word);
	*flag = number;
	return 0;
}

static int set_tag(struct request *r, const struct netburst_tag *tag, const char *word, char *why)
{
	if (!tag)
		return ipmu_fail(why, -EINVAL, "%s: %s has no such tag: papi_native_avail lists "
				 "its qualifiers", word, r->event->name);
	if (r->tag && r->tag != tag)
		return ipmu_fail(why, -EINVAL, "%s and %s: %s counts one tag at a time",
				 r->tag->name, tag->name, r->event->name);
	r->tag = tag;
	return 0;
}

/* A unit mask, also of libpfm4's spelling: its replay tags and TAG0 to TAG3 are masks there. */
static int read_mask(struct request *r, const char *word, char *why)
{
	const struct netburst_mask *mask = ipmu_netburst_mask(r->event, word);
	const struct netburst_tag *tag = ipmu_netburst_tag(COUNTS_REPLAY, word);

	if (mask) {
		r->mask |= 1ull << mask->bit;
		return 0;
	}
	if (tag && r->event->role == COUNTS_REPLAY)
		return set_tag(r, tag, word, why);
	if (r->event->role == TAGS_EXECUTION && strncasecmp(word, "TAG", 3) == 0 &&
	    word[3] >= '0' && word[3] <= '3' && !word[4]) {
		r->tag_value |= 1ull << (word[3] - '0');
		return 0;
	}
	return ipmu_fail(why, -EINVAL, "%s: no such qualifier of %s: papi_native_avail lists them",
			 word, r->event->name);
}

static int read_modifier(struct request *r, const char *word, char *why)
{
	const char *value;

	if (has_key(word, "u", &value)) {
		r->said_level = true;
		return set_flag(value, &r->usr, word, why);
	}
	if (has_key(word, "k", &value)) {
		r->said_level = true;
		return set_flag(value, &r->os, word, why);
	}
	if (has_key(word, "e", &value)) {
		r->said_edge = true;
		return set_flag(value, &r->edge, word, why);
	}
	if (has_key(word, "cmpl", &value))
		return set_flag(value, &r->complement, word, why);
	if (has_key(word, "thr", &value))
		return ipmu_number(value, 15, &r->threshold) ?
			ipmu_fail(why, -EINVAL, "%s: a threshold is 0 to 15", word) : 0;
	return read_mask(r, word, why);
}

/* EVENT.MASK of the event that starts this one. */
static int read_start(struct request *r, const char *value, char *why)
{
	const struct netburst_mask *mask;
	char text[IPMU_NAME_MAX], *dot;

	strcpy(text, value);
	dot = strchr(text, '.');
	if (dot)
		*dot++ = '\0';
	r->start = ipmu_netburst_event(text);
	if (!r->start || !dot)
		return ipmu_fail(why, -EINVAL, "start=%s: name an event and its unit mask, as in "
				 "start=instr_retired.NBOGUSNTAG", value);
	mask = ipmu_netburst_mask(r->start, dot);
	if (!mask)
		return ipmu_fail(why, -EINVAL, "start=%s: %s has no unit mask %s", value, text,
				 dot);
	r->start_mask = 1ull << mask->bit;
	return 0;
}

static int read_own(struct request *r, const char *word, char *why)
{
	const char *value;
	uint64_t number;

	if (has_key(word, "tag", &value))
		return set_tag(r, ipmu_netburst_tag(r->event->role, value), word, why);
	if (has_key(word, "start", &value))
		return read_start(r, value, why);
	if (has_key(word, "force_ovf", &value))
		return set_flag(value, &r->force_ovf, word, why);
	if (has_key(word, "select", &value)) {
		r->number = ipmu_number(value, 7, &number) ? -1 : (int)number;
		return r->number < 0 ? ipmu_fail(why, -EINVAL, "%s: an ESCR's number in the CCCR "
						 "is 0 to 7", word) : 0;
	}
	has_key(word, "ovf", &value);
	if (ipmu_number(value, NETBURST_PERIOD_MAX, &r->period) || !r->period)
		return ipmu_fail(why, -EINVAL, "%s: the number of events is 1 to %llu", word,
				 NETBURST_PERIOD_MAX);
	return 0;
}

static int each_word(struct request *r, const char *words, char *why,
		     int (*read)(struct request *, const char *, char *))
{
	char text[2 * IPMU_NAME_MAX], *at = NULL;
	int rc = 0;

	strcpy(text, words);
	for (char *w = strtok_r(text, ":", &at); w && !rc; w = strtok_r(NULL, ":", &at))
		rc = read(r, w, why);
	return rc;
}

/* ---- what has not been said, and what cannot be */

/* An event with one mask bit needs no word for it; a tagged one counts what retires. */
static void default_mask(struct request *r)
{
	const struct netburst_event *e = r->event;

	if (r->mask)
		return;
	if (!e->masks[1].name)
		r->mask = 1ull << e->masks[0].bit;
	else if (r->tag && r->tag->role != COUNTS_EXECUTION)
		r->mask = 1;
}

static int need_mask(const struct request *r, char *why)
{
	char list[IPMU_WHY_MAX / 2] = "";

	for (const struct netburst_mask *m = r->event->masks; m->name; m++)
		strcat(strcat(list, m == r->event->masks ? "" : ", "), m->name);
	return ipmu_fail(why, -EINVAL, "%s needs a unit mask: %s", r->event->name, list);
}

static int check(const struct request *r, char *why)
{
	const struct netburst_event *e = r->event;

	if (!r->mask && !(r->tag && r->tag->role == COUNTS_EXECUTION))
		return need_mask(r, why);
	for (int i = 0; i < 2; i++)
		if (__builtin_popcountll(r->mask & e->one_of[i]) > 1)
			return ipmu_fail(why, -EINVAL, "%s: of its unit masks 0x%X only one can be "
					 "counted at a time", e->name, e->one_of[i]);
	if (!r->os && !r->usr)
		return ipmu_fail(why, -EINVAL, "%s: without u and k it counts nothing", e->name);
	if (r->start && !r->period)
		return ipmu_fail(why, -EINVAL, "%s: start= needs ovf=N: counting starts after the "
				 "Nth %s", e->name, r->start->name);
	if (r->period && !r->start && r->force_ovf)
		return ipmu_fail(why, -EINVAL, "%s: with force_ovf every event overflows and "
				 "interrupts: leave ovf= away", e->name);
	if (r->period == 1 && !r->start)
		return ipmu_fail(why, -EINVAL, "%s: ovf=1: the interrupt comes with the event "
				 "after the overflow, so with the 2nd at the earliest; for one "
				 "with every event there is force_ovf", e->name);
	if (r->start && (r->tag || r->tag_value || r->start->role != PLAIN))
		return ipmu_fail(why, -EINVAL, "%s: start= does not go with tags", e->name);
	return 0;
}

static bool old_model(const struct ipmu_pmu_type *type)
{
	return strcmp(type->name, "netburst") == 0;
}

static int check_old(const struct request *r, char *why)
{
	const struct netburst_event *e = r->event->from_model_3 ? r->event : r->start;

	if (r->start && r->force_ovf)
		return ipmu_fail(why, -EINVAL, "%s: force_ovf: on models 0 to 2 a counter that "
				 "another one starts sends no interrupt", r->event->name);
	return e && e->from_model_3 ?
		ipmu_fail(why, -ENOENT, "%s exists on models 3, 4 and 6, not on this one",
			  e->name) : 0;
}

/* ---- choices */

/* At the Nth event, or at every one; of a cascade it is the receiver that may interrupt. */
static bool interrupts(const struct request *r)
{
	return r->force_ovf || (r->period && !r->start);
}

static uint64_t levels(const struct request *r)
{
	return (r->os ? ESCR_OS : 0) | (r->usr ? ESCR_USR : 0);
}

static uint64_t filter(const struct request *r)
{
	uint64_t cccr = 0;

	if (r->edge)
		cccr |= CCCR_EDGE;
	if (r->complement)
		cccr |= CCCR_COMPLEMENT;
	cccr |= CCCR_THRESHOLD(r->threshold);
	return cccr ? cccr | CCCR_COMPARE : 0;
}

static uint64_t cccr_of(int number)
{
	return CCCR_ENABLE | CCCR_SELECT(number) | CCCR_ANY_THREAD;
}

static void add_need(struct ipmu_choice *c, const struct ipmu_reg *reg, uint64_t mask,
		     uint64_t value)
{
	c->needs[c->nneeds++] = (struct ipmu_need){ .reg = reg, .mask = mask, .value = value };
}

static void add_escr(struct ipmu_choice *c, int escr, const struct netburst_event *e,
		     uint64_t mask, uint64_t rest)
{
	add_need(c, &ipmu_netburst_escrs[escr], ESCR_ALL,
		 ESCR_EVENT(e->event) | ESCR_MASK(mask) | rest);
}

/* Who tags: two events that use one tag must mean the same micro-ops by it. */
static void agree(struct ipmu_choice *c, const struct netburst_event *tagger, uint64_t mask,
		  uint64_t tags)
{
	uint64_t bits = 0, owner = 0;

	c->clear = true;
	if (tagger->role == TAGS_FRONT_END)
		add_need(c, &ipmu_netburst_front_end_tag, ~0ull, mask);
	for (int t = 0; t < 4 && tagger->role == TAGS_EXECUTION; t++)
		if (tags & (1ull << t)) {
			bits |= 0xFFFFull << 16 * t;
			owner |= (tagger->event | (mask & 0xFF) << 8) << 16 * t;
		}
	if (bits)
		add_need(c, &ipmu_netburst_execution_tags, bits, owner);
}

static struct ipmu_choice *add_choice(struct ipmu_event *e, const struct request *r, int escr,
				      uint32_t counters)
{
	struct ipmu_choice *c = &e->choices[e->nchoices++];
	int number = r->number < 0 ? r->event->number : r->number;

	c->counters = counters;
	c->select = cccr_of(number) | filter(r);
	if (interrupts(r))
		c->select |= CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1;
	if (r->force_ovf)
		c->select |= CCCR_FORCE_OVF;
	if (r->period && !r->start) {
		c->select |= CCCR_PERIOD(r->period);
		c->preset = true;
	}
	add_escr(c, escr, r->event, r->mask,
		 levels(r) | (r->tag_value ? ESCR_TAG(r->tag_value) : 0));
	if (r->tag_value || r->event->role == TAGS_FRONT_END)
		agree(c, r->event, r->mask, r->tag_value);
	return c;
}

/* Counter 1 is broken on some parts (Linux avoids it): it comes last. */
static void plain_choices(struct ipmu_event *e, const struct request *r)
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
static void add_cascade(struct ipmu_event *e, const struct request *r, int to)
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
	c->companion_select = cccr_of(r->start->number) | CCCR_PERIOD(r->period) |
			      (r->start->edge ? CCCR_EDGE | CCCR_COMPARE : 0);
	add_escr(c, upstream, r->start, r->start_mask, levels(r));
}

static void cascade_choices(struct ipmu_event *e, const struct request *r)
{
	const uint32_t broken = 1u << 1;

	for (int to = 0; to < NETBURST_COUNTERS; to++)
		if (!((1u << ipmu_netburst_cascades_from(to) | 1u << to) & broken))
			add_cascade(e, r, to);
}

/* An ESCR's counters, and those of the ESCR that it is paired with: a group, but for SSU_ESCR0. */
static uint32_t group_of(uint32_t counters)
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
static void add_upstream(struct ipmu_choice *c, const struct request *r,
			 const struct netburst_event *up, int escr, uint64_t tags)
{
	const struct netburst_route *route = &ipmu_netburst_routes[escr];

	agree(c, up, r->tag->mask, tags);
	add_escr(c, escr, up, r->tag->mask, levels(r) | (tags ? ESCR_TAG(tags) : 0));
	if (route->counters & (IQ_0 | IQ_1))
		return;
	c->companions = route->counters & ~2u;
	c->companion_select = cccr_of(route->number);
	c->any_companion = group_of(route->counters);
}

static void tagged_choice(struct ipmu_event *e, const struct request *r, int escr, int up,
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
	add_need(c, &ipmu_netburst_pebs_enable, ipmu_reg_writable(&ipmu_netburst_pebs_enable),
		 r->tag->pebs_enable);
	add_need(c, &ipmu_netburst_pebs_matrix_vert,
		 ipmu_reg_writable(&ipmu_netburst_pebs_matrix_vert), r->tag->matrix_vert);
}

static void tagged_pairs(struct ipmu_event *e, const struct request *r, uint64_t tags)
{
	unsigned escrs = r->tag->event ? r->tag->escrs : 1;

	for (int down = 0; down < 2; down++)
		for (int up = 0; up < 2; up++)
			if (escrs >> up & 1)
				tagged_choice(e, r, r->event->escrs[down], up, tags);
}

/* Without a mask the execution tag is free: two are enough, as there are two ESCRs to tag from. */
static void tagged_choices(struct ipmu_event *e, struct request *r)
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

int ipmu_netburst_encode(struct ipmu_event *e, const char *event, const char *qualifiers,
			 const char *ours, const uint64_t *codes, int ncodes, char *why)
{
	struct request r = { .event = ipmu_netburst_event(event), .number = -1 };
	int rc;

	(void)codes, (void)ncodes;
	if (!r.event)
		return ipmu_fail(why, -ENOENT, "%s has no event %s: papi_native_avail lists its "
				 "events", e->type->name, event);
	rc = each_word(&r, qualifiers, why, read_modifier);
	if (!rc)
		rc = each_word(&r, ours, why, read_own);
	if (rc)
		return rc;
	if (!r.said_level)
		r.os = r.usr = true;
	if (!r.said_edge)
		r.edge = r.event->edge;
	default_mask(&r);
	rc = old_model(e->type) ? check_old(&r, why) : 0;
	if (!rc)
		rc = check(&r, why);
	if (rc)
		return rc;
	e->interrupts = interrupts(&r);
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

static bool is_escr(const struct ipmu_reg *reg)
{
	return reg >= ipmu_netburst_escrs && reg < ipmu_netburst_escrs + NETBURST_ESCR_COUNT;
}

/* Events that cannot be attributed to a logical processor count for both all the same. */
void ipmu_netburst_for_threads(struct ipmu_choice *choice, unsigned threads)
{
	uint64_t gone = (threads & 1 ? 0 : ESCR_T0) | (threads & 2 ? 0 : ESCR_T1);

	for (int i = 0; i < choice->nneeds; i++)
		if (is_escr(choice->needs[i].reg))
			choice->needs[i].value &= ~gone;
	choice->select &= ~((threads & 1 ? 0 : CCCR_OVF_PMI_T0) |
			    (threads & 2 ? 0 : CCCR_OVF_PMI_T1));
}
