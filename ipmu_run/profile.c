/* SPDX-License-Identifier: MIT */
/* Profiles of a run: profile_begin() makes a folder in which each process image of the program has
 * a file while it runs, whole at any moment, and profile_collect() reads them by `vpmu profile`
 * after the run. Passes are apart: their files get names with the pass. The kinds of occurrences in
 * the files become counts of the events by weights (trial.c), and instructions are counted in
 * addition, always. */
#include "profile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../measure/counting/virtual.h"
#include "../measure/profile/callgrind.h"
#include "../measure/profile/tables.h"
#include "helper.h"
#include "own_name.h"
#include "private_folder.h"

#define FOLDER "ipmu-profiles"
#define ENDING ".vpmu-profile"
#define INSTRUCTIONS "Ir"	/* Callgrind's name of them */
#define WHERE_SOURCES 100	/* lines of each event whose text is read */
#define INSTRUCTION_KIND "CORE.INSTRUCTIONS"

struct profiling {
	const struct choice *choice;
	struct company company;
	const struct company *with;
	char folder[PATH_MAX];
	int fd;				/* of the folder, locked while this process lives */
	int pass;
	bool windowed;			/* what is counted begins later than the program */
	int nevents;			/* those of the choice, and instructions */
	const char **events;		/* full names of those of the choice that are tried */
	int *tried, ntried;		/* their numbers in the choice */
	char **columns;			/* names in Callgrind's files */
	struct weights weights;
	struct symbols *symbols;
	struct tables *tables;
};

static int no_memory(void)
{
	return complain(EXIT_CANNOT_COUNT, "no memory");
}

/* ---- events ---- */

/* Qualifiers with which an event counts something else than occurrences, or only part of them. */
static const struct { const char *key, *why; } refused[] = {
	{ "t", "a threshold" }, { "c", "a threshold" }, { "thr", "a threshold" },
	{ "cmpl", "below a threshold" },
	{ "e", "edges" }, { "i", "the opposite of its name" },
	{ "box", "one box" }, { "package", "one package" }, { "cpu", "one CPU" },
};

/* True: the name has the qualifier, with a value or without. A value of 0 switches it off. */
static bool has_qualifier(const char *name, const char *key)
{
	const char *value = event_qualifier(name, key);
	const size_t n = strlen(key);

	if (value)
		return strcmp(key, "box") && strcmp(key, "package") && strcmp(key, "cpu") ?
		       *value != '0' : true;
	for (const char *p = strchr(name, ':'); p; p = strchr(p + 1, ':'))
		if (!strncmp(p + 1, key, n) && (!p[n + 1] || p[n + 1] == ':'))
			return true;
	return false;
}

/* Returns what the event counts instead of occurrences, and the qualifier; NULL: occurrences. */
static const char *counts_otherwise(const char *name, const char **key)
{
	for (size_t k = 0; k < sizeof(refused) / sizeof(refused[0]); k++)
		if (has_qualifier(name, refused[k].key)) {
			*key = refused[k].key;
			return refused[k].why;
		}
	return NULL;
}

/* A group may have such an event beside others. */
int profile_check(const struct choice *c)
{
	for (int g = 0; g < c->nreport; g++)
		for (int i = 0; !c->report[g].group && i < c->report[g].nevents; i++) {
			const struct event *e = &c->events[c->report[g].events[i]];
			const char *key, *why = counts_otherwise(e->name, &key);

			if (why)
				return complain(EXIT_USAGE, "--profile: %s counts %s, so no "
						"instruction has a share of it; leave out %s=, or "
						"the event", e->given, why, key);
		}
	return 0;
}

/* The event without its PMU, in letters that Callgrind's format permits; another one that is equal
 * gets a number. */
static char *column_name(const struct profiling *p, int event)
{
	const char *name = p->choice->events[event].name, *colons = strstr(name, ":::");
	const char *dot;
	char *out;
	int twins = 0;

	name = colons ? colons + 3 : name;
	dot = strchr(name, '.');
	if (asprintf(&out, "%s", dot ? dot + 1 : name) < 0)
		return NULL;
	for (char *c = out; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *c))
			*c = '_';
	for (int i = 0; i < event; i++)
		twins += !strcmp(p->columns[i], out);
	if (twins) {
		char *numbered;

		if (asprintf(&numbered, "%s_%d", out, twins + 1) < 0)
			numbered = NULL;
		free(out);
		out = numbered;
	}
	return out;
}

