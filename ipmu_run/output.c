/* SPDX-License-Identifier: MIT */
/* Files appear whole, and nothing that has their name already is written into. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

/* A page without a picture is said to be, and is as good otherwise. */
static int html(FILE *f, const struct report *r)
{
	struct report_missing missing;
	int rc = report_html(f, r, &missing);

	if (missing.drawing[0])
		complain(0, "the page has no drawing of the machine: %s", missing.drawing);
	if (missing.plots[0])
		complain(0, "the page has no timelines: %s", missing.plots);
	return rc;
}

static const struct {
	const char *ending;
	int (*write)(FILE *f, const struct report *r);
} kinds[OUTPUTS] = {
	{ "csv", report_csv }, { "json", report_json }, { "html", html },
};

static int open_one(struct output *o, int i, const char *prefix)
{
	int fd;

	if (asprintf(&o->path[i], "%s.%s", prefix, kinds[i].ending) < 0 ||
	    asprintf(&o->temporary[i], "%s.%s.%d.tmp", prefix, kinds[i].ending, (int)getpid()) < 0)
		return -ENOMEM;
	unlink(o->temporary[i]);	/* of a dead process that had our number */
	fd = open(o->temporary[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	o->file[i] = fd < 0 ? NULL : fdopen(fd, "w");
	if (o->file[i])
		return 0;
	return -errno;
}

int output_open(struct output *o, const char *prefix)
{
	*o = (struct output){ .file = { NULL } };
	for (int i = 0; prefix && i < OUTPUTS; i++) {
		int rc = open_one(o, i, prefix);

		if (rc) {
			complain(0, "-o: cannot write %s.%s: %s", prefix, kinds[i].ending,
				 strerror(-rc));
			output_drop(o);
			return EXIT_USAGE;
		}
	}
	return 0;
}

int output_write(struct output *o, const struct report *r)
{
	int failed = 0;

	if (!o->file[0])
		return report_text(stderr, r) ? EXIT_CANNOT_COUNT : 0;
	for (int i = 0; i < OUTPUTS; i++) {
		int rc = kinds[i].write(o->file[i], r);

		if (fclose(o->file[i]) && !rc)
			rc = -errno;
		o->file[i] = NULL;
		if (!rc && rename(o->temporary[i], o->path[i]))
			rc = -errno;
		if (rc)
			failed = complain(EXIT_CANNOT_COUNT, "cannot write %s: %s", o->path[i],
					  strerror(-rc));
	}
	return failed;
}

void output_drop(struct output *o)
{
	for (int i = 0; i < OUTPUTS; i++) {
		if (o->file[i])
			fclose(o->file[i]);
		if (o->temporary[i])
			unlink(o->temporary[i]);
		free(o->temporary[i]);
		free(o->path[i]);
	}
	*o = (struct output){ .file = { NULL } };
}
