/* SPDX-License-Identifier: MIT */
/* Journals that a test makes up and puts where the engine reads them. */
#ifndef JOURNAL_FILE_H
#define JOURNAL_FILE_H

#include "lease/journal.h"

/* An empty one of that family and place, of this boot. */
void journal_file_init(struct ipmu_journal *j, const struct ipmu_family *family, int place);
/* A row for any register that the family lists, even one that no event writes. */
void journal_file_add(struct ipmu_journal *j, const struct ipmu_family *family, uint32_t addr,
		      uint64_t found, uint64_t now);
/* "DIRECTORY/package-0.skl_unc" */
void journal_file_path(const struct ipmu_journal *j, const struct ipmu_family *family,
		       char path[4096]);
void journal_file_put(const struct ipmu_journal *j, const struct ipmu_family *family);

#endif
