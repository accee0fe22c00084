/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "read_at.h"
#include "sanitizer.h"

#define SEGMENTS_MAX 64

bool vpmu_program_runnable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static void split_line(struct vpmu_program *p)
{
	char *word = p->line + 2 + strspn(p->line + 2, " \t"), *end;

	word[strcspn(word, "\r\n")] = '\0';
	end = word + strcspn(word, " \t");
	p->words[p->word_count++] = word;
	if (!*end)
		return;
	*end++ = '\0';
	end += strspn(end, " \t");	/* the rest is one argument, blanks and all */
	if (*end)
		p->words[p->word_count++] = end;
}

/* An executable shared object with a name of its own that asks for no loader is a loader. */
static bool is_loader(const char *path, const Elf64_Phdr *dynamic)
{
	Elf64_Dyn entries[VPMU_ELF_DYNAMIC_MAX];
	size_t bytes = dynamic->p_filesz < sizeof(entries) ? dynamic->p_filesz : sizeof(entries);
	ssize_t n = vpmu_read_at(path, entries, bytes, dynamic->p_offset);

	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(entries[0]); i++)
		if (entries[i].d_tag == DT_SONAME)
			return true;
	return false;
}

static bool has_loader(const char *path, const Elf64_Phdr *segments, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_INTERP ||
		    (segments[i].p_type == PT_DYNAMIC && is_loader(path, &segments[i])))
			return true;
	return false;
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

static void check_segments(const char *path, const Elf64_Ehdr *header, struct vpmu_program *p)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	size_t count = read_segments(path, header, segments);

	if (is_privileged(path))
		p->kind = VPMU_PROGRAM_PRIVILEGED;
	else if ((p->sanitizer = vpmu_sanitizer_of(path, segments, count)))
		p->kind = VPMU_PROGRAM_SANITIZED;
	else if (!has_loader(path, segments, count))
		p->kind = VPMU_PROGRAM_STATIC;
}

static int check_elf(const char *path, struct vpmu_program *p)
{
	Elf64_Ehdr header;
	ssize_t n = vpmu_read_at(path, &header, sizeof(header), 0);

	if (n < SELFMAG || memcmp(header.e_ident, ELFMAG, SELFMAG))
		return ENOEXEC;
	if (n != (ssize_t)sizeof(header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_machine != EM_X86_64)
		p->kind = VPMU_PROGRAM_FOREIGN;
	else
		check_segments(path, &header, p);
	return 0;
}

int vpmu_program_load(const char *path, struct vpmu_program *p)
{
	ssize_t n;

	memset(p, 0, sizeof(*p));
	/* The emulator would take a path that begins with a minus for an option. */
	if (snprintf(p->path, sizeof(p->path), "%s%s", *path == '-' ? "./" : "", path) >=
	    (int)sizeof(p->path))
		return ENAMETOOLONG;
	if (!vpmu_program_runnable(p->path))
		return access(p->path, F_OK) ? errno : EACCES;
	n = vpmu_read_at(p->path, p->line, sizeof(p->line) - 1, 0);
	if (n < 0)			/* executable, but not to be read */
		p->kind = VPMU_PROGRAM_PRIVILEGED;
	if (n < 0)
		return 0;
	if (n <= 2 || p->line[0] != '#' || p->line[1] != '!')
		return check_elf(p->path, p);
	split_line(p);
	if (!vpmu_program_runnable(p->words[0]))
		return EACCES;
	if (check_elf(p->words[0], p))	/* another script */
		p->kind = VPMU_PROGRAM_FOREIGN;
	return 0;
}

/* ---- the emulator's command line ---- */

void vpmu_emulator_fill(struct vpmu_emulator *e, const struct vpmu_machine *m, const char *feed,
			const char *segment, bool leaves)
{
	snprintf(e->cpu, sizeof(e->cpu), "%s,model-id=%s", m->qemu_cpu, m->brand);
	snprintf(e->plugin, sizeof(e->plugin), "file=%s,segment=%s,keep=on%s", feed, segment,
		 leaves ? ",leaves=on" : "");
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

void vpmu_emulator_preload(struct vpmu_emulator *e, const char *shim, const char *others)
{
	bool there = others && listed(others, shim);

	snprintf(e->preload, sizeof(e->preload), "LD_PRELOAD=%s%s%s", there ? "" : shim,
		 !there && others && *others ? ":" : "", others ? others : "");
	for (char *c = e->preload; *c; c++)
		if (*c == ',' || *c == ' ')	/* QEMU's -E splits at commas */
			*c = ':';
}

void vpmu_emulator_words(const struct vpmu_emulator *e, const struct vpmu_program *p,
			 const char *const *settings, char *const argv[], const char **out)
{
	const char *const words[] = { e->qemu, "-cpu", e->cpu, "-E", e->preload, "-plugin",
				      e->plugin };
	int n = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		out[n++] = words[i];
	for (; settings && *settings; settings++) {
		out[n++] = "-E";
		out[n++] = *settings;
	}
	if (!p->word_count) {
		out[n++] = "-0";
		out[n++] = argv[0] ? argv[0] : p->path;
	}
	/* The program with its interpreter in front, if any, as the kernel would have it. */
	for (int i = 0; i < p->word_count; i++)
		out[n++] = p->words[i];
	out[n++] = p->path;
	for (int i = 1; argv[0] && argv[i]; i++)
		out[n++] = argv[i];
	out[n] = NULL;
}
