/* SPDX-License-Identifier: MIT */
#include "access.h"

#include "../why.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The group that may open the device, by name where it has one. */
static void owner_group(const char *path, char *text, size_t bytes)
{
	char buffer[1024];
	struct group entry, *found = NULL;
	struct stat st;

	if (stat(path, &st)) {
		snprintf(text, bytes, "the group that owns it");
		return;
	}
	getgrgid_r(st.st_gid, &entry, buffer, sizeof(buffer), &found);
	if (found)
		snprintf(text, bytes, "group '%.64s'", entry.gr_name);
	else
		snprintf(text, bytes, "group %u", (unsigned)st.st_gid);
}

static int explain_open(const struct ipmu_regs *p, int rc, char *why)
{
	const char *path = p->msr_path;
	char group[80];

	switch (rc) {
	case -ENOENT:
		return ipmu_fail(why, rc, "%s is missing: load the driver with 'modprobe msr'",
				 path);
	case -ENXIO:
		return ipmu_fail(why, rc, "%s: CPU %d is offline or not there", path, p->os_cpu);
	case -EACCES:
		owner_group(path, group, sizeof(group));
		return ipmu_fail(why, rc, "%s: no permission: join %s and let it read and "
				 "write, or load msr-safe with an allowlist", path, group);
	case -EPERM:
		return ipmu_fail(why, rc, "%s: not permitted: it needs CAP_SYS_RAWIO (root or "
				 "setcap) or msr-safe; kernel lockdown (secure boot) forbids it",
				 path);
	default:
		return ipmu_fail(why, rc, "%s: %s", path, strerror(-rc));
	}
}

static int open_device(struct ipmu_regs *p, const char *device)
{
	snprintf(p->msr_path, sizeof(p->msr_path), "/dev/cpu/%d/%s", p->os_cpu, device);
	p->msr = open(p->msr_path, O_RDWR | O_CLOEXEC);
	return p->msr < 0 ? -errno : 0;
}

int ipmu_access_open(struct ipmu_regs *p, const struct ipmu_family *family, int os_cpu, char *why)
{
	int rc;

	memset(p, 0, sizeof(*p));
	p->family = family;
	p->os_cpu = os_cpu;
	rc = open_device(p, "msr");
	if (rc && open_device(p, "msr_safe") == 0)
		return 0;
	if (rc) {
		snprintf(p->msr_path, sizeof(p->msr_path), "/dev/cpu/%d/msr", os_cpu);
		return explain_open(p, rc, why);
	}
	return 0;
}

int ipmu_msr_read(const struct ipmu_regs *p, uint32_t addr, uint64_t *value)
{
	ssize_t n;

	do
		n = pread(p->msr, value, sizeof(*value), (off_t)addr);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(*value) ? 0 : -EIO;
}

static int write_raw(const struct ipmu_regs *p, uint32_t addr, uint64_t value)
{
	ssize_t n;

	do
		n = pwrite(p->msr, &value, sizeof(value), (off_t)addr);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(value) ? 0 : -EIO;
}

static int write_reg(const struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr,
		     uint64_t value)
{
	int rc = write_raw(p, addr, value);

	return rc || !reg->write_twice ? rc : write_raw(p, addr, value);
}

static struct ipmu_saved *find_saved(struct ipmu_regs *p, uint32_t addr)
{
	for (int i = 0; i < p->nsaved; i++)
		if (p->saved[i].addr == addr)
			return &p->saved[i];
	return NULL;
}

static int save(struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr,
		struct ipmu_saved **out)
{
	struct ipmu_saved *s = find_saved(p, addr);
	uint64_t value;
	int rc;

	if (!s) {
		if (p->nsaved == IPMU_SAVED_MAX)
			return -ENOSPC;
		rc = ipmu_msr_read(p, addr, &value);
		if (rc)
			return rc;
		s = &p->saved[p->nsaved++];
		*s = (struct ipmu_saved){ .reg = reg, .addr = addr, .found = value, .now = value };
	}
	*out = s;
	return 0;
}

int ipmu_msr_save(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		  uint64_t *value)
{
	struct ipmu_saved *s;
	int rc = save(p, reg, ipmu_reg_addr(reg, box, ctr), &s);

	if (!rc)
		*value = s->found;
	return rc;
}

bool ipmu_msr_is_saved(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr)
{
	return find_saved(p, ipmu_reg_addr(reg, box, ctr)) != NULL;
}

/* The bits of the register that are not ours to change. A counter has none: what it holds beyond
 * its writable bits follows from them. */
static int kept_bits(const struct ipmu_regs *p, struct ipmu_saved *s, uint64_t *kept)
{
	uint64_t value = s->found;
	int rc = s->reg->shared ? ipmu_msr_read(p, s->addr, &value) : 0;

	if (!rc && s->reg->shared)
		s->now = value;
	*kept = s->reg->counter ? 0 : value & ~ipmu_reg_writable(s->reg);
	return rc;
}

int ipmu_msr_write(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		   uint64_t value)
{
	uint64_t writable = ipmu_reg_writable(reg), kept;
	struct ipmu_saved *s;
	int rc;

	if (value & ~writable)
		return -EINVAL;
	if (reg->access == IPMU_WO)
		return write_raw(p, ipmu_reg_addr(reg, box, ctr), value);
	rc = save(p, reg, ipmu_reg_addr(reg, box, ctr), &s);
	if (!rc)
		rc = kept_bits(p, s, &kept);
	if (rc)
		return rc;
	value |= kept;
	if (value == s->now && !reg->counter &&
	    !(reg->hardware_clears && (value & writable)))
		return 0;	/* a control register that holds it already */
	rc = write_reg(p, reg, s->addr, value);
	if (!rc)
		s->now = value;
	return rc;
}

int ipmu_msr_update(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		    uint64_t mask, uint64_t value)
{
	struct ipmu_saved *s;
	int rc = save(p, reg, ipmu_reg_addr(reg, box, ctr), &s);

	if (!rc && reg->shared)
		rc = ipmu_msr_read(p, s->addr, &s->now);
	if (rc)
		return rc;
	return ipmu_msr_write(p, reg, box, ctr,
			      ((s->now & ~mask) | value) & ipmu_reg_writable(reg));
}

bool ipmu_regs_any_active(const struct ipmu_regs *p)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; b < IPMU_BOXES_MAX; b++)
			if (p->active[t][b])
				return true;
	return false;
}

/* A counter moves by itself: it is always written back, other registers only if they changed. */
static bool needs_restore(const struct ipmu_saved *s)
{
	return s->now != s->found || s->reg->counter || s->reg->hardware_clears;
}

static int put_back(const struct ipmu_regs *p, struct ipmu_saved *s)
{
	uint64_t kept;
	int rc;

	if (!needs_restore(s))
		return 0;
	rc = kept_bits(p, s, &kept);
	if (rc)
		return rc;
	return write_reg(p, s->reg, s->addr, kept | (s->found & ipmu_reg_writable(s->reg)));
}

int ipmu_access_restore(struct ipmu_regs *p)
{
	int first = p->nsaved && p->family->settle ? p->family->settle(p) : 0;

	while (p->nsaved > 0) {
		int rc = put_back(p, &p->saved[--p->nsaved]);

		if (rc && !first)
			first = rc;
	}
	return first;
}
