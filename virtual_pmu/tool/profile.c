/* SPDX-License-Identifier: MIT */
/* vpmu profile: prints a profile's file as text. Records of the file are checked before they are
 * used, since a process that was killed wrote them, or anybody did. What blocks count whenever they
 * are executed is added to the cells of their instructions, so the sum of a kind's cells is all
 * that the process has caused. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../machine/profile_file.h"
#include "../model/kinds.h"
#include "profile_text.h"
#include "tool.h"

static const char help[] =
"Usage: vpmu profile FILE\n"
"\n"
"Prints a profile that 'vpmu run --profile' has made: which instruction of a\n"
"process has caused what the machine counts. vpmu(1) explains the lines.\n";

/* ---- the file ---- */

static int open_text(const char *path, struct vpmu_profile_text *t)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *at = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0)
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd < 0) {
		vpmu_complain("%s: %s", path, strerror(errno));
		return VPMU_EXIT_FAILURE;
	}
	close(fd);
	t->base = at;
	t->head = at;
	if (at == MAP_FAILED || st.st_size < (off_t)sizeof(*t->head) ||
	    t->head->magic != VPMU_PROFILE_MAGIC || t->head->version != VPMU_PROFILE_VERSION ||
	    t->head->kinds != VPMU_KINDS) {
		vpmu_complain("%s: is no profile that this version of vpmu has made", path);
		return VPMU_EXIT_FAILURE;
	}
	t->used = t->head->used < (uint64_t)st.st_size ? t->head->used : (uint64_t)st.st_size;
	return 0;
}

/* ---- cells ---- */

static void add_cell(struct vpmu_profile_text *t, struct vpmu_text_cell cell)
{
	if (!cell.count)
		return;
	if (t->cell_count == t->cell_room) {
		t->cell_room = t->cell_room ? 2 * t->cell_room : 4096;
		t->cell = realloc(t->cell, t->cell_room * sizeof(*t->cell));
		if (!t->cell)
			abort();
	}
	t->cell[t->cell_count++] = cell;
}

static void read_patterns(struct vpmu_profile_text *t)
{
	const struct vpmu_profile_pattern *p;
	uint32_t ref = t->head->list[VPMU_LIST_PATTERNS];

	for (; (p = vpmu_profile_text_at(t, ref, sizeof(*p)));
	     ref = vpmu_profile_text_next(t, ref))
		if (p->number >= VPMU_KINDS && p->number - VPMU_KINDS < VPMU_PATTERNS_READ &&
		    vpmu_profile_text_at(t, ref, sizeof(*p) + p->count * sizeof(p->what[0])))
			t->pattern[p->number - VPMU_KINDS] = p;
}

static void add_cells_of(struct vpmu_profile_text *t, const struct vpmu_profile_note *n)
{
	uint64_t counts[VPMU_KINDS] = { 0 };

	if (!n->cells)
		return;
	vpmu_profile_text_sum(t, n->cells, counts);
	for (uint32_t i = 0; i < VPMU_KINDS; i++)
		add_cell(t, (struct vpmu_text_cell){ n->address, n->map, i, counts[i], 0 });
}

static void add_block(struct vpmu_profile_text *t, const struct vpmu_profile_block *b)
{
	const struct vpmu_profile_note *n = vpmu_profile_text_at(t, b->note, sizeof(*n));
	const struct vpmu_profile_fixed *f =
		(const void *)((const uint8_t *)b + vpmu_profile_fixed_at(b));
	uint64_t address = n ? n->address : 0;
	uint32_t at = 0;

	for (uint32_t i = 0; n && i < b->count; address += b->size[i++])
		for (uint32_t little = 0; little < 2; little++) {
			uint64_t times = b->executed[little], clocks = b->clocks[little];

			add_cell(t, (struct vpmu_text_cell){ address, n->map, vpmu_kind_core(
				little, VPMU_INSTRUCTIONS), times, 0 });
			/* Each has the same part of the block's clocks. */
			add_cell(t, (struct vpmu_text_cell){ address, n->map, vpmu_kind_core(
				little, VPMU_CORE_EVENTS), clocks / b->count +
				(i ? 0 : clocks % b->count), 0 });
			for (uint32_t k = at; k < b->fixed && f[k].index == i; k++)
				add_cell(t, (struct vpmu_text_cell){ address, n->map,
					vpmu_kind_core(little, f[k].event % VPMU_CORE_EVENTS),
					times * f[k].times, 0 });
			while (little && at < b->fixed && f[at].index == i)
				at++;
		}
}

static const struct vpmu_profile_block *block_at(const struct vpmu_profile_text *t, uint32_t ref)
{
	const struct vpmu_profile_block *b = vpmu_profile_text_at(t, ref, sizeof(*b));

	return b ? vpmu_profile_text_at(t, ref, vpmu_profile_fixed_at(b) +
					b->fixed * sizeof(struct vpmu_profile_fixed)) : NULL;
}

static bool same_place(const struct vpmu_text_cell *a, const struct vpmu_text_cell *b)
{
	return a->map == b->map && a->address == b->address;
}

/* Adds up what is of one place and kind, and numbers the places. */
static void join_cells(struct vpmu_profile_text *t)
{
	size_t n = 0;
	uint32_t note = 0;

	if (!t->cell_count)
		return;
	qsort(t->cell, t->cell_count, sizeof(t->cell[0]), vpmu_profile_text_compare);
	for (size_t i = 0; i < t->cell_count; i++) {
		struct vpmu_text_cell *c = &t->cell[i], *last = &t->cell[n ? n - 1 : 0];

		if (n && same_place(last, c) && last->kind == c->kind) {
			last->count += c->count;
			continue;
		}
		note += !n || !same_place(last, c);
		c->note = note;
		t->cell[n++] = *c;
	}
	t->cell_count = n;
}

