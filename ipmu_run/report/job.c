/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>

#include "../counting/program.h"
#include "report.h"

static const char *plural(int n)
{
	return n == 1 ? "" : "s";
}

bool report_is_complete(const struct report *r)
{
	return r->m->done == r->m->runs && !r->m->lost[0] && !r->m->killed && !*report_reason(r) &&
	       (!r->job || (r->job->ended == r->job->size && !r->job->outside));
}

bool report_is_cut(const struct report *r)
{
	return r->m->runs == 1 && r->m->killed;
}

const char *report_reason(const struct report *r)
{
	return r->m->window ? r->m->window->reason : "";
}

const char *report_window(const struct report *r)
{
	return !r->m->window ? NULL : r->m->window->begun ? "from MPI_Init to MPI_Finalize" :
	       "from start to end: MPI_Init was not called where it can be seen";
}

/* A shell that the program was run by has the same status, and it may be the program's own. */
void report_status_text(int status, char out[128])
{
	int number = status - 128;

	if (program_status_is_signal(status))
		snprintf(out, 128, "exit status %d (128 + signal %d, %.40s)", status, number,
			 strsignal(number));
	else
		snprintf(out, 128, "exit status %d", status);
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
