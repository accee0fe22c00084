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
	return r->m->window && r->m->window->reason[0] ? r->m->window->reason : r->m->uncounted;
}

const char *report_window(const struct report *r)
{
	if (r->m->phases && r->m->phases->only)
		return "in its regions alone";
	return !r->m->window ? NULL : r->m->window->begun ? "from MPI_Init to MPI_Finalize" :
	       "from start to end: MPI_Init was not called where it can be seen";
}

const char *report_clock(const struct report *r)
{
	return r->machine->clock == CLOCK_ESTIMATE ? "estimate" :
	       r->machine->clock == CLOCK_INSTRUCTION ? "instruction" : NULL;
}

const char *report_clock_text(const struct report *r)
{
	return r->machine->clock == CLOCK_ESTIMATE ?
			"its clocks estimate time by a table of instructions" :
	       r->machine->clock == CLOCK_INSTRUCTION ?
			"an instruction takes one of its clocks" : NULL;
}

const char *report_stream_name(int stream)
{
	static const char *const names[REPORT_STREAMS] = { "stdin", "stdout", "stderr" };

	return names[stream];
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

#define COMMAND_SHOWN 200	/* bytes; what may stand behind them has the rest of the room */

void report_command(char *const *argv, char out[REPORT_COMMAND_MAX])
{
	size_t n = argv[0] ? 0 : (size_t)sprintf(out, "%s", REPORT_WHOLE_MACHINE);
	int i = 0, left = 0;

	for (; argv[i] && n <= COMMAND_SHOWN; i++)
		n += (size_t)snprintf(out + n, COMMAND_SHOWN + 1 - n, "%s%s", i ? " " : "",
				argv[i]);
	if (n <= COMMAND_SHOWN)
		return;
	while (argv[i + left])
		left++;
	for (n = COMMAND_SHOWN; n && ((unsigned char)out[n - 1] & 0xC0) == 0x80; n--)
		;	/* no part of a character */
	n -= n && (unsigned char)out[n - 1] >= 0xC0;
	n += (size_t)sprintf(out + n, "...");
	if (left)
		sprintf(out + n, " and %d more", left);
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
