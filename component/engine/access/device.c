/* SPDX-License-Identifier: MIT */
/* One register of one CPU by read and write of its device, and what to say when that fails. */
#include "batch.h"

#include "../registers/allow.h"
#include "../why.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Go on through the package's next other CPU from topo->cpus[from] on, under the same descriptor,
 * so that a reader in the middle of it finds either of them. Its index there, -1: there is none.
 * Async-signal-safe but for snprintf, which allocates nothing for such a format. */
static int move(struct ipmu_regs *p, int from)
{
	const struct ipmu_topology *t = p->topo;
	char path[32];

	for (int i = from; t && i < t->ncpus; i++) {
		const struct ipmu_cpu *cpu = &t->cpus[i];
		int fd, moved;

		if (!cpu->allowed || cpu->pkg_idx != p->package || cpu->os_cpu == p->os_cpu)
			continue;
		snprintf(path, sizeof(path), "/dev/cpu/%d/msr%s", cpu->os_cpu,
			 p->safe ? "_safe" : "");
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		moved = dup3(fd, p->msr, O_CLOEXEC);
		close(fd);
		if (moved < 0)
			return -1;
		p->os_cpu = cpu->os_cpu;
		return i;
	}
	return -1;
}

static int read_once(const struct ipmu_regs *p, uint32_t addr, uint64_t *value)
{
	ssize_t n;

	do
		n = pread(p->msr, value, sizeof(*value), (off_t)addr);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(*value) ? 0 : -EIO;
}

static int write_once(const struct ipmu_regs *p, uint32_t addr, uint64_t value)
{
	ssize_t n;

	do
		n = pwrite(p->msr, &value, sizeof(value), (off_t)addr);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(value) ? 0 : -EIO;
}

int ipmu_msr_count(struct ipmu_regs *p, uint32_t addr, uint64_t *value)
{
	int saved = errno, rc = read_once(p, addr, value);

	for (int i = 0; rc == -ENXIO && (i = move(p, i)) >= 0; i++)
		rc = read_once(p, addr, value);
	errno = saved;
	return rc;
}

int ipmu_msr_read(struct ipmu_regs *p, uint32_t addr, uint64_t *value)
{
	int rc = ipmu_batch_flush(p->batch);

	if (!rc)
		rc = ipmu_msr_count(p, addr, value);
	if (rc)
		ipmu_access_failed(p, addr, rc, false);
	return rc;
}

int ipmu_msr_write_now(struct ipmu_regs *p, uint32_t addr, uint64_t value)
{
	int rc = write_once(p, addr, value);

	for (int i = 0; rc == -ENXIO && (i = move(p, i)) >= 0; i++)
		rc = write_once(p, addr, value);
	if (rc)
		ipmu_access_failed(p, addr, rc, true);
	return rc;
}

/* ---- messages */

void ipmu_access_failed(struct ipmu_regs *p, uint32_t addr, int rc, bool write)
{
	p->failure = (struct ipmu_failure){ .addr = addr, .rc = rc, .write = write };
}

static int explain_safe(const struct ipmu_regs *p, int rc, const char *name, char *why)
{
	char line[IPMU_ALLOW_LINE];

	if (ipmu_allow_line(p->family, p->failure.addr, line))
		return rc;
	return ipmu_fail(why, rc, "CPU %d: msr-safe does not allow to %s %s: add the line '%s' to "
			 "its allowlist (ipmu-allowlist prints all that are needed)", p->os_cpu,
			 p->failure.write ? "write" : "read", name, line);
}

int ipmu_access_explain(struct ipmu_regs *p, int rc, char *why)
{
	int box, ctr;
	const struct ipmu_reg *reg = ipmu_reg_at(p->family, p->failure.addr, &box, &ctr);
	char name[64];

	if (!why || p->failure.rc != rc)
		return rc;
	if (p->failure.file)
		return ipmu_fail(why, rc, "%s cannot be written: %s: nothing is counted without "
				 "it", p->failure.file, strerror(p->failure.error));
	if (!reg)
		return rc;
	ipmu_reg_name(reg, box, ctr, name);
	if (p->safe && (rc == -EACCES || rc == -EROFS))
		return explain_safe(p, rc, name, why);
	if (rc == -EPERM && p->failure.write)
		return ipmu_fail(why, rc, "%s: the kernel filters MSR writes, here of %s: boot "
				 "with msr.allow_writes=on, or load msr-safe; kernel lockdown "
				 "(secure boot) forbids them as well", p->msr_path, name);
	if (rc == -ENXIO)
		return ipmu_fail(why, rc, "%s: CPU %d is offline, so %s cannot be %s: bring it "
				 "back, or count elsewhere", p->msr_path, p->os_cpu, name,
				 p->failure.write ? "written" : "read");
	if (rc == -EIO)
		return ipmu_fail(why, rc, "%s: %s (0x%X) cannot be %s: %s: the CPU refuses it; a "
				 "hypervisor or the firmware hides it", p->msr_path, name,
				 (unsigned)p->failure.addr, p->failure.write ? "written" : "read",
				 strerror(-rc));
	return rc;
}
