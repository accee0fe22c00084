/* SPDX-License-Identifier: MIT */
/* Creates, checks and maps the shared segment of a virtual machine. vpmu_segment_make() fills a new
 * file and publishes it under its name as a whole, so that no process sees half a segment.
 * vpmu_segment_map() refuses a file whose head does not fit this build or its own length: the
 * offsets in it are trusted from then on. No lock is held. */
#include "segment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "geometry.h"
#include "kernel.h"

#define PAGE 4096u

typedef int state_bytes_of(const struct vpmu_machine *m, struct vpmu_state_bytes *out);

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

__attribute__((format(printf, 4, 5)))
static int fail(int rc, char *why, size_t why_bytes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, why_bytes, format, args);
	va_end(args);
	return rc;
}

/* The head of a machine's segment, which nothing changes later. */
static void fill_head(struct vpmu_segment *s, const struct vpmu_machine *m,
		      const struct vpmu_state_bytes *state)
{
	s->magic = VPMU_MAGIC;
	s->version = VPMU_VERSION;
	s->header_bytes = sizeof(*s);
	s->machine = *m;
	s->state = *state;
	s->registers_bytes = m->packages * state->package +
			     (uint64_t)m->packages * m->cores * state->core +
			     vpmu_machine_cpus(m) * state->thread;
	s->mmio_bytes = m->packages * state->mmio;
	s->caches_bytes = vpmu_caches_bytes(m);
	s->registers_offset = page_up(sizeof(*s));
	s->mmio_offset = s->registers_offset + page_up(s->registers_bytes);
	s->caches_offset = s->mmio_offset + page_up(s->mmio_bytes);
	s->bytes = s->caches_offset + page_up(s->caches_bytes);
}

/* 0, or a negative errno. */
static int map(uint64_t bytes, int flags, int fd, struct vpmu_segment **out)
{
	long at = vpmu_syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at < 0)
		return (int)at;
	*out = (struct vpmu_segment *)(uintptr_t)at;
	return 0;
}

static int map_whole(int fd, uint64_t bytes, struct vpmu_segment **out)
{
	return map(bytes, MAP_SHARED, fd, out);
}

/* Memory for a head; the rest of the structure has none. */
static int map_head(struct vpmu_segment **out)
{
	return map(VPMU_HEAD_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1, out);
}

static void unmap(struct vpmu_segment *s, uint64_t bytes)
{
	vpmu_syscall(SYS_munmap, s, bytes);
}

/* ipmu-run has no -s, and passes the variable on. */
#define ELSEWHERE "choose another place with -s FILE or VPMU_SEGMENT=FILE"

/* A file of the full size under a temporary name, switched on but not yet published. */
static int make_private(int fd, const struct vpmu_segment *head,
			void (*power_on)(struct vpmu_segment *s), struct vpmu_segment **out)
{
	struct vpmu_segment *s = NULL;
	/* Reserve now: a full /dev/shm would otherwise kill the program with SIGBUS later. */
	int rc = -posix_fallocate(fd, 0, (off_t)head->bytes);

	if (!rc)
		rc = map_whole(fd, head->bytes, &s);
	if (rc)
		return rc;
	memcpy(s->head, head->head, sizeof(s->head));
	vpmu_processes_power_on(&s->processes);
	power_on(s);
	*out = s;
	return 0;
}

int vpmu_segment_make(const char *path, const struct vpmu_machine *m,
		      const struct vpmu_state_bytes *state,
		      void (*power_on)(struct vpmu_segment *s), struct vpmu_segment **out,
		      char *why, size_t why_bytes)
{
	struct vpmu_segment *s = NULL, *head = NULL;
	char temporary[PATH_MAX];
	int fd, rc;

	rc = map_head(&head);
	if (rc)
		return fail(rc, why, why_bytes, "no memory");
	fill_head(head, m, state);
	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary)) {
		rc = fail(-ENAMETOOLONG, why, why_bytes, "the name is too long");
		goto drop_head;
	}
	fd = mkostemp(temporary, O_CLOEXEC);	/* mode 0600 */
	if (fd < 0) {
		rc = fail(-errno, why, why_bytes, "cannot create it: %s", strerror(errno));
		goto drop_head;
	}
	rc = make_private(fd, head, power_on, &s);
	if (rc) {
		fail(rc, why, why_bytes, "cannot reserve %llu bytes: %s; %s",
		     (unsigned long long)head->bytes, strerror(-rc), rc == -EFBIG ?
		     "raise the limit, 'ulimit -f'" : rc == -ENOSPC ?
		     "free some space there, or " ELSEWHERE : ELSEWHERE);
		goto remove;
	}
	if (link(temporary, path)) {
		rc = fail(-errno, why, why_bytes, "cannot publish it: %s", strerror(errno));
		unmap(s, head->bytes);
		goto remove;
	}
	*out = s;
remove:
	unlink(temporary);
	close(fd);
drop_head:
	unmap(head, VPMU_HEAD_BYTES);
	return rc;
}

