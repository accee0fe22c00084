#!/bin/bash
# SPDX-License-Identifier: MIT
# A process with threads forks, and its child makes threads, as it may natively: whether the threads
# of the parent wait, run, end at that time or were joined before; and the child's child as well.
# Then the child of a process that counts through PAPI, which has a thread of its own, counts again.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 "${CC:-cc}"
export VPMU_TALLY=$scratch/tally

cat >"$scratch/forks.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3

static volatile int stop;

static void *mark(void *done)
{
	*(int *)done = 1;
	return NULL;
}

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void *run(void *unused)
{
	while (!stop)
		free(malloc(100));
	return unused;
}

static void *make_threads(void *unused)
{
	while (!stop) {
		pthread_t t;
		int done;

		if (!pthread_create(&t, NULL, mark, &done))
			pthread_join(t, NULL);
	}
	return unused;
}

static const struct { const char *name; void *(*start)(void *); } kinds[] = {
	{ "waiting", wait_for_ever }, { "running", run }, { "making", make_threads }, { "joined", NULL },
};

/* Gives 0 if all threads ran, and those of the child's child. */
static int child(int generations)
{
	int done[THREADS] = { 0 }, ran = 0, status = 0;
	pthread_t t[THREADS];
	pid_t pid;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, mark, &done[i]))
			return 1;
	if (generations) {
		pid = fork();
		if (!pid)
			_exit(child(generations - 1));
		waitpid(pid, &status, 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		ran += done[i];
	}
	return status || ran != THREADS;
}

int main(int argc, char **argv)
{
	int kind = 0, bad = 0, status, done;
	pthread_t t[THREADS];

	while (argc > 1 && strcmp(kinds[kind].name, argv[1]))
		kind++;
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&t[i], NULL, kinds[kind].start ? kinds[kind].start : mark, &done))
			return 2;
		if (!kinds[kind].start)
			pthread_join(t[i], NULL);
	}
	for (int i = 0; i < 10; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(child(1));
		waitpid(pid, &status, 0);
		bad += status != 0;
	}
	stop = 1;
	printf("%d of 10 children failed\n", bad);
	return bad != 0;
}
C
${CC:-cc} -O1 -w -pthread "$scratch/forks.c" -o "$scratch/forks" || exit 1
for kind in waiting running making joined; do
	timeout $HANG_SECONDS "$vpmu" run -m skl-4c8t "$scratch/forks" $kind >"$scratch/out" 2>&1
	verdict "parent's threads: $kind" $?
done

# 16 MiB, of which the child reads each line once.
cat >"$scratch/counts.c" <<'C'
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (16u << 20)

static volatile char *memory;

static int begin(void)
{
	int set = PAPI_NULL;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set) ||
	    PAPI_add_named_event(set, "intel_uncore:::skl_unc_imc.DRAM_DATA_READS") ||
	    PAPI_start(set))
		exit(2);
	return set;
}

int main(void)
{
	long long lines = -1;
	int status, set;

	memory = malloc(BYTES);
	set = begin();
	if (!fork()) {
		set = begin();
		for (size_t i = 0; i < BYTES; i += 64)
			memory[i]++;
		if (PAPI_stop(set, &lines))
			_exit(3);
		printf("%lld\n", lines);
		fflush(stdout);
		_exit(0);
	}
	wait(&status);
	if (PAPI_stop(set, &lines))
		return 4;
	return status != 0;
}
C
if [ -n "${STAGE_LIB:-}" ]; then
	${CC:-cc} -O1 -w -I"$STAGE/include" "$scratch/counts.c" -o "$scratch/counts" -L"$STAGE_LIB" \
		-Wl,-rpath,"$STAGE_LIB" -lpapi || exit 1
	timeout $HANG_SECONDS "$vpmu" run -m skl-4c8t "$scratch/counts" >"$scratch/out" 2>&1
	verdict "the child of a process that counts" $?
	lines=$(sed -n 1p "$scratch/out")
	[ "$lines" -ge 262144 ] && [ "$lines" -le $((262144 + 2621)) ]
	verdict "the child's count: $lines of 262144 lines, and 1 %" $?
fi
finish
