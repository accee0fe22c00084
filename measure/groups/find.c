/* SPDX-License-Identifier: MIT */
/* Finds group files: groups_find() and groups_free(). The user's folder is searched before the
 * installed one, so its groups replace installed ones of the same PMU and name. A bad file is
 * reported and skipped; the others are still found. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beside.h"
#include "find.h"

#define INSTALLED IPMU_BIN_TO_SHARE "/ipmu/groups"
#define PMU_LEVEL 1		/* depth of a PMU's folder, which has the files */

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

/* Is it a folder of the PMU, or in one a file of the name? */
static bool is_wanted(const struct search *s, const FTSENT *e)
{
	const char *name = e->fts_name;
	size_t n = e->fts_namelen;

	if (name[0] == '.' || name[n - 1] == '~')
		return false;
	if (e->fts_level == PMU_LEVEL)
		return !s->pmu || (n == s->pmu_bytes && !strncmp(name, s->pmu, n));
	return (!s->name || !strcmp(name, s->name)) &&
	       !is_listed(s->list, e->fts_parent->fts_name, name);
}

/* A folder that does not exist, or that we may not read, has no groups. If descriptors or memory
 * are missing, an unread folder may have the requested group, so that is an error. */
static void check_folder(struct search *s, const FTSENT *e)
{
	char why[GROUP_WHY_MAX];
	int error = e->fts_errno;

	if ((e->fts_info != FTS_DNR && e->fts_info != FTS_ERR && e->fts_info != FTS_NS) ||
	    error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP)
		return;
	snprintf(why, sizeof(why), "%.200s: cannot be read: %s", e->fts_path, strerror(error));
	search_bad(s, why);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int search_folder(struct search *s, char *folder)
{
	char *const roots[] = { folder, NULL };
	FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	int rc = tree ? 0 : -errno;
	FTSENT *e;

	while (!rc && (e = fts_read(tree))) {
		bool wanted = e->fts_level < PMU_LEVEL || is_wanted(s, e);

		if (e->fts_info == FTS_DP)	/* a folder, once more */
			continue;
		if (!wanted || e->fts_level > PMU_LEVEL)
			fts_set(tree, e, FTS_SKIP);
		if (wanted && e->fts_level > PMU_LEVEL)
			rc = load(s, e->fts_path);
		else if (wanted)
			check_folder(s, e);
	}
	if (tree)
		fts_close(tree);
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
