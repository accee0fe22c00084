/* SPDX-License-Identifier: MIT */
#include "trial.h"

static void begin(struct vpmu_trial *t)
{
	t->windows = VPMU_TRIAL_WINDOWS;
	t->second = false;
	t->least[0] = t->least[1] = UINT64_MAX;
}

/* The best of several windows, since the host may take the CPU away in any of them. */
static void note(struct vpmu_trial *t, uint32_t events, uint64_t time)
{
	uint64_t cost = time * 16 / events;

	if (cost < t->least[t->second])
		t->least[t->second] = cost;
	t->windows--;
	t->second = t->windows ? !t->second : t->least[1] < t->least[0];
}

void vpmu_trial_go_on(struct vpmu_trial *t, uint32_t event, uint64_t time)
{
	if (t->windows && event != t->from)
		note(t, event - t->from, time - t->began);
	else
		begin(t);
	t->from = event;
	t->until = event + (t->windows ? VPMU_TRIAL_EVENTS : VPMU_TRIAL_LASTS);
	t->began = time;
}
