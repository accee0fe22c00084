/* SPDX-License-Identifier: MIT */
/* The device of a CPU, msr-safe's or the kernel's. ipmu_access_open() opens it, ipmu_msr_read() and
 * ipmu_msr_write_now() access one register, and ipmu_access_explain() explains a failure and what
 * to do about it. ipmu_msr_count() takes no lock and is async-signal-safe; the others need the
 * system's lock. If the CPU goes offline, accesses continue through another CPU of the package,
 * under the same descriptor. The program may close that descriptor or reuse its number. So each
 * write and each locked read checks first that it is still the device. */
#include "batch.h"
#include "cause.h"
#include "trace.h"

#include "../registers/allow.h"
#include "../base/why.h"
#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening and closing */

static void group_name(gid_t gid, char *text, size_t bytes)
{
	char buffer[1024];
	struct group entry, *found = NULL;

	getgrgid_r(gid, &entry, buffer, sizeof(buffer), &found);
	if (found)
		snprintf(text, bytes, "group '%.64s'", entry.gr_name);
	else
		snprintf(text, bytes, "group %u", (unsigned)gid);
}

/* The route that fits: a group that may write the file, or one that root still has to give. */
static int explain_mode(const char *path, int rc, char *why)
{
	const bool safe = strstr(path, "msr_safe") != NULL;
	const mode_t both = S_IRGRP | S_IWGRP;
	struct stat st;
	char group[80];

	if (stat(path, &st) || !st.st_gid || (st.st_mode & both) != both)
		return ipmu_fail(why, rc, "%s: no permission: only root may read and write it: "
				 "let root give it to a group (permissions.md has the commands)%s",
				 path, safe ? "" : ", or load msr-safe with an allowlist");
	group_name(st.st_gid, group, sizeof(group));
	return ipmu_fail(why, rc, "%s: no permission: join %s, which may read and write it%s",
			 path, group, safe ? "" : "; the program needs CAP_SYS_RAWIO as well "
			 "('setcap cap_sys_rawio=ep FILE')");
}

/* A CPU that goes takes its file with it. */
static int explain_missing(const struct ipmu_regs *p, char *why)
{
	if (ipmu_cause_offline(p->os_cpu))
		return ipmu_fail(why, -ENXIO, "%s is missing: CPU %d is offline: bring it back, or "
				 "count elsewhere", p->msr_path, p->os_cpu);
	if (ipmu_cause_driver())
		return ipmu_fail(why, -ENOENT, "%s is missing, though the driver is loaded: a "
				 "container has to be given the files of /dev/cpu; outside of one "
				 "'modprobe -r msr; modprobe msr' makes them again", p->msr_path);
	return ipmu_fail(why, -ENOENT, "%s is missing: load the driver with 'modprobe msr'",
			 p->msr_path);
}

static int explain_namespace(const struct ipmu_regs *p, int rc, char *why)
{
	return ipmu_fail(why, rc, "%s: not permitted: in a user namespace, as of a rootless "
			 "container, nobody has CAP_SYS_RAWIO, not even its root: count outside of "
			 "it, or load msr-safe with an allowlist and give its devices to the user",
			 p->msr_path);
}

static int explain_open(const struct ipmu_regs *p, int rc, char *why)
{
	const char *path = p->msr_path;

	switch (rc) {
	case -ENOENT:
		return explain_missing(p, why);
	case -ENXIO:
		return ipmu_fail(why, rc, "%s: CPU %d is offline or does not "
					  "exist", path, p->os_cpu);
	case -EACCES:
		if (ipmu_cause_namespace())
			return explain_namespace(p, rc, why);
		return explain_mode(path, rc, why);
	case -EPERM:
		if (ipmu_cause_namespace())
			return explain_namespace(p, rc, why);
		if (ipmu_cause_capable())
			return ipmu_fail(why, rc, "%s: not permitted, CAP_SYS_RAWIO or not: a "
					 "container's filter of system calls (seccomp) or its list "
					 "of devices forbids it, or kernel lockdown: allow it, or "
					 "count outside of the container", path);
		return ipmu_fail(why, rc, "%s: not permitted: it needs CAP_SYS_RAWIO: root, a "
				 "program with 'setcap cap_sys_rawio=ep FILE', or msr-safe; kernel "
				 "lockdown (secure boot) forbids it", path);
	default:
		return ipmu_fail(why, rc, "%s: %s%s", path, strerror(-rc), ipmu_limit_advice(-rc));
	}
}

