/* SPDX-License-Identifier: MIT */
/* ipmu-restore(1): restores registers of PMUs that killed processes left changed, as the files in
 * the state directory say. The next process that counts does the same. do_all() goes through the
 * files, do_journal() judges one, and ipmu_lease_recover() restores a unit under its mutex. A unit
 * in which a process still counts is skipped. */
#include "base/why.h"
#include "complain.h"
#include "file_limit.h"
#include "lease/file.h"
#include "lease/locks.h"
#include "lease/lease.h"
#include "lease/process.h"
#include "lease/state.h"
#include "pmu/families.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_LEFT = 1, EXIT_USAGE = 2 };

/* Pauses between tries while a process still counts: each twice the one before, 6.35 s in all. */
#define PAUSE_MS_FIRST 50
#define PAUSE_MS_LAST 3200

static const char help[] =
"Usage: ipmu-restore [--dry-run | --when-closed FD]\n"
"\n"
"Restores registers of performance counters that a killed process has left changed.\n"
"The files in the state directory have their values. Units in which a process still\n"
"counts are left alone.\n"
"\n"
"  -n, --dry-run   print what would be restored, change nothing\n"
"      --when-closed FD\n"
"                  continue in the background, without output: wait until no process\n"
"                  holds the other end of the open pipe FD, then restore; try again\n"
"                  for some seconds while processes still count\n"
"  -h, --help      this text\n"
"  -V, --version   the version\n"
"\n"
"Exit status: 0 when nothing is left to restore, 1 when something is (a unit in\n"
"use, a damaged file, no permission; with --dry-run: registers to restore), 2 for\n"
"wrong usage.\n"
"Environment: IPMU_STATE_DIR, the state directory instead of " IPMU_STATE_DIR ".\n";

struct restore_job {
	const struct ipmu_topology *topo;
	const char *dir_path;
	int dir;
	bool dry_run;
	uint64_t deadline_ns;	/* one for all files */
};

/* ---- telling */

static void tell_users(const char *name, int fd, const struct ipmu_journal *j)
{
	char who[64];
	const char *between = " ";

	printf("%s: in use by", name);
	for (int i = 0; i < IPMU_JOURNAL_PIDS; i++) {
		if (!ipmu_locks_process_taken(fd, i))
			continue;
		ipmu_process_name(&j->processes[i], who);
		printf("%s%s", between, who);
		between = ", ";
	}
	puts(": left alone");
}

static void tell_registers(const char *name, const struct ipmu_family *family,
			   const struct ipmu_journal *j, const char *what)
{
	for (uint32_t i = 0; i < j->header.nsaved; i++) {
		const struct ipmu_journal_entry *e = &j->saved[i];
		int box = 0, ctr = 0;
		const struct ipmu_reg *reg = ipmu_journal_register(family, e->addr, &box, &ctr);
		char text[64];

		if (reg->access != IPMU_RW || (e->found == e->now && !reg->counter))
			continue;
		ipmu_reg_name(reg, box, ctr, text);
		printf("%s: %s %s (0x%X) 0x%llx\n", name, what, text, (unsigned)e->addr,
		       (unsigned long long)e->found);
	}
}

/* ---- one file */

static int open_journal(const struct restore_job *job, const char *name, struct ipmu_journal *j,
			size_t *length, char *why)
{
	int fd = ipmu_state_file(job->dir, job->dir_path, name, false, why);
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return fd;
	n = fstat(fd, &st) ? -1 : pread(fd, j, sizeof(*j), 0);
	if (n >= 0) {
		*length = (size_t)st.st_size > sizeof(*j) ? (size_t)st.st_size : (size_t)n;
		return fd;
	}
	ipmu_fail(why, -EIO, "%s/%s cannot be read: %s", job->dir_path, name, strerror(errno));
	close(fd);
	return -EIO;
}

