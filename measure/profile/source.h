/* SPDX-License-Identifier: MIT */
#ifndef IPMU_PROFILE_SOURCE_H
#define IPMU_PROFILE_SOURCE_H

/* The text of a source line without the blanks around it, for free(); NULL: the file is not
 * readable, or newer than the object that was made of it. */
char *source_line(const char *file, int line, const char *object);

#endif
