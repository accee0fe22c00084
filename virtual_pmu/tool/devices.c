/* SPDX-License-Identifier: MIT */
/* The device files of a machine: their owner and permissions, and msr-safe's allowlist.
 * vpmu_devices_parse() reads the options and the allowlist's file, vpmu_devices_set() puts the
 * result into the segment under the machine lock. Parsing ends before a segment exists, so a wrong
 * list leaves nothing behind. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

#define ALLOWLIST_BYTES (128 * 1024)	/* what the module takes */

/* Up to `end`: past white space and comments. */
static const char *skip(const char *at)
{
	for (;;) {
		while (isspace((unsigned char)*at))
			at++;
		if (*at != '#')
			return at;
		at += strcspn(at, "\n");
	}
}

static bool take_number(const char **at, uint64_t *value)
{
	const char *start = *at;
	char *end;

	while (isspace((unsigned char)*start))
		start++;
	errno = 0;
	*value = strtoull(start, &end, 0);
	if (errno || end == start || *start == '-' || (*end && !isspace((unsigned char)*end)))
		return false;
	*at = end;
	return true;
}

static bool listed(const struct vpmu_devices *d, uint64_t address)
{
	for (uint32_t i = 0; i < d->allowed_count; i++)
		if (d->allowed[i].address == address)
			return true;
	return false;
}

static unsigned int line_of(const char *text, const char *at)
{
	unsigned int line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

#define WRONG_BYTES 160

/* NULL, or what is wrong. */
static const char *parse(const char *text, struct vpmu_devices *d, char wrong[WRONG_BYTES])
{
	uint64_t address, mask;

	d->allowed_count = 0;
	for (const char *at = skip(text); *at; at = skip(at)) {
		unsigned int line = line_of(text, at);
		const char *start = at;
		int shown = (int)strcspn(start, "#\n");

		shown = shown > 60 ? 60 : shown;
		wrong[0] = '\0';
		if (!take_number(&at, &address) || !take_number(&at, &mask) ||
		    address > UINT32_MAX)
			snprintf(wrong, WRONG_BYTES, "line %u, '%.*s': write 'ADDRESS WRITEMASK "
				 "# comment'", line, shown, start);
		else if (listed(d, address))
			snprintf(wrong, WRONG_BYTES, "line %u: address 0x%llx is in the list "
				 "already: remove one of the lines", line,
				 (unsigned long long)address);
		else if (d->allowed_count == VPMU_ALLOWED_MAX)
			snprintf(wrong, WRONG_BYTES, "line %u: there are more than %d addresses",
				 line, VPMU_ALLOWED_MAX);
		if (wrong[0])
			return wrong;
		d->allowed[d->allowed_count++] = (struct vpmu_allowed){
			.address = (uint32_t)address, .mask = mask };
	}
	return NULL;
}

static int load(const char *path, struct vpmu_devices *d)
{
	char *text = calloc(1, ALLOWLIST_BYTES + 1);
	FILE *f = fopen(path, "re");
	char line[WRONG_BYTES];
	const char *wrong = !text ? "no memory" : !f ? strerror(errno) : NULL;

	if (!wrong) {
		if (fread(text, 1, ALLOWLIST_BYTES + 1, f) > ALLOWLIST_BYTES)
			wrong = "the module takes at most 128 KiB";
		else if (ferror(f))
			wrong = strerror(errno);
		else
			wrong = parse(text, d, line);
	}
	if (f)
		fclose(f);
	free(text);
	if (!wrong)
		return 0;
	vpmu_complain("--msr-safe=%s: %s", path, wrong);
	return VPMU_EXIT_USAGE;
}

/* "0660", "0660:UID", "0660:UID:GID" */
static int parse_owner(const char *text, struct vpmu_devices *d)
{
	const char *given = text;
	unsigned long numbers[3] = { 0 };
	char *end = NULL;

	for (int i = 0; i < 3; i++) {
		if (*text < '0' || *text > '9')
			break;
		numbers[i] = strtoul(text, &end, i ? 10 : 8);
		if (*end != ':')
			break;
		text = end + 1;
	}
	if (!end || *end || numbers[0] > 0777 || numbers[1] > UINT32_MAX ||
	    numbers[2] > UINT32_MAX) {
		vpmu_complain("--devices %s: write MODE, MODE:UID or MODE:UID:GID, as in "
			      "--devices 0660:0:1000", given);
		return VPMU_EXIT_USAGE;
	}
	d->owned = 1;
	d->mode = (uint32_t)numbers[0];
	d->uid = (uint32_t)numbers[1];
	d->gid = (uint32_t)numbers[2];
	return 0;
}

int vpmu_devices_parse(const struct vpmu_device_options *o, struct vpmu_devices *d)
{
	int rc = 0;

	memset(d, 0, sizeof(*d));
	d->msr_safe = o->msr_safe;
	if (o->allowlist)
		rc = load(o->allowlist, d);
	if (!rc && o->owner)
		rc = parse_owner(o->owner, d);
	return rc;
}

/* Users of a machine with owned devices open the files behind it. */
static int open_to_all(const struct vpmu_place *place)
{
	int topology = open(place->topology, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int rc = topology < 0 || fchmod(topology, 0644) || fchmod(place->fd, 0666) ? errno : 0;

	if (topology >= 0)
		close(topology);
	if (!rc)
		return 0;
	vpmu_complain("%s: cannot be opened to other users: %s", place->path, strerror(rc));
	return VPMU_EXIT_FAILURE;
}

int vpmu_devices_set(const struct vpmu_place *place, const struct vpmu_devices *d)
{
	if (!d->msr_safe && !d->owned)
		return 0;
	vpmu_lock(place->segment);
	place->segment->devices = *d;
	vpmu_unlock(place->segment);
	return d->owned ? open_to_all(place) : 0;
}
