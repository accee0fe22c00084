/* SPDX-License-Identifier: MIT */
/* Signal handlers as programs have them: each check prints a line if it fails. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t calls, number, misaligned, told;
static int failures;

static void expect(int holds, const char *what)
{
	if (holds)
		return;
	failures++;
	printf("FAILED: %s\n", what);
}

static void note(int signal, uintptr_t frame)
{
	calls++;
	number = signal;
	misaligned += frame % 16 != 0;
}

static void plain(int signal)
{
	note(signal, (uintptr_t)__builtin_frame_address(0));
}

static void other(int signal)
{
	note(signal, (uintptr_t)__builtin_frame_address(0));
}

static void informed(int signal, siginfo_t *info, void *context)
{
	note(signal, (uintptr_t)__builtin_frame_address(0));
	told += info->si_signo == signal && context;
}

static void by_sigaction(void)
{
	struct sigaction action = { .sa_sigaction = informed, .sa_flags = SA_SIGINFO }, old;

	expect(sigaction(SIGUSR1, &action, NULL) == 0, "sigaction");
	raise(SIGUSR1);
	expect(calls == 1 && number == SIGUSR1 && told == 1, "a handler that is informed");
	expect(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_sigaction == informed &&
	       (old.sa_flags & SA_SIGINFO), "the handler can be asked for");
	expect(sigaction(SIGKILL, &action, NULL) == -1, "SIGKILL has no handler");
	action.sa_handler = SIG_IGN;
	action.sa_flags = 0;
	expect(sigaction(SIGUSR1, &action, &old) == 0 && old.sa_sigaction == informed, "exchanged");
	raise(SIGUSR1);
	expect(calls == 1, "ignored");
	expect(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_IGN, "ignoring");
}

static void by_signal(void)
{
	calls = 0;
	expect(signal(SIGUSR2, plain) == SIG_DFL, "nothing before");
	raise(SIGUSR2);
	expect(calls == 1 && number == SIGUSR2, "signal");
#ifdef _DEFAULT_SOURCE
	raise(SIGUSR2);
	expect(calls == 2, "it stays");
	expect(signal(SIGUSR2, other) == plain, "the handler before");
#else
	expect(signal(SIGUSR2, other) == SIG_DFL, "it is for once");
#endif
	expect(signal(SIGUSR2, SIG_DFL) == other, "and the one before that");
}

static void by_timer(void)
{
	struct sigaction action = {
		.sa_sigaction = informed, .sa_flags = SA_SIGINFO | SA_RESETHAND,
	};
	struct itimerval timer = { .it_value = { .tv_usec = 10000 } };
	struct sigaction old;

	calls = 0;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
	while (!calls)
		;
	expect(sigaction(SIGPROF, NULL, &old) == 0 && old.sa_handler == SIG_DFL, "reset");
}

int main(void)
{
	by_sigaction();
	by_signal();
	by_timer();
	expect(!misaligned, "handlers are entered with an aligned stack");
	puts(failures ? "failed" : "good");
	return failures != 0;
}
