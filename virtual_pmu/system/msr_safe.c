/* SPDX-License-Identifier: MIT */
/* The msr-safe module's devices, after its README: per-CPU registers by allowlist, and the batch
 * ioctl. No operation of a batch is executed if the allowlist or a CPU's absence stops any. Callers
 * of vpmu_safe_read() and _write() hold the machine lock; vpmu_safe_batch() takes it. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "devices.h"
#include "system.h"

struct batch_op {
	uint16_t cpu, is_read;
	int32_t err;
	uint32_t msr;
	uint64_t data, mask;
};
struct batch { uint32_t count, version; uint64_t ops; };
#define BATCH_REQUEST _IOWR('c', 0xA2, struct batch)
_Static_assert(sizeof(struct batch_op) == 32 && sizeof(struct batch) == 16, "the module's layout");

static const struct vpmu_allowed *allowed(const struct vpmu_segment *s, uint64_t msr)
{
	for (uint32_t i = 0; i < s->devices.allowed_count && i < VPMU_ALLOWED_MAX; i++)
		if (s->devices.allowed[i].address == msr)
			return &s->devices.allowed[i];
	return NULL;
}

int vpmu_safe_read(uint32_t cpu, uint32_t msr, uint64_t *value)
{
	struct vpmu_segment *s = vpmu_system.segment;

	return allowed(s, msr) ? vpmu_rdmsr(s, cpu, msr, value) : -EACCES;
}

int vpmu_safe_write(uint32_t cpu, uint32_t msr, uint64_t value)
{
	struct vpmu_segment *s = vpmu_system.segment;
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

static int run(struct batch_op *ops, uint32_t count)
{
	struct vpmu_segment *s = vpmu_system.segment;
	int last = 0, first = 0;

	vpmu_lock(s);
	s->accesses.batches++;
	for (uint32_t i = 0; i < count; i++) {
		int rc = check_op(s, &ops[i]);

		last = rc ? rc : last;
	}
	for (uint32_t i = 0; i < count && !last; i++) {
		int rc = execute(s, &ops[i]);

		first = first ? first : rc;
	}
	vpmu_unlock(s);
	return last ? last : first;
}

int64_t vpmu_safe_batch(uint64_t request, uint64_t argument, int flags)
{
	const struct vpmu_program_memory *memory = vpmu_system.memory;
	struct batch *b;
	struct batch_op *ops;

	if (request != BATCH_REQUEST)
		return -ENOTTY;
	if ((flags & O_ACCMODE) == O_WRONLY)
		return -EBADF;
	b = memory->memory(argument, sizeof(*b), false);
	if (!b)
		return -EFAULT;
	if (!b->count)
		return -EINVAL;
	ops = memory->memory(b->ops, (uint64_t)b->count * sizeof(*ops), true);
	return ops ? run(ops, b->count) : -EFAULT;
}