static bool name_events(struct profiling *p)
{
	const int n = p->choice->nevents;

	p->nevents = n + 1;
	p->events = calloc((size_t)n + 1, sizeof(*p->events));
	p->tried = calloc((size_t)n + 1, sizeof(*p->tried));
	p->columns = calloc((size_t)n + 2, sizeof(*p->columns));
	if (!p->events || !p->tried || !p->columns)
		return false;
	for (int i = 0; i < n; i++) {
		const char *key;

		p->columns[i] = column_name(p, i);
		if (!p->columns[i])
			return false;
		if (counts_otherwise(p->choice->events[i].name, &key))
			continue;
		p->events[p->ntried] = p->choice->events[i].name;
		p->tried[p->ntried++] = i;
	}
	p->weights.nevents = p->ntried;
	return (p->columns[n] = strdup(INSTRUCTIONS)) != NULL;
}

/* ---- the folder ---- */

static void empty_folder(int fd)
{
	DIR *d = fdopendir(fcntl(fd, F_DUPFD_CLOEXEC, 0));
	const struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		if (*e->d_name != '.')
			unlinkat(fd, e->d_name, 0);
	if (d)
		closedir(d);
}

/* A killed ipmu-run holds no lock any more. */
static void remove_stale(const char *parent)
{
	DIR *d = opendir(parent);
	const struct dirent *e;

	while (d && (e = readdir(d)) != NULL) {
		int fd = *e->d_name == '.' ? -1 :
			 openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
				O_CLOEXEC);

		if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB)) {
			empty_folder(fd);
			unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
		}
		if (fd >= 0)
			close(fd);
	}
	if (d)
		closedir(d);
}

/* In memory, where a profile need not be written to a disk. 0 or a negative errno. */
static int make_folder(struct profiling *p)
{
	const char *tmp = getenv("TMPDIR");
	const char *const parents[] = { "/dev/shm", tmp && *tmp == '/' ? tmp : "/tmp" };
	char parent[PATH_MAX - 32];
	int rc = -ENOENT;

	for (size_t i = 0; i < 2 && rc; i++)
		rc = access(parents[i], W_OK | X_OK) ? -errno :
		     private_folder(parents[i], FOLDER, 0700, parent, sizeof(parent));
	if (rc)
		return rc;
	remove_stale(parent);
	snprintf(p->folder, sizeof(p->folder), "%s/%d-XXXXXX", parent, (int)getpid());
	if (!mkdtemp(p->folder))
		return -errno;
	p->fd = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return p->fd < 0 || flock(p->fd, LOCK_EX | LOCK_NB) ? -errno : 0;
}

/* ---- passes ---- */

/* Files of this pass get its number in front: "p0-PID.IMAGE.vpmu-profile". */
static void rename_files(const struct profiling *p)
{
	DIR *d = opendir(p->folder);
	const struct dirent *e;

	while (d && (e = readdir(d)) != NULL) {
		char name[NAME_MAX + 16];

		if (*e->d_name < '0' || *e->d_name > '9')
			continue;
		snprintf(name, sizeof(name), "p%d-%s", p->pass, e->d_name);
		renameat(p->fd, e->d_name, p->fd, name);
	}
	if (d)
		closedir(d);
}

static void begin_pass(void *arg)
{
	const struct profiling *p = arg;

	if (!p->windowed)
		virtual_pause(false);
	if (p->with)
		p->with->begin(p->with->arg);
}

/* Programs that outlive the counted one are in no count. */
static void end_pass(void *arg, const struct program *program, int status, uint64_t *ns)
{
	struct profiling *p = arg;

	if (p->with)
		p->with->end(p->with->arg, program, status, ns);
	virtual_pause(true);
	rename_files(p);
	p->pass++;
}

int profile_begin(const struct options *o, const struct choice *c, const struct company *with,
		  struct profiling **out)
{
	struct profiling *p = calloc(1, sizeof(*p));
	int rc;

	*out = p;
	if (!p)
		return no_memory();
	p->choice = c;
	p->with = with;
	p->windowed = o->from_mpi_init || o->only_regions;
	p->fd = -1;
	p->company = (struct company){ begin_pass, end_pass, p };
	p->symbols = symbols_open();
	if (!p->symbols || !name_events(p) || !(p->tables = tables_begin(p->symbols, p->nevents)))
		return no_memory();
	rc = make_folder(p);
	if (rc)
		return complain(EXIT_CANNOT_COUNT, "--profile: cannot make a folder in /dev/shm or "
				"TMPDIR: %s", strerror(-rc));
	virtual_profile(p->folder, o->data);
	return 0;
}

const struct company *profile_company(const struct profiling *p)
{
	return &p->company;
}

/* ---- a process image ---- */

struct profiled {
	struct profiling *p;
	const char *prefix;		/* NULL: no files in Callgrind's format */
	char path[PATH_MAX];
	int pass;
	struct profile profile;
	struct place *places;
	int64_t *costs;
	struct weights weights;		/* those of the events, and instructions */
	bool *wanted;
};

