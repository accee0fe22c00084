/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

int option_number(const char *option, const char *text, const char *of, int max, int *out)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < 1 || n > max)
		return complain(STATUS_OURS, "%s %s: give a number of %s from 1 to %d", option,
				text, of, max);
	*out = (int)n;
	return 0;
}

int option_word(const char *option, const char *text)
{
	if (text[0] != '-' || !text[1])
		return 0;
	return complain(STATUS_OURS, "%s took '%s' for its value: write the value after %s", option,
			text, option);
}

/* Compares the option alone, without "=x". */
static bool is_typed(const char *word, const char *option)
{
	size_t n = strlen(option);

	return !strncmp(word, option, n) && (!word[n] || word[n] == '=');
}

int option_unknown(char **argv, const struct option_hint *hints)
{
	char letter[] = { '-', (char)optopt, '\0' };
	const char *word = optopt ? letter : argv[optind - 1];

	for (; hints->typed; hints++)
		if (is_typed(word, hints->typed))
			return complain(STATUS_OURS, "%s: %s", hints->typed, hints->ours);
	return complain(STATUS_OURS, "try '%s --help'", program_invocation_short_name);
}

int option_prefix(const char *text)
{
	const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;

	if (*name && strcmp(name, ".") && strcmp(name, ".."))
		return 0;
	return complain(STATUS_OURS, "-o '%s': give a file name prefix without an extension",
			text);
}
