/* SPDX-License-Identifier: MIT */
/* Stores to the memory controller's window. Its pages are read-only, so a store is a segmentation
 * fault, and the handler makes it a write of a register. The program keeps its own action for all
 * other faults, and cannot block the signal: the kernel would end it at such a store.
 * native_trap_faults() installs the handler. From then on, what programs set for this signal is
 * programs_action. */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "native.h"
#include "../machine/kernel.h"
#include "window.h"

NEXT_SLOT(sigaction)
NEXT_SLOT(sigprocmask)
NEXT_SLOT(pthread_sigmask)

static struct sigaction programs_action;
static bool trapped;

/* Passes a fault on to the program's handler. Without one, the kernel ends the program when the
 * fault happens again. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	const struct sigaction plain = { .sa_handler = SIG_DFL };
	struct sigaction action = programs_action;

	if (action.sa_flags & (int)SA_RESETHAND)
		programs_action.sa_handler = SIG_DFL;
	if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
		action.sa_sigaction(number, info, context);
		return;
	}
	NEXT(sigaction)(number, &plain, NULL);
	if (info->si_code <= 0)		/* a process has sent it */
		vpmu_syscall(SYS_tkill, vpmu_syscall(SYS_gettid), number);
}

static bool is_store(uint64_t address, ucontext_t *u)
{
	static const int order[16] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};
	greg_t *g = u->uc_mcontext.gregs;
	uint64_t general[16], rip = (uint64_t)g[REG_RIP], flags = (uint64_t)g[REG_EFL], signals;
	bool done;

	for (int i = 0; i < 16; i++)
		general[i] = (uint64_t)g[order[i]];
	native_enter(&signals);
	done = native_window_store(address, general, &rip, &flags);
	native_leave(&signals);
	g[REG_RIP] = (greg_t)rip;
	g[REG_EFL] = (greg_t)flags;
	return done;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	if (info->si_code <= 0 || !is_store((uintptr_t)info->si_addr, context))
		pass_on(number, info, context);
	errno = saved;
}

static bool is_writable(void)
{
	struct vpmu_segment *s = native_machine();

	return s && vpmu_mmio_writable(s);
}

void native_trap_faults(void)
{
	struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	sigset_t faults;

	if (!is_writable() || __atomic_exchange_n(&trapped, true, __ATOMIC_ACQ_REL))
		return;
	ours.sa_sigaction = on_fault;
	sigemptyset(&ours.sa_mask);
	NEXT(sigaction)(SIGSEGV, &ours, &programs_action);
	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	NEXT(pthread_sigmask)(SIG_UNBLOCK, &faults, NULL);
}

NATIVE_EXPORT int sigaction(int number, const struct sigaction *restrict action,
			    struct sigaction *restrict old)
{
	struct sigaction before = programs_action, copy;

	if (number == SIGSEGV && __atomic_load_n(&trapped, __ATOMIC_ACQUIRE)) {
		if (action)
			programs_action = *action;
		if (old)
			*old = before;
		return 0;
	}
	if (action && is_writable()) {	/* the window can be written while a handler runs, too */
		copy = *action;
		sigdelset(&copy.sa_mask, SIGSEGV);
		action = &copy;
	}
	return NEXT(sigaction)(number, action, old);
}

#define SIGMASK(name) \
	NATIVE_EXPORT int name(int how, const sigset_t *restrict set, sigset_t *restrict old) \
	{ \
		sigset_t copy; \
		if (set && how != SIG_UNBLOCK && is_writable()) { \
			copy = *set; \
			sigdelset(&copy, SIGSEGV); \
			set = &copy; \
		} \
		return NEXT(name)(how, set, old); \
	}
SIGMASK(sigprocmask)
SIGMASK(pthread_sigmask)

/* ---- signal() ---- */

static void (*set_action(int number, void (*handle)(int), int flags))(int)
{
	struct sigaction action = { .sa_flags = flags }, old;

	action.sa_handler = handle;
	sigemptyset(&action.sa_mask);
	return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

NATIVE_EXPORT void (*signal(int number, void (*handle)(int)))(int)
{
	return set_action(number, handle, SA_RESTART);
}

/* The signal() of programs that are compiled as ISO C without extensions. */
NATIVE_EXPORT void (*__sysv_signal(int number, void (*handle)(int)))(int)
{
	return set_action(number, handle, (int)SA_RESETHAND | SA_NODEFER);
}