/* Is this the head that such a machine's segment is made with? */
static bool head_fits(const struct vpmu_segment *h, state_bytes_of *state_bytes)
{
	struct vpmu_state_bytes state;
	struct vpmu_segment *made = NULL;
	bool fits;

	if (!vpmu_machine_whole(&h->machine) || state_bytes(&h->machine, &state))
		return false;
	if (map_head(&made))
		return false;
	fill_head(made, &h->machine, &state);
	fits = !memcmp(h->head, made->head, sizeof(h->head));
	unmap(made, VPMU_HEAD_BYTES);
	return fits;
}

#define WHAT_TO_DO "remove the file or name another one"

static int segment_check_file(int fd, const char *path, state_bytes_of *state_bytes,
			      struct vpmu_segment *h, char *why, size_t why_bytes)
{
	struct stat st;
	long rc, got;

	rc = vpmu_syscall(SYS_fstat, fd, &st);	/* the kernel's and libc's are the same */
	if (rc)
		return fail((int)rc, why, why_bytes, "%s: %s", path, strerror((int)-rc));
	if (!S_ISREG(st.st_mode))
		return fail(-EINVAL, why, why_bytes, "%s: not a regular file, so not the segment "
			    "of a virtual machine; name another one", path);
	got = vpmu_syscall(SYS_pread64, fd, h, VPMU_HEAD_BYTES, 0);
	if (got < 0)
		return fail((int)got, why, why_bytes, "%s: %s", path, strerror((int)-got));
	if ((size_t)got < sizeof(h->magic) || h->magic != VPMU_MAGIC)
		return fail(-EINVAL, why, why_bytes, "%s: not the segment of a virtual machine; "
			    "name another file", path);
	if ((size_t)got >= offsetof(struct vpmu_segment, pad) && h->version != VPMU_VERSION)
		return fail(-EINVAL, why, why_bytes, "%s: segment version %u, this program uses "
			    "%u; " WHAT_TO_DO, path, h->version, VPMU_VERSION);
	if ((size_t)got < VPMU_HEAD_BYTES || (uint64_t)st.st_size < h->bytes)
		return fail(-EINVAL, why, why_bytes, "%s: truncated segment (%lld bytes); "
			    WHAT_TO_DO, path, (long long)st.st_size);
	if (!head_fits(h, state_bytes) || h->bytes != (uint64_t)st.st_size)
		return fail(-EINVAL, why, why_bytes, "%s: damaged segment, or made by another "
			    "build; " WHAT_TO_DO, path);
	return 0;
}

/* Maps the checked head over the file's, so that it cannot change any more. */
static int keep_head(struct vpmu_segment *s, struct vpmu_segment *head)
{
	long answer = vpmu_syscall(SYS_mprotect, head, VPMU_HEAD_BYTES, PROT_READ);

	if (!answer)
		answer = vpmu_syscall(SYS_mremap, head, VPMU_HEAD_BYTES, VPMU_HEAD_BYTES,
				      MREMAP_MAYMOVE | MREMAP_FIXED, s);
	return answer < 0 ? (int)answer : 0;
}

/* The head, when it has been kept, is the segment's. */
static int map_checked(int fd, struct vpmu_segment *head, struct vpmu_segment **out)
{
	uint64_t bytes = head->bytes;
	struct vpmu_segment *s = NULL;
	int rc = map_whole(fd, bytes, &s);

	if (!rc)
		rc = keep_head(s, head);
	if (rc && s)
		unmap(s, bytes);
	if (!rc)
		*out = s;
	return rc;
}

static int map_file(int fd, const char *path, state_bytes_of *state_bytes,
		    struct vpmu_segment **out, char *why, size_t why_bytes)
{
	struct vpmu_segment *head = NULL;
	int rc = map_head(&head);

	if (rc)
		return fail(rc, why, why_bytes, "%s: no memory", path);
	rc = segment_check_file(fd, path, state_bytes, head, why, why_bytes);
	if (!rc) {
		rc = map_checked(fd, head, out);
		if (!rc)
			return 0;
		fail(rc, why, why_bytes, "%s: cannot map it: %s", path, strerror(-rc));
	}
	unmap(head, VPMU_HEAD_BYTES);
	return rc;
}

int vpmu_segment_map(const char *path, state_bytes_of *state_bytes, struct vpmu_segment **out,
		     char *why, size_t why_bytes)
{
	int fd = (int)vpmu_syscall(SYS_open, path, O_RDWR | O_CLOEXEC | O_NONBLOCK), rc;

	if (fd < 0)
		return fail(fd, why, why_bytes, "%s: cannot open the segment: %s", path,
			    strerror(-fd));
	rc = map_file(fd, path, state_bytes, out, why, why_bytes);
	vpmu_syscall(SYS_close, fd);
	return rc;
}

void vpmu_segment_close(struct vpmu_segment *s)
{
	if (s)
		unmap(s, s->bytes);
}
