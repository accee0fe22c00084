/* SPDX-License-Identifier: MIT */
/* Text that somebody else has chosen, as a terminal is to get it: names of files and programs, what
 * stands in files, a guest's words. An escape sequence in it could hide lines, forge others or have
 * the terminal type. Control characters (U+0080 to U+009F, too) and bytes that are no UTF-8 are
 * shown as \xNN. */
#ifndef IPMU_SHOWN_H
#define IPMU_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Room for a text of so many bytes. */
#define SHOWN_ROOM(bytes) (4 * (bytes) + 1)

/* The text has nothing that has to be shown as \xNN, tabs apart. */
bool shown_as_is(const char *text, size_t bytes);
/* Puts what is shown into out, cut at a whole character, and returns it. */
const char *shown(const char *text, char *out, size_t room);
/* Writes text of several lines: newlines and tabs stay, and a carriage return is left out. */
void shown_write(FILE *to, const char *text, size_t bytes);

#endif
