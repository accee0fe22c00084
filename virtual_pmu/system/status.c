/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "calls.h"
#include "devices.h"

static void fill_stat(enum vpmu_file file, uint32_t cpu, struct stat *st)
{
	st->st_mode = vpmu_device_mode(file);
	st->st_rdev = vpmu_device_number(file, cpu);
	st->st_size = file == VPMU_FILE_CONFIG ? VPMU_CONFIG_BYTES : 0;
	st->st_nlink = 1;
	st->st_uid = vpmu_device_owner(file);
	st->st_gid = vpmu_device_group(file);
}

static void fill_statx(enum vpmu_file file, uint32_t cpu, struct statx *st)
{
	dev_t device = vpmu_device_number(file, cpu);

	st->stx_mode = (uint16_t)vpmu_device_mode(file);
	st->stx_rdev_major = major(device);
	st->stx_rdev_minor = minor(device);
	st->stx_size = file == VPMU_FILE_CONFIG ? VPMU_CONFIG_BYTES : 0;
	st->stx_nlink = 1;
	st->stx_uid = vpmu_device_owner(file);
	st->stx_gid = vpmu_device_group(file);
}

void vpmu_status_fill(enum vpmu_file file, uint32_t cpu, void *at, bool extended)
{
	if (extended)
		fill_statx(file, cpu, at);
	else
		fill_stat(file, cpu, at);
}