static int open_device(struct ipmu_regs *p, const char *device)
{
	snprintf(p->msr_path, sizeof(p->msr_path), "/dev/cpu/%d/%s", p->os_cpu, device);
	p->msr = descriptor_move_up(open(p->msr_path, O_RDWR | O_CLOEXEC));
	if (p->msr < 0)
		return -errno;
	p->msr_is[0] = p->msr_is[1] = descriptor_identity(p->msr);
	return 0;
}

/* A filter of system calls may answer EPERM even for a file that does not exist. */
static bool has_safe(int os_cpu)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr_safe", os_cpu);
	return access(path, F_OK) == 0;
}

/* Prefer msr-safe if it is loaded, so that its allowlist applies. */
int ipmu_access_open(struct ipmu_regs *p, const struct ipmu_reg *const *registers, int os_cpu,
		     char *why)
{
	int rc, rc_safe;

	memset(p, 0, sizeof(*p));
	p->registers = registers;
	p->os_cpu = os_cpu;
	ipmu_trace_know(registers);
	rc_safe = open_device(p, "msr_safe");
	p->safe = rc_safe == 0;
	rc = p->safe ? 0 : open_device(p, "msr");
	if (rc && rc_safe != -ENOENT && (rc_safe != -EPERM || has_safe(os_cpu)))
		rc = open_device(p, "msr_safe");	/* its reason is the one that matters */
	return rc ? explain_open(p, rc, why) : 0;
}

void ipmu_access_close(struct ipmu_regs *p)
{
	ipmu_window_close(p);
	if (ipmu_access_is_ours(p))
		close(p->msr);
	p->msr = -1;
}

bool ipmu_access_is_ours(const struct ipmu_regs *p)
{
	int fd = p->msr;
	uint64_t is = fd < 0 ? 0 : descriptor_identity(fd);

	return fd >= 0 && (is == p->msr_is[0] || is == p->msr_is[1]);
}

int ipmu_access_reopen(struct ipmu_regs *p, char *why)
{
	int rc;

	if (ipmu_access_is_ours(p))
		return 0;
	rc = open_device(p, p->safe ? "msr_safe" : "msr");
	return rc ? explain_open(p, rc, why) : 0;
}

/* ---- one register */

/* Move to the package's next other CPU from topo->cpus[from] on. The descriptor keeps its number,
 * so a concurrent reader uses either CPU. Returns the CPU's index in topo->cpus; -1: there is none.
 * Async-signal-safe except for snprintf, which allocates nothing for such a format. */
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
		p->msr_is[1] = descriptor_identity(fd);
		moved = ipmu_access_is_ours(p) ? dup3(fd, p->msr, O_CLOEXEC) : -1;
		close(fd);
		if (moved < 0)
			return -1;
		p->msr_is[0] = p->msr_is[1];
		p->os_cpu = cpu->os_cpu;
		return i;
	}
	return -1;
}

/* Kept out of line, so that an access that is not traced costs only the branch. */
__attribute__((noinline, cold)) static int
traced(const struct ipmu_regs *p, uint32_t addr, bool write, uint64_t value, int rc)
{
	ipmu_trace_print(&(struct ipmu_trace_access){ .what = "CPU", .number = p->os_cpu,
						      .way = "", .addr = addr, .write = write,
						      .value = rc && !write ? 0 : value,
						      .rc = rc });
	return rc;
}

static int result_of(ssize_t n)
{
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(uint64_t) ? 0 : -EIO;
}

static int read_once(const struct ipmu_regs *p, uint32_t addr, uint64_t *value)
{
	ssize_t n;
	int rc;

	do
		n = pread(p->msr, value, sizeof(*value), (off_t)addr);
	while (n < 0 && errno == EINTR);
	rc = result_of(n);
	return ipmu_tracing() ? traced(p, addr, false, *value, rc) : rc;
}

static int write_once(const struct ipmu_regs *p, uint32_t addr, uint64_t value)
{
	ssize_t n;
	int rc;

	do
		n = pwrite(p->msr, &value, sizeof(value), (off_t)addr);
	while (n < 0 && errno == EINTR);
	rc = result_of(n);
	return ipmu_tracing() ? traced(p, addr, true, value, rc) : rc;
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
		rc = ipmu_access_is_ours(p) ? ipmu_msr_count(p, addr, value) : -EBADF;
	if (rc)
		ipmu_access_failed(p, addr, rc, false);
	return rc;
}

