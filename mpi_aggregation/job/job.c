/* SPDX-License-Identifier: MIT */
/* Counts a program from MPI_Init to MPI_Finalize, for ipmu-mpi-run. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"
#include "hooks.h"
#include "job.h"

#define UNENDED "the job has not ended"

static struct job job = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* A delete callback on MPI_COMM_SELF runs inside MPI_Finalize, before anything is torn down, and
 * whatever tools have wrapped MPI_Finalize. */
static int at_finalize(MPI_Comm comm, int keyval, void *value, void *state)
{
	(void)comm;
	(void)keyval;
	(void)value;
	(void)state;
	job_end();
	return MPI_SUCCESS;
}

static bool hang_on_self(void)
{
	int keyval = MPI_KEYVAL_INVALID;

	if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &keyval, NULL))
		return false;
	return !PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
}

static int split(char *list, const char *names[EVENTS_MAX])
{
	char *rest = NULL;
	int n = 0;

	for (char *word = strtok_r(list, ",", &rest); word && n < EVENTS_MAX;
	     word = strtok_r(NULL, ",", &rest))
		names[n++] = word;
	return n;
}

static int open_set(char *why)
{
	const char *given = secure_getenv(ENV_EVENTS), *names[EVENTS_MAX];
	char *list = strdup(given ? given : "");

	/* ENOMEM shows as an empty list, which all ranks get to know. */
	int rc = ipmu_mpi_init(MPI_COMM_WORLD, names, list ? split(list, names) : 0, &job.m, why);
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
	exit(EXIT_FAILURE);
}

/* A rank that ends before its time: leaders write, others have theirs write. */
static void end_early(int cause, const char *reason)
{
	if (getpid() != job.pid || job.ended || job.ending)
		return;
	if (job.leader)
		job_alone(reason, true);
	else
		job_board_tell(cause, job.m->at.rank, LINGER_MS);
	job_note(NOTE_ENDED);
}

static void at_exit(void)
{
	end_early(ENDS_BY_EXIT, "a rank ended without MPI_Finalize");
}

static void name_failure(char *text, size_t bytes, const char *prefix, int rc)
{
	snprintf(text, bytes, "cannot write %.300s.csv and .json: %s", prefix, strerror(-rc));
}

static int write_report(struct job *j, const char *prefix)
{
	return prefix[0] ? ipmu_mpi_write(j->m, prefix) : 0;
}

/* For the sake of SIGKILL there is a report from the beginning. If the one that stands for the job
 * cannot be written the job does not start: it would run for nothing. */
static void write_first(void)
{
	char why[IPMU_MPI_WHY_MAX] = "";
	int rc = 0;

	if (job.leader && job.m->at.rank)
		job_write_alone(&job, UNENDED);
	if (job.m->at.rank == 0) {
		read_alone(job.m, UNENDED);
		rc = write_report(&job, job.prefix);
		name_failure(why, sizeof(why), job.prefix, rc);
	}
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
	write_first();
	job.on_self = hang_on_self();
	sem_t *wake = job_board_open(&job);
	if (job.leader)
		job_watch(&job, wake);
	else
		job_linger(&job);
	atexit(at_exit);
	ipmu_mpi_start(job.m);
}

static void tell(struct job *j)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	if (!f)
		return;
	ipmu_mpi_report(j->m, f);
	fclose(f);
	/* In one piece, or the lines of several ranks mix. */
	fwrite(text, 1, bytes, stderr);
	fflush(stderr);
	free(text);
}

static void write_or_complain(struct job *j, const char *prefix)
{
	char text[IPMU_MPI_WHY_MAX];
	int rc = write_report(j, prefix);

	if (!rc)
		return;
	name_failure(text, sizeof(text), prefix, rc);
	fprintf(stderr, "ipmu-mpi-run: %s\n", text);
	job_note(NOTE_UNWRITTEN);
}

/* The report of one leader about its own node; rank 0's stands for the job. */
void job_write_alone(struct job *j, const char *reason)
{
	char prefix[PATH_MAX + 32];

	read_alone(j->m, reason);
	if (!j->prefix[0])
		return;
	if (j->m->at.rank == 0)
		snprintf(prefix, sizeof(prefix), "%s", j->prefix);
	else
		snprintf(prefix, sizeof(prefix), "%s.node%d", j->prefix, j->m->at.index);
	write_or_complain(j, prefix);
}

/* With our event sets gone the component puts its registers back: first of all, for there may be no
 * time for more. */
void job_alone(const char *reason, bool dying)
{
	if (getpid() != job.pid)
		return;
	pthread_mutex_lock(&job.lock);
	bool now = job.m && job.leader && !job.ended;

	if (now) {
		if (dying) {
			measure_freeze(job.m, "");
			measure_close(&job.m->measure);
		}
		job_write_alone(&job, reason);
		job.ended = dying;
	}
	if (now && dying) {
		tell(&job);
		job_timeline_end(&job);
	}
	pthread_mutex_unlock(&job.lock);
}

static bool set_ending(void)
{
	pthread_mutex_lock(&job.lock);
	bool now = job.m && !job.ended && !job.ending;

	job.ending = true;
	pthread_mutex_unlock(&job.lock);
	return now;
}

/* A signal may still come while we wait for the others, so the watcher stays until they came. */
void job_end(void)
{
	if (!set_ending())
		return;
	ipmu_mpi_stop(job.m);
	ipmu_mpi_read(job.m);
	pthread_mutex_lock(&job.lock);
	job.ended = true;
	pthread_mutex_unlock(&job.lock);
	job_unwatch(&job);
	job.m->incomplete[0] = '\0';
	if (job.m->at.rank == 0) {
		write_or_complain(&job, job.prefix);
		tell(&job);
	} else if (job.leader) {
		job_forget_alone(&job);
	}
	job_timeline_end(&job);
	job_note(NOTE_ENDED);
	ipmu_mpi_finalize(&job.m);
}

static void before_finalize(void)
{
	if (!job.on_self)
		job_end();
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
