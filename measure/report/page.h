/* SPDX-License-Identifier: MIT */
/* The parts of the page: what other programs draw, and what it is put into. */
#ifndef IPMU_RUN_PAGE_H
#define IPMU_RUN_PAGE_H

#include <stdio.h>

#include "report.h"

#define PAGE_WHY_MAX REPORT_WHY_MAX

/* ---- markup.c */

/* Text as HTML has it, whatever is in it. */
void markup_text(FILE *f, const char *text);
/* The same for the name of an event or a file, which may be broken behind '_', '.' and the like. */
void markup_name(FILE *f, const char *name);
/* A drawing of another program: its markup, for free(). */
struct drawn {
	char *svg;
	int width;
};

/* 0; -EINVAL with the reason where the file holds none, or anything but shapes and text; another
 * negative errno. Names that could be on a page twice, and scripts, are skipped. */
int markup_read(const char *path, struct drawn *out, char why[PAGE_WHY_MAX]);

/* ---- scratch.c */

/* Files that come and go, by names of ours; they have the same path in a helper as here. */
struct scratch {
	struct scratch_file { char name[48]; int fd; } *files;
	int n;
};
#define SCRATCH_PATH_MAX 32

int scratch_file(struct scratch *s, const char *name);	/* a descriptor, -1: it cannot be made */
void scratch_path(struct scratch *s, const char *name, char out[SCRATCH_PATH_MAX]);
void scratch_free(struct scratch *s);

/* ---- drawing.c */

/* The machine with the counts in it, side by side and with all below one another. 0 or a negative
 * errno, and both are empty. */
struct machine_drawing {
	struct drawn wide, narrow;
	double most;		/* the count of the darkest box */
};

int drawing_make(const struct report *r, struct scratch *s, struct machine_drawing *out,
		 char why[PAGE_WHY_MAX]);

/* ---- plot.c */

/* Plots of a group: one for each metric, or event where it has none. */
int plot_items(const struct report_group *g);
/* The path of a plot by plots_make(), of width "wide" or "narrow"; no file if nothing was drawn. */
void plot_path(struct scratch *s, const struct report *r, const struct report_group *g,
	       int item, const char *width, char out[SCRATCH_PATH_MAX]);
/* Writes what the plot shows. */
void plot_caption(FILE *f, const struct report *r, const struct report_group *g, int item);
int plots_make(const struct report *r, struct scratch *s, char why[PAGE_WHY_MAX]);

/* ---- page_values.c */

#define PAGE_NUMBER_MAX 64
/* A number as text for people: four digits and a prefix of the unit, "1.13 MB" for 0.00113 GB. */
void page_number(double x, const char *unit, char out[PAGE_NUMBER_MAX]);
/* Writes the number's digits in threes, by their style: copied, the number has no blanks. */
void page_grouped(FILE *f, const char *number);
/* The first lines of the page: what the program did, as far as it was counted. */
void page_answers(FILE *f, const struct report *r);

/* ---- roofline.c */

/* Draws the roofline of a group that counts its metrics; nothing for any other group. */
void roofline_html(FILE *f, const struct report *r, const struct report_group *g);

/* ---- style.c */

extern const char page_style[];

#endif
