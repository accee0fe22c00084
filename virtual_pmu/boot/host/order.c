/* SPDX-License-Identifier: MIT */
/* Sends the order to start a program on a booted machine: the caller's environment, folder, user
 * and terminal. vpmu_boot_order() writes it as one frame, which guest/order.c reads; wire.h has its
 * format. vpmu_boot_folder() checks whether the machine can use the working folder itself. */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../wire.h"
#include "host.h"

extern char **environ;

/* Its own on the machine: the host's could not be mounted over it, or would take everything. */
static bool is_shared(const char *folder)
{
	static const char *const own[] = { "/", "/dev", "/run", "/proc", "/sys" };
	static const char *const below[] = { "/proc/", "/sys/" };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(folder, own[i]))
			return false;
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++)
		if (!strncmp(folder, below[i], strlen(below[i])))
			return false;
	return true;
}

bool vpmu_boot_folder(char *out, size_t bytes)
{
	if (!getcwd(out, bytes) || *out != '/')
		snprintf(out, bytes, "/");
	return is_shared(out);
}

/* vpmu's own settings mean nothing inside, where there is a real machine. */
static bool is_ours(const char *setting)
{
	return !strncmp(setting, "VPMU_", 5);
}

static uint32_t write_settings(FILE *out)
{
	uint32_t count = 0;

	for (char **s = environ; *s; s++)
		if (!is_ours(*s)) {
			fwrite(*s, 1, strlen(*s) + 1, out);
			count++;
		}
	return count;
}

static void describe_terminal(struct vpmu_start *start, const bool *terminal)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };

	for (int i = 0; i < VPMU_STREAMS; i++)
		start->terminal[i] = terminal[i];
	start->has_terminal = terminal[0];
	if (!terminal[0])
		return;
	tcgetattr(0, &start->termios);
	ioctl(0, TIOCGWINSZ, &size);
	start->window = (struct vpmu_window){ .rows = size.ws_row, .columns = size.ws_col };
}

static void describe(struct vpmu_start *start, const struct vpmu_boot *boot)
{
	struct timespec now;
	mode_t mask = umask(0);

	umask(mask);
	start->umask = mask;
	if (boot->caller) {
		start->uid = geteuid();
		start->gid = getegid();
	}
	clock_gettime(CLOCK_REALTIME, &now);
	start->seconds = (uint64_t)now.tv_sec;
	start->nanoseconds = (uint64_t)now.tv_nsec;
	if (getrandom(start->random, sizeof(start->random), 0) < 0)
		memset(start->random, 0, sizeof(start->random));
	for (char **word = boot->argv; *word; word++)
		start->words++;
}

static void write_groups(FILE *out, struct vpmu_start *start)
{
	gid_t groups[1024];
	int count = getgroups(1024, groups);

	start->groups = count > 0 ? (uint32_t)count : 0;
	fwrite(groups, sizeof(groups[0]), start->groups, out);
}

static void write_text(FILE *out, const char *text)
{
	fwrite(text, 1, strlen(text) + 1, out);
}

int vpmu_boot_order(const struct vpmu_boot *boot, int control, const bool *terminal)
{
	struct vpmu_start start = { .uid = 0 };
	char folder[PATH_MAX], host[256] = "", *data = NULL;
	size_t bytes;
	FILE *out = open_memstream(&data, &bytes);
	int rc;

	if (!out)
		return -1;
	describe(&start, boot);
	describe_terminal(&start, terminal);
	start.work_is_shared = vpmu_boot_folder(folder, sizeof(folder));
	gethostname(host, sizeof(host) - 1);
	fwrite(&start, sizeof(start), 1, out);
	if (boot->caller)
		write_groups(out, &start);
	write_text(out, host);
	write_text(out, folder);
	for (char **word = boot->argv; *word; word++)
		write_text(out, *word);
	start.settings = write_settings(out);
	rc = fclose(out) ? -1 : 0;
	if (!rc) {
		memcpy(data, &start, sizeof(start));
		rc = vpmu_frame_write(control, VPMU_START, data, bytes);
	}
	free(data);
	return rc;
}
