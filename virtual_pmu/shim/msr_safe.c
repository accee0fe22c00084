/* SPDX-License-Identifier: MIT */
/* The msr-safe module's devices, after its README: per-CPU registers by allowlist, and the batch
 * ioctl, of which no operation is executed if the allowlist or a CPU's absence stops any. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "shim.h"

NEXT_SLOT(ioctl)

struct batch_op {
	uint16_t cpu, is_read;
	int32_t err;
	uint32_t msr;
	uint64_t data, mask;
};
struct batch { uint32_t count, version; struct batch_op *ops; };
#define BATCH_REQUEST _IOWR('c', 0xA2, struct batch)
_Static_assert(sizeof(struct batch_op) == 32 && sizeof(struct batch) == 16, "the module's layout");

static int refuse(int error)
{
	errno = error;
	return -1;
}

static const struct vpmu_allowed *allowed(const struct vpmu_segment *s, uint64_t msr)
{
	for (uint32_t i = 0; i < s->devices.allowed_count; i++)
		if (s->devices.allowed[i].address == msr)
			return &s->devices.allowed[i];
	return NULL;
}

int shim_safe_read(struct vpmu_segment *s, uint32_t cpu, uint32_t msr, uint64_t *value)
{
	return allowed(s, msr) ? vpmu_rdmsr(s, cpu, msr, value) : -EACCES;
}

int shim_safe_write(struct vpmu_segment *s, uint32_t cpu, uint32_t msr, uint64_t value)
{
	const struct vpmu_allowed *a = allowed(s, msr);
	uint64_t old = 0;
	int rc = 0;

	if (!a || !a->mask)
		return -EACCES;
	if (a->mask != UINT64_MAX)
		rc = vpmu_rdmsr(s, cpu, msr, &old);
	return rc ? rc : vpmu_wrmsr(s, cpu, msr, (old & ~a->mask) | (value & a->mask));
}

static int check_op(const struct vpmu_segment *s, struct batch_op *op)
{
	const struct vpmu_allowed *a = allowed(s, op->msr);

	op->err = 0;
	if (op->cpu >= vpmu_machine_cpus(&s->machine))
		return op->err = -ENXIO;
	if (!a)
		return op->err = -EACCES;
	op->mask = a->mask;
	if (!op->is_read && !a->mask)
		op->err = -EROFS;
	return op->err;
}

/* The module reads a register before each write of it, whatever the mask. */
static int execute(struct vpmu_segment *s, struct batch_op *op)
{
	uint64_t old = 0;

	op->err = 0;
	if (vpmu_rdmsr(s, op->cpu, op->msr, &old))
		return op->err = -EIO;
	if (op->is_read)
		op->data = old;
	else if (vpmu_wrmsr(s, op->cpu, op->msr, (old & ~op->mask) | (op->data & op->mask)))
		op->err = -EIO;
	return op->err;
}

static int run_batch(struct batch *b)
{
	struct vpmu_segment *s = shim_machine();
	struct shim_guard guard;
	int last = 0, first = 0;

	if (!b || !b->count)
		return refuse(b ? EINVAL : EFAULT);
	shim_enter(s, &guard);
	s->accesses.batches++;
	for (uint32_t i = 0; i < b->count; i++) {
		int rc = check_op(s, &b->ops[i]);

		last = rc ? rc : last;
	}
	for (uint32_t i = 0; i < b->count && !last; i++) {
		int rc = execute(s, &b->ops[i]);

		first = first ? first : rc;
	}
	shim_leave(s, &guard);
	return last || first ? refuse(-(last ? last : first)) : 0;
}

SHIM_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	struct shim_path served = shim_fd(fd);
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (served.kind == SHIM_NONE)
		return NEXT(ioctl)(fd, request, argument);
	if (served.kind != SHIM_MSR_BATCH || request != BATCH_REQUEST)
		return refuse(ENOTTY);
	if ((shim_fd_flags(fd) & O_ACCMODE) == O_WRONLY)
		return refuse(EBADF);
	return run_batch(argument);
}
