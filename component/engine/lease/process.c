/* SPDX-License-Identifier: MIT */
#include "process.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
}

struct ipmu_journal_process ipmu_process_self(void)
{
	return (struct ipmu_journal_process){ .pid = (uint32_t)getpid(),
					      .pid_namespace = pid_namespace() };
}

/* Command names may hold any bytes. Unprintable ones are masked, because the text is printed. */
void ipmu_process_name(const struct ipmu_journal_process *process, char text[64])
{
	unsigned pid = process->pid;
	char path[64], name[32];
	ssize_t n;
	int fd;

	if (process->pid_namespace != pid_namespace()) {
		snprintf(text, 64, "%u of another pid namespace", pid);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, name, sizeof(name) - 1);
	if (fd >= 0)
		close(fd);
	name[n > 0 ? n : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	for (char *c = name; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	snprintf(text, 64, *name ? "%u (%s)" : "%u", pid, name);
}
