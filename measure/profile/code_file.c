/* SPDX-License-Identifier: MIT */
/* Reads symbols and lines of a file with code by elfutils' libdw: code_file_open() lists functions,
 * code_file_find() finds the function and line of an address. libdw finds separate debug files by
 * their build ID or name. It reads its whole table for each symbol, so the lists here are sorted: a
 * profile has a hundred thousand addresses. Without libdw a file has no functions. */
#include "code_file.h"

#include <stdlib.h>
#include <string.h>

#ifdef IPMU_LIBDW

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

/* libstdc++ has it, and C++ programs' names need it. The result is for free(). */
char *__cxa_demangle(const char *name, char *buffer, size_t *bytes, int *status);

#define LOADS_MAX 16
#define OVERLAPS 8	/* a symbol may lie within another one: so many are tried */

struct symbol {
	uint64_t start, end;
	const char *name;	/* NULL: of the table of unwinding */
	char *demangled;
	int rank;		/* of several at one address: the least */
	bool resolved;
	const char *home;
	int home_line;
};

struct code_file {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	GElf_Addr bias;		/* libdw's address is the file's own and this */
	struct load { uint64_t offset, bytes, address; } loads[LOADS_MAX];
	int nloads;
	struct symbol *functions;
	size_t nfunctions;
};

static char *debuginfo_path;
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address, .debuginfo_path = &debuginfo_path,
};

bool code_file_known(void)
{
	return true;
}

/* ---- lists ---- */

static bool symbol_add(struct symbol **list, size_t *n, struct symbol symbol)
{
	if (!(*n & (*n - 1))) {
		struct symbol *more = realloc(*list, (*n ? 2 * *n : 1) * sizeof(*more));

		if (!more)
			return false;
		*list = more;
	}
	(*list)[(*n)++] = symbol;
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank - y->rank;
	return !x->name || !y->name ? !x->name - !y->name : strcmp(x->name, y->name);
}

/* Keeps the first of those at one address, with the largest size. */
static size_t symbols_sort(struct symbol *list, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(list, n, sizeof(*list), by_start);
	for (size_t i = 0; i < n; i++) {
		if (kept && list[kept - 1].start == list[i].start) {
			if (list[i].end > list[kept - 1].end)
				list[kept - 1].end = list[i].end;
		} else {
			list[kept++] = list[i];
		}
	}
	return kept;
}

/* The one that holds the address; NULL: none does. */
static struct symbol *symbol_at(struct symbol *list, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (int i = 0; i < OVERLAPS && low; i++, low--)
		if (address < list[low - 1].end)
			return &list[low - 1];
	return NULL;
}

/* ---- symbol tables ---- */

/* Names that people know first: global, without underscores in front, short. */
static int rank_of(const GElf_Sym *sym, const char *name)
{
	static const int by_binding[] = { [STB_LOCAL] = 2, [STB_GLOBAL] = 0, [STB_WEAK] = 1 };
	int bind = GELF_ST_BIND(sym->st_info);
	size_t length = strlen(name);

	return (bind <= STB_WEAK ? by_binding[bind] : 1) * 100000 +
	       (int)strspn(name, "_") * 10000 + (length < 10000 ? (int)length : 9999);
}

static bool is_code(Elf *elf, GElf_Word section)
{
	GElf_Shdr header;
	Elf_Scn *s = elf ? elf_getscn(elf, section) : NULL;

	return s && gelf_getshdr(s, &header) && (header.sh_flags & SHF_EXECINSTR);
}

static bool add_symbol(struct code_file *f, int i)
{
	GElf_Sym sym;
	GElf_Addr address;
	GElf_Word section;
	Elf *elf;
	const char *name = dwfl_module_getsym_info(f->module, i, &sym, &address, &section, &elf,
						   NULL);
	struct symbol s = { .name = name };
	int type = GELF_ST_TYPE(sym.st_info);

	if (!name || !*name || section == SHN_UNDEF || section >= SHN_LORESERVE)
		return true;
	s.start = address - f->bias;
	s.end = s.start + sym.st_size;
	s.rank = rank_of(&sym, name);
	if (type == STT_FUNC || type == STT_GNU_IFUNC ||
	    (type == STT_NOTYPE && GELF_ST_BIND(sym.st_info) != STB_LOCAL &&
	     is_code(elf, section)))
		return symbol_add(&f->functions, &f->nfunctions, s);
	return true;
}

