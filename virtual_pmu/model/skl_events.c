/* SPDX-License-Identifier: MIT */
/* The part of a select's event and unit mask that the virtual machine drives, and the reason for
 * the rest. skl_driven() returns the unit mask bits that count, skl_undriven_why() a number for the
 * reason, and skl_undriven_text() its sentence. The caller holds the machine lock. A bit that is
 * not driven has a reason, so that no count stays 0 without a message. */
#include <string.h>

#include "skl_state.h"

#define ARB_CODE(code) ((code) - 0x80u)	/* below SKL_ARB_CODES: one of the arbiter's */

void skl_arb_umasks(const struct skl_design *d, uint8_t umasks[SKL_ARB_CODES])
{
	memset(umasks, 0, SKL_ARB_CODES);
	for (uint32_t i = 0; i < d->event_count; i++)
		if (strcmp(d->events[i].unit, d->arb_unit ? d->arb_unit : "ARB") == 0 &&
		    ARB_CODE(d->events[i].code) < SKL_ARB_CODES)
			umasks[ARB_CODE(d->events[i].code)] |= (uint8_t)d->events[i].umask;
}

enum skl_why { DRIVEN, NO_LOOKUP, EXTERNAL, NO_ANSWER, NOT_THAT_ANSWER, NO_CBO_EVENT, NO_ARB_EVENT,
	       COUNTER_0, NO_UMASK };

const char *skl_undriven_text(uint32_t why)
{
	static const char *const texts[] = {
		[NO_LOOKUP] = "it selects no line state or no kind of lookup, so it stays 0",
		[EXTERNAL] = "no external snoops happen on this machine: that part stays 0",
		[NO_ANSWER] = "no snoop of this machine has such a response and cause, so it "
			      "stays 0",
		[NOT_THAT_ANSWER] = "no snoop of this machine has that response or cause: that "
				    "part stays 0",
		[NO_CBO_EVENT] = "not an event of the CBo's documents, it stays 0",
		[NO_ARB_EVENT] = "not an event of the arbiter's documents, it stays 0",
		[COUNTER_0] = "the occupancy is counted by counter 0 only, here it stays 0",
		[NO_UMASK] = "this unit mask is not documented: that part stays 0",
	};

	return why < sizeof(texts) / sizeof(texts[0]) ? texts[why] : NULL;
}

static bool has_code(const struct skl_package *p, uint32_t code)
{
	return (code == SKL_CACHE_LOOKUP && (p->cbo_codes & SKL_LOOKUPS)) ||
	       (code == SKL_XSNP_RESPONSE && (p->cbo_codes & SKL_SNOOPS)) ||
	       (code == SKL_TOR_ALLOCATION && (p->cbo_codes & SKL_TOR));
}

static enum skl_why cbo_why(const struct skl_package *p, uint64_t select)
{
	uint32_t umask = VPMU_GET(SELECT_UMASK, select), low = umask & 0xf, high = umask >> 4;

	if (!has_code(p, VPMU_GET(SELECT_EVENT, select)))
		return NO_CBO_EVENT;
	switch (VPMU_GET(SELECT_EVENT, select)) {
	case SKL_CACHE_LOOKUP:
		if (!low || !high)
			return NO_LOOKUP;
		return (high & VPMU_EXTERNAL) && !(high & 8) ? EXTERNAL : DRIVEN;
	case SKL_TOR_ALLOCATION:
		return !umask || umask & ~(uint32_t)(SKL_TOR_DRD | SKL_TOR_ALL) ? NO_UMASK : DRIVEN;
	case SKL_XSNP_RESPONSE:
		if (!(low & 0xd) || !(high & 0xc))
			return NO_ANSWER;
		return (low & ~0xdu) || (high & ~0xcu) ? NOT_THAT_ANSWER : DRIVEN;
	}
	return NO_CBO_EVENT;
}

static bool only_on_counter_0(uint32_t code)
{
	return code == SKL_TRK_OCCUPANCY || code == SKL_COH_TRK_OCCUPANCY ||
	       code == SKL_DAT_OCCUPANCY;
}

static enum skl_why arb_why(const struct skl_package *p, uint32_t counter, uint64_t select)
{
	uint32_t code = VPMU_GET(SELECT_EVENT, select), umask = VPMU_GET(SELECT_UMASK, select);

	if (ARB_CODE(code) >= SKL_ARB_CODES || !p->arb_umasks[ARB_CODE(code)])
		return NO_ARB_EVENT;
	if (only_on_counter_0(code) && !skl_is_first(counter))
		return COUNTER_0;
	return !umask || umask & ~(uint32_t)p->arb_umasks[ARB_CODE(code)] ? NO_UMASK : DRIVEN;
}

uint32_t skl_driven(const struct skl_package *p, uint32_t counter, uint64_t select)
{
	uint32_t code = VPMU_GET(SELECT_EVENT, select), umask = VPMU_GET(SELECT_UMASK, select);

	if (skl_is_arb(counter))
		return ARB_CODE(code) < SKL_ARB_CODES &&
		       (skl_is_first(counter) || !only_on_counter_0(code)) ?
		       umask & p->arb_umasks[ARB_CODE(code)] : 0;
	if (!has_code(p, code))
		return 0;
	if (code == SKL_CACHE_LOOKUP)
		return (umask & 0xf) && (umask & 0xf0) ? umask : 0;
	if (code == SKL_TOR_ALLOCATION)
		return umask & (SKL_TOR_DRD | SKL_TOR_ALL);
	if (code == SKL_XSNP_RESPONSE)
		return (umask & 0xd) && (umask & 0xc0) ? umask : 0;
	return 0;
}

uint32_t skl_undriven_why(const struct skl_package *p, uint32_t counter)
{
	uint64_t select = p->counter[counter].select;

	return skl_is_arb(counter) ? arb_why(p, counter, select) : cbo_why(p, select);
}
