/* SPDX-License-Identifier: MIT */
/* QEMU 7.2's user mode enters signal handlers of x86-64 programs with a stack that is 8 bytes off
 * the ABI's alignment: the first aligned vector store in a handler, or in what it calls, is a
 * segmentation fault. So handlers are entered through one of ours that aligns it. */
#include <signal.h>

#include "shim.h"

typedef void (*handler)(int signal, siginfo_t *info, void *context);

NEXT_SLOT(sigaction)

static handler handlers[_NSIG];

/* With and without SA_SIGINFO alike: on x86-64 all three arguments are always there. */
__attribute__((force_align_arg_pointer))
static void enter(int signal, siginfo_t *info, void *context)
{
	handler program = __atomic_load_n(&handlers[signal], __ATOMIC_ACQUIRE);

	program(signal, info, context);
}

static bool is_handler(const struct sigaction *action)
{
	return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

SHIM_EXPORT int sigaction(int number, const struct sigaction *restrict action,
			  struct sigaction *restrict old)
{
	struct sigaction through, before;
	handler was;
	int rc;

	if (!shim_fed() || number <= 0 || number >= _NSIG)
		return NEXT(sigaction)(number, action, old);
	was = __atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE);
	if (action && is_handler(action)) {
		through = *action;
		through.sa_sigaction = enter;
		__atomic_store_n(&handlers[number], action->sa_sigaction, __ATOMIC_RELEASE);
		action = &through;
	}
	rc = NEXT(sigaction)(number, action, &before);
	if (rc) {
		__atomic_store_n(&handlers[number], was, __ATOMIC_RELEASE);
		return rc;
	}
	if (before.sa_sigaction == enter)
		before.sa_sigaction = was;
	if (old)
		*old = before;
	return 0;
}

static void (*set(int number, void (*handle)(int), int flags))(int)
{
	struct sigaction action = { .sa_flags = flags }, old;

	action.sa_handler = handle;
	sigemptyset(&action.sa_mask);
	return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

SHIM_EXPORT void (*signal(int number, void (*handle)(int)))(int)
{
	return set(number, handle, SA_RESTART);
}

/* What ISO C programs without extensions are linked with. */
SHIM_EXPORT void (*__sysv_signal(int number, void (*handle)(int)))(int)
{
	return set(number, handle, (int)SA_RESETHAND | SA_NODEFER);
}
