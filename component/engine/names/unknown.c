/* SPDX-License-Identifier: MIT */
/* The sentence about a qualifier that an event does not take: ipmu_name_unknown() completes it
 * after an encoder's -ENOKEY. If the qualifier is another tool's spelling, the sentence has ours.
 * It also lists the unit masks and qualifiers that the event takes. */
#include "unknown.h"

#include "pfm.h"
#include "takes.h"

#include "../base/why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Words of one meaning in each row: libpfm4's, which are ours, then perf's, LIKWID's and PCM's. */
static const char *const meanings[][8] = {
	{ "c", "thr", "t", "cmask", "thresh", "threshold", NULL },
	{ "e", "edge", "edge_det", "edgedetect", NULL },
	{ "i", "cmpl", "inv", "invert", "complement", NULL },
	{ "t", "any", "anythread", "any_thread", NULL },
	{ "u", "usr", "user", NULL },
	{ "k", "os", "kernel", NULL },
	{ "package", "socket", "pkg", NULL },
	{ "box", "slice", "cbox", "mbox", NULL },
};

/* Find a word in the list "package=0, e, c=0-31"; *bytes: its length, with what it takes. */
static const char *find_word(const char *list, const char *word, int *bytes)
{
	size_t n = strlen(word);

	for (const char *at = list; at; at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL)
		if (strncasecmp(at, word, n) == 0 && strchr("=,", at[n])) {
			*bytes = (int)(strstr(at, ", ") ? strstr(at, ", ") - at :
				       (ptrdiff_t)strlen(at));
			return at;
		}
	return NULL;
}

static bool means(const char *const *words, const char *key, size_t n)
{
	for (; *words; words++)
		if (strlen(*words) == n && strncasecmp(*words, key, n) == 0)
			return true;
	return false;
}

/* LIKWID's names of counters, as in CBOX0C1, PMC0 and FIXC2. */
static bool is_counter(const char *word)
{
	size_t n = strcspn(word, "0123456789");

	return word[n] && ((n >= 3 && strncasecmp(word + n - 3, "BOX", 3) == 0) ||
			   (n == 3 && strncasecmp(word, "PMC", 3) == 0) ||
			   (n == 4 && strncasecmp(word, "FIXC", 4) == 0));
}

/* ": write c=1", or "". */
static void translate(const char *list, const char *word, char *text, size_t bytes)
{
	size_t n = strcspn(word, "=");
	int length;

	text[0] = '\0';
	if (is_counter(word))
		snprintf(text, bytes, ": leave it out, a counter is chosen without it");
	for (size_t m = 0; m < sizeof(meanings) / sizeof(meanings[0]) && !text[0]; m++) {
		if (!means(meanings[m], word, n))
			continue;
		for (const char *const *ours = meanings[m]; *ours && !text[0]; ours++) {
			const char *found = find_word(list, *ours, &length);

			if (found && word[n])
				snprintf(text, bytes, ": write %s%s", *ours, word + n);
			else if (found)
				snprintf(text, bytes, ": write %.*s", length, found);
		}
	}
}

static void list_umasks(const struct ipmu_pmu_type *type, const char *event, char *list,
			size_t bytes)
{
	const char *name, *desc;
	char umask[64];
	bool is_default;

	list[0] = '\0';
	for (int n = 0; !ipmu_pfm_umask(type, event, n, &is_default, umask, sizeof(umask)); n++)
		ipmu_list_add(list, bytes, umask);
	for (int n = 0; type->own_names && !type->ops->more(event, n, &name, &desc); n++)
		ipmu_list_add(list, bytes, name);
}

int ipmu_name_unknown(const struct ipmu_machine *m, const struct ipmu_pmu_type *type,
		      const char *event, char *why)
{
	char word[IPMU_NAME_MAX], takes[512], umasks[256], meant[IPMU_NAME_MAX + 64];

	if (!why)
		return -EINVAL;
	snprintf(word, sizeof(word), "%s", why);
	ipmu_name_takes(m, type, type, event, takes, sizeof(takes));
	translate(takes, word, meant, sizeof(meant));
	list_umasks(type, event, umasks, sizeof(umasks));
	return ipmu_fail(why, -EINVAL, "%s.%s: no such qualifier as %s%s%s%s; qualifiers: %s",
			 type->name, event, word, meant, umasks[0] ? "; unit masks: " : "", umasks,
			 takes);
}
