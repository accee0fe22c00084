/* SPDX-License-Identifier: MIT */
/* Classifies the file of a program and writes the emulator's command line for it.
 * vpmu_program_load() reads heads of files as the kernel would, through scripts to the interpreter.
 * vpmu_emulator_fill() and vpmu_emulator_words() make the command line. Nothing here allocates or
 * prints, because it also runs in a program's process just before an execution. No lock. */
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../../common/program_file.h"
#include "../emulator/user_calls.h"
#include "read_at.h"
#include "sanitizer.h"

#define SEGMENTS_MAX 64

/* False: the line names no interpreter. */
static bool split_line(struct vpmu_program *p, char *line)
{
	char *word = line + 2 + strspn(line + 2, " \t"), *end = word + strcspn(word, "\n");
	int count = 1;

	while (end > word && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	if (end == word)
		return false;
	end = word + strcspn(word, " \t");
	if (*end) {
		*end++ = '\0';
		count++;	/* the rest is one argument, blanks and all */
	}
	memmove(p->words + count, p->words, (size_t)p->word_count * sizeof(p->words[0]));
	p->words[0] = word;
	if (count > 1)
		p->words[1] = end + strspn(end, " \t");
	p->word_count += count;
	return true;
}

/* Does the program's loader exist, if it has one? */
static bool has_its_loader(const char *path, const Elf64_Phdr *segments, size_t count)
{
	char loader[PATH_MAX];
	size_t bytes;

	for (size_t i = 0; i < count; i++) {
		bytes = segments[i].p_filesz;
		if (segments[i].p_type != PT_INTERP || bytes < 2 || bytes > sizeof(loader))
			continue;
		if (vpmu_read_at(path, loader, bytes, segments[i].p_offset) != (ssize_t)bytes)
			continue;
		loader[bytes - 1] = '\0';
		return !eaccess(loader, F_OK);
	}
	return true;
}

/* Would the kernel give the program other rights than the caller has? Root has all of them. */
static bool is_privileged(const char *path)
{
	struct stat st;
	char capability[64];

	if (stat(path, &st))
		return false;
	if ((st.st_mode & S_ISUID) && st.st_uid != geteuid())
		return true;
	if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getegid())
		return true;
	return geteuid() && getxattr(path, "security.capability", capability,
				     sizeof(capability)) > 0;
}

/* How many program headers were read. */
static size_t read_segments(const char *path, const Elf64_Ehdr *header, Elf64_Phdr *out)
{
	size_t count = header->e_phnum < SEGMENTS_MAX ? header->e_phnum : SEGMENTS_MAX;
	ssize_t n = vpmu_read_at(path, out, count * sizeof(out[0]), header->e_phoff);

	return n > 0 ? (size_t)n / sizeof(out[0]) : 0;
}

static int check_segments(const char *path, const Elf64_Ehdr *header, struct vpmu_program *p)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	size_t count = read_segments(path, header, segments);

	if (!has_its_loader(path, segments, count))
		return ENOENT;
	if (is_privileged(path))
		p->kind = VPMU_PROGRAM_PRIVILEGED;
	else if ((p->sanitizer = vpmu_sanitizer_of(path, segments, count)))
		p->kind = VPMU_PROGRAM_SANITIZED;
	return 0;
}

static int check_elf(const char *path, struct vpmu_program *p)
{
	Elf64_Ehdr header;
	ssize_t n = vpmu_read_at(path, &header, sizeof(header), 0);

	if (n < SELFMAG || memcmp(header.e_ident, ELFMAG, SELFMAG))
		return ENOEXEC;
	if (n == (ssize_t)sizeof(header) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
	    header.e_machine == EM_X86_64)
		return check_segments(path, &header, p);
	p->kind = VPMU_PROGRAM_FOREIGN;
	return 0;
}

const char *vpmu_program_file(const struct vpmu_program *p)
{
	return p->word_count ? p->words[0] : p->path;
}

/* Any number of scripts in front of the program, up to the kernel's limit. */
static int program_check_file(struct vpmu_program *p)
{
	for (int scripts = 0;; scripts++) {
		const char *file = vpmu_program_file(p);
		char *line = p->lines[scripts];
		ssize_t n;

		if (!program_runnable(file))
			return !scripts && eaccess(file, F_OK) ? errno : EACCES;
		n = vpmu_read_at(file, line, sizeof(p->lines[0]) - 1, 0);
		if (n < 0) {		/* executable, but not to be read */
			p->kind = VPMU_PROGRAM_PRIVILEGED;
			return 0;
		}
		if (n < 2 || line[0] != '#' || line[1] != '!')
			return check_elf(file, p);
		if (scripts == VPMU_SCRIPTS_MAX)
			return ELOOP;
		if (!split_line(p, line))
			return ENOEXEC;
	}
}

int vpmu_program_load(const char *path, struct vpmu_program *p)
{
	memset(p, 0, sizeof(*p));
	/* The emulator would take a path that begins with a minus for an option. */
	if (snprintf(p->path, sizeof(p->path), "%s%s", *path == '-' ? "./" : "", path) >=
	    (int)sizeof(p->path))
		return ENAMETOOLONG;
	return program_check_file(p);
}

/* ---- which program it is ---- */

