/* SPDX-License-Identifier: MIT */
/* msr-safe's batch device (batch.h). ipmu_batch_read() executes reads at once; it takes no lock and
 * is async-signal-safe. ipmu_batch_begin(), ipmu_batch_write(), ipmu_batch_flush() and
 * ipmu_batch_end() queue writes, under the system's lock. A saved register's `now` runs ahead of
 * the queue, and is set back for each write that the device does not execute. */
#include "batch.h"
#include "trace.h"

#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEVICE "/dev/cpu/msr_batch"
#define VERSION "/dev/cpu/msr_safe_version"
#define OLDEST 0x010000u	/* for a module that reports no version */
#define ROOM 1024

struct array { uint32_t count, version; struct ipmu_batch_op *ops; };
#define REQUEST _IOWR('c', 0xA2, struct array)
_Static_assert(sizeof(struct ipmu_batch_op) == 32 && sizeof(struct array) == 16,
	       "the device's layout");

struct queued {
	struct ipmu_regs *regs;
	struct ipmu_saved *saved;
	uint64_t before;	/* saved->now before the write was queued */
	uint64_t value;		/* what is written: the device may change its copy */
};

struct ipmu_batch {
	int fd;
	uint64_t is;		/* the descriptor's identity */
	uint32_t version;
	ipmu_batch_single *write;
	atomic_bool broken;	/* another interface, or closed by the program: not used again */
	bool queueing;
	enum ipmu_batch_refused refused;
	int n;
	struct ipmu_batch_op ops[ROOM];
	struct queued queue[ROOM];
};

/* Version of the module, as in "1.8.0". From 2.0.0 on it refuses programs that speak another
 * one. */
static uint32_t module_version(void)
{
	unsigned major, minor, patch = 0;
	char text[32] = "";
	int fd = open(VERSION, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0 || sscanf(text, "%u.%u.%u", &major, &minor, &patch) < 2)
		return OLDEST;
	return major << 16 | minor << 8 | patch;
}

struct ipmu_batch *ipmu_batch_open(ipmu_batch_single *write)
{
	struct ipmu_batch *b;
	int fd = descriptor_move_up(open(DEVICE, O_RDONLY | O_CLOEXEC));

	if (fd < 0)
		return NULL;
	b = calloc(1, sizeof(*b));
	if (!b) {
		close(fd);
		return NULL;
	}
	b->fd = fd;
	b->is = descriptor_identity(fd);
	b->write = write;
	b->version = module_version();
	return b;
}

void ipmu_batch_close(struct ipmu_batch *b)
{
	if (b)
		descriptor_close(b->fd, b->is);
	free(b);
}

enum outcome {
	EXECUTED,
	WITH_ERRORS,	/* those with err failed, the others were executed */
	REFUSED,	/* by the allowlist, or for a CPU that is not there: none was executed */
	NOT_KNOWN,	/* it is not the device that we know: none was executed */
};

/* Errors that the module finds before it executes anything are not -EIO. */
static enum outcome outcome_of(const struct ipmu_batch_op *ops, int n)
{
	enum outcome what = NOT_KNOWN;

	for (int i = 0; i < n; i++) {
		if (ops[i].err && ops[i].err != -EIO)
			return REFUSED;
		if (ops[i].err)
			what = WITH_ERRORS;
	}
	return what;
}

/* Trace the accesses of a batch. A refused batch executes none: only those that the device refuses
 * are traced. */
static void trace(const struct ipmu_batch_op *ops, int n, enum outcome what)
{
	for (int i = 0; i < n; i++)
		if (what == EXECUTED || what == WITH_ERRORS || ops[i].err)
			ipmu_trace_print(&(struct ipmu_trace_access){
				.what = "CPU", .number = ops[i].cpu, .way = ", in a batch",
				.addr = ops[i].msr, .write = !ops[i].is_read,
				.value = ops[i].data, .rc = ops[i].err });
}

static enum outcome send(struct ipmu_batch *b, struct ipmu_batch_op *ops, int n)
{
	struct array a = { .count = (uint32_t)n, .version = b->version, .ops = ops };
	enum outcome what;
	int rc;

	if (atomic_load_explicit(&b->broken, memory_order_relaxed))
		return NOT_KNOWN;
	if (!descriptor_is(b->fd, b->is)) {
		atomic_store_explicit(&b->broken, true, memory_order_relaxed);
		return NOT_KNOWN;
	}
	for (int i = 0; i < n; i++)
		ops[i].err = 0;
	do
		rc = ioctl(b->fd, REQUEST, &a);
	while (rc < 0 && errno == EINTR);
	what = rc >= 0 ? EXECUTED : outcome_of(ops, n);
	if (ipmu_tracing())
		trace(ops, n, what);
	if (what == NOT_KNOWN && errno != ENOMEM && errno != E2BIG)
		atomic_store_explicit(&b->broken, true, memory_order_relaxed);
	return what;
}

