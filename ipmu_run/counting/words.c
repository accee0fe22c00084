/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <papi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "words.h"

void words_begin(struct words *w)
{
	fflush(stderr);
	w->saved = -1;
	w->file = memfd_create("ipmu-run-words", MFD_CLOEXEC);
	if (w->file >= 0)
		w->saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (w->saved >= 0)
		dup2(w->file, STDERR_FILENO);
	PAPI_set_debug(w->saved >= 0 ? PAPI_VERB_ECONT : PAPI_QUIET);
}

static const char *ours(const char *text)
{
	static const char *const begins[] = { "intel_uncore: ", "intel_core: " };
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		const char *p = strstr(text, begins[i]);

		if (p && (!first || p < first))
			first = p + strlen(begins[i]);
	}
	return first;
}

void words_end(struct words *w, char out[WORDS_MAX])
{
	char text[4096];
	const char *first;
	ssize_t n = 0;

	PAPI_set_debug(PAPI_QUIET);
	fflush(stderr);
	if (w->saved >= 0) {
		dup2(w->saved, STDERR_FILENO);
		close(w->saved);
		n = pread(w->file, text, sizeof(text) - 1, 0);
	}
	if (w->file >= 0)
		close(w->file);
	text[n > 0 ? n : 0] = '\0';
	first = ours(text);
	snprintf(out, WORDS_MAX, "%.*s", first ? (int)strcspn(first, "\n") : 0, first ? first : "");
	if (out[0] && out[strlen(out) - 1] == '.')
		out[strlen(out) - 1] = '\0';
}