static bool add_symbols(struct code_file *f)
{
	int n = dwfl_module_getsymtab(f->module);

	for (int i = 1; i < n; i++)
		if (!add_symbol(f, i))
			return false;
	return true;
}

/* Tables of jumps into other files have no symbols. */
static bool add_linkage(struct code_file *f)
{
	Elf_Scn *s = NULL;
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names))
		return true;
	while ((s = elf_nextscn(f->elf, s)) != NULL) {
		GElf_Shdr h;
		const char *name = gelf_getshdr(s, &h) ? elf_strptr(f->elf, names, h.sh_name) :
							  NULL;
		struct symbol one = { .name = name, .rank = 1000000 };

		if (!name || strncmp(name, ".plt", 4) || !(h.sh_flags & SHF_EXECINSTR))
			continue;
		one.start = h.sh_addr;
		one.end = h.sh_addr + h.sh_size;
		if (!symbol_add(&f->functions, &f->nfunctions, one))
			return false;
	}
	return true;
}

/* ---- the table of unwinding ---- */

#define EH_HEADER 12
#define EH_UDATA4 0x03
#define EH_DATAREL_SDATA4 0x3b

/* .eh_frame_hdr: version and encodings, then pairs of 4 bytes, relative to its own address. */
static bool add_starts(struct code_file *f, const GElf_Phdr *h)
{
	Elf_Data *data = elf_getdata_rawchunk(f->elf, (int64_t)h->p_offset, h->p_filesz,
					      ELF_T_BYTE);
	const unsigned char *p = data ? data->d_buf : NULL;
	size_t known = f->nfunctions;
	uint32_t count;

	if (!p || data->d_size < EH_HEADER || p[0] != 1 || p[2] != EH_UDATA4 ||
	    p[3] != EH_DATAREL_SDATA4)
		return true;
	memcpy(&count, p + 8, sizeof(count));
	for (size_t i = 0; i < count && EH_HEADER + 8 * (i + 1) <= data->d_size; i++) {
		struct symbol s = { .name = NULL, .rank = 2000000 };
		int32_t distance;

		memcpy(&distance, p + EH_HEADER + 8 * i, sizeof(distance));
		s.start = h->p_vaddr + (uint64_t)(int64_t)distance;
		s.end = s.start;
		if (!symbol_at(f->functions, known, s.start) &&
		    !symbol_add(&f->functions, &f->nfunctions, s))
			return false;
	}
	return true;
}

static uint64_t end_of_code(const struct code_file *f, uint64_t address)
{
	for (int i = 0; i < f->nloads; i++)
		if (address - f->loads[i].address < f->loads[i].bytes)
			return f->loads[i].address + f->loads[i].bytes;
	return address;
}

/* A function of which only the begin is known reaches to the next one. */
static void set_ends(struct code_file *f)
{
	for (size_t i = 0; i < f->nfunctions; i++) {
		struct symbol *s = &f->functions[i];

		if (s->end == s->start)
			s->end = i + 1 < f->nfunctions ? s[1].start : end_of_code(f, s->start);
	}
}

/* ---- the file ---- */

static bool read_file(struct code_file *f)
{
	GElf_Phdr h, unwinding = { .p_filesz = 0 };
	size_t n;

	if (elf_getphdrnum(f->elf, &n))
		return true;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(f->elf, (int)i, &h))
			continue;
		if (h.p_type == PT_LOAD && f->nloads < LOADS_MAX)
			f->loads[f->nloads++] = (struct load){ h.p_offset, h.p_memsz, h.p_vaddr };
		else if (h.p_type == PT_GNU_EH_FRAME)
			unwinding = h;
	}
	if (!add_symbols(f) || !add_linkage(f))
		return false;
	f->nfunctions = symbols_sort(f->functions, f->nfunctions);
	if (unwinding.p_filesz && !add_starts(f, &unwinding))
		return false;
	f->nfunctions = symbols_sort(f->functions, f->nfunctions);
	set_ends(f);
	return true;
}

/* -1: no regular file, which alone is read without waiting. */
static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	return -1;
}