/* Places that only blocks, calls or objects name have a number as well. */
static void add_places(struct vpmu_profile_text *t)
{
	const struct vpmu_profile_note *n;
	uint32_t ref = t->head->list[VPMU_LIST_NOTES];

	for (; (n = vpmu_profile_text_at(t, ref, sizeof(*n)));
	     ref = vpmu_profile_text_next(t, ref)) {
		add_cells_of(t, n);
		add_cell(t, (struct vpmu_text_cell){ n->address, n->map, VPMU_TEXT_PLACE, 1, 0 });
	}
}

static void collect(struct vpmu_profile_text *t)
{
	const struct vpmu_profile_block *b;
	uint32_t ref = t->head->list[VPMU_LIST_BLOCKS];

	read_patterns(t);
	add_places(t);
	for (; (b = block_at(t, ref)); ref = vpmu_profile_text_next(t, ref))
		add_block(t, b);
	join_cells(t);
}

/* ---- text ---- */

static void print_head(const struct vpmu_profile_text *t)
{
	const struct vpmu_profile_head *h = t->head;
	const char *program = vpmu_profile_text_at(t, h->program, h->program_bytes);

	printf("vpmu-profile 1\nmachine %.*s\nprocess %u %u\n", (int)sizeof(h->machine), h->machine,
	       h->pid, h->image);
	if (program)
		printf("program %.*s\n", (int)h->program_bytes, program);
}

static void print_maps(const struct vpmu_profile_text *t)
{
	const struct vpmu_profile_map *m;
	uint32_t ref = t->head->list[VPMU_LIST_MAPS];

	for (; (m = vpmu_profile_text_at(t, ref, sizeof(*m)));
	     ref = vpmu_profile_text_next(t, ref)) {
		if (!vpmu_profile_text_at(t, ref, sizeof(*m) + m->path_bytes))
			break;
		printf("map %u %" PRIx64 " %" PRIx64 " %" PRIx64 " %u %.*s\n", m->number, m->start,
		       m->end, m->offset, m->gone, m->path_bytes ? (int)m->path_bytes : 11,
		       m->path_bytes ? m->path : "[anonymous]");
	}
}

static void print_kinds(const struct vpmu_profile_text *t)
{
	bool used[VPMU_KINDS] = { false };
	char name[VPMU_KIND_NAME_MAX];

	for (size_t i = 0; i < t->cell_count; i++)
		if (t->cell[i].kind < VPMU_KINDS)
			used[t->cell[i].kind] = true;
	for (uint32_t i = 0; i < VPMU_KINDS; i++)
		if (used[i] && vpmu_kind_name(i, name))
			printf("kind %u %s\n", i, name);
}

static void print_cells(const struct vpmu_profile_text *t)
{
	uint32_t note = 0;

	for (size_t i = 0; i < t->cell_count; i++) {
		const struct vpmu_text_cell *c = &t->cell[i];

		if (c->note != note)
			printf("note %u %u %" PRIx64 "\n", c->note, c->map, c->address);
		note = c->note;
		if (c->kind < VPMU_KINDS && c->count)
			printf("cell %u %u %" PRId64 "\n", c->note, c->kind, (int64_t)c->count);
	}
}

static void print_blocks(const struct vpmu_profile_text *t)
{
	const struct vpmu_profile_block *b;
	uint32_t ref = t->head->list[VPMU_LIST_BLOCKS];

	for (; (b = block_at(t, ref)); ref = vpmu_profile_text_next(t, ref)) {
		printf("block %u %" PRIu64 " ", vpmu_profile_text_note(t, b->note),
		       b->executed[0] + b->executed[1]);
		for (uint32_t i = 0; i < b->count; i++)
			printf("%x", b->size[i] & 15);
		putchar('\n');
	}
}

static void print_lost(const struct vpmu_profile_head *h)
{
	static const char *const what[VPMU_LOST_WHATS] = {
		[VPMU_LOST_NOTES] = "notes", [VPMU_LOST_BLOCKS] = "blocks",
		[VPMU_LOST_CELLS] = "cells", [VPMU_LOST_MAPS] = "maps",
		[VPMU_LOST_ARCS] = "arcs", [VPMU_LOST_OBJECTS] = "objects",
		[VPMU_LOST_LINES] = "lines",
	};

	for (uint32_t i = 0; i < VPMU_LOST_WHATS; i++)
		if (h->lost[i])
			printf("lost %s %" PRIu64 "\n", what[i], h->lost[i]);
}

int vpmu_command_profile(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	struct vpmu_profile_text t = { .used = 0 };
	int code, rc;

	while ((code = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (code == 'h') {
			fputs(help, stdout);
			return 0;
		}
		vpmu_complain("try 'vpmu profile --help'");
		return VPMU_EXIT_USAGE;
	}
	if (optind != argc - 1) {
		vpmu_complain("profile: give one file; try 'vpmu profile --help'");
		return VPMU_EXIT_USAGE;
	}
	rc = open_text(argv[optind], &t);
	if (rc)
		return rc;
	collect(&t);
	print_head(&t);
	print_maps(&t);
	print_kinds(&t);
	print_cells(&t);
	print_blocks(&t);
	vpmu_profile_text_data(&t);
	print_lost(t.head);
	puts("end");
	free(t.cell);
	return 0;
}
