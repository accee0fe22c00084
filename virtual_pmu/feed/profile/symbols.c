/* SPDX-License-Identifier: MIT */
#include "symbols.h"

#include <elf.h>
#include <string.h>

/* Operators of C++ are there for libraries that do not call malloc in them. In others malloc is
 * called inside of them, which the shadow stack shows. */
static const struct { const char *name; enum vpmu_allocator allocator; } allocators[] = {
	{ "malloc", VPMU_MALLOC }, { "valloc", VPMU_MALLOC }, { "pvalloc", VPMU_MALLOC },
	{ "calloc", VPMU_CALLOC }, { "realloc", VPMU_REALLOC },
	{ "reallocarray", VPMU_REALLOC_ARRAY },
	{ "aligned_alloc", VPMU_ALIGNED }, { "memalign", VPMU_ALIGNED },
	{ "posix_memalign", VPMU_ALIGNED_TO }, { "free", VPMU_FREE }, { "cfree", VPMU_FREE },
	{ "_Znwm", VPMU_MALLOC }, { "_ZnwmRKSt9nothrow_t", VPMU_MALLOC },
	{ "_Znam", VPMU_MALLOC }, { "_ZnamRKSt9nothrow_t", VPMU_MALLOC },
	{ "_ZnwmSt11align_val_t", VPMU_MALLOC }, { "_ZnamSt11align_val_t", VPMU_MALLOC },
	{ "_ZnwmSt11align_val_tRKSt9nothrow_t", VPMU_MALLOC },
	{ "_ZnamSt11align_val_tRKSt9nothrow_t", VPMU_MALLOC },
	{ "_ZdlPv", VPMU_FREE }, { "_ZdlPvm", VPMU_FREE }, { "_ZdlPvRKSt9nothrow_t", VPMU_FREE },
	{ "_ZdaPv", VPMU_FREE }, { "_ZdaPvm", VPMU_FREE }, { "_ZdaPvRKSt9nothrow_t", VPMU_FREE },
	{ "_ZdlPvSt11align_val_t", VPMU_FREE }, { "_ZdlPvmSt11align_val_t", VPMU_FREE },
	{ "_ZdaPvSt11align_val_t", VPMU_FREE }, { "_ZdaPvmSt11align_val_t", VPMU_FREE },
};

enum vpmu_allocator vpmu_allocator_named(const char *name)
{
	for (size_t i = 0; i < sizeof(allocators) / sizeof(allocators[0]); i++)
		if (!strcmp(name, allocators[i].name))
			return allocators[i].allocator;
	return VPMU_NO_ALLOCATOR;
}

/* `count` things of `size` bytes at an offset of the file; NULL: they are not all in it. */
static const void *elf_part(struct vpmu_elf f, uint64_t offset, uint64_t count, size_t size)
{
	if (offset > f.bytes || count > (f.bytes - offset) / size || offset % 8)
		return NULL;
	return f.data + offset;
}

/* NULL: no ELF file of the kind that QEMU executes. */
static const Elf64_Ehdr *elf_head(struct vpmu_elf f)
{
	const Elf64_Ehdr *head = elf_part(f, 0, 1, sizeof(*head));

	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_X86_64)
		return NULL;
	return head;
}

bool vpmu_elf_bias(struct vpmu_elf elf, uint64_t address, uint64_t offset, uint64_t *bias)
{
	const Elf64_Ehdr *head = elf_head(elf);
	const Elf64_Phdr *p = head ? elf_part(elf, head->e_phoff, head->e_phnum, sizeof(*p)) : NULL;

	for (uint32_t i = 0; p && i < head->e_phnum; i++) {
		/* A mapping begins at a page, a segment perhaps inside of one. */
		uint64_t start = p[i].p_offset & ~UINT64_C(4095);

		if (p[i].p_type != PT_LOAD || offset < start ||
		    offset - start >= p[i].p_filesz + (p[i].p_offset - start))
			continue;
		*bias = address - (p[i].p_vaddr - p[i].p_offset + offset);
		return true;
	}
	return false;
}

static const Elf64_Shdr *elf_sections(struct vpmu_elf f, uint32_t *count)
{
	const Elf64_Ehdr *head = elf_head(f);

	*count = head ? head->e_shnum : 0;
	return head ? elf_part(f, head->e_shoff, head->e_shnum, sizeof(Elf64_Shdr)) : NULL;
}

/* The text at an offset of a section of texts; NULL: it does not end there. */
static const char *elf_text(struct vpmu_elf f, const Elf64_Shdr *texts, uint64_t offset)
{
	const char *text;

	if (texts->sh_offset > f.bytes || texts->sh_size > f.bytes - texts->sh_offset ||
	    offset >= texts->sh_size)
		return NULL;
	text = (const char *)f.data + texts->sh_offset + offset;
	return memchr(text, '\0', texts->sh_size - offset) ? text : NULL;
}

/* False: it is no function or variable of this file. */
static bool symbol_of(const Elf64_Sym *s, struct vpmu_symbol *out)
{
	uint32_t type = ELF64_ST_TYPE(s->st_info);

	*out = (struct vpmu_symbol){
		.address = s->st_value, .bytes = s->st_size,
		.function = type == STT_FUNC || type == STT_GNU_IFUNC,
	};
	return s->st_value && s->st_shndx != SHN_UNDEF &&
	       (out->function || (type == STT_OBJECT && s->st_size));
}

void vpmu_elf_symbols(struct vpmu_elf elf, void (*each)(void *to, const struct vpmu_symbol *s),
		      void *to)
{
	uint32_t count;
	const Elf64_Shdr *section = elf_sections(elf, &count);

	for (uint32_t i = 0; section && i < count; i++) {
		const Elf64_Shdr *t = &section[i];
		uint64_t symbols = t->sh_size / sizeof(Elf64_Sym);
		const Elf64_Sym *s;
		struct vpmu_symbol found;

		if ((t->sh_type != SHT_SYMTAB && t->sh_type != SHT_DYNSYM) || t->sh_link >= count)
			continue;
		s = elf_part(elf, t->sh_offset, symbols, sizeof(*s));
		for (uint64_t k = 0; s && k < symbols; k++) {
			if (!symbol_of(&s[k], &found))
				continue;
			found.name = elf_text(elf, &section[t->sh_link], s[k].st_name);
			if (!found.name)
				continue;
			if (found.function && ELF64_ST_TYPE(s[k].st_info) == STT_FUNC)
				found.allocator = vpmu_allocator_named(found.name);
			each(to, &found);
		}
	}
}

void vpmu_elf_stubs(struct vpmu_elf elf, void (*each)(void *to, uint64_t start, uint64_t bytes),
		    void *to)
{
	uint32_t count;
	const Elf64_Shdr *section = elf_sections(elf, &count);
	const Elf64_Ehdr *head = elf_head(elf);

	for (uint32_t i = 0; section && i < count && head->e_shstrndx < count; i++) {
		const char *name = elf_text(elf, &section[head->e_shstrndx], section[i].sh_name);

		if (name && (section[i].sh_flags & SHF_EXECINSTR) &&
		    (!strcmp(name, ".plt") || !strncmp(name, ".plt.", 5)))
			each(to, section[i].sh_addr, section[i].sh_size);
	}
}
