/* SPDX-License-Identifier: MIT */
#include "retired.h"

#include "../../model/core_events.h"
#include "../profile/clocks.h"
#include "../translate/timed_blocks.h"

static bool counts(const struct vpmu_runner *r)
{
	return r->level == VPMU_CORE_RETIRED;
}

static void go_on(struct vpmu_runner *r)
{
	r->retired.reported = r->clock;
	vpmu_profile_clocks_restart(r);
	r->retired.reported_instructions = r->instructions;
	r->retired.due = r->clock + VPMU_RETIRED_CLOCKS;
}

void vpmu_retired_restart(struct vpmu_runner *r)
{
	if (!counts(r))
		return;
	r->retired.repeats = 0;
	go_on(r);
}

void vpmu_retired_begin(struct vpmu_runner *r)
{
	r->level = VPMU_CORE_RETIRED;
	vpmu_retired_restart(r);
}

void vpmu_retired_end(struct vpmu_runner *r)
{
	r->level = VPMU_CORE_NOTHING;
	r->retired.due = UINT64_MAX;
}

void vpmu_retired_report(struct vpmu_segment *s, struct vpmu_runner *r)
{
	uint64_t clocks = r->clock - r->retired.reported, repeats = r->retired.repeats;
	uint64_t executed = r->instructions - r->retired.reported_instructions;
	uint32_t n[VPMU_CORE_EVENTS] = { 0 };

	if (!counts(r) || (!clocks && !executed) || r->cpu >= vpmu_machine_cpus(&s->machine))
		return;
	/* A repetition's clock may have been reported before the repetition was noticed. */
	repeats = repeats < executed ? repeats : executed;
	r->retired.repeats -= repeats;
	n[VPMU_INSTRUCTIONS] = (uint32_t)(executed - repeats);
	vpmu_profile_clocks(r);
	vpmu_core_events_at(s, r->cpu, VPMU_USER, n, (uint32_t)clocks);
	go_on(r);
}

void vpmu_retired_first(struct vpmu_runner *r, const struct vpmu_timed_block *first)
{
	if (!counts(r))
		return;
	r->retired.reported -= vpmu_work_clocks(first->work);
	r->retired.reported_instructions -= first->instructions;
	vpmu_profile_clocks_from(r, r->retired.reported);
}

/* Nothing else has been executed since this instruction was, if that is all that was. */
void vpmu_retired_repeat(struct vpmu_runner *r, uint64_t address, bool alone)
{
	uint64_t executed = r->instructions;

	if (alone && r->retired.repeated == address && executed == r->retired.executed + 1) {
		r->retired.repeats++;
		vpmu_charge_core(VPMU_INSTRUCTIONS, UINT64_MAX);	/* the block was entered */
	}
	r->retired.repeated = address;
	r->retired.executed = executed;
}
