/* SPDX-License-Identifier: MIT */
/* Writes the report: output_open() before the program runs, output_write() after it, and
 * output_leave() for a node of a job. Text is written to stderr. With -o PREFIX the report is
 * written to files as well, which appear whole and never overwrite a file in place. With -o - it is
 * written to stdout alone, as JSON. --base FILE gets what a comparison needs of it. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "own_name.h"
#include "run.h"

/* A page without a picture is reported, and is as good otherwise. */
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
	enum own_name own;
} kinds[OUTPUTS] = {
	{ "csv", report_csv, OWN_CSV }, { "json", report_json, OWN_JSON },
	{ "html", html, OWN_HTML },
};

static int open_one(struct output *o, int i, const char *prefix)
{
	char *path;
	int rc;

	if (asprintf(&path, "%s.%s", prefix, kinds[i].ending) < 0)
		return -ENOMEM;
	rc = new_file_open(&o->file[i], path, 0666);
	free(path);
	return rc;
}

static int open_base(struct output *o, const char *base)
{
	int rc = base ? new_file_open(&o->base, base, 0666) : 0;

	if (!rc)
		return 0;
	complain(0, "--base: cannot write %s: %s", base, strerror(-rc));
	output_drop(o);
	return EXIT_USAGE;
}

int output_check_node(const char *prefix)
{
	int rc = 0;

	for (int i = 0; i < OUTPUTS && !rc; i++) {
		const char *wrong = "no memory";
		char *path;

		if (asprintf(&path, "%s.%s", prefix, kinds[i].ending) < 0)
			path = NULL;
		else
			wrong = own_name_wrong(path, kinds[i].own, geteuid());
		if (wrong)
			rc = complain(EXIT_USAGE, "%s: the report of this node needs this name: "
				      "%s; move it away, or choose another PREFIX",
				      path ? path : prefix, wrong);
		free(path);
	}
	return rc;
}

/* FNV-1a. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}

/* A name of a socket that is no file: the kernel keeps it while the process lives. Returns a
 * descriptor, or -1; errno EADDRINUSE: a process has the name. */
static int claim_name(const struct stat *folder, const char *base)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int n = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
			 "ipmu-run-%u-%llx-%llx-%llx", (unsigned int)geteuid(),
			 (unsigned long long)folder->st_dev, (unsigned long long)folder->st_ino,
			 (unsigned long long)hash_text(base));
	socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) + (socklen_t)n;
	int error;

	if (fd < 0 || !bind(fd, (struct sockaddr *)&name, bytes))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* Two processes that write the same files do not see each other's: these get their names at the
 * end. The second one prints a notice. */
static int claim_prefix(const char *prefix)
{
	const char *slash = strrchr(prefix, '/'), *base = slash ? slash + 1 : prefix;
	char *folder = slash ? strndup(prefix, (size_t)(base - prefix)) : strdup(".");
	struct stat st;
	int fd = -1;

	errno = 0;
	if (folder && !stat(folder, &st))
		fd = claim_name(&st, base);
	if (errno == EADDRINUSE)
		complain(0, "-o %s: another ipmu-run that has not ended writes the same files: "
			 "those of the one that ends last stay", prefix);
	free(folder);
	return fd;
}

int output_open(struct output *o, const char *prefix, const char *base)
{
	*o = (struct output){ .to_stdout = prefix && !strcmp(prefix, "-"), .claim = -1 };
	o->to_files = prefix && !o->to_stdout;
	for (int i = 0; o->to_files && i < OUTPUTS; i++) {
		int rc = open_one(o, i, prefix);

		if (rc) {
			complain(0, "-o: cannot write %s.%s: %s", prefix, kinds[i].ending,
				 strerror(-rc));
			output_drop(o);
			return EXIT_USAGE;
		}
	}
	if (o->to_files)
		o->claim = claim_prefix(prefix);
	return open_base(o, base);
}

static int write_interim(struct output *o, int i, const char *path, const struct report *r)
{
	int rc;

	if (kinds[i].write == html)	/* no old page stays beside them */
		return unlink(path) && errno != ENOENT ? -errno : 0;
	rc = kinds[i].write(o->file[i].f, r);
	if (!rc)
		rc = new_file_publish(&o->file[i]);
	new_file_drop(&o->file[i]);
	return rc ? rc : new_file_open(&o->file[i], path, 0666);
}

