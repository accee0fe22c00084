/* SPDX-License-Identifier: MIT */
/* Recognises programs with a sanitizer's runtime, from the names of their dynamic string table. The
 * runtime reserves terabytes of addresses for its shadow; QEMU's user mode gives that memory real
 * pages for its own tables, until the host has none left. */
#include "sanitizer.h"

#include <string.h>

#include "read_at.h"

#define CHUNK 16384	/* each read opens the file */
#define NAME_MAX_BYTES 32	/* of names[] */

/* Names of shared runtimes, of what linked ones export, and what any with an allocator may call.
 * The runtime of -fsanitize=undefined has none of them, and can be emulated. */
static const char *const names[] = {
	"libasan.so", "libtsan.so", "liblsan.so", "libhwasan.so", "__asan_init", "__tsan_init",
	"__lsan_init", "__hwasan_init", "__msan_init", "__sanitizer_malloc_hook",
};

static const char *search(const char *text, size_t bytes)
{
	static const char all_have[] = "san";

	if (!memmem(text, bytes, all_have, sizeof(all_have) - 1))
		return NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (memmem(text, bytes, names[i], strlen(names[i])))
			return names[i];
	return NULL;
}

/* Reads overlap, so that no name is cut in two. */
static const char *search_table(const char *path, uint64_t offset, uint64_t bytes)
{
	char text[CHUNK];
	const char *found = NULL;

	for (uint64_t at = 0; at < bytes && !found; at += CHUNK - NAME_MAX_BYTES) {
		uint64_t left = bytes - at;
		ssize_t n = vpmu_read_at(path, text, left < CHUNK ? left : CHUNK, offset + at);

		if (n <= 0)
			return NULL;
		found = search(text, (size_t)n);
	}
	return found;
}

static uint64_t value_of(const Elf64_Dyn *entries, size_t count, Elf64_Sxword tag)
{
	for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
		if (entries[i].d_tag == tag)
			return entries[i].d_un.d_val;
	return 0;
}

/* File offset of what is loaded at this address; 0: the file has nothing of it. */
static uint64_t offset_of(const Elf64_Phdr *segments, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && address >= segments[i].p_vaddr &&
		    address - segments[i].p_vaddr < segments[i].p_filesz)
			return address - segments[i].p_vaddr + segments[i].p_offset;
	return 0;
}

const char *vpmu_sanitizer_of(const char *path, const Elf64_Phdr *segments, size_t count)
{
	Elf64_Dyn entries[VPMU_ELF_DYNAMIC_MAX];

	for (size_t i = 0; i < count; i++) {
		size_t bytes = segments[i].p_filesz < sizeof(entries) ? segments[i].p_filesz :
									sizeof(entries);
		uint64_t offset;
		ssize_t n;

		if (segments[i].p_type != PT_DYNAMIC)
			continue;
		n = vpmu_read_at(path, entries, bytes, segments[i].p_offset);
		if (n <= 0)
			return NULL;
		bytes = (size_t)n / sizeof(entries[0]);
		offset = offset_of(segments, count, value_of(entries, bytes, DT_STRTAB));
		return offset ? search_table(path, offset, value_of(entries, bytes, DT_STRSZ)) :
				NULL;
	}
	return NULL;
}
