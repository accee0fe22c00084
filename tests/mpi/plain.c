/* SPDX-License-Identifier: MIT */
/* plain MIB THREADS EVENT: what a tool does that has no code for nodes. Every thread of every rank
 * counts the event while each rank reads MIB MiB of its own; what all of them read is added up. */
#include <mpi.h>
#include <papi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

static const char *event;
static size_t bytes;
static pthread_barrier_t together;
static char *data, *other;	/* reading the other one leaves nothing of data in caches */
static int threads;

struct part {
	int number, rc;
	long long before, count, after;	/* read without work, with it, and after the stop */
	long sum;
};

static long read_lines(const volatile char *from, size_t n)
{
	long sum = 0;

	if (work_elsewhere(sched_getcpu(), "reads", (long)(n >> 10)))
		return 0;
	for (size_t i = 0; i < n; i += 64)
		sum += from[i];
	return sum;
}

/* The first thread starts first and stops last, and has the ranks meet in between. */
static void meet(const struct part *p)
{
	pthread_barrier_wait(&together);
	if (p->number == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	pthread_barrier_wait(&together);
}

static void *count(void *arg)
{
	struct part *p = arg;
	size_t share = bytes / (size_t)threads;
	int set = PAPI_NULL;

	p->rc = PAPI_create_eventset(&set);
	if (p->rc == PAPI_OK)
		p->rc = PAPI_add_named_event(set, event);
	for (int turn = 0; turn < threads; turn++) {
		if (turn == p->number && p->rc == PAPI_OK)
			p->rc = PAPI_start(set);
		meet(p);
	}
	if (p->number == 0)
		p->sum = read_lines(other, bytes);
	meet(p);
	if (p->rc == PAPI_OK)
		p->rc = PAPI_reset(set);
	meet(p);
	p->sum += read_lines(data + share * (size_t)p->number, share);
	meet(p);
	if (p->rc == PAPI_OK)
		p->rc = PAPI_read(set, &p->count);
	for (int turn = threads - 1; turn >= 0; turn--) {
		if (turn == p->number && p->rc == PAPI_OK)
			p->rc = PAPI_stop(set, &p->after);
		meet(p);
	}
	if (p->rc == PAPI_OK && p->after < p->count)
		p->rc = -1000;
	return NULL;
}

int main(int argc, char **argv)
{
	int rank, level, wrong = 0, sums[2], mine[2] = { 0, 0 };
	long long total = 0, here = 0;
	struct part parts[16];
	pthread_t ids[16];

	bytes = (size_t)atoi(argv[1]) << 20;
	threads = atoi(argv[2]);
	event = argv[3];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	data = aligned_alloc(4096, bytes);
	other = aligned_alloc(4096, bytes);
	memset(data, rank, bytes);
	memset(other, rank, bytes);
	pthread_barrier_init(&together, NULL, (unsigned int)threads);
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
	    PAPI_thread_init((unsigned long (*)(void))pthread_self) != PAPI_OK)
		wrong = 1;
	for (int i = 0; i < threads; i++) {
		parts[i] = (struct part){ .number = i };
		pthread_create(&ids[i], NULL, count, &parts[i]);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		here += parts[i].count;
		mine[1] += parts[i].count != 0;
		if (parts[i].rc != PAPI_OK) {
			printf("rank %d thread %d: %d\n", rank, i, parts[i].rc);
			wrong = 1;
		}
	}
	mine[0] = wrong;
	MPI_Reduce(&here, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Reduce(mine, sums, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("sum %lld, %d not 0, %d failed\n", total, sums[1], sums[0]);
	MPI_Finalize();
	return 0;
}
