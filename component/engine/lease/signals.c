/* SPDX-License-Identifier: MIT */
/* Signals that end the process: the registers are restored first. ipmu_signals_on() installs a
 * handler where the program has none, and only while registers are changed from what they were.
 * ipmu_signals_hold() blocks these signals while a thread is inside a unit. The handler ends with
 * the signal's own effect, so the exit status is what it would have been.
 *
 * The handler uses what the engine uses to restore registers: reads and writes of descriptors,
 * fcntl and plain memory, which are all async-signal-safe. A thread inside a unit has the signals
 * blocked, so the handler never interrupts it; if another thread is inside, the handler waits. What
 * it cannot restore is left to the journal. `lock` guards the handlers; no other lock is taken
 * under it. */
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const int fatal[] = { SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV,
			     SIGTERM };
#define FATAL (sizeof(fatal) / sizeof(fatal[0]))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int joined;		/* units of this process */
static bool installed[FATAL];
static _Atomic int ending;	/* thread that ends the process; 0: none */
static void (*_Atomic at_end)(void);

void ipmu_signals_at_end(void (*act)(void))
{
	atomic_store(&at_end, act);
}

static int thread_id(void)
{
	return (int)syscall(SYS_gettid);
}

bool ipmu_signals_ending(void)
{
	int who = atomic_load(&ending);

	return who && who != thread_id();
}

bool ipmu_signals_handling(void)
{
	return atomic_load(&ending) == thread_id();
}

static void handle(int number)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	void (*act)(void) = atomic_load(&at_end);
	int none = 0, saved = errno;

	if (act && atomic_compare_exchange_strong(&ending, &none, thread_id()))
		act();
	sigaction(number, &plain, NULL);
	raise(number);
	errno = saved;
}

static void install(void)
{
	struct sigaction ours = { .sa_handler = handle, .sa_flags = SA_ONSTACK }, old;

	sigfillset(&ours.sa_mask);
	for (size_t i = 0; i < FATAL; i++)
		if (!sigaction(fatal[i], NULL, &old) && !(old.sa_flags & SA_SIGINFO) &&
		    old.sa_handler == SIG_DFL)
			installed[i] = sigaction(fatal[i], &ours, NULL) == 0;
}

/* Keep a handler that the program has installed since: it may call ours. */
static void uninstall(void)
{
	struct sigaction plain = { .sa_handler = SIG_DFL }, old;

	for (size_t i = 0; i < FATAL; i++) {
		if (installed[i] && !sigaction(fatal[i], NULL, &old) &&
		    !(old.sa_flags & SA_SIGINFO) && old.sa_handler == handle)
			sigaction(fatal[i], &plain, NULL);
		installed[i] = false;
	}
}

static bool wanted(void)
{
	const char *text = secure_getenv("IPMU_SIGNALS");

	return !text || strcmp(text, "0") != 0;
}

void ipmu_signals_on(void)
{
	pthread_mutex_lock(&lock);
	if (joined++ == 0 && wanted())
		install();
	pthread_mutex_unlock(&lock);
}

void ipmu_signals_off(void)
{
	if (atomic_load(&ending))
		return;
	pthread_mutex_lock(&lock);
	if (--joined == 0)
		uninstall();
	pthread_mutex_unlock(&lock);
}

void ipmu_signals_forget(void)
{
	joined = 0;
	atomic_store(&ending, 0);
	uninstall();
	pthread_mutex_init(&lock, NULL);
}

void ipmu_signals_hold(struct ipmu_lessee *lessee)
{
	sigset_t set;

	if (atomic_load(&lessee->inside) == 0) {
		sigemptyset(&set);
		for (size_t i = 0; i < FATAL; i++)
			sigaddset(&set, fatal[i]);
		sigaddset(&set, SIGXFSZ);
		pthread_sigmask(SIG_BLOCK, &set, &lessee->mask);
	}
	atomic_fetch_add(&lessee->inside, 1);
}

void ipmu_signals_release(struct ipmu_lessee *lessee)
{
	if (atomic_fetch_sub(&lessee->inside, 1) == 1)
		pthread_sigmask(SIG_SETMASK, &lessee->mask, NULL);
}

static bool is_ignored(int number)
{
	struct sigaction now;

	return !sigaction(number, NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
	       now.sa_handler == SIG_IGN;
}

/* Signals that the program itself blocks do not count: they may wait for as long as it likes. */
bool ipmu_signals_waiting(const struct ipmu_lessee *lessee)
{
	sigset_t set;

	if (ipmu_signals_ending())
		return true;
	if (sigpending(&set))
		return false;
	for (size_t i = 0; i < FATAL; i++)
		if (sigismember(&set, fatal[i]) == 1 && !sigismember(&lessee->mask, fatal[i]) &&
		    !is_ignored(fatal[i]))
			return true;
	return false;
}

void ipmu_signals_swallow_file_size(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	sigtimedwait(&set, NULL, &(struct timespec){ 0 });
}
