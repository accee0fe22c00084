/* SPDX-License-Identifier: MIT */
/* A signal that ends a leader leaves a second at most, and a handler may neither allocate nor lock:
 * a thread does the writing, and the handler waits for it. */
#include "watch.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "board.h"
#include "collecting/counter_set.h"
#include "report.h"
#include "timeline.h"

#define PATIENCE_MS 900
#define SECOND_NS INT64_C(1000000000)

/* SIGTERM first: see job_linger. */
static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE,
			       SIGILL };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct {
	sem_t *wake;		/* on the board */
	pthread_t thread;
	pid_t pid;
	int rank;		/* of one that lingers */
	atomic_bool running, leave, written, fatal;
	atomic_int number;		/* of the signal */
	struct sigaction old[SIGNALS];
} watch;

/* Gives the signal to whom it was for, before or after us. */
static void pass_on(int number)
{
	for (size_t i = 0; i < SIGNALS; i++)
		if (signals[i] == number)
			sigaction(number, &watch.old[i], NULL);
	raise(number);
}

/* A program that has its own idea of SIGTERM may well go on. */
static bool ends_process(int number)
{
	for (size_t i = 0; i < SIGNALS; i++)
		if (signals[i] == number && number != SIGTERM && number != SIGINT &&
		    number != SIGHUP)
			return true;
		else if (signals[i] == number)
			return watch.old[i].sa_handler == SIG_DFL;
	return true;
}

static void on_signal(int number)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	int none = 0, saved = errno;

	/* The same signal may come twice, to several threads: mpirun's to the process group, and
	 * one that a parent passes on. None may end the process before all is written. */
	if (getpid() == watch.pid) {
		if (atomic_compare_exchange_strong(&watch.number, &none, number)) {
			watch.fatal = ends_process(number);
			sem_post(watch.wake);
		}
		for (int i = 0; i < PATIENCE_MS && !watch.written; i++)
			nanosleep(&ms, NULL);
	}
	pass_on(number);
	errno = saved;
}

/* Open MPI's mpirun grants a second between SIGTERM and SIGKILL, but the death of any of its
 * children cuts that short; MPICH's grants nothing: those with nothing to write let the leader
 * write first. */
static void linger(int number)
{
	if (getpid() == watch.pid)
		job_board_tell(number, watch.rank, LINGER_MS);
	pass_on(number);
}

/* Only where the signal ends the process: a program that handles SIGTERM may well go on. What MPI
 * and UCX do about SIGSEGV is a message. */
void job_linger(struct job *j)
{
	struct sigaction action = { .sa_handler = linger, .sa_flags = SA_RESTART };

	watch.pid = getpid();
	watch.rank = j->m->at.rank;
	for (size_t i = 0; i < SIGNALS; i++)
		if (!sigaction(signals[i], NULL, &watch.old[i]) &&
		    watch.old[i].sa_handler != SIG_IGN && ends_process(signals[i]))
			sigaction(signals[i], &action, NULL);
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < SIGNALS; i++)
		if (!sigaction(signals[i], NULL, &watch.old[i]) &&
		    watch.old[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

static void release_signals(void)
{
	struct sigaction now;

	for (size_t i = 0; i < SIGNALS; i++)
		if (!sigaction(signals[i], NULL, &now) &&
		    (now.sa_handler == on_signal || now.sa_handler == linger))
			sigaction(signals[i], &watch.old[i], NULL);
}

static void wait_for_work(const struct job *j, int64_t *next_ns)
{
	struct timespec next;
	int rc;

	if (j->interval_ms <= 0) {
		while (sem_wait(watch.wake) && errno == EINTR)
			;
		return;
	}
	*next_ns += j->interval_ms * 1000000;
	next = (struct timespec){ *next_ns / SECOND_NS, *next_ns % SECOND_NS };
	do
		rc = sem_clockwait(watch.wake, CLOCK_MONOTONIC, &next);
	while (rc && errno == EINTR);
}

static void *watcher(void *arg)
{
	struct job *j = arg;
	struct timespec now;
	char reason[64];
	int64_t next_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	next_ns = now.tv_sec * SECOND_NS + now.tv_nsec;
	while (!watch.leave) {
		wait_for_work(j, &next_ns);
		if (watch.number && !watch.written) {
			job_signal_reason(watch.number, -1, reason, sizeof(reason));
			job_report_alone(j, reason, watch.fatal);
			watch.written = true;
			job_board_written();
			continue;
		}
		if (job_board_read(reason, sizeof(reason))) {
			job_report_alone(j, reason, true);
			job_board_written();
			continue;
		}
		pthread_mutex_lock(&j->lock);
		if (!j->ended && !j->ending && !watch.leave)
			job_timeline_line(j);
		pthread_mutex_unlock(&j->lock);
	}
	return NULL;
}

void job_watch(struct job *j, sem_t *wake)
{
	sigset_t all, old;

	watch.wake = wake;
	watch.pid = getpid();
	job_timeline_begin(j);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	watch.running = !pthread_create(&watch.thread, NULL, watcher, j);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (watch.running)
		catch_signals();
}

void job_unwatch(void)
{
	release_signals();
	if (!watch.running)
		return;
	watch.leave = true;
	sem_post(watch.wake);
	pthread_join(watch.thread, NULL);
	watch.running = false;
}
