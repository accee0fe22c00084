/* SPDX-License-Identifier: MIT */
/* IPMU_NODE_SUM=first (node_sum.h): the choice of the process that reports a node's counts, and in
 * it of the event set. node_sum_claim() and node_sum_release() bracket a running set;
 * node_sum_read() takes no lock and is async-signal-safe. `lock` guards the list of running sets
 * and the choice, which is made again after a fork. One process of a job on a node holds the lock
 * of the job's file and reports. One running set reports an event at a time. */
#include "node_sum.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptor.h"
#include "launchers.h"

#define VARIABLE "IPMU_NODE_SUM"
#define ATTEMPTS 16

static const char *const local_ranks[] = { LAUNCHER_LOCAL_RANKS };
static const char *const job_names[] = { LAUNCHER_JOBS, LAUNCHER_ALLOCATIONS };
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node_sum_share *running;
static pid_t decided;		/* the process that is_first and is_rank are about */
static bool is_first, is_rank;
static int lock_fd = -1;
static uint64_t lock_is;	/* its identity */
static char lock_path[256];

static const char *value(void)
{
	const char *text = secure_getenv(VARIABLE);

	return text && *text ? text : NULL;
}

int node_sum_setting(char *why)
{
	const char *text = value();

	if (!text || !strcmp(text, "first"))
		return 0;
	snprintf(why, IPMU_WHY_MAX, VARIABLE "=%.60s: 'first' is the only value; without the "
		 "variable every process reports the counts of its node", text);
	return -EINVAL;
}

bool node_sum_is_on(void)
{
	return value() != NULL;
}

/* ---- the process ---- */

static bool local_rank(long *out)
{
	for (size_t i = 0; i < COUNT(local_ranks); i++) {
		const char *text = secure_getenv(local_ranks[i]);
		char *end;

		if (!text)
			continue;
		*out = strtol(text, &end, 10);
		if (end != text && !*end)
			return true;
	}
	return false;
}

/* Name the lock file after the job. If no variable names the job, processes of one terminal or one
 * batch script are one. */
static void name_lock(void)
{
	char job[128];
	const char *name = NULL;

	for (size_t i = 0; i < COUNT(job_names) && !name; i++)
		name = secure_getenv(job_names[i]);
	if (name)
		snprintf(job, sizeof(job), "%s", name);
	else
		snprintf(job, sizeof(job), "session%d", (int)getsid(0));
	for (char *c = job; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '.' && *c != '-')
			*c = '_';
	snprintf(lock_path, sizeof(lock_path), "/dev/shm/ipmu-first-%u-%s",
		 (unsigned int)geteuid(), job);
}

static bool is_published(const struct stat *mine)
{
	struct stat there;

	return !lstat(lock_path, &there) && mine->st_ino == there.st_ino &&
	       mine->st_dev == there.st_dev;
}

/* The locks of such a file can be trusted: a user who can open a file can lock it. */
static bool file_is_ours(const struct stat *file)
{
	return S_ISREG(file->st_mode) && !(file->st_mode & (S_IRWXG | S_IRWXO)) &&
	       (file->st_uid == geteuid() || file->st_uid == 0);
}

static int open_or_make(void)
{
	int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, fd;

	do {
		fd = open(lock_path, flags);
		if (fd < 0 && errno == ENOENT)
			fd = open(lock_path, flags | O_CREAT | O_EXCL, 0600);
	} while (fd < 0 && errno == EEXIST);	/* another process was faster */
	return descriptor_move_up(fd);
}

/* Root may remove what another user has put there, and every user what is theirs. */
static int remove_strange(char *why)
{
	struct stat there;

	if (lstat(lock_path, &there) || file_is_ours(&there) || !unlink(lock_path))
		return 0;
	snprintf(why, IPMU_WHY_MAX, "%s: belongs to user %u, so " VARIABLE " cannot tell which "
		 "process reports: let root remove it, or unset the variable", lock_path,
		 (unsigned)there.st_uid);
	return -EACCES;
}

/* Take a record lock, which a forked child does not inherit. 1: this process has it, 0: another
 * process of the job has. */
static int take_lock(char *why)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int rc = 0, error = EAGAIN;

	for (int i = 0; i < ATTEMPTS && !rc; i++) {
		int fd = open_or_make();
		struct stat mine;

		error = fd < 0 ? errno : EAGAIN;
		if (fd < 0 || fstat(fd, &mine) || !file_is_ours(&mine)) {
			rc = remove_strange(why);
		} else if (fcntl(fd, F_SETLK, &whole)) {
			close(fd);
			return 0;
		} else if (is_published(&mine)) {
			lock_fd = fd;
			lock_is = descriptor_identity(fd);
			return 1;
		}
		if (fd >= 0)
			close(fd);	/* its owner has just removed it, or we have */
	}
	if (!rc)
		snprintf(why, IPMU_WHY_MAX, "%s: %s: " VARIABLE " needs it to tell which process "
			 "reports", lock_path, strerror(error));
	return -EACCES;
}