/* 0, or an exit status after a complaint. */
static int profiled_read(struct profiled *i)
{
	const char *const argv[] = { "vpmu", "profile", i->path, NULL };
	struct helper h = { .in = -1 };
	char why[PROFILE_WHY_MAX], failed[PROFILE_WHY_MAX];
	int pipe_fd[2], rc, ended;
	FILE *f;

	if (pipe2(pipe_fd, O_CLOEXEC))
		return complain(EXIT_CANNOT_COUNT, "cannot make a pipe: %s", strerror(errno));
	h.out = pipe_fd[1];
	helper_start(&h, argv);
	close(pipe_fd[1]);
	f = fdopen(pipe_fd[0], "r");
	rc = f ? profile_read(f, &i->profile, why) : -ENOMEM;
	if (f)
		fclose(f);
	ended = helper_wait(&h, failed, sizeof(failed));
	if (!rc && !ended)
		return 0;
	return complain(EXIT_CANNOT_COUNT, "cannot read a profile: %s", rc ? why : failed);
}

/* The events' weights with a last one for instructions. 0 or -ENOMEM. */
static int add_instructions(struct profiled *i)
{
	const struct weights *of = &i->p->weights;

	i->weights.nevents = i->p->nevents;
	for (size_t k = 0; k < of->nkinds; k++) {
		const char *name = of->kinds[k].name;
		int64_t *row = weights_add(&i->weights, name);

		if (!row)
			return -ENOMEM;
		for (int e = 0; e < of->nevents; e++)
			row[i->p->tried[e]] = of->kinds[k].of[e];
		if (!strcmp(name, INSTRUCTION_KIND) || !strcmp(name, "E_" INSTRUCTION_KIND))
			row[i->p->nevents - 1] = WEIGHTS_SCALE;
	}
	return 0;
}

/* An event is counted in the first pass that has it, and instructions in the first of all. */
static bool choose_events(struct profiled *i, const struct measurement *m)
{
	const int n = i->p->nevents - 1;

	i->wanted = calloc((size_t)n + 1, sizeof(*i->wanted));
	for (int e = 0; i->wanted && e < n; e++)
		i->wanted[e] = measure_pass(m, e) == i->pass;
	if (i->wanted)
		i->wanted[n] = !i->pass;
	return i->wanted;
}

/* Costs below 0 are none of Callgrind's format, and an event of another pass would be 0. */
static bool is_written(const struct profiled *i, int event)
{
	const size_t n = (size_t)i->p->nevents;

	for (size_t s = 0; s < i->profile.nspots; s++)
		if (i->costs[s * n + (size_t)event] < 0)
			return false;
	return i->wanted[event];
}

static int write_columns(struct profiled *i, FILE *f)
{
	const int n = i->p->nevents;
	const char **columns = calloc((size_t)n + 1, sizeof(*columns));
	int rc;

	for (int e = 0; columns && e < n; e++)
		columns[e] = is_written(i, e) ? i->p->columns[e] : NULL;
	rc = columns ? callgrind_write(f, &i->profile, i->places, i->costs, &i->weights, columns) :
		       -ENOMEM;
	free(columns);
	return rc;
}

/* PREFIX.callgrind.PID, also for a program that another one of this process executes, and for
 * another pass: behind the number stands which. */
static int write_callgrind(struct profiled *i)
{
	char more[32] = "", *path = NULL;
	struct new_file file = { .f = NULL };
	const char *wrong;
	int rc;

	if (!i->prefix)
		return 0;
	if (i->profile.image || i->pass)
		snprintf(more, sizeof(more), ".%d", i->profile.image);
	if (asprintf(&path, "%s.callgrind.%ld%s", i->prefix, i->profile.pid, more) < 0)
		return no_memory();
	wrong = own_name_wrong(path, OWN_CALLGRIND, geteuid());
	if (wrong) {
		rc = complain(EXIT_CANNOT_COUNT, "cannot write %s: %s; remove or rename it", path,
			      wrong);
		free(path);
		return rc;
	}
	rc = new_file_open(&file, path, 0666);
	if (!rc)
		rc = write_columns(i, file.f);
	if (!rc)
		rc = new_file_publish(&file);
	new_file_drop(&file);
	if (rc)
		rc = complain(EXIT_CANNOT_COUNT, "cannot write %s: %s", path, strerror(-rc));
	free(path);
	return rc;
}

