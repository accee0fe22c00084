/* SPDX-License-Identifier: MIT */
/* Writes the state in which a machine was left as a line of $VPMU_TALLY, for a test run with many
 * machines. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "tool.h"

struct tally_line { char text[400]; size_t used; };

static void add(const struct vpmu_register_info *reg, const struct vpmu_touched *w, uint64_t value,
		void *arg)
{
	struct tally_line *l = arg;
	size_t room = sizeof(l->text) - l->used;
	int n = snprintf(l->text + l->used, room, " %s/%u:0x%llx->0x%llx", reg->name, w->cpu,
			 (unsigned long long)w->before, (unsigned long long)value);

	if (n > 0 && (size_t)n < room - 1)
		l->used += (size_t)n;
	else
		l->text[l->used] = '\0';	/* no room for more names */
}

/* Appends by a single write, so that lines of machines that end together do not mix. */
static void append(const char *path, const char *text, int bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

	if (fd < 0 || write(fd, text, (size_t)bytes) != bytes)
		vpmu_complain("%s: cannot be written: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

void vpmu_tally(const struct vpmu_place *place)
{
	const char *path = getenv("VPMU_TALLY");
	struct vpmu_segment *s = place->segment;
	struct tally_line names = { .used = 0 };
	char text[600];
	uint64_t changed, violations;
	int n;

	if (!path || !*path)
		return;
	vpmu_lock(s);
	changed = vpmu_model_changed(s, add, &names);
	violations = s->violation_count;
	vpmu_unlock(s);
	n = snprintf(text, sizeof(text), "%016llx\t%s\t%llu\t%llu\t%s\n",
		     (unsigned long long)s->born, s->machine.name, (unsigned long long)violations,
		     (unsigned long long)changed, names.text);
	append(path, text, n);
}
