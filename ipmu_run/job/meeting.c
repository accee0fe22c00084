/* SPDX-License-Identifier: MIT */
/* Nodes of a job meet in a folder (meeting.h lists the files): meeting_begin(), meeting_look() on
 * the first node, meeting_end(). Locks belong to open file descriptions: the kernel drops them with
 * the process, a network file system with its lease. Without locks in the file system, each file
 * counts as a live node's: launchers end the ranks of a job in which one died. A report is handed
 * out once, unless its file is replaced. */
#include "meeting.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../measure/counting/machine.h"
#include "descriptor.h"
#include "now.h"
#include "own_name.h"

#define FIND_MS 2000		/* for the first node's file, before the program starts */
#define FIND_STEP_US 20000
#define SAME_NAME_MAX 1000	/* nodes with the same host name */
#define JOB own_names[OWN_JOB].ending
#define REPORT own_names[OWN_JSON].ending
#define TEMPORARY ".ipmu-tmp"
#define TRIES 10

struct taken {
	char *path;
	struct stat at;
};

/* A locked file shows that a node runs. */
struct job_file {
	char *path;
	int fd;				/* -1: none */
};

struct meeting {
	char *prefix;			/* as given */
	char *own;			/* PREFIX.NODE */
	char id[MEETING_ID_MAX];
	struct job_file first, node;	/* PREFIX.job, on the first node; PREFIX.NODE.job */
	struct timespec began;		/* when the first node's file was written, by its clock */
	struct taken *taken;		/* reports that have been passed on */
	int ntaken;
};

/* ---- job files ---- */

