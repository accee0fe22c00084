/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collecting/measure.h"
#include "outputs.h"
#include "timeline.h"

#define UNENDED "the job has not ended"
#define BOTH "%.300s.csv and .json"

static int write_report(const struct job *j, const char *prefix)
{
	return prefix[0] ? ipmu_mpi_write(j->m, prefix) : 0;
}

static void write_or_complain(const struct job *j, const char *prefix)
{
	char both[IPMU_MPI_WHY_MAX];
	int rc = write_report(j, prefix);

	if (!rc)
		return;
	snprintf(both, sizeof(both), BOTH, prefix);
	job_unwritten(both, rc);
}

static void write_alone(const struct job *j, const char *reason)
{
	char prefix[OUTPUT_MAX];

	read_alone(j->m, reason);
	if (!j->prefix[0])
		return;
	if (j->m->at.rank == 0)
		snprintf(prefix, sizeof(prefix), "%s", j->prefix);
	else
		job_node_path(j, "", prefix);
	write_or_complain(j, prefix);
}

int job_report_first(struct job *j, char *why)
{
	int rc;

	if (j->leader && j->m->at.rank)
		write_alone(j, UNENDED);
	if (j->m->at.rank)
		return 0;
	read_alone(j->m, UNENDED);
	rc = write_report(j, j->prefix);
	if (rc)
		snprintf(why, IPMU_MPI_WHY_MAX, "cannot write " BOTH ": %s", j->prefix,
			 strerror(-rc));
	return rc;
}

/* With our event sets gone the component restores its registers: first of all, for there may be no
 * time for more. */
void job_report_alone(struct job *j, const char *reason, bool dying)
{
	if (getpid() != j->pid)
		return;
	pthread_mutex_lock(&j->lock);
	bool now = j->m && j->leader && !j->ended;

	if (now) {
		if (dying) {
			measure_freeze(j->m, "");
			measure_close(&j->m->measure);
		}
		write_alone(j, reason);
		j->ended = dying;
	}
	if (now && dying) {
		ipmu_mpi_report(j->m, stderr);
		job_timeline_end(j);
	}
	pthread_mutex_unlock(&j->lock);
}

/* The job's report has it all. */
static void remove_alone(const struct job *j)
{
	static const char *const endings[] = { ".csv", ".json" };
	char path[OUTPUT_MAX];

	for (size_t i = 0; i < 2 && j->prefix[0]; i++) {
		job_node_path(j, endings[i], path);
		unlink(path);
	}
}

void job_report_whole(struct job *j)
{
	j->m->incomplete[0] = '\0';
	if (j->m->at.rank == 0) {
		write_or_complain(j, j->prefix);
		ipmu_mpi_report(j->m, stderr);
	} else if (j->leader) {
		remove_alone(j);
	}
}
