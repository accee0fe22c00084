/* SPDX-License-Identifier: MIT */
/* Finds group files: groups_find() and groups_free(). The user's folder is searched before the
 * installed one, so its groups replace installed ones of the same PMU and name. A bad file is
 * reported and skipped; the others are still found. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beside.h"
#include "find.h"

#define INSTALLED IPMU_BIN_TO_SHARE "/ipmu/groups"

struct search {
	const char *pmu, *name;		/* NULL: any */
	size_t pmu_bytes;
	struct group_list *list;
	void (*bad)(const char *why);
	int nbad;
};

/* $XDG_CONFIG_HOME has to be absolute, or it is as if it were not there. */
static bool user_folder(char out[PATH_MAX])
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config == '/')
		return snprintf(out, PATH_MAX, "%s/ipmu/groups", config) < PATH_MAX;
	return home && *home == '/' &&
	       snprintf(out, PATH_MAX, "%s/.config/ipmu/groups", home) < PATH_MAX;
}

static void search_bad(struct search *s, const char *why)
{
	if (s->bad)
		s->bad(why);
	s->nbad++;
}

static bool is_listed(const struct group_list *list, const char *pmu, const char *name)
{
	for (int i = 0; i < list->n; i++)
		if (group_is(list->groups[i], pmu, name))
			return true;
	return false;
}

static int add(struct group_list *list, struct group *g)
{
	struct group **more = realloc(list->groups, (size_t)(list->n + 1) * sizeof(*more));

	if (!more) {
		group_free(g);
		return -ENOMEM;
	}
	list->groups = more;
	list->groups[list->n++] = g;
	return 0;
}

/* A pipe or a device would have us wait for ever. */
static FILE *open_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	FILE *f;

	if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode)) {
		close(fd);
		errno = EINVAL;
		return NULL;
	}
	f = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

static int load(struct search *s, const char *path)
{
	char why[GROUP_WHY_MAX];
	struct group *g;
	FILE *f = open_text(path);
	int rc;

	if (!f) {
		snprintf(why, sizeof(why), "%.200s: %s", path, strerror(errno));
		search_bad(s, why);
		return 0;
	}
	rc = group_read(f, path, &g, why);
	fclose(f);
	if (!rc)
		return add(s->list, g);
	if (rc == -ENOMEM)
		return rc;
	search_bad(s, why);
	return 0;
}

static int visible(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && e->d_name[n - 1] != '~';
}

/* A folder that is not there, or not ours to read, has no groups. One that cannot be read for want
 * of descriptors or memory may have the one that is asked for. */
static int list_folder(struct search *s, const char *path, struct dirent ***names)
{
	char why[GROUP_WHY_MAX];
	int n = scandir(path, names, visible, alphasort);

	if (n >= 0 || errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP)
		return n;
	snprintf(why, sizeof(why), "%.200s: cannot be read: %s", path, strerror(errno));
	search_bad(s, why);
	return n;
}

static int search_pmu(struct search *s, const char *folder, const char *pmu)
{
	char path[PATH_MAX];
	struct dirent **names;
	int n, rc = 0;

	if (s->pmu && (strlen(pmu) != s->pmu_bytes || strncmp(pmu, s->pmu, s->pmu_bytes)))
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s", folder, pmu) >= (int)sizeof(path))
		return 0;
	n = list_folder(s, path, &names);
	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;

		if (!rc && (!s->name || !strcmp(s->name, name)) && !is_listed(s->list, pmu, name) &&
		    snprintf(path, sizeof(path), "%s/%s/%s", folder, pmu, name) < (int)sizeof(path))
			rc = load(s, path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return rc;
}

static int search_folder(struct search *s, const char *folder)
{
	struct dirent **names;
	int n = list_folder(s, folder, &names), rc = 0;

	for (int i = 0; i < n; i++) {
		if (!rc)
			rc = search_pmu(s, folder, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return rc;
}

int groups_find(const char *name, struct group_list *list, void (*bad)(const char *why))
{
	const char *slash = name ? strchr(name, '/') : NULL;
	struct search s = { .pmu = slash ? name : NULL, .name = slash ? slash + 1 : name,
			    .pmu_bytes = slash ? (size_t)(slash - name) : 0, .list = list,
			    .bad = bad };
	char folder[PATH_MAX];
	int rc = 0;

	if (user_folder(folder))
		rc = search_folder(&s, folder);
	if (!rc && beside_program(INSTALLED, folder))
		rc = search_folder(&s, folder);
	return rc ? rc : s.nbad;
}

void groups_free(struct group_list *list)
{
	for (int i = 0; i < list->n; i++)
		group_free(list->groups[i]);
	free(list->groups);
	*list = (struct group_list){ 0 };
}
