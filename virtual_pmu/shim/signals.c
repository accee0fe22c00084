/* SPDX-License-Identifier: MIT */
/* Signal handlers of the program.
 *
 * QEMU 7.2's user mode enters signal handlers of x86-64 programs with a stack that is 8 bytes off
 * the ABI's alignment: the first aligned vector store in a handler, or in what it calls, is a
 * segmentation fault. So handlers are entered through one of ours that aligns it. */
#include <errno.h>
#include <signal.h>

#include "inside.h"
#include "shim.h"

typedef void (*handler)(int signal, siginfo_t *info, void *context);

NEXT_SLOT(sigaction)
NEXT_SLOT(sigprocmask)
NEXT_SLOT(pthread_sigmask)

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

static int change(int number, const struct sigaction *action, struct sigaction *old)
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

/* ---- faults ---- */

/* Writes of the window are faults (window.c). The program keeps its own action for what are not,
 * and blocks the signal in vain: a fault in spite of that would end it. */
static struct sigaction fault_action;
static bool trapped;
static bool (*ask_first)(uintptr_t address, void *context);

/* To a handler of the program's, or to the end that the kernel makes when it happens again. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	const struct sigaction plain = { .sa_handler = SIG_DFL };
	struct sigaction action = fault_action;

	if (action.sa_flags & (int)SA_RESETHAND)
		fault_action.sa_handler = SIG_DFL;
	if (is_handler(&action)) {
		action.sa_sigaction(number, info, context);
		return;
	}
	NEXT(sigaction)(number, &plain, NULL);
	if (info->si_code <= 0)		/* somebody has sent it */
		shim_syscall(SYS_tkill, shim_syscall(SYS_gettid, 0, 0, 0, 0), number, 0, 0);
}

__attribute__((force_align_arg_pointer))
static void on_fault(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	if (info->si_code <= 0 || !ask_first((uintptr_t)info->si_addr, context))
		pass_on(number, info, context);
	errno = saved;
}

void shim_trap_faults(bool (*ask)(uintptr_t address, void *context))
{
	struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	sigset_t faults;

	if (__atomic_exchange_n(&trapped, true, __ATOMIC_ACQ_REL))
		return;
	ask_first = ask;
	ours.sa_sigaction = on_fault;
	sigemptyset(&ours.sa_mask);
	NEXT(sigaction)(SIGSEGV, &ours, &fault_action);
	if (fault_action.sa_sigaction == enter)
		fault_action.sa_sigaction = handlers[SIGSEGV];
	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	NEXT(pthread_sigmask)(SIG_UNBLOCK, &faults, NULL);
}

static int change_fault(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction before = fault_action;

	if (action)
		fault_action = *action;
	if (old)
		*old = before;
	return 0;
}

static bool window_writable(void)
{
	struct vpmu_segment *s = shim_machine();

	return s && vpmu_mmio_writable(s);
}

/* While a handler runs, too, the window can be written. */
static const struct sigaction *unmasked(const struct sigaction *action, struct sigaction *copy)
{
	if (!action || !window_writable())
		return action;
	*copy = *action;
	sigdelset(&copy->sa_mask, SIGSEGV);
	return copy;
}

SHIM_EXPORT int sigaction(int number, const struct sigaction *restrict action,
			  struct sigaction *restrict old)
{
	struct sigaction copy;

	if (number == SIGSEGV && __atomic_load_n(&trapped, __ATOMIC_ACQUIRE))
		return change_fault(action, old);
	return change(number, unmasked(action, &copy), old);
}

#define SIGMASK(name) \
	SHIM_EXPORT int name(int how, const sigset_t *restrict set, sigset_t *restrict old) \
	{ \
		sigset_t copy; \
		if (set && how != SIG_UNBLOCK && window_writable()) { \
			copy = *set; \
			sigdelset(&copy, SIGSEGV); \
			set = &copy; \
		} \
		return NEXT(name)(how, set, old); \
	}
SIGMASK(sigprocmask)
SIGMASK(pthread_sigmask)

/* ---- signal() ---- */

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
