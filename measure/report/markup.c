/* SPDX-License-Identifier: MIT */
/* Text and drawings as markup of the page. markup_text() escapes text, and markup_read() copies an
 * SVG file that another program has drawn. Only listed shapes and attributes are copied.
 * Definitions and remarks are skipped, and any other element refuses the file. So no script and
 * nothing from elsewhere gets into the page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

void markup_text(FILE *f, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '&': fputs("&amp;", f); break;
		case '"': fputs("&quot;", f); break;
		case '\'': fputs("&#39;", f); break;
		default: fputc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, f);
		}
	}
}

void markup_name(FILE *f, const char *name)
{
	char part[2] = { '\0' };

	for (; *name; name++) {
		part[0] = *name;
		markup_text(f, part);
		if (strchr("_.:/=,", *name) && name[1] && !strchr("_.:/=,", name[1]))
			fputs("<wbr>", f);
	}
}

/* ---- drawings ---- */

static char *read_all(const char *path, int *error)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	*error = f ? 0 : -errno;
	if (f && getdelim(&text, &room, '\0', f) < 0)
		*error = ferror(f) ? -errno : -EINVAL;
	if (f)
		fclose(f);
	if (!*error)
		return text;
	free(text);
	return NULL;
}

static bool is_listed(const char *const *list, size_t count, const char *name, size_t n)
{
	for (size_t i = 0; i < count; i++)
		if (n == strlen(list[i]) && !strncmp(name, list[i], n))
			return true;
	return false;
}

static bool is_shape(const char *name, size_t n)
{
	static const char *const shapes[] = {
		"svg", "g", "rect", "line", "path", "polyline", "polygon", "circle", "text",
		"tspan", "title", "desc",
	};

	return is_listed(shapes, sizeof(shapes) / sizeof(shapes[0]), name, n);
}

static const char blanks[] = " \t\r\n";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_-";

/* Keeps attributes of position and style, as lstopo and gnuplot write them. Handlers could be
 * scripts, and names of elements are not unique on a page with two drawings. */
static bool is_kept(const char *name, size_t n)
{
	static const char *const kept[] = {
		"class", "color", "cx", "cy", "d", "dx", "dy", "fill", "fill-opacity", "fill-rule",
		"font-family", "font-size", "font-style", "font-weight", "height", "opacity",
		"points", "r", "rx", "ry", "stroke", "stroke-dasharray", "stroke-linecap",
		"stroke-linejoin", "stroke-miterlimit", "stroke-opacity", "stroke-width",
		"text-anchor", "transform", "version", "viewBox", "width", "x", "x1", "x2", "y",
		"y1", "y2",
	};

	return is_listed(kept, sizeof(kept) / sizeof(kept[0]), name, n);
}

/* Copies one attribute. Returns what follows, NULL if it is none. */
static const char *attribute(FILE *f, const char *p)
{
	size_t n = strspn(p, letters), blank = strspn(p + n, blanks);
	const char *value = p + n + blank, *end;

	if (!n || *value != '=')
		return NULL;
	value += 1 + strspn(value + 1, blanks);
	end = *value == '"' || *value == '\'' ? strchr(value + 1, *value) : NULL;
	if (!end || memchr(value, '<', (size_t)(end - value)))
		return NULL;
	if (is_kept(p, n))
		fprintf(f, " %.*s=%.*s", (int)n, p, (int)(end - value + 1), value);
	return end + 1;
}

static const char *tag(FILE *f, const char *p)
{
	bool closing = *p == '/';
	size_t n = strspn(p + closing, letters);

	if (!is_shape(p + closing, n))
		return NULL;
	fprintf(f, "<%s%.*s", closing ? "/" : "", (int)n, p + closing);
	for (p += closing + n; p; p = attribute(f, p)) {
		p += strspn(p, blanks);
		if (*p == '>' || (*p == '/' && p[1] == '>'))
			break;
	}
	if (!p)
		return NULL;
	fputs(*p == '/' ? "/>" : ">", f);
	return p + (*p == '/' ? 2 : 1);
}

/* Skips what is not drawn: definitions of marks that our plots do not use, and remarks. */
static const char *skip(const char *p)
{
	const char *end = NULL;

	if (!strncmp(p, "!--", 3) && (end = strstr(p, "-->")) != NULL)
		return end + 3;
	if (!strncmp(p, "defs>", 5) && (end = strstr(p, "</defs>")) != NULL)
		return end + 7;
	return p;
}

static int copy(FILE *f, const char *p)
{
	while (p && *p) {
		size_t n = strcspn(p, "<");
		const char *after;

		fwrite(p, 1, n, f);
		p += n;
		if (!*p)
			break;
		after = skip(p + 1);
		p = after == p + 1 ? tag(f, after) : after;
	}
	return p ? 0 : -EINVAL;
}

/* The first tag's width, 0: none. */
static int width_of(const char *begin)
{
	const char *end = strchr(begin, '>'), *width = strstr(begin, " width=");

	return end && width && width < end ? (int)strtol(width + 8, NULL, 10) : 0;
}

int markup_read(const char *path, struct drawn *out, char why[PAGE_WHY_MAX])
{
	char *text, *begin;
	size_t bytes;
	FILE *memory;
	int rc;

	*out = (struct drawn){ NULL, 0 };
	text = read_all(path, &rc);
	begin = text ? strstr(text, "<svg") : NULL;
	memory = open_memstream(&out->svg, &bytes);
	if (text)
		rc = !memory ? -ENOMEM : begin ? copy(memory, begin) : -EINVAL;
	if (memory && fclose(memory) && !rc)
		rc = -ENOMEM;
	if (!rc)
		out->width = width_of(out->svg);
	else
		snprintf(why, PAGE_WHY_MAX, "%s", rc == -EINVAL ?
			 "the drawing holds what is no drawing" : strerror(-rc));
	if (rc) {
		free(out->svg);
		out->svg = NULL;
	}
	free(text);
	return rc;
}