static int journal_restore(struct restore_job *job, const char *name,
			   const struct ipmu_family *family, const struct ipmu_journal *j)
{
	char why[IPMU_WHY_MAX] = "";

	if (job->dry_run) {
		tell_registers(name, family, j, "to restore");
		return EXIT_LEFT;
	}
	if (ipmu_lease_recover(job->topo, family, j->header.place, &job->deadline_ns, why))
		return complain(EXIT_LEFT, "%s: %s", name, why);
	tell_registers(name, family, j, "restored");
	return 0;
}

/* The reason not to trust a file; NULL: there is none. */
static const char *distrust(int fd, int state, const char *why)
{
	if (state < 0)
		return why;
	if (state != IPMU_JOURNAL_VALID && ipmu_locks_process_taken(fd, IPMU_ALL))
		return "it says nothing of the processes that count there";
	return NULL;
}

static int do_journal(struct restore_job *job, const char *name, const struct ipmu_family *family,
		      int place, int fd, const struct ipmu_journal *raw, size_t length)
{
	static struct ipmu_journal j;
	char why[IPMU_WHY_MAX] = "", boot_id[40];
	const char *wrong;
	int state;

	ipmu_state_boot(boot_id);
	state = ipmu_journal_check(raw, length, family, place, boot_id, &j, why);
	wrong = distrust(fd, state, why);

	if (wrong)
		return complain(EXIT_LEFT, "%s/%s: %s; no register is restored from it; end all "
				"programs that count and remove it", job->dir_path, name, wrong);
	if (state == IPMU_JOURNAL_VALID && ipmu_locks_process_taken(fd, IPMU_ALL)) {
		tell_users(name, fd, &j);
		return EXIT_LEFT;
	}
	if (state == IPMU_JOURNAL_VALID && j.header.nsaved)
		return journal_restore(job, name, family, &j);
	printf("%s: %s\n", name, state == IPMU_JOURNAL_OLD ?
	       "of an earlier boot: nothing to restore" : "nothing to restore");
	return 0;
}

static int do_file(struct restore_job *job, const char *name, const struct ipmu_family *family,
		   int place)
{
	static struct ipmu_journal raw;
	char why[IPMU_WHY_MAX] = "";
	size_t length = 0;
	int fd = open_journal(job, name, &raw, &length, why), status;

	if (fd < 0)
		return complain(EXIT_LEFT, "%s", why);
	status = do_journal(job, name, family, place, fd, &raw, length);
	close(fd);
	return status;
}

static int do_name(struct restore_job *job, const char *name)
{
	static const enum ipmu_scope scopes[] = { IPMU_SCOPE_PACKAGE, IPMU_SCOPE_CPU };
	char why[IPMU_WHY_MAX];

	for (int i = 0; i < 2; i++) {
		const struct ipmu_family *family = ipmu_family_find(job->topo, scopes[i], why);
		int place = family ? ipmu_state_place(family, name) : -EINVAL;

		if (place >= 0)
			return do_file(job, name, family, place);
	}
	return complain(0, "%s/%s: belongs to no PMU of this machine: left alone", job->dir_path,
			name);
}

