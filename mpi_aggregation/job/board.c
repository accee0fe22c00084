/* SPDX-License-Identifier: MIT */
#include "board.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "collecting/nodes.h"
#include "file_limit.h"

struct board {
	sem_t wake;		/* the leader's watcher waits here */
	_Atomic int64_t first;	/* of the ranks that end: why, and its number; 0: none has */
	atomic_bool written;
};

static struct board *board;

/* Both in one value, so that no reader sees one without the other. */
static int64_t notice(int cause, int rank)
{
	return (int64_t)cause << 32 | (uint32_t)rank;
}

static struct board *board_map(int fd)
{
	void *p = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* -1: there is none, as where the program may write no files. */
static int memory_new(void)
{
	int fd = memfd_create("ipmu-mpi-board", MFD_CLOEXEC), rc;
	sigset_t signals;

	if (fd < 0)
		return -1;
	file_limit_hold(&signals);
	rc = ftruncate(fd, sizeof(struct board));
	file_limit_release(&signals);
	if (!rc)
		return fd;
	close(fd);
	return -1;
}

sem_t *job_board_open(const struct nodes *at)
{
	bool leader = at->node_rank == 0;
	static struct board alone;
	int fd = -1;

	if (leader) {
		fd = memory_new();
		board = fd < 0 ? NULL : board_map(fd);
		if (!board)
			board = &alone;
		sem_init(&board->wake, board != &alone, 0);
	}
	fd = node_share(at, board == &alone ? -1 : fd);
	if (!leader && fd >= 0)
		board = board_map(fd);
	if (fd >= 0)
		close(fd);
	return leader ? &board->wake : NULL;
}

void job_board_tell(int cause, int rank, int patience_ms)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	int64_t none = 0;
	int saved = errno;

	if (board && atomic_compare_exchange_strong(&board->first, &none, notice(cause, rank)))
		sem_post(&board->wake);
	for (int i = 0; i < patience_ms && !(board && board->written); i++)
		nanosleep(&ms, NULL);
	errno = saved;
}

void job_signal_reason(int number, int rank, char *reason, size_t bytes)
{
	const char *name = sigabbrev_np(number);

	if (rank < 0)
		snprintf(reason, bytes, "ended by signal %d, SIG%s", number, name);
	else
		snprintf(reason, bytes, "rank %d ended by signal %d, SIG%s", rank, number, name);
}

bool job_board_read(char *reason, size_t bytes)
{
	int64_t first = board->first;
	int cause = (int)(first >> 32), rank = (int32_t)first;

	if (!cause || board->written)
		return false;
	if (cause == ENDS_BY_ABORT)
		snprintf(reason, bytes, "MPI_Abort was called by rank %d", rank);
	else if (cause == ENDS_BY_EXIT)
		snprintf(reason, bytes, "rank %d ended without MPI_Finalize", rank);
	else
		job_signal_reason(cause, rank, reason, bytes);
	return true;
}

void job_board_written(void)
{
	if (board)
		board->written = true;
}