static int lock_whole(int fd, int command, struct flock *l)
{
	*l = (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
	return fcntl(fd, command, l) ? errno : 0;
}

static bool file_is_ours(int fd, struct stat *st)
{
	return !fstat(fd, st) && S_ISREG(st->st_mode) && st->st_uid == geteuid();
}

static bool has_path(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !lstat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static char *path_of(const char *prefix, const char *ending)
{
	char *path;

	return asprintf(&path, "%s%s", prefix, ending) < 0 ? NULL : path;
}

static void job_file_drop(struct job_file *f)
{
	if (f->fd >= 0 && has_path(f->fd, f->path))
		unlink(f->path);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	*f = (struct job_file){ .fd = -1 };
}

/* Locks the file and writes the job into it. Returns an errno; EBUSY: another process holds it. */
static int job_file_fill(const struct job_file *f, const char *path, const char *id)
{
	struct flock l;
	int error = lock_whole(f->fd, F_OFD_SETLK, &l);

	if (error == EAGAIN || error == EACCES || (!error && !has_path(f->fd, path)))
		return EBUSY;
	return ftruncate(f->fd, 0) || dprintf(f->fd, "%s%s", own_names[OWN_JOB].mark, id) < 0 ?
	       EIO : 0;
}

/* Makes the file under a temporary name, so that nobody finds it without its lock and mark. Returns
 * an errno; EEXIST: there is such a file. */
static int job_file_make(struct job_file *f, const char *id)
{
	char *temporary;
	int error;

	if (asprintf(&temporary, "%s.%d" TEMPORARY, f->path, (int)getpid()) < 0)
		return ENOMEM;
	unlink(temporary);
	f->fd = descriptor_move_up(open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
	error = f->fd < 0 ? errno : job_file_fill(f, temporary, id);
	/* Some file systems have no links, others cannot rename so. */
	if (!error && link(temporary, f->path))
		error = errno == EEXIST || renameat2(AT_FDCWD, temporary, AT_FDCWD, f->path,
						     RENAME_NOREPLACE) ? errno : 0;
	if (!error && !has_path(f->fd, f->path))	/* another node's, with our process id */
		error = EBUSY;
	if (f->fd >= 0)
		unlink(temporary);
	free(temporary);
	return error;
}

/* Takes over what a killed process has left. Returns an errno; EBUSY: a process holds it,
 * EEXIST: no process of this user has made it. */
static int job_file_take_over(struct job_file *f, const char *id)
{
	int error;

	f->fd = descriptor_move_up(open(f->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
	error = f->fd < 0 ? errno : 0;
	if (own_name_wrong(f->path, OWN_JOB, geteuid()))
		return EEXIST;
	return error ? error : job_file_fill(f, f->path, id);
}

static void job_file_close(struct job_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* Makes PREFIX.job, or takes over one that nobody holds. 0, or a negative errno. */
static int job_file_take(struct job_file *f, const char *prefix, const char *id)
{
	int error = ENOENT;

	f->path = path_of(prefix, JOB);
	if (!f->path)
		return -ENOMEM;
	for (int i = 0; i < TRIES && error == ENOENT; i++) {	/* ENOENT: it has just gone */
		job_file_close(f);
		error = job_file_make(f, id);
		if (error == EEXIST) {
			job_file_close(f);
			error = job_file_take_over(f, id);
		}
	}
	if (!error)
		return 0;
	job_file_close(f);	/* another's, which stays */
	job_file_drop(f);
	return -error;
}

/* Reads the file of a live process. False: there is none. */
static bool job_file_read(const char *path, char id[MEETING_ID_MAX])
{
	const char *mark = own_names[OWN_JOB].mark;
	size_t skip = strlen(mark);
	char text[64 + MEETING_ID_MAX];
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct flock l;
	struct stat st;
	ssize_t n = -1;

	if (fd >= 0 && file_is_ours(fd, &st) &&
	    (lock_whole(fd, F_OFD_GETLK, &l) || l.l_type != F_UNLCK))
		n = pread(fd, text, skip + MEETING_ID_MAX - 1, 0);
	if (fd >= 0)
		close(fd);
	if (n <= (ssize_t)skip || memcmp(text, mark, skip))
		return false;
	memcpy(id, text + skip, (size_t)n - skip);
	id[(size_t)n - skip] = '\0';
	return true;
}

/* ---- this node ---- */

/* A job that its launcher names has that name; another one has random digits of the first node. */
static int name_job(struct meeting *m, const struct launched *as, bool first)
{
	unsigned char bytes[16];

	if (as->job_wide)
		return snprintf(m->id, sizeof(m->id), "%s", as->job) > 0 ? 0 : -EINVAL;
	if (!first)
		return 0;
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(m->id + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/* Takes PREFIX.NODE.job. */
static int announce(struct meeting *m)
{
	char host[HOST_BYTES];
	int rc = -EBUSY;

	machine_host(host);
	for (int i = 1; rc == -EBUSY && i <= SAME_NAME_MAX; i++) {
		free(m->own);
		if (i == 1 ? asprintf(&m->own, "%s.%s", m->prefix, host) < 0 :
		    asprintf(&m->own, "%s.%s-%d", m->prefix, host, i) < 0)
			m->own = NULL;
		rc = m->own ? job_file_take(&m->node, m->own, m->id) : -ENOMEM;
	}
	return rc;
}

static int begin_first(struct meeting *m)
{
	int rc = job_file_take(&m->first, m->prefix, m->id);
	struct stat st;

	if (!rc && !fstat(m->first.fd, &st))
		m->began = st.st_mtim;
	return rc;
}

bool meeting_has_first(struct meeting *m)
{
	char *path = path_of(m->prefix, JOB), id[MEETING_ID_MAX];
	bool found = path && job_file_read(path, id) && (!m->id[0] || !strcmp(id, m->id));

	free(path);
	if (found)
		memcpy(m->id, id, sizeof(id));
	return found;
}

static void await_first(struct meeting *m)
{
	int64_t until = now_ms() + FIND_MS;

	while (!meeting_has_first(m) && now_ms() < until)
		usleep(FIND_STEP_US);
}

int meeting_begin(const char *prefix, const struct launched *as, bool first, struct meeting **out,
		  char **foreign)
{
	struct meeting *m = calloc(1, sizeof(*m));
	int rc = -ENOMEM;

	if (m) {
		*m = (struct meeting){ .prefix = strdup(prefix), .first = { .fd = -1 },
				       .node = { .fd = -1 } };
		rc = m->prefix ? name_job(m, as, first) : -ENOMEM;
	}
	if (!rc && first)
		rc = begin_first(m);
	else if (!rc)
		await_first(m);
	if (!rc)
		rc = announce(m);
	if (rc) {
		*foreign = rc == -EEXIST ? path_of(m->own ? m->own : m->prefix, JOB) : NULL;
		meeting_end(m);
		return rc;
	}
	*out = m;
	return 0;
}

void meeting_end(struct meeting *m)
{
	if (!m)
		return;
	job_file_drop(&m->first);
	job_file_drop(&m->node);
	for (int i = 0; i < m->ntaken; i++)
		free(m->taken[i].path);
	free(m->taken);
	free(m->own);
	free(m->prefix);
	free(m);
}

const char *meeting_id(const struct meeting *m)
{
	return m->id;
}

const char *meeting_node_prefix(const struct meeting *m)
{
	return m->own;
}

/* ---- the folder ---- */

struct listing {
	char **paths;
	int n, room;
};

static void listing_free(struct listing *l)
{
	for (int i = 0; i < l->n; i++)
		free(l->paths[i]);
	free(l->paths);
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Is the name BASE.NODE and the ending? */
static bool is_node_file(const char *name, const char *base, const char *ending)
{
	size_t n = strlen(base), bytes = strlen(name), tail = strlen(ending);

	return bytes > n + 1 + tail && !strncmp(name, base, n) && name[n] == '.' &&
	       !strcmp(name + bytes - tail, ending);
}

static int listing_add(struct listing *l, const char *folder, size_t bytes, const char *name)
{
	if (l->n == l->room) {
		int room = l->room ? 2 * l->room : 64;
		char **more = realloc(l->paths, (size_t)room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		l->paths = more;
		l->room = room;
	}
	return asprintf(&l->paths[l->n], "%.*s%s", (int)bytes, folder, name) < 0 ? -ENOMEM :
	       (l->n++, 0);
}

/* Lists PREFIX.NODE and the ending. */
static int list_files(const char *prefix, const char *ending, struct listing *out)
{
	const char *slash = strrchr(prefix, '/'), *base = slash ? slash + 1 : prefix;
	size_t bytes = (size_t)(base - prefix);
	char *folder = bytes ? strndup(prefix, bytes) : strdup(".");
	DIR *d = folder ? opendir(folder) : NULL;
	int rc = folder ? d ? 0 : -errno : -ENOMEM;
	const struct dirent *e;

	*out = (struct listing){ .n = 0 };
	while (!rc && (e = readdir(d)))
		if (is_node_file(e->d_name, base, ending))
			rc = listing_add(out, prefix, bytes, e->d_name);
	if (d)
		closedir(d);
	free(folder);
	if (rc)
		listing_free(out);
	else if (out->n)
		qsort(out->paths, (size_t)out->n, sizeof(*out->paths), by_version);
	return rc;
}

/* ---- the first node ---- */

/* Was the report passed on, and is it still the same file? */
static bool was_taken(const struct meeting *m, const char *path, const struct stat *st)
{
	for (int i = 0; i < m->ntaken; i++)
		if (!strcmp(m->taken[i].path, path) && m->taken[i].at.st_ino == st->st_ino &&
		    m->taken[i].at.st_mtime == st->st_mtime)
			return true;
	return false;
}

static void note_taken(struct meeting *m, const char *path, const struct stat *st)
{
	struct taken *more = realloc(m->taken, (size_t)(m->ntaken + 1) * sizeof(*more));

	if (!more)
		return;
	m->taken = more;
	more[m->ntaken] = (struct taken){ strdup(path), *st };
	m->ntaken += more[m->ntaken].path != NULL;
}

/* A launcher may use the name of an earlier job again. */
static bool is_older(const struct meeting *m, const struct stat *st)
{
	return st->st_mtim.tv_sec < m->began.tv_sec;
}

static bool path_is_own(const struct meeting *m, const char *path)
{
	size_t n = strlen(m->own);

	return !strncmp(path, m->own, n) && (!strcmp(path + n, JOB) || !strcmp(path + n, REPORT));
}

static int count_running(const struct meeting *m)
{
	char text[MEETING_ID_MAX];
	struct listing files;
	int n = 0;

	if (list_files(m->prefix, JOB, &files))
		return 0;
	for (int i = 0; i < files.n; i++)
		n += !path_is_own(m, files.paths[i]) && job_file_read(files.paths[i], text) &&
		     !strcmp(text, m->id);
	listing_free(&files);
	return n;
}

/* Does the node run whose report this is? Until its end it may leave another one. */
static bool is_running(const char *report)
{
	char text[MEETING_ID_MAX], *path;
	bool runs;

	if (asprintf(&path, "%.*s%s", (int)(strlen(report) - strlen(REPORT)), report, JOB) < 0)
		return true;
	runs = job_file_read(path, text);
	free(path);
	return runs;
}

/* A node writes its report before it removes its job file, so the job files are checked first. */
int meeting_look(struct meeting *m, meeting_report_fn take, void *arg)
{
	int running = count_running(m);
	struct listing files;

	if (list_files(m->prefix, REPORT, &files))
		return running;
	for (int i = 0; i < files.n; i++) {
		struct stat st;

		if (path_is_own(m, files.paths[i]) || lstat(files.paths[i], &st) ||
		    !S_ISREG(st.st_mode) || st.st_uid != geteuid() || is_older(m, &st) ||
		    was_taken(m, files.paths[i], &st) || is_running(files.paths[i]))
			continue;
		take(arg, files.paths[i]);
		note_taken(m, files.paths[i], &st);
	}
	listing_free(&files);
	return running;
}

int meeting_each_report(const char *prefix, meeting_report_fn take, void *arg)
{
	struct listing files;
	int rc = list_files(prefix, REPORT, &files);

	for (int i = 0; !rc && i < files.n; i++)
		take(arg, files.paths[i]);
	if (!rc)
		listing_free(&files);
	return rc;
}
