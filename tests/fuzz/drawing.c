/* SPDX-License-Identifier: MIT */
/* Drawings of other programs, which come into a page that a browser shows: what is let through has
 * tags of shapes and text only, and no handlers. */
#include "fuzz.h"
#include "fuzz_file.h"
#include "../../measure/report/page.h"

static const char *const shapes[] = {
	"svg", "g", "rect", "line", "path", "polyline", "polygon", "circle", "text", "tspan",
	"title", "desc",
};

static int is_shape(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (strlen(shapes[i]) == n && !memcmp(shapes[i], name, n))
			return 1;
	return 0;
}

/* Behind the name of a tag: attributes in quotes, up to the end of the tag, which is returned. */
static const char *check_attributes(const char *p)
{
	while (*p == ' ') {
		const char *name = ++p, *end;

		p += strcspn(p, "=<>\"' ");
		REQUIRE(p > name && *p == '=');
		REQUIRE(strncasecmp(name, "on", 2) && !memchr(name, ':', (size_t)(p - name)));
		REQUIRE(strncasecmp(name, "id=", 3) && strncasecmp(name, "xmlns", 5));
		end = p[1] == '"' || p[1] == '\'' ? strchr(p + 2, p[1]) : NULL;
		REQUIRE(end && !memchr(p, '<', (size_t)(end - p)));
		p = end + 1;
	}
	p += *p == '/';
	REQUIRE(*p == '>');
	return p + 1;
}

static void check_markup(const char *p)
{
	REQUIRE(!strncmp(p, "<svg", 4));
	while ((p = strchr(p, '<'))) {
		size_t n;

		p += 1 + (p[1] == '/');
		n = strcspn(p, " />");
		REQUIRE(is_shape(p, n));
		p = check_attributes(p + n);
	}
}

/* Text of any kind stays text. */
static void check_text(const char *text)
{
	char *out = NULL;
	size_t bytes;
	FILE *f = open_memstream(&out, &bytes);

	REQUIRE(f);
	markup_text(f, text);
	REQUIRE(fclose(f) == 0 && !out[strcspn(out, "<>\"'")]);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	char why[PAGE_WHY_MAX] = "", text[256];
	struct drawn out;

	fuzz_file_write(&file, data, size);
	if (markup_read(file.path, &out, why)) {
		REQUIRE(why[0] && !out.svg);
	} else {
		check_markup(out.svg);
		free(out.svg);
	}
	snprintf(text, sizeof(text), "%.*s", (int)(size < 255 ? size : 255), (const char *)data);
	check_text(text);
	return 0;
}
