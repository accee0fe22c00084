/* SPDX-License-Identifier: MIT */
#include "source.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCE_MAX 200		/* bytes that are kept of a line */

/* An edited file has other text at that line. */
static bool is_older(const struct stat *source, const char *object)
{
	struct stat st;

	return !stat(object, &st) &&
	       (source->st_mtim.tv_sec < st.st_mtim.tv_sec ||
		(source->st_mtim.tv_sec == st.st_mtim.tv_sec &&
		 source->st_mtim.tv_nsec <= st.st_mtim.tv_nsec));
}

/* NULL: it is no regular file, which alone is read without waiting. */
static FILE *open_source(const char *file, const char *object)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	FILE *f;

	if (fd < 0)
		return NULL;
	f = !fstat(fd, &st) && S_ISREG(st.st_mode) && is_older(&st, object) ? fdopen(fd, "r") :
									      NULL;
	if (!f)
		close(fd);
	return f;
}

char *source_line(const char *file, int line, const char *object)
{
	char *text = NULL, *found = NULL;
	size_t room = 0;
	ssize_t n = -1;
	FILE *f = *file == '/' ? open_source(file, object) : NULL;

	for (int i = 0; f && i < line && (n = getline(&text, &room, f)) > 0; i++)
		;
	if (f && n > 0) {
		char *begin = text + strspn(text, " \t");
		size_t length = strcspn(begin, "\r\n");

		while (length && strchr(" \t", begin[length - 1]))
			length--;
		found = strndup(begin, length < SOURCE_MAX ? length : SOURCE_MAX);
	}
	free(text);
	if (f)
		fclose(f);
	return found;
}
