/* SPDX-License-Identifier: MIT */
/* Owner, mode and permissions of the device files. */
#include <errno.h>
#include <unistd.h>

#include "inside.h"
#include "shim.h"

mode_t shim_device_mode(void)
{
	const struct vpmu_devices *d = &shim_machine()->devices;

	return d->owned ? (mode_t)d->mode : 0600;
}

static bool is_msr(struct shim_path path)
{
	return path.kind == SHIM_MSR || path.kind == SHIM_MSR_SAFE || path.kind == SHIM_MSR_BATCH;
}

uid_t shim_device_owner(struct shim_path path)
{
	const struct vpmu_devices *d = &shim_machine()->devices;

	return !d->owned ? geteuid() : is_msr(path) ? (uid_t)d->uid : 0;
}

gid_t shim_device_group(struct shim_path path)
{
	const struct vpmu_devices *d = &shim_machine()->devices;

	return !d->owned ? getegid() : is_msr(path) ? (gid_t)d->gid : 0;
}

static bool in_group(gid_t gid)
{
	gid_t groups[256];
	int n = getgroups(256, groups);

	for (int i = 0; i < n; i++)
		if (groups[i] == gid)
			return true;
	return getegid() == gid;
}

bool shim_unprivileged(void)
{
	return shim_machine()->devices.owned && shim_syscall(SYS_geteuid, 0, 0, 0, 0) != 0;
}

/* With msr-safe only its own devices can be opened, since it replaces the plain ones. */
int shim_permission(struct shim_path path, int mode)
{
	const struct vpmu_devices *d = &shim_machine()->devices;
	uint32_t bits = d->mode;

	if (path.kind == SHIM_MSR && d->msr_safe)
		return EACCES;
	if (!shim_unprivileged() || path.kind == SHIM_PCI)
		return 0;
	if (!is_msr(path))
		return EACCES;
	if (geteuid() == d->uid)
		bits >>= 6;
	else if (in_group((gid_t)d->gid))
		bits >>= 3;
	return (unsigned)mode & ~bits & 6u ? EACCES : 0;
}