/* The ranks of a node share the file's page; whichever starts first makes it. */
static void share_page(bool reports)
{
	int fd = reports ? lock_fd : open_or_make();
	struct stat mine;

	if (fd < 0)
		return;
	if (!fstat(fd, &mine) && file_is_ours(&mine))
		apart_open(fd, reports);
	if (!reports)
		close(fd);
}

/* Remove the file from a rank that does not report, unless the one that reports still has it. */
static void remove_page(void)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(lock_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return;
	if (!fcntl(fd, F_GETLK, &whole) && whole.l_type == F_UNLCK)
		unlink(lock_path);
	close(fd);
}

/* 1, 0, or a negative errno and a sentence. */
static int process_is_first(char *why)
{
	long rank = 0;
	int rc;

	if (decided == getpid() && (lock_fd < 0 || descriptor_is(lock_fd, lock_is)))
		return is_first;	/* otherwise the lock was lost with the descriptor */
	descriptor_close(lock_fd, lock_is);	/* a parent's */
	lock_fd = -1;
	/* The launcher's first process may have children that count: the lock is for them. */
	is_rank = local_rank(&rank);
	name_lock();
	rc = is_rank && rank != 0 ? 0 : take_lock(why);
	if (rc < 0)
		return rc;
	decided = getpid();
	is_first = rc == 1;
	if (is_rank && (is_first || rank != 0))
		share_page(is_first);
	else
		is_rank = false;	/* a child of the rank that reports */
	return rc;
}

/* Print what went wrong on stderr. PAPI has no way to report it, and the tools that the variable is
 * for show none of PAPI's messages. */
static void report_apart(void)
{
	char why[IPMU_WHY_MAX];

	if (apart_close(why) && fcntl(STDERR_FILENO, F_GETFD) >= 0)
		dprintf(STDERR_FILENO, "intel_uncore: " VARIABLE "=first: %s\n", why);
}

__attribute__((destructor)) void node_sum_end(void)
{
	pthread_mutex_lock(&lock);
	running = NULL;
	if (is_rank && decided == getpid()) {
		report_apart();
		if (!is_first)
			remove_page();
	}
	if (decided == getpid()) {
		if (descriptor_is(lock_fd, lock_is))
			unlink(lock_path);
		descriptor_close(lock_fd, lock_is);
		lock_fd = -1;
	}
	decided = 0;
	pthread_mutex_unlock(&lock);
}

/* ---- event sets in the process ---- */

static int code_of(const struct node_sum_share *s, int i)
{
	const void *at = (const char *)s->codes + (size_t)i * (size_t)s->stride;

	return *(const int *)at;
}

static bool is_taken(int code)
{
	for (const struct node_sum_share *s = running; s; s = s->next)
		for (int i = 0; i < s->n; i++)
			if (s->reported >> i & 1 && code_of(s, i) == code)
				return true;
	return false;
}

static bool is_compared(void)
{
	const struct node_sum_share *s = running;

	while (s && !s->compared)
		s = s->next;
	return s != NULL;
}

static void start_compared(struct node_sum_share *s)
{
	if (s->compared && is_first)
		apart_start(&s->apart);
	else if (s->compared)
		apart_other_reads();
}

int node_sum_claim(struct node_sum_share *s, const int *codes, int n, int stride, char *why)
{
	struct node_sum_share share = { .codes = codes, .n = n, .stride = stride };
	int first;

	node_sum_release(s);
	pthread_mutex_lock(&lock);
	first = process_is_first(why);
	for (int i = 0; i < n && first == 1; i++)
		if (code_of(&share, i) >= 0 && !is_taken(code_of(&share, i)))
			share.reported |= UINT64_C(1) << i;
	if (first >= 0) {
		share.next = running;
		share.compared = is_rank && !is_compared();
		*s = share;
		running = s;
		start_compared(s);
	}
	pthread_mutex_unlock(&lock);
	return first < 0 ? first : 0;
}

void node_sum_release(struct node_sum_share *s)
{
	pthread_mutex_lock(&lock);
	for (struct node_sum_share **p = &running; *p; p = &(*p)->next)
		if (*p == s) {
			*p = s->next;
			break;
		}
	s->next = NULL;
	s->reported = 0;
	s->compared = false;
	pthread_mutex_unlock(&lock);
}

void node_sum_read(struct node_sum_share *s, const long long *counts, bool is_reset)
{
	if (s->compared && is_first)
		apart_read(&s->apart, counts, s->n, is_reset);
	else if (s->compared)
		apart_other_reads();
}
