/* SPDX-License-Identifier: MIT */
#include "report.h"

static const char *plural(int n)
{
	return n == 1 ? "" : "s";
}

bool report_is_complete(const struct report *r)
{
	return r->m->done == r->m->runs && !r->m->lost[0] &&
	       (!r->job || (r->job->ended == r->job->size && !r->job->outside));
}

void report_job_text(const struct report_job *job, char out[160])
{
	int n = snprintf(out, 160, "%d rank%s on %d node%s", job->ranks, plural(job->ranks),
			 job->nodes, plural(job->nodes));

	if (job->ranks < job->size)
		n += snprintf(out + n, 160 - (size_t)n, "; INCOMPLETE: of %d", job->size);
	else if (job->ended < job->ranks)
		n += snprintf(out + n, 160 - (size_t)n, "; INCOMPLETE: %d did not end by itself",
			      job->ranks - job->ended);
	if (job->outside)
		snprintf(out + n, 160 - (size_t)n, "; %d on CPUs that were not counted",
			 job->outside);
}
