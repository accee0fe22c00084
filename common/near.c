/* SPDX-License-Identifier: MIT */
/* An edit distance in which a missing character costs 1, and a wrong or surplus one 2: names are
 * abbreviated more often than extended. Letter case is ignored, and separators are alike. */
#include "near.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 255	/* characters of a name */

static bool alike(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b) ||
	       (strchr(".:-_", a) && strchr(".:-_", b));
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t cost_of(const char *typed, const char *name)
{
	size_t row[LONGEST + 1], length = strnlen(name, LONGEST);

	for (size_t i = 0; i <= length; i++)
		row[i] = i;
	for (; *typed; typed++) {
		size_t before = row[0];

		row[0] += 2;
		for (size_t i = 1; i <= length; i++) {
			size_t both = before + (alike(*typed, name[i - 1]) ? 0 : 2);

			before = row[i];
			row[i] = least(both, least(before + 2, row[i - 1] + 1));
		}
	}
	return row[length];
}

/* A name that has nothing of the typed one costs twice the typed one's length. Three quarters of
 * the characters have to be there, so that another word has no near name. */
void near_begin(struct near *n, const char *typed)
{
	*n = (struct near){ .typed = typed, .cost = strlen(typed) / 2 };
}

static bool is_listed(const struct near *n, const char *name)
{
	size_t bytes = strlen(name);

	for (const char *at = strstr(n->names, name); at; at = strstr(at + 1, name))
		if ((at == n->names || at[-1] == ' ') && (!at[bytes] || at[bytes] == ','))
			return true;
	return false;
}

void near_try(struct near *n, const char *name, const char *shown)
{
	size_t cost = cost_of(n->typed, name), used;

	if (cost < n->cost)
		n->names[0] = '\0';
	if (cost > n->cost || is_listed(n, shown))
		return;
	n->cost = cost;
	used = strlen(n->names);
	if (used + 2 + strlen(shown) < sizeof(n->names))
		snprintf(n->names + used, sizeof(n->names) - used, "%s%s", used ? ", " : "", shown);
}

const char *near_text(const struct near *n, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s%s", n->names[0] ? "; nearest: " : "", n->names);
	return text;
}
