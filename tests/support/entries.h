/* SPDX-License-Identifier: MIT */
/* How many entries a directory has, as "/proc/self/fd" of what is open. */
#ifndef TEST_ENTRIES_H
#define TEST_ENTRIES_H

int entries(const char *directory);

#endif
