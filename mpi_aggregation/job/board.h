/* SPDX-License-Identifier: MIT */
/* Where a rank that is about to end tells the leader of its node, which writes the report then:
 * MPICH's launcher ends all ranks at once after one has failed. */
#ifndef IPMU_MPI_BOARD_H
#define IPMU_MPI_BOARD_H

#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>

struct nodes;

/* Causes that are no signal's number. */
#define ENDS_BY_ABORT 1000
#define ENDS_BY_EXIT 1001
#define LINGER_MS 600

/* Collective over the node; the leader gets what its watcher waits for, others NULL. */
sem_t *job_board_open(const struct nodes *at);
/* Signal-safe. The first cause counts, and the leader has patience_ms to write. */
void job_board_tell(int cause, int rank, int patience_ms);
bool job_board_read(char *reason, size_t bytes);	/* whether there is something to write */
void job_board_written(void);
/* The sentence for a rank that a signal ends; -1: this one. */
void job_signal_reason(int number, int rank, char *reason, size_t bytes);

#endif
