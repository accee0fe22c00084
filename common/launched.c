/* SPDX-License-Identifier: MIT */
/* The process's place in its job, by launchers' variables: launched_as() is the entry point. *out
 * is set only if rank and size are known. Slurm's variables count only inside a step. If no
 * variable names the job, the pid and start time of the launcher's process on this node do. */
#include "launched.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launchers.h"

static int number(const char *text)
{
	char *end;
	long n = text ? strtol(text, &end, 10) : -1;

	return text && end != text && !*end && n >= 0 && n <= INT_MAX ? (int)n : -1;
}

/* The first variable that is set counts. A script in a batch job has Slurm's variables without
 * being one of several processes: only a step is. */
static const char *first_of(const char *const *names, size_t n)
{
	bool step = secure_getenv("SLURM_STEP_ID") != NULL;

	for (size_t i = 0; i < n; i++)
		if (secure_getenv(names[i]) && (step || strncmp(names[i], "SLURM_", 6)))
			return names[i];
	return NULL;
}

static int number_of(const char *const *names, size_t n)
{
	const char *name = first_of(names, n);

	return name ? number(secure_getenv(name)) : -1;
}

/* ---- where no variable says which job it is */

pid_t launched_parent(pid_t pid, unsigned long long *ticks)
{
	char path[64], text[1024];
	int parent = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	if (strrchr(text, ')'))		/* the name may hold blanks and parentheses */
		sscanf(strrchr(text, ')') + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u "
		       "%*u %*d %*d %*d %*d %*d %*d %llu", &parent, ticks);
	return parent;
}

static bool has_variable(pid_t pid, const char *name)
{
	char path[64], *entry = NULL;
	size_t room = 0, n = strlen(name);
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	f = fopen(path, "re");
	while (f && !found && getdelim(&entry, &room, '\0', f) > 0)
		found = !strncmp(entry, name, n) && entry[n] == '=';
	free(entry);
	if (f)
		fclose(f);
	return found;
}

/* All of a job's processes on a node have one ancestor that is none of them, the launcher's. */
static void name_by_ancestor(const char *variable, char *out, size_t bytes)
{
	unsigned long long ticks = 0, ignored;
	pid_t pid = getppid();

	while (pid > 1 && has_variable(pid, variable))
		pid = launched_parent(pid, &ignored);
	launched_parent(pid, &ticks);
	snprintf(out, bytes, "%d.%llu", (int)pid, ticks);
}

bool launched_job(char job[LAUNCHED_JOB_MAX], bool *wide)
{
	static const char *const jobs[] = { LAUNCHER_JOBS }, *const ranks[] = { LAUNCHER_RANKS };
	const char *name = first_of(jobs, sizeof(jobs) / sizeof(*jobs));
	const char *rank = first_of(ranks, sizeof(ranks) / sizeof(*ranks));
	const char *slurm = secure_getenv(LAUNCHER_SLURM_JOB);
	const char *step = secure_getenv(LAUNCHER_SLURM_STEP);

	*wide = true;
	if (name) {
		snprintf(job, LAUNCHED_JOB_MAX, "%s", secure_getenv(name));
	} else if (slurm && step && rank && !strcmp(rank, LAUNCHER_SLURM_RANK)) {
		snprintf(job, LAUNCHED_JOB_MAX, "%s.%s", slurm, step);
	} else if (rank) {
		*wide = false;
		name_by_ancestor(rank, job, LAUNCHED_JOB_MAX);
	} else {
		return false;
	}
	for (char *c = job; *c; c++)
		if (*c == '/' || *c == ' ')
			*c = '_';
	return true;
}

bool launched_as(struct launched *out)
{
	static const char *const ranks[] = { LAUNCHER_RANKS }, *const sizes[] = { LAUNCHER_SIZES },
				*const local_sizes[] = { LAUNCHER_LOCAL_SIZES };
	const char *rank = first_of(ranks, sizeof(ranks) / sizeof(*ranks));
	struct launched l = {
		.rank = rank ? number(secure_getenv(rank)) : -1,
		.size = number_of(sizes, sizeof(sizes) / sizeof(*sizes)),
		.local_size = number_of(local_sizes, sizeof(local_sizes) / sizeof(*local_sizes)),
	};

	if (l.rank < 0 || l.size < 1 || l.rank >= l.size)
		return false;
	launched_job(l.job, &l.job_wide);
	*out = l;
	return true;
}
