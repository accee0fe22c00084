/* SPDX-License-Identifier: MIT */
#include "file_limit.h"

#include <pthread.h>
#include <time.h>

static void nothing(int number)
{
	(void)number;
}

/* Install a handler. Ignoring the signal instead would be inherited by programs that are
 * executed. */
void file_limit_handle(void)
{
	struct sigaction old, action = { .sa_handler = nothing, .sa_flags = SA_RESTART };

	if (!sigaction(SIGXFSZ, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
}

static void only(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGXFSZ);
}

void file_limit_hold(sigset_t *old)
{
	sigset_t set;

	only(&set);
	pthread_sigmask(SIG_BLOCK, &set, old);
}

/* Discard the signal that our write has raised. If the caller had blocked it before, a pending one
 * may be the caller's, and stays. */
void file_limit_release(const sigset_t *old)
{
	sigset_t set;

	only(&set);
	if (sigismember(old, SIGXFSZ) == 0)
		sigtimedwait(&set, NULL, &(struct timespec){ 0 });
	pthread_sigmask(SIG_SETMASK, old, NULL);
}
