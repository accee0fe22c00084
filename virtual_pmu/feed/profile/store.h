/* SPDX-License-Identifier: MIT */
/* The profile's file in this process: see machine/profile_file.h. */
#ifndef VPMU_FEED_PROFILE_STORE_H
#define VPMU_FEED_PROFILE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../machine/profile_file.h"

struct vpmu_profile_origin { const char *folder, *machine; };

/* Makes the file. False: there is no profile of this process. */
bool vpmu_profile_store_begin(const struct vpmu_profile_origin *from);
/* The path of the program, once it is known. */
void vpmu_profile_store_program(const char *program);
/* In the child: gives it a file of its own, with the same records at the same addresses. Cells and
 * counts are the parent's: the caller drops them. Without a file the records are in no file. */
void vpmu_profile_store_forked(void);
/* The file takes no more room than its records. */
void vpmu_profile_store_end(void);

/* A new record, of zeros; NULL: there is no room, which is counted. It does not move. */
void *vpmu_profile_add(size_t bytes, enum vpmu_profile_lost what);
void vpmu_profile_lose(enum vpmu_profile_lost what, uint64_t times);
/* Puts the record, which begins with `next`, at the head of its list. */
void vpmu_profile_publish(enum vpmu_profile_list list, void *record);
uint32_t vpmu_profile_ref(const void *record);
void *vpmu_profile_at(uint32_t ref);		/* NULL for 0 */
uint32_t vpmu_profile_first(enum vpmu_profile_list list);

#endif