static int compare(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int do_all(struct restore_job *job)
{
	struct dirent **names;
	int n = scandirat(job->dir, ".", &names, NULL, compare), status = 0;

	if (n < 0)
		return complain(EXIT_LEFT, "%s: %s", job->dir_path, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.')
			status |= do_name(job, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return status;
}

/* ---- in the background */

/* Continue as an orphan with a session of its own: the caller must not find a child to wait for,
 * and signals to the caller's session must not come here. The descriptor to wait for may be that of
 * the standard input. 0: in the background; otherwise 1 + the exit status. */
static int go_away(int *wait)
{
	int fd = *wait > STDERR_FILENO ? *wait : fcntl(*wait, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	pid_t pid = fd < 0 ? -1 : fork();

	*wait = fd;
	if (pid > 0)
		return 1;
	if (pid == 0) {
		setsid();
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		for (int i = 0; i < 3 && fd >= 0; i++)
			dup2(fd, i);
		return 0;
	}
	return complain(1 + EXIT_LEFT, "no process can be created: %s", strerror(errno));
}

static void wait_until_closed(int fd)
{
	struct pollfd end = { .fd = fd, .events = POLLIN };
	char ignored[64];
	ssize_t n;

	do {
		poll(&end, 1, -1);
		n = read(fd, ignored, sizeof(ignored));
	} while (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)));
	close(fd);
}

/* Does any file say that registers are changed? Mostly none does, and the machine need not be
 * discovered. */
static bool any_saved(int dir)
{
	struct dirent **names;
	int n = scandirat(dir, ".", &names, NULL, NULL);
	bool any = false;

	for (int i = 0; i < n; i++) {
		any = any || ipmu_file_has_saved(dir, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return any;
}

/* The processes of a job that is being ended do not all die at the same moment. */
static int do_all_patiently(struct restore_job *job)
{
	int status = do_all(job);

	for (long ms = PAUSE_MS_FIRST; status && ms <= PAUSE_MS_LAST; ms *= 2) {
		nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
		status = do_all(job);
	}
	return status;
}

/* ---- the command line */

static int parse_descriptor(const char *text, int *fd)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (!*text || *end || n < 0 || n > INT_MAX || fcntl((int)n, F_GETFD) < 0)
		return complain(1 + EXIT_USAGE, "--when-closed %s: not the number of an open "
				"descriptor", text);
	*fd = (int)n;
	return 0;
}

/* 0: continue; otherwise 1 + the exit status. */
static int options_parse(int argc, char **argv, bool *dry_run, int *fd)
{
	static const struct option options[] = {
		{ "dry-run", no_argument, NULL, 'n' }, { "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ "when-closed", required_argument, NULL, 'w' }, { NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "nhV", options, NULL)) != -1) {
		if (c == 'h') {
			fputs(help, stdout);
			return 1;
		}
		if (c == 'V') {
			puts("ipmu-restore " IPMU_VERSION);
			return 1;
		}
		if (c != 'n' && c != 'w')
			return complain(1 + EXIT_USAGE, "try 'ipmu-restore --help'");
		if (c == 'w' && parse_descriptor(optarg, fd))
			return 1 + EXIT_USAGE;
		*dry_run = *dry_run || c == 'n';
	}
	if (*dry_run && *fd >= 0)
		return complain(1 + EXIT_USAGE, "--dry-run and --when-closed exclude each other");
	if (optind == argc)
		return 0;
	return complain(1 + EXIT_USAGE, "takes no argument '%s'; try 'ipmu-restore --help'",
			argv[optind]);
}

static int look_and_put_back(struct restore_job *job, bool patiently)
{
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_topology *topo;
	int status = 0;

	if (ipmu_state_none())
		return puts("IPMU_STATE_DIR is 'none': there are no files to restore from") < 0;
	job->dir = ipmu_state_open(false, &job->dir_path, why);
	if (job->dir == -ENOENT)
		return printf("%s is not there: nothing has counted since the boot\n",
			      job->dir_path) < 0;
	if (job->dir < 0)
		return complain(EXIT_LEFT, "%s", why);
	if (!patiently || any_saved(job->dir)) {
		if (ipmu_topology_load(&topo, why))
			return complain(EXIT_LEFT, "%s", why);
		job->topo = topo;
		status = patiently ? do_all_patiently(job) : do_all(job);
		ipmu_topology_free(topo);
	}
	close(job->dir);
	return status;
}

int main(int argc, char **argv)
{
	struct restore_job job = { .dry_run = false };
	int fd = -1, rc;

	file_limit_handle();
	rc = options_parse(argc, argv, &job.dry_run, &fd);
	if (!rc && fd >= 0)
		rc = go_away(&fd);
	if (rc)
		return complain_unwritten(rc - 1, 1);
	if (fd >= 0)
		wait_until_closed(fd);
	return complain_unwritten(look_and_put_back(&job, fd >= 0), 1);
}
