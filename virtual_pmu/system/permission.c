/* SPDX-License-Identifier: MIT */
/* Owner, mode and permissions of the device files. vpmu_device_permission() decides about an
 * opening, as the kernel and its drivers do; vpmu_device_mode() and the like return what stat()
 * shows. They read the machine's settings and the process's ids, and need no lock. A machine
 * without such settings lets everybody open everything. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../machine/kernel.h"
#include "devices.h"
#include "system.h"

#define MSR_MAJOR 202		/* Linux's number for the msr driver */
#define CPUID_MAJOR 203
#define MISC_MAJOR 10
#define MISC_DYNAMIC 255	/* the first of those given out */
#define SAFE_MAJOR 234		/* one of those for modules without a fixed number */

static const struct vpmu_devices *devices(void)
{
	return &vpmu_system.segment->devices;
}

static bool is_msr(enum vpmu_file file)
{
	return file == VPMU_FILE_MSR || file == VPMU_FILE_SAFE || file == VPMU_FILE_BATCH;
}

mode_t vpmu_device_mode(enum vpmu_file file)
{
	switch (file) {
	case VPMU_DESCRIPTION:		/* /dev/cpu and what is below it */
		return S_IFDIR | 0755;
	case VPMU_FILE_CONFIG:
		return S_IFREG | 0644;
	case VPMU_FILE_MEM:
		return S_IFCHR | 0600;
	case VPMU_FILE_CPUID:
		return S_IFCHR | 0444;
	case VPMU_FILE_OUTSIDE:
		return S_IFCHR | 0666;
	default:
		return S_IFCHR | (devices()->owned ? (mode_t)devices()->mode : 0600);
	}
}

dev_t vpmu_device_number(enum vpmu_file file, uint32_t cpu)
{
	switch (file) {
	case VPMU_FILE_MSR:
		return makedev(MSR_MAJOR, cpu);
	case VPMU_FILE_CPUID:
		return makedev(CPUID_MAJOR, cpu);
	case VPMU_FILE_SAFE:
		return makedev(SAFE_MAJOR, cpu);
	case VPMU_FILE_BATCH:
		return makedev(SAFE_MAJOR + 1, 0);
	case VPMU_FILE_MEM:
		return makedev(1, 1);
	case VPMU_FILE_OUTSIDE:
		return makedev(MISC_MAJOR, MISC_DYNAMIC);
	default:
		return 0;
	}
}

/* Linux assigns one of these to a module that requests any number. */
static bool is_given_out(unsigned int number)
{
	return (number >= 234 && number <= 254) || (number >= 384 && number <= 511);
}

/* Stores the driver that the host has for this number, as /proc/devices names it: "" for none. */
static void name_driver(unsigned int number, char name[32])
{
	int fd = (int)vpmu_syscall(SYS_open, "/proc/devices", O_RDONLY | O_CLOEXEC);
	char text[8192], line[48];
	const char *at = NULL;
	long n = 0;

	name[0] = '\0';
	if (fd < 0)
		return;
	n = vpmu_syscall(SYS_read, fd, text, sizeof(text) - 1);
	vpmu_syscall(SYS_close, fd);
	text[n > 0 ? n : 0] = '\0';
	if (strstr(text, "\nBlock devices:"))
		*strstr(text, "\nBlock devices:") = '\0';
	snprintf(line, sizeof(line), "\n%3u ", number);
	at = strstr(text, line);
	if (at)
		snprintf(name, 32, "%.*s", (int)strcspn(at + strlen(line), "\n"),
			 at + strlen(line));
}

/* The drivers of msr-safe. Its allowlist is a device of the host's as well. */
static enum vpmu_file safe_numbered(unsigned int number)
{
	char name[32];

	name_driver(number, name);
	if (strncmp(name, "cpu/msr", strlen("cpu/msr")))
		return VPMU_HOSTS;
	if (devices()->msr_safe && !strcmp(name, "cpu/msr_safe"))
		return VPMU_FILE_SAFE;
	return devices()->msr_safe && !strcmp(name, "cpu/msr_batch") ? VPMU_FILE_BATCH :
								       VPMU_HIDDEN;
}

enum vpmu_file vpmu_device_numbered(dev_t number, uint32_t *cpu)
{
	unsigned int driver = major(number);
	enum vpmu_file file;

	*cpu = 0;
	if (number == makedev(1, 1))
		return VPMU_FILE_MEM;
	file = driver == MSR_MAJOR ? VPMU_FILE_MSR : driver == CPUID_MAJOR ? VPMU_FILE_CPUID :
	       is_given_out(driver) ? safe_numbered(driver) : VPMU_HOSTS;
	if (file == VPMU_HOSTS || file == VPMU_HIDDEN || file == VPMU_FILE_BATCH)
		return file;
	*cpu = minor(number);
	return *cpu < vpmu_machine_cpus(&vpmu_system.segment->machine) ? file : VPMU_NO_CPU;
}

uid_t vpmu_device_owner(enum vpmu_file file)
{
	return !devices()->owned ? geteuid() : is_msr(file) ? (uid_t)devices()->uid : 0;
}

gid_t vpmu_device_group(enum vpmu_file file)
{
	return !devices()->owned ? getegid() : is_msr(file) ? (gid_t)devices()->gid : 0;
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

bool vpmu_unprivileged(void)
{
	return devices()->owned && geteuid() != 0;
}

int vpmu_opening_wants(int flags)
{
	switch (flags & O_ACCMODE) {
	case O_RDONLY:
		return R_OK;
	case O_WRONLY:
		return W_OK;
	default:
		return R_OK | W_OK;
	}
}

/* With msr-safe only its own devices can be opened, since it replaces the plain ones. */
int vpmu_device_permission(enum vpmu_file file, int mode)
{
	const struct vpmu_devices *d = devices();
	uint32_t bits = d->mode;

	if (file == VPMU_FILE_MSR && d->msr_safe)
		return -EACCES;
	if (file == VPMU_FILE_CPUID)
		return mode & W_OK && vpmu_unprivileged() ? -EACCES : 0;
	if (!vpmu_unprivileged() || file == VPMU_FILE_CONFIG || file == VPMU_FILE_OUTSIDE)
		return 0;
	if (!is_msr(file))
		return -EACCES;
	if (geteuid() == d->uid)
		bits >>= 6;
	else if (in_group((gid_t)d->gid))
		bits >>= 3;
	return (unsigned)mode & ~bits & 6u ? -EACCES : 0;
}