struct code_file *code_file_open(const char *path)
{
	struct code_file *f = calloc(1, sizeof(*f));
	int fd = f ? open_regular(path) : -1;

	if (fd < 0)
		return f;
	f->dwfl = dwfl_begin(&callbacks);
	f->module = f->dwfl ? dwfl_report_offline(f->dwfl, path, path, fd) : NULL;
	if (!f->module)		/* then the descriptor is still ours */
		close(fd);
	if (f->dwfl)
		dwfl_report_end(f->dwfl, NULL, NULL);
	f->elf = f->module ? dwfl_module_getelf(f->module, &f->bias) : NULL;
	if (f->elf && !read_file(f)) {
		code_file_close(f);
		return NULL;
	}
	return f;
}

static void symbols_free(struct symbol *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i].demangled);
	free(list);
}

void code_file_close(struct code_file *f)
{
	if (!f)
		return;
	symbols_free(f->functions, f->nfunctions);
	if (f->dwfl)
		dwfl_end(f->dwfl);
	free(f);
}

uint64_t code_file_address(const struct code_file *f, uint64_t offset)
{
	for (int i = 0; i < f->nloads; i++)
		if (offset - f->loads[i].offset < f->loads[i].bytes)
			return offset - f->loads[i].offset + f->loads[i].address;
	return offset;
}

/* NULL: no line is known. */
static const char *line_of(struct code_file *f, uint64_t address, int *line)
{
	Dwfl_Line *l = dwfl_module_getsrc(f->module, address + f->bias);

	return l ? dwfl_lineinfo(l, NULL, line, NULL, NULL, NULL) : NULL;
}

/* The line on which a function begins: the first of the table's rows at that address. An optimizer
 * may leave the function's first line there and the body's as well. */
static const char *begin_of(struct code_file *f, uint64_t address, int *line)
{
	Dwarf_Addr bias = 0, at;
	Dwarf_Die *unit = dwfl_module_addrdie(f->module, address + f->bias, &bias);
	Dwarf_Lines *lines;
	size_t n, low = 0, high;
	bool ends = false;

	if (!unit || dwarf_getsrclines(unit, &lines, &n))
		return line_of(f, address, line);
	for (high = n; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at) ||
		    at + bias < address + f->bias)
			low = middle + 1;
		else
			high = middle;
	}
	while (low < n && !dwarf_lineendsequence(dwarf_onesrcline(lines, low), &ends) && ends)
		low++;
	if (low == n || dwarf_lineaddr(dwarf_onesrcline(lines, low), &at) ||
	    at + bias != address + f->bias || dwarf_lineno(dwarf_onesrcline(lines, low), line))
		return line_of(f, address, line);
	return dwarf_linesrc(dwarf_onesrcline(lines, low), NULL, NULL);
}

static void resolve(struct code_file *f, struct symbol *s)
{
	s->home = begin_of(f, s->start, &s->home_line);
	s->demangled = s->name ? code_file_demangle(s->name) : NULL;
	s->resolved = true;
}

bool code_file_find(struct code_file *f, uint64_t address, struct code_place *out)
{
	struct symbol *s = symbol_at(f->functions, f->nfunctions, address);

	if (!s)
		return false;
	if (!s->resolved)
		resolve(f, s);
	*out = (struct code_place){ .name = s->demangled ? s->demangled : s->name,
				    .start = s->start, .home = s->home,
				    .home_line = s->home_line };
	out->file = line_of(f, address, &out->line);
	return true;
}

char *code_file_demangle(const char *name)
{
	int status;

	return strncmp(name, "_Z", 2) ? NULL : __cxa_demangle(name, NULL, NULL, &status);
}

#else

struct code_file {
	char nothing;
};

bool code_file_known(void)
{
	return false;
}

struct code_file *code_file_open(const char *path)
{
	(void)path;
	return calloc(1, sizeof(struct code_file));
}

void code_file_close(struct code_file *f)
{
	free(f);
}

uint64_t code_file_address(const struct code_file *f, uint64_t offset)
{
	(void)f;
	return offset;
}

bool code_file_find(struct code_file *f, uint64_t address, struct code_place *out)
{
	(void)f;
	(void)address;
	(void)out;
	return false;
}

char *code_file_demangle(const char *name)
{
	(void)name;
	return NULL;
}

#endif