static int profiled_add(struct profiled *i, const struct measurement *m)
{
	struct profiling *p = i->p;
	int rc = trial_weights(i->profile.machine ? i->profile.machine : "", p->events,
			       &i->profile, &p->weights);

	if (rc)
		return rc;
	i->places = calloc(i->profile.nspots + 1, sizeof(*i->places));
	if (!i->places || !choose_events(i, m) || add_instructions(i) ||
	    symbols_find(p->symbols, &i->profile, i->places) ||
	    !(i->costs = weights_costs(&i->weights, &i->profile, i->wanted)) ||
	    tables_add(p->tables, &i->profile, i->places, i->costs, &i->weights, i->wanted))
		return no_memory();
	return write_callgrind(i);
}

static int profiled_collect(struct profiling *p, const struct measurement *m, const char *prefix,
			 const char *name)
{
	struct profiled *i = calloc(1, sizeof(*i));
	int rc;

	if (!i)
		return no_memory();
	i->p = p;
	i->prefix = prefix;
	i->pass = atoi(name + 1);
	snprintf(i->path, sizeof(i->path), "%.3800s/%.255s", p->folder, name);
	rc = profiled_read(i);
	if (!rc)
		rc = profiled_add(i, m);
	profile_free(&i->profile);
	weights_free(&i->weights);
	free(i->places);
	free(i->costs);
	free(i->wanted);
	free(i);
	return rc;
}

/* ---- the end ---- */

static int is_profile(const struct dirent *e)
{
	size_t n = strlen(e->d_name), ending = strlen(ENDING);

	return *e->d_name == 'p' && n > ending && !strcmp(e->d_name + n - ending, ENDING);
}

/* Files of an earlier run with this prefix would be read with those of this one. */
static void remove_old(const char *prefix)
{
	const char *slash = strrchr(prefix, '/'), *base = slash ? slash + 1 : prefix;
	char *folder = slash ? strndup(prefix, (size_t)(base - prefix)) : strdup("."), *start;
	DIR *d = folder ? opendir(folder) : NULL;
	const struct dirent *e;

	if (asprintf(&start, "%s.callgrind.", base) < 0)
		start = NULL;
	while (d && start && (e = readdir(d)) != NULL) {
		char path[PATH_MAX];

		if (strncmp(e->d_name, start, strlen(start)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (!own_name_wrong(path, OWN_CALLGRIND, geteuid()))
			unlink(path);
	}
	if (d)
		closedir(d);
	free(start);
	free(folder);
}

enum cause { NOT_CAUSED, CAUSED, HALVED };

/* How kinds of occurrences add to the event: in whole numbers, by halves, or not at all. */
static enum cause cause_of(const struct profiling *p, int tried)
{
	enum cause cause = NOT_CAUSED;

	for (size_t k = 0; k < p->weights.nkinds; k++) {
		const int64_t weight = p->weights.kinds[k].of[tried];

		if (*p->weights.kinds[k].name == '(' || !weight)
			continue;
		if (weight % WEIGHTS_SCALE)
			return HALVED;
		cause = CAUSED;
	}
	return cause;
}

/* Clocks, and events with thresholds or the like. */
static void set_apart(struct profiling *p)
{
	const int64_t *time = weights_row(&p->weights, WEIGHTS_TIME);
	const int64_t *uneven = weights_row(&p->weights, WEIGHTS_UNEVEN);

	for (int e = 0; e < p->choice->nevents; e++) {
		const char *key, *why = counts_otherwise(p->choice->events[e].name, &key);

		if (why)
			tables_set_apart(p->tables, e, why);
	}
	for (int e = 0; e < p->ntried; e++)
		if (uneven && uneven[e])
			tables_set_apart(p->tables, p->tried[e], "not each occurrence");
		else if (cause_of(p, e) == HALVED)
			tables_set_halved(p->tables, p->tried[e]);
		else if (time && time[e] && cause_of(p, e) == NOT_CAUSED)
			tables_set_apart(p->tables, p->tried[e], WHERE_TIME);
}

int profile_collect(struct profiling *p, const struct measurement *m, const char *prefix,
		    const struct where **where)
{
	struct dirent **names = NULL;
	int n = scandir(p->folder, &names, is_profile, versionsort), rc = 0;

	if (prefix)
		remove_old(prefix);
	for (int i = 0; i < n; i++) {
		if (!rc)
			rc = profiled_collect(p, m, prefix, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	set_apart(p);
	if (!rc && !(*where = tables_end(p->tables, WHERE_SOURCES)))
		rc = no_memory();
	return rc;
}

void profile_end(struct profiling *p)
{
	if (!p)
		return;
	virtual_pause(false);
	if (p->fd >= 0) {
		empty_folder(p->fd);
		rmdir(p->folder);
		close(p->fd);
	}
	tables_free(p->tables);
	symbols_close(p->symbols);
	weights_free(&p->weights);
	for (int i = 0; p->columns && i < p->nevents; i++)
		free(p->columns[i]);
	free(p->columns);
	free(p->events);
	free(p->tried);
	free(p);
}
