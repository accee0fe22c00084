/* SPDX-License-Identifier: MIT */
/* Which segment a run uses: the one that the user names, its MPI job's, or one of its own; and
 * which run removes it. vpmu_place_enter() makes or joins it, vpmu_place_leave() leaves it. Every
 * run on the machine holds a shared flock on the segment file. A run that can get the exclusive
 * flock at its end is the last one, and removes a segment that no user has named. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "launched.h"
#include "private_folder.h"
#include "tool.h"

#define ATTEMPTS 1000
#define SHARED_MEMORY "/dev/shm"
#define RUN "run"
#define PADDED 80		/* length of the path of a machine of a single run, at least */

/* ---- the name ---- */

/* A name that the ranks of one job have in common, or one of this process. */
static void job_name(char *text, size_t bytes)
{
	unsigned long long ticks = 0;
	char job[LAUNCHED_JOB_MAX];
	bool wide;

	if (launched_job(job, &wide)) {
		snprintf(text, bytes, "job-%s", job);
	} else {
		launched_parent(getpid(), &ticks);
		snprintf(text, bytes, RUN "-%d.%llu", (int)getpid(), ticks);
	}
	for (char *c = text; *c; c++)
		if (*c == ',')
			*c = '_';
}

/* Programs that copy their environment would count differently with the number of digits of a
 * process id or user id, and with the host's name: short names get the same length. */
static int pad(char *out, size_t bytes, int n)
{
	while (n < PADDED && n + 1 < (int)bytes)
		out[n++] = '_';
	out[n] = '\0';
	return n;
}

/* Returns the length, or -1 with a complaint. Others may pass the folder: with --devices, programs
 * of other users open the segment. */
static int name_own(char *out, size_t bytes)
{
	char folder[64], job[LAUNCHED_JOB_MAX + 8], host[128] = "";
	int n, rc = private_folder(SHARED_MEMORY, "vpmu", 0711, folder, sizeof(folder));

	if (rc) {
		vpmu_complain(SHARED_MEMORY "/vpmu-%u: cannot make a folder for machines: %s; name "
			      "a segment with -s FILE or VPMU_SEGMENT=FILE",
			      (unsigned int)geteuid(), strerror(-rc));
		return -1;
	}
	job_name(job, sizeof(job));
	gethostname(host, sizeof(host) - 1);
	n = snprintf(out, bytes, "%s/%.64s-%s", folder, host, job);
	return strncmp(job, RUN, strlen(RUN)) ? n : pad(out, bytes, n);
}

static void name_beside(char out[PATH_MAX], const struct vpmu_place *place, enum own_name kind)
{
	snprintf(out, PATH_MAX, "%s%s", place->path, own_names[kind].ending);
}

static int name_place(struct vpmu_place *place, const char *path)
{
	const char *given = getenv("VPMU_SEGMENT");
	int n;

	if (path && !*path) {
		vpmu_complain("-s '': give the path of a file");
		return VPMU_EXIT_USAGE;
	}
	if (!path && given && *given)
		path = given;
	place->keep = path != NULL;
	if (path)
		n = snprintf(place->path, sizeof(place->path), "%s", path);
	else
		n = name_own(place->path, sizeof(place->path));
	if (n < 0)
		return VPMU_EXIT_FAILURE;
	if (n >= (int)sizeof(place->path) || strchr(place->path, ',')) {
		vpmu_complain("%s: a segment's path must be short and without a comma, which QEMU "
			      "takes as the end of the name", place->path);
		return VPMU_EXIT_USAGE;
	}
	name_beside(place->topology, place, OWN_TOPOLOGY);
	name_beside(place->state, place, OWN_STATE);
	name_beside(place->system, place, OWN_SYSTEM);
	return 0;
}

/* ---- joining and creating ---- */

static bool still_published(const struct vpmu_place *place)
{
	struct stat mine, there;

	return !fstat(place->fd, &mine) && !stat(place->path, &there) &&
	       mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

static uint64_t born(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) ^
	       (uint64_t)getpid() << 40;
}