int ipmu_msr_write_now(struct ipmu_regs *p, uint32_t addr, uint64_t value)
{
	int rc = ipmu_access_is_ours(p) ? write_once(p, addr, value) : -EBADF;

	for (int i = 0; rc == -ENXIO && (i = move(p, i)) >= 0; i++)
		rc = write_once(p, addr, value);
	if (rc)
		ipmu_access_failed(p, addr, rc, true);
	return rc;
}

/* ---- messages */

static int explain_safe(const struct ipmu_regs *p, int rc, const char *name, char *why)
{
	char line[IPMU_ALLOW_LINE];

	if (ipmu_allow_line(p->registers, p->failure.addr, line))
		return rc;
	return ipmu_fail(why, rc, "CPU %d: msr-safe does not allow to %s %s: add the line '%s' to "
			 "its allowlist (ipmu-allowlist prints all that are needed)", p->os_cpu,
			 p->failure.write ? "write" : "read", name, line);
}

static int explain_filter(const struct ipmu_regs *p, int rc, const char *name, char *why)
{
	const char *path = p->msr_path;
	char mode[32];

	if (ipmu_cause_lockdown(mode))
		return ipmu_fail(why, rc, "%s: kernel lockdown (%s) forbids to write %s: switch "
				 "secure boot off, or boot without 'lockdown='", path, mode, name);
	if (ipmu_cause_filter())
		return ipmu_fail(why, rc, "%s: the kernel filters MSR writes, here of %s: "
				 "msr.allow_writes is off: boot with msr.allow_writes=on, or write "
				 "'on' to /sys/module/msr/parameters/allow_writes, or load "
				 "msr-safe", path, name);
	return ipmu_fail(why, rc, "%s: the kernel filters MSR writes, here of %s: boot with "
			 "msr.allow_writes=on, or load msr-safe; kernel lockdown (secure boot) and "
			 "a container's seccomp filter forbid them as well", path, name);
}

int ipmu_access_explain(struct ipmu_regs *p, int rc, char *why)
{
	int box, ctr;
	const struct ipmu_reg *reg = ipmu_reg_at(p->registers, p->failure.addr, &box, &ctr);
	char name[64];

	if (!why || p->failure.rc != rc)
		return rc;
	if (p->failure.file)
		return ipmu_fail(why, rc, "%s cannot be written: %s: nothing is counted without "
				 "it", p->failure.file, strerror(p->failure.error));
	if (!reg)
		return rc;
	ipmu_reg_name(reg, box, ctr, name);
	if (reg->space == IPMU_MMIO)
		return ipmu_fail(why, rc, "%s: %s cannot be %s: %s%s", ipmu_access_file(p, reg),
				 name, p->failure.write ? "written" : "read", strerror(-rc),
				 rc == -EPERM || rc == -EACCES ?
				 ": the memory controllers' window is for root with "
				 "CAP_SYS_RAWIO, and kernel lockdown (secure boot) forbids it" :
				 ipmu_limit_advice(-rc));
	if (p->safe && (rc == -EACCES || rc == -EROFS))
		return explain_safe(p, rc, name, why);
	if (rc == -EPERM && p->failure.write)
		return explain_filter(p, rc, name, why);
	if (rc == -EPERM)
		return ipmu_fail(why, rc, "%s: %s (0x%X) cannot be read: %s: a container's filter "
				 "of system calls (seccomp) forbids it: allow pread64 there, or "
				 "count outside of the container", p->msr_path, name,
				 (unsigned)p->failure.addr, strerror(-rc));
	if (rc == -ENXIO)
		return ipmu_fail(why, rc, "%s: CPU %d is offline, so %s cannot be %s: bring it "
				 "back, or count elsewhere", p->msr_path, p->os_cpu, name,
				 p->failure.write ? "written" : "read");
	if (rc == -EBADF)
		return ipmu_fail(why, rc, "%s: %s cannot be %s: the program has closed the "
				 "library's descriptor, or has a file of its own there; no file of "
				 "the program is touched", p->msr_path, name,
				 p->failure.write ? "written" : "read");
	if (rc == -EIO)
		return ipmu_fail(why, rc, "%s: %s (0x%X) cannot be %s: %s: the CPU refuses it; a "
				 "hypervisor or the firmware hides it", p->msr_path, name,
				 (unsigned)p->failure.addr, p->failure.write ? "written" : "read",
				 strerror(-rc));
	return rc;
}
