/* SPDX-License-Identifier: MIT */
/* Counts a program from MPI_Init to MPI_Finalize, for ipmu-mpi-run. */
#include "job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board.h"
#include "collecting/agree.h"
#include "collecting/measure.h"
#include "mpi_environment.h"
#include "export.h"
#include "hooks.h"
#include "mpi_note.h"
#include "report.h"
#include "statuses.h"
#include "timeline.h"
#include "watch.h"

static struct job job = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool set_ending(void)
{
	pthread_mutex_lock(&job.lock);
	bool now = job.m && !job.ended && !job.ending;

	job.ending = true;
	pthread_mutex_unlock(&job.lock);
	return now;
}

/* A signal may still come while we wait for the others, so the watcher stays until they came. */
static void end(void)
{
	if (!set_ending())
		return;
	ipmu_mpi_stop(job.m);
	ipmu_mpi_read(job.m);
	pthread_mutex_lock(&job.lock);
	job.ended = true;
	pthread_mutex_unlock(&job.lock);
	job_unwatch();
	job_report_whole(&job);
	job_timeline_end(&job);
	job_note(NOTE_ENDED);
	ipmu_mpi_finalize(&job.m);
}

/* A delete callback on MPI_COMM_SELF runs inside MPI_Finalize, before anything is torn down, and
 * whatever tools have wrapped MPI_Finalize. */
static int at_finalize(MPI_Comm comm, int keyval, void *value, void *state)
{
	(void)comm;
	(void)keyval;
	(void)value;
	(void)state;
	end();
	return MPI_SUCCESS;
}

static bool hang_on_self(void)
{
	int keyval = MPI_KEYVAL_INVALID;

	if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &keyval, NULL))
		return false;
	return !PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
}

static int open_set(char *why)
{
	const char *given = secure_getenv(ENV_EVENTS), *names[EVENTS_MAX];
	char *list = strdup(given ? given : "");

	/* ENOMEM shows as an empty list, which all ranks get to know. */
	int rc = ipmu_mpi_init(MPI_COMM_WORLD, names,
			       list ? event_list_split(list, names) : 0, &job.m, why);
	free(list);
	return rc;
}

/* Nothing was counted that the user asked for: say it once, and do not waste the machine. */
static void give_up(const char *why)
{
	int rank;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		fprintf(stderr, "ipmu-mpi-run: %s\n", why);
	PMPI_Barrier(MPI_COMM_WORLD);
	PMPI_Finalize();
	exit(STATUS_OURS);
}

/* A rank that ends before its time: leaders write, others have theirs write. */
static void end_early(int cause, const char *reason)
{
	if (getpid() != job.pid || job.ended || job.ending)
		return;
	if (job.leader)
		job_report_alone(&job, reason, true);
	else
		job_board_tell(cause, job.m->at.rank, LINGER_MS);
	job_note(NOTE_ENDED);
}

static void at_exit(void)
{
	end_early(ENDS_BY_EXIT, "a rank ended without MPI_Finalize");
}

/* If the report that stands for the job cannot be written the job does not start: it would run for
 * nothing. */
static void report_first(void)
{
	char why[IPMU_MPI_WHY_MAX] = "";
	int rc = job_report_first(&job, why);

	if (!agree(job.m->at.comm, rc, why))
		return;
	ipmu_mpi_finalize(&job.m);
	give_up(why);
}

static void begin(void)
{
	const char *output = secure_getenv(ENV_OUTPUT), *interval = secure_getenv(ENV_INTERVAL);
	char why[IPMU_MPI_WHY_MAX] = "";

	if (job.m || job.ended)
		return;
	if (open_set(why))
		give_up(why);
	job.pid = getpid();
	job.leader = job.m->at.node_rank == 0;
	snprintf(job.prefix, sizeof(job.prefix), "%s", output ? output : "");
	job.interval_ms = interval ? strtol(interval, NULL, 10) : 0;
	report_first();
	job.on_self = hang_on_self();
	sem_t *wake = job_board_open(&job.m->at);
	if (job.leader)
		job_watch(&job, wake);
	else
		job_linger(&job);
	atexit(at_exit);
	ipmu_mpi_start(job.m);
}

static void before_finalize(void)
{
	if (!job.on_self)
		end();
}

static void before_abort(void)
{
	end_early(ENDS_BY_ABORT, "MPI_Abort was called");
}

static void before_papi_shutdown(void)
{
	pthread_mutex_lock(&job.lock);
	if (job.m && !job.ended)
		measure_freeze(job.m, "counted until somebody shut PAPI down");
	pthread_mutex_unlock(&job.lock);
	papi_shutdown();
}

API const struct ipmu_mpi_job_hooks ipmu_mpi_job_hooks = {
	.begin = begin,
	.finalize = before_finalize,
	.abort = before_abort,
	.papi_shutdown = before_papi_shutdown,
};