/* A run that joins waits for the lock, and so does not see what is removed here. */
static int place_publish(const struct vpmu_place *place, const char *private)
{
	int fd = open(private, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), rc;

	if (fd < 0 || flock(fd, LOCK_EX)) {
		rc = errno;
	} else {
		rc = link(private, place->path) ? errno : 0;
		if (!rc)
			vpmu_beside_remove(place->path);
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

/* 1: made one, 0: another run did, -1: failed, with a message. */
static int create(struct vpmu_place *place, const struct vpmu_machine *machine,
		  const char *const *settings, int setting_count)
{
	char why[256], private[PATH_MAX];
	struct vpmu_segment *s;
	int rc;

	if (vpmu_beside_refused(place))
		return -1;
	/* The settings must be in it before anybody sees it: made under a private name. */
	snprintf(private, sizeof(private), "%s" VPMU_UNPUBLISHED "%d", place->path,
		 (int)getpid());
	rc = vpmu_segment_create(private, machine, &s, why, sizeof(why));
	if (rc) {
		vpmu_complain("%s: %s", place->path, why);
		return -1;
	}
	s->born = born();
	for (int i = 0; i < setting_count; i++)
		vpmu_setting(machine, s, settings[i]);
	vpmu_segment_close(s);
	rc = place_publish(place, private);
	unlink(private);
	if (rc && rc != EEXIST) {
		vpmu_complain("%s: cannot publish it: %s", place->path, strerror(rc));
		return -1;
	}
	return rc == 0;
}

/* True: the segment was of a killed job. No run uses it, and no user asked to keep it. */
static bool remove_stale(const struct vpmu_place *place)
{
	if (place->keep || place->created || flock(place->fd, LOCK_EX | LOCK_NB))
		return false;
	if (still_published(place))
		vpmu_remains_remove(place->path);
	return true;
}

/* A user who can write the segment can bring down what runs on it, or worse. With --devices the
 * user has allowed that. */
static int check_owner(const struct vpmu_place *place)
{
	struct stat st;
	bool own;

	if (fstat(place->fd, &st))
		st = (struct stat){ .st_uid = (uid_t)-1 };
	own = st.st_uid == geteuid() || (place->keep && !st.st_uid);
	if (own && (place->keep || S_ISREG(st.st_mode)) &&
	    (!(st.st_mode & (S_IWGRP | S_IWOTH)) || place->for_others))
		return 0;
	if (own)
		vpmu_complain("%s: others may write this segment (mode %o): make it your own with "
			      "chmod go-w, name another one with -s, or allow it with --devices",
			      place->path, (unsigned int)st.st_mode & 07777);
	else
		vpmu_complain("%s: belongs to another user; name another segment with -s",
			      place->path);
	return VPMU_EXIT_FAILURE;
}

/* Opens the published file and marks it as used. 0, -1 failed, 1 try again. */
static int place_attach(struct vpmu_place *place)
{
	place->fd = open(place->path, O_RDWR | O_CLOEXEC | O_NONBLOCK | (place->keep ? 0 :
									O_NOFOLLOW));
	if (place->fd < 0 && errno == ENOENT)
		return 1;
	if (place->fd < 0) {
		vpmu_complain("%s: cannot open the segment: %s", place->path, strerror(errno));
		return -1;
	}
	if (check_owner(place)) {
		close(place->fd);
		return -1;
	}
	if (remove_stale(place) || flock(place->fd, LOCK_SH) || !still_published(place)) {
		close(place->fd);
		place->created = false;
		return 1;
	}
	return 0;
}

/* NULL, or what is wrong with a segment that is a link. */
static const char *wrong_link(const char *path)
{
	struct stat st;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return NULL;
	if (access(path, F_OK) && errno == ENOENT)
		return "a link to a file that does not exist";
	return st.st_uid && st.st_uid != geteuid() ? "a link of another user" : NULL;
}

static int attach_or_create(struct vpmu_place *place, const struct vpmu_machine *machine,
			    const char *const *settings, int setting_count)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		const char *wrong = wrong_link(place->path);

		if (wrong) {
			vpmu_complain("%s: cannot use %s: remove it, or name another segment with "
				      "-s", place->path, wrong);
			return VPMU_EXIT_FAILURE;
		}
		if (access(place->path, F_OK)) {
			int made = create(place, machine, settings, setting_count);

			if (made < 0)
				return VPMU_EXIT_FAILURE;
			place->created = made;
		}
		int rc = place_attach(place);
		if (rc <= 0)
			return rc ? VPMU_EXIT_FAILURE : 0;
	}
	vpmu_complain("%s: comes and goes; name another segment with -s", place->path);
	return VPMU_EXIT_FAILURE;
}

int vpmu_place_enter(struct vpmu_place *place, const char *path, const struct vpmu_machine *machine,
		     bool any, const char *const *settings, int setting_count)
{
	char why[PATH_MAX + 256];
	int rc = name_place(place, path);

	if (rc)
		return rc;
	vpmu_remains_sweep(place->path, place->keep);
	rc = attach_or_create(place, machine, settings, setting_count);
	if (rc)
		return rc;
	if (vpmu_segment_open(place->path, &place->segment, why, sizeof(why))) {
		vpmu_complain("%s", why);
		close(place->fd);
		return VPMU_EXIT_FAILURE;
	}
	if (!any && memcmp(&place->segment->machine, machine, sizeof(*machine))) {
		vpmu_complain("%s: is a running machine '%s' with its own geometry; it cannot be "
			      "joined as '%s' with another. Leave -m and the geometry out, give "
			      "the same, or choose another segment with -s", place->path,
			      place->segment->machine.name, machine->name);
		vpmu_place_leave(place);
		return VPMU_EXIT_USAGE;
	}
	rc = vpmu_topology_write(place);
	if (!rc)
		rc = vpmu_state_make(place);
	if (!rc)
		rc = vpmu_system_write(place);
	if (rc)
		vpmu_place_leave(place);
	return rc;
}

/* The kernel ends a process that reads a page beyond the end of the file. */
static bool place_is_whole(const struct vpmu_place *place)
{
	struct stat st;

	return place->segment && !fstat(place->fd, &st) &&
	       (uint64_t)st.st_size >= place->segment->bytes;
}

int vpmu_place_check(const struct vpmu_place *place)
{
	if (place_is_whole(place))
		return 0;
	vpmu_complain("%s: the segment was truncated while it was in use: what ran on it is lost. "
		      "Others can do that with --devices, which lets them write the file",
		      place->path);
	return VPMU_EXIT_FAILURE;
}

void vpmu_place_leave(struct vpmu_place *place)
{
	/* The upgrade drops the shared lock first. So of several runs that leave at the same time
	 * at least one finds itself alone. */
	bool alone = !flock(place->fd, LOCK_EX | LOCK_NB), mine = still_published(place);
	bool whole = place_is_whole(place);

	/* Not published: a sweep was in between, which found no lock on it. */
	if (whole && (alone || !mine))
		vpmu_tally(place);
	vpmu_segment_close(place->segment);
	place->segment = NULL;
	if (alone && mine && !place->keep)
		vpmu_remains_remove(place->path);
	close(place->fd);
}