bool ipmu_batch_read(struct ipmu_batch *b, struct ipmu_batch_op *ops, int n)
{
	int saved = errno;
	enum outcome what;

	if (!b)
		return false;
	for (int i = 0; i < n; i++) {
		ops[i].is_read = 1;
		ops[i].data = ~0ull;
	}
	what = send(b, ops, n);
	errno = saved;
	return what == EXECUTED || what == WITH_ERRORS;
}

/* ---- the queue */

bool ipmu_batch_queueing(const struct ipmu_batch *b)
{
	return b && b->queueing;
}

void ipmu_batch_begin(struct ipmu_batch *b, enum ipmu_batch_refused refused)
{
	if (!b)
		return;
	b->refused = refused;
	b->queueing = !atomic_load_explicit(&b->broken, memory_order_relaxed);
}

int ipmu_batch_write(struct ipmu_batch *b, struct ipmu_regs *p, uint32_t addr, uint64_t value,
		     struct ipmu_saved *s)
{
	int rc = b->n == ROOM ? ipmu_batch_flush(b) : 0;

	if (rc)
		return rc;
	b->ops[b->n] = (struct ipmu_batch_op){ .cpu = (uint16_t)p->os_cpu, .msr = addr,
					       .data = value };
	b->queue[b->n++] = (struct queued){ .regs = p, .saved = s, .value = value,
					    .before = s ? s->now : 0 };
	return 0;
}

/* Set the saved values back, as if nothing of the queue had been written. */
static void undo(struct ipmu_batch *b, int n)
{
	for (int i = n - 1; i >= 0; i--)
		if (b->queue[i].saved)
			b->queue[i].saved->now = b->queue[i].before;
}

void ipmu_batch_drop(struct ipmu_batch *b)
{
	if (!b)
		return;
	undo(b, b->n);
	b->queueing = false;
	b->n = 0;
}

static void queued_written(const struct queued *q)
{
	if (!q->saved)
		return;
	q->saved->now = q->value;
	q->saved->state = IPMU_SAVED_WRITTEN;
}

static int failed(const struct ipmu_batch *b, int i, int rc)
{
	rc = rc == -EROFS ? -EACCES : rc;
	ipmu_access_failed(b->queue[i].regs, b->ops[i].msr, rc, true);
	return rc;
}

static int one_by_one(struct ipmu_batch *b, int n)
{
	int first = 0;

	for (int i = 0; i < n && !(first && b->refused == IPMU_BATCH_FAIL); i++) {
		int rc = b->write(b->queue[i].regs, b->ops[i].msr, b->queue[i].value);

		if (!rc)
			queued_written(&b->queue[i]);
		first = first ? first : rc;
	}
	return first;
}

static int take_results(struct ipmu_batch *b, int n)
{
	int first = 0;

	for (int i = 0; i < n; i++) {
		if (!b->ops[i].err)
			queued_written(&b->queue[i]);
		else if (!first)
			first = failed(b, i, b->ops[i].err);
	}
	return first;
}

static int first_refused(struct ipmu_batch *b, int n)
{
	for (int i = 0; i < n; i++)
		if (b->ops[i].err)
			return failed(b, i, b->ops[i].err);
	return -EIO;
}

/* True if all refusals are for CPUs that are gone. Another CPU of the package may then execute the
 * writes one by one. */
static bool only_for_absence(const struct ipmu_batch_op *ops, int n)
{
	for (int i = 0; i < n; i++)
		if (ops[i].err && ops[i].err != -ENXIO)
			return false;
	return true;
}

int ipmu_batch_flush(struct ipmu_batch *b)
{
	int n = b ? b->n : 0;

	if (!n)
		return 0;
	b->n = 0;
	switch (send(b, b->ops, n)) {
	case EXECUTED:
		for (int i = 0; i < n; i++)
			queued_written(&b->queue[i]);
		return 0;
	case WITH_ERRORS:
		undo(b, n);
		return take_results(b, n);
	case REFUSED:
		undo(b, n);
		if (b->refused == IPMU_BATCH_FAIL && !only_for_absence(b->ops, n))
			return first_refused(b, n);
		break;
	case NOT_KNOWN:
		undo(b, n);
	}
	return one_by_one(b, n);
}

int ipmu_batch_end(struct ipmu_batch *b)
{
	int rc = ipmu_batch_flush(b);

	if (b)
		b->queueing = false;
	return rc;
}
