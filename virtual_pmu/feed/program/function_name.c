/* SPDX-License-Identifier: MIT */
/* Finds the function that an address of an emulated program belongs to. User-mode emulation maps
 * the program's files into its own process, so /proc/self/maps names them. vpmu_function_name() is
 * the only entry point. It reads files without trusting them, and takes no lock. */
#include "function_name.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct elf_file { const unsigned char *data; size_t bytes; };

/* Finds the file, and the place in it, that the address is mapped from. False: there is none. */
static bool find_mapping(uint64_t address, char path[PATH_MAX], uint64_t *offset)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128];
	bool found = false;

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		uint64_t from, to, start;
		int name = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &from, &to,
			   &start, &name) < 3 || address < from || address >= to || !name)
			continue;
		line[strcspn(line, "\n")] = '\0';
		found = line[name] == '/' && strlen(line + name) < PATH_MAX;
		if (found)
			strcpy(path, line + name);
		*offset = address - from + start;
	}
	if (maps)
		fclose(maps);
	return found;
}

static struct elf_file map_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_file f = { NULL, 0 };
	struct stat st;
	void *data;

	if (fd < 0)
		return f;
	if (!fstat(fd, &st) && st.st_size >= (off_t)sizeof(Elf64_Ehdr)) {
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data != MAP_FAILED)
			f = (struct elf_file){ data, (size_t)st.st_size };
	}
	close(fd);
	return f;
}

/* `count` things of `size` bytes at an offset of the file; NULL: they are not all in it. */
static const void *part_of(const struct elf_file *f, uint64_t offset, uint64_t count, size_t size)
{
	if (offset > f->bytes || count > (f->bytes - offset) / size || offset % 8)
		return NULL;
	return f->data + offset;
}

static uint64_t address_of(const struct elf_file *f, const Elf64_Ehdr *head, uint64_t offset)
{
	const Elf64_Phdr *p = part_of(f, head->e_phoff, head->e_phnum, sizeof(*p));

	for (uint32_t i = 0; p && i < head->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && offset >= p[i].p_offset &&
		    offset - p[i].p_offset < p[i].p_filesz)
			return offset - p[i].p_offset + p[i].p_vaddr;
	return 0;
}

/* The name, inside the file, of the function at that address; or NULL. */
static const char *search_table(const struct elf_file *f, const Elf64_Shdr *table,
				const Elf64_Shdr *texts, uint64_t address)
{
	uint64_t count = table->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *s = part_of(f, table->sh_offset, count, sizeof(*s));

	if (texts->sh_offset > f->bytes || texts->sh_size > f->bytes - texts->sh_offset)
		return NULL;
	for (uint64_t i = 0; s && i < count; i++) {
		const char *name = (const char *)f->data + texts->sh_offset + s[i].st_name;

		if (ELF64_ST_TYPE(s[i].st_info) == STT_FUNC && address >= s[i].st_value &&
		    address - s[i].st_value < s[i].st_size && s[i].st_name < texts->sh_size &&
		    memchr(name, '\0', texts->sh_size - s[i].st_name))
			return name;
	}
	return NULL;
}

static const char *search(const struct elf_file *f, uint64_t offset)
{
	const Elf64_Ehdr *head = part_of(f, 0, 1, sizeof(*head));
	const Elf64_Shdr *s;
	const char *name = NULL;

	if (memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	s = part_of(f, head->e_shoff, head->e_shnum, sizeof(*s));
	for (uint32_t i = 0; s && i < head->e_shnum && !name; i++)
		if ((s[i].sh_type == SHT_SYMTAB || s[i].sh_type == SHT_DYNSYM) &&
		    s[i].sh_link < head->e_shnum)
			name = search_table(f, &s[i], &s[s[i].sh_link],
					    address_of(f, head, offset));
	return name;
}

void vpmu_function_name(const void *address, char *out, size_t bytes)
{
	char path[PATH_MAX];
	struct elf_file f;
	uint64_t offset;
	const char *name;

	*out = '\0';
	if (!find_mapping((uint64_t)(uintptr_t)address, path, &offset))
		return;
	f = map_file(path);
	name = f.data ? search(&f, offset) : NULL;
	if (name)
		snprintf(out, bytes, "%s of %s", name, path);
	else
		snprintf(out, bytes, "%s+0x%" PRIx64, path, offset);
	if (f.data)
		munmap((void *)(uintptr_t)f.data, f.bytes);
}