int output_interim(struct output *o, const struct report *r)
{
	int failed = 0;

	for (int i = 0; o->to_files && i < OUTPUTS; i++) {
		char *path = o->file[i].f ? strdup(o->file[i].path) : NULL;
		int rc = path ? write_interim(o, i, path, r) : -ENOMEM;

		if (rc)
			failed = complain(EXIT_CANNOT_COUNT, "cannot write %s: %s",
					  path ? path : "", strerror(-rc));
		free(path);
	}
	return failed;
}

static int show_text(const struct report *r)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	int rc = f ? report_text(f, r) : -ENOMEM;

	if (f && fclose(f) && !rc)
		rc = -ENOMEM;
	if (!rc) {
		shown_write(stderr, text, bytes);
		rc = report_flush(stderr);
	}
	free(text);
	return rc;
}

static int write_files(struct output *o, const struct report *r)
{
	const char *written[OUTPUTS];
	int failed = 0, n = 0;

	for (int i = 0; i < OUTPUTS; i++) {
		int rc;

		if (!o->file[i].f) {	/* an interim report failed, as was reported */
			failed = EXIT_CANNOT_COUNT;
			continue;
		}
		rc = kinds[i].write(o->file[i].f, r);
		if (!rc)
			rc = new_file_publish(&o->file[i]);
		if (rc)
			failed = complain(EXIT_CANNOT_COUNT, "cannot write %s: %s",
					  o->file[i].path, strerror(-rc));
		else
			written[n++] = o->file[i].path;
	}
	for (int i = 0; i < n; i++) {
		fputs(i ? ", " : "  written: ", stderr);
		shown_write(stderr, written[i], strlen(written[i]));
	}
	if (n)
		fputc('\n', stderr);
	return failed;
}

int output_leave(const char *prefix, const struct report *r, bool all)
{
	struct output o = { .claim = -1 };
	int failed = 0;

	for (int i = 0; i < OUTPUTS && !failed; i++) {
		int rc = all || kinds[i].write == report_json ? open_one(&o, i, prefix) : 0;

		if (!rc && o.file[i].f)
			rc = kinds[i].write(o.file[i].f, r);
		if (!rc && o.file[i].f)
			rc = new_file_publish(&o.file[i]);
		if (rc)
			failed = complain(EXIT_CANNOT_COUNT, "cannot write %s.%s: %s", prefix,
					  kinds[i].ending, strerror(-rc));
	}
	output_drop(&o);
	return failed;
}

/* A full disk behind stdout is reported in the end, with whatever else was written there. */
static int write_stdout(const struct report *r)
{
	int rc = report_json(stdout, r);

	if (!rc || ferror(stdout))
		return 0;
	return complain(EXIT_CANNOT_COUNT, "cannot write the report: %s", strerror(-rc));
}

static int write_base(struct output *o, const struct report *r)
{
	char why[SAVED_WHY_MAX];
	struct saved saved;
	int rc;

	if (saved_of("this run", r, &saved, why))
		return complain(EXIT_CANNOT_COUNT, "cannot write %s: %s", o->base.path, why);
	rc = saved_write_base(o->base.f, &saved);
	if (!rc)
		rc = new_file_publish(&o->base);
	saved_free(&saved);
	return rc ? complain(EXIT_CANNOT_COUNT, "cannot write %s: %s", o->base.path,
			     strerror(-rc)) : 0;
}

int output_write(struct output *o, const struct report *r)
{
	int rc = o->base.f ? write_base(o, r) : 0;

	if (o->to_stdout)
		return write_stdout(r) ? EXIT_CANNOT_COUNT : rc;
	rc = show_text(r) ? EXIT_CANNOT_COUNT : rc;
	return o->to_files && write_files(o, r) ? EXIT_CANNOT_COUNT : rc;
}

void output_drop(struct output *o)
{
	new_file_drop(&o->base);
	if (o->claim >= 0)
		close(o->claim);
	for (int i = 0; i < OUTPUTS; i++)
		new_file_drop(&o->file[i]);
}