static bool same_file(const char *one, const char *other)
{
	struct stat a, b;

	return !stat(one, &a) && !stat(other, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static bool has_base_name(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, name);
}

static bool is_named(const char *path, const char *name)
{
	char behind[PATH_MAX];

	if (strchr(name, '/'))
		return same_file(path, name);
	return has_base_name(path, name) ||
	       (realpath(path, behind) && has_base_name(behind, name));
}

bool vpmu_program_is(const struct vpmu_program *p, const char *name)
{
	return !*name || is_named(p->path, name) ||
	       (p->word_count && is_named(p->words[0], name));
}

/* ---- the emulator's command line ---- */

/* SplitMix64's output function (Steele, Lea and Flood 2014): different inputs have different
 * outputs. */
uint64_t vpmu_fixed_stream(uint64_t stream, uint64_t index)
{
	uint64_t z = stream + index * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void vpmu_emulator_fill(struct vpmu_emulator *e, const struct vpmu_machine *m, const char *feed,
			const char *segment, const char *tool, const struct vpmu_fixed *fixed)
{
	/* CPUID has the kinds of cores in leaves that the emulator's model does not have. */
	snprintf(e->cpu, sizeof(e->cpu), "%s%s,model-id=%s", m->qemu_cpu,
		 vpmu_is_hybrid(m) ? ",level=0x1f" : "", m->brand);
	snprintf(e->stream, sizeof(e->stream), "%" PRIu64, fixed->stream);
	snprintf(e->plugin, sizeof(e->plugin), "file=%s,segment=%s,seed=%" PRIu64
		 ",stream=%s,random=%s,time=%s%s%s", feed, segment, fixed->seed, e->stream,
		 fixed->host_random ? "host" : "fixed", fixed->model_time ? "model" : "host",
		 tool ? ",tool=" : "", tool ? tool : "");
	if (fixed->host_random)
		*e->stream = '\0';
}

/* The emulator takes two commas for one. */
static void append_doubled(char *to, size_t bytes, const char *text)
{
	size_t n = strlen(to);

	for (; *text && n + 2 < bytes; text++) {
		to[n++] = *text;
		if (*text == ',')
			to[n++] = ',';
	}
	to[n] = '\0';
}

void vpmu_emulator_choose(struct vpmu_emulator *e, const struct vpmu_program *p, const char *only)
{
	size_t n = strlen(e->plugin);

	if (!*only)
		return;
	snprintf(e->plugin + n, sizeof(e->plugin) - n, ",counts=%s,only=",
		 vpmu_program_is(p, only) ? "on" : "off");
	append_doubled(e->plugin, sizeof(e->plugin), only);
}

void vpmu_emulator_profile(struct vpmu_emulator *e, const char *folder, bool data)
{
	size_t n = strlen(e->plugin);

	if (!*folder)
		return;
	snprintf(e->plugin + n, sizeof(e->plugin) - n, "%s,profile=", data ? ",data=on" : "");
	append_doubled(e->plugin, sizeof(e->plugin), folder);
}

void vpmu_emulator_regions(struct vpmu_emulator *e, const char *where)
{
	size_t n = strlen(e->plugin);

	if (!where)
		return;
	snprintf(e->plugin + n, sizeof(e->plugin) - n, ",regions=");
	append_doubled(e->plugin, sizeof(e->plugin), where);
}

bool vpmu_emulator_heeds(const char *variable)
{
	/* Beginnings of names that the loader, the C library, glib or QEMU heed; and those that
	 * main() would rename. */
	static const char *const begins[] = { "LD_", "GLIBC_", "MALLOC_", "G_", "QEMU_",
					      VPMU_USER_VARIABLE };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(variable, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* Is `path` in the list, which colons or blanks separate? */
static bool listed(const char *list, const char *path)
{
	size_t length = strlen(path);

	for (const char *at = list; *at; at += strspn(at, ": ")) {
		size_t word = strcspn(at, ": ");

		if (word == length && !strncmp(at, path, length))
			return true;
		at += word;
	}
	return false;
}

void vpmu_preload(char out[VPMU_PRELOAD_BYTES], const char *library, const char *others)
{
	bool there = others && listed(others, library);

	snprintf(out, VPMU_PRELOAD_BYTES, "LD_PRELOAD=%s%s%s", there ? "" : library,
		 !there && others && *others ? ":" : "", others ? others : "");
}

void vpmu_emulator_words(const struct vpmu_emulator *e, const struct vpmu_program *p,
			 char *const argv[], const char **out)
{
	const char *const words[] = { e->qemu, "-cpu", e->cpu, "-plugin", e->plugin };
	int n = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		out[n++] = words[i];
	if (*e->stream) {
		out[n++] = "-seed";
		out[n++] = e->stream;
	}
	if (!p->word_count) {
		out[n++] = "-0";
		out[n++] = argv[0] ? argv[0] : "";	/* as the kernel has it */
	}
	/* The program with its interpreters in front, if any, as the kernel would have it. */
	for (int i = 0; i < p->word_count; i++)
		out[n++] = p->words[i];
	out[n++] = p->path;
	for (int i = 1; argv[0] && argv[i]; i++)
		out[n++] = argv[i];
	out[n] = NULL;
}
