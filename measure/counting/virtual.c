/* SPDX-License-Identifier: MIT */
#include "virtual.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/descriptor.h"
#include "../../common/machine_device.h"

/* The descriptor of the machine's own device; -1: there is no such machine. It is opened again if
 * the program that this library is in has closed it. */
static int device(void)
{
	static bool none;
	static int fd = -1;
	static uint64_t is;

	if (none || descriptor_is(fd, is))
		return none ? -1 : fd;
	fd = descriptor_move_up(open(MACHINE_DEVICE, O_RDWR | O_CLOEXEC));
	is = descriptor_identity(fd);
	none = fd < 0;
	return fd;
}

bool virtual_is_beside(void)
{
	return device() >= 0;
}

uint64_t virtual_clock_ns(void)
{
	uint64_t ns;

	return virtual_is_beside() && read(device(), &ns, sizeof(ns)) == sizeof(ns) ? ns : 0;
}

void virtual_stop(void)
{
	if (virtual_is_beside())
		ioctl(device(), MACHINE_STOP);
}

void virtual_go(void)
{
	if (virtual_is_beside())
		ioctl(device(), MACHINE_GO);
}

bool virtual_refresh(void)
{
	return virtual_is_beside() && !ioctl(device(), MACHINE_REFRESH);
}

void virtual_count(const char *event)
{
	if (virtual_is_beside() && write(device(), event, strlen(event)) < 0)
		return;		/* the machine does not report it then */
}

bool virtual_is_native(void)
{
	if (!virtual_is_beside() || ioctl(device(), MACHINE_STOP))
		return false;
	ioctl(device(), MACHINE_GO);
	return true;
}

void virtual_only(const char *program)
{
	setenv(MACHINE_ONLY_ENV, program, 1);
}

uint64_t virtual_chosen(void)
{
	uint64_t n = 0;

	return virtual_is_beside() && !ioctl(device(), MACHINE_CHOSEN, &n) ? n : 0;
}

bool virtual_programs(struct machine_programs *out)
{
	return virtual_is_beside() && !ioctl(device(), MACHINE_PROGRAMS, out);
}

bool virtual_raise(const char *kind, int times)
{
	struct machine_occurrence what = { .times = times };

	if (!virtual_is_beside() || strlen(kind) >= sizeof(what.name))
		return false;
	strcpy(what.name, kind);
	return !ioctl(device(), MACHINE_RAISE, &what);
}

static bool profiles;

void virtual_pause(bool on)
{
	uint32_t value = on;

	if (profiles && virtual_is_beside())
		ioctl(device(), MACHINE_PAUSE, &value);
}

void virtual_profile(const char *folder, bool data)
{
	profiles = true;
	virtual_pause(false);
	setenv(MACHINE_PROFILE_ENV, folder, 1);
	if (data)
		setenv(MACHINE_DATA_ENV, "on", 1);
}

bool virtual_seed(uint64_t *out)
{
	return virtual_is_beside() && !ioctl(device(), MACHINE_SEED, out);
}

bool virtual_clock_estimates(void)
{
	uint64_t clock;

	return virtual_is_beside() && !ioctl(device(), MACHINE_CLOCK, &clock) &&
	       clock == MACHINE_CLOCK_ESTIMATE;
}

bool virtual_geometry(char *text, size_t bytes)
{
	struct machine_geometry geometry;

	if (!virtual_is_beside() || ioctl(device(), MACHINE_GEOMETRY, &geometry))
		return false;
	snprintf(text, bytes, "%.*s", (int)sizeof(geometry.text), geometry.text);
	return true;
}
