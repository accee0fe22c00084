/* SPDX-License-Identifier: MIT */
/* Tables by data: objects, and lines that several threads use at once. */
#ifndef IPMU_PROFILE_DATA_TABLE_H
#define IPMU_PROFILE_DATA_TABLE_H

#include "symbols.h"
#include "weights.h"
#include "where.h"

struct data_table;

struct data_table *data_table_begin(struct symbols *s, int nevents);
/* As tables_add(). */
int data_table_add(struct data_table *t, const struct profile *p, const struct place *places,
		   const struct weights *w, const bool *wanted);
/* Puts the tables into `out`, which keep their memory until data_table_free(). 0 or -ENOMEM. */
int data_table_end(struct data_table *t, struct where *out);
void data_table_free(struct data_table *t);

#endif
