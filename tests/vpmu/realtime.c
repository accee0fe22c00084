/* SPDX-License-Identifier: MIT */
/* Each real-time signal is delivered: queued while it is blocked, in order; to sigtimedwait(), a
 * signalfd and a timer; and it ends a process. Then what glibc does with the two that it keeps, 32
 * and 33, and abort(). Prints what fails. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define QUEUED 5

static volatile int count, last, values[QUEUED + 1], failed;

static void expect(int signal, const char *what, int holds)
{
	if (holds)
		return;
	failed++;
	printf("signal %d: %s\n", signal, what);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	last = number;
	if (count <= QUEUED)
		values[count++] = info->si_value.sival_int;
}

static void handle(int number)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	expect(number, "sigaction", !sigaction(number, &action, NULL));
}

static int in_order(void)
{
	int i = 0;

	while (i < QUEUED && values[i] == i)
		i++;
	return i == QUEUED;
}

static void queue(int number, const sigset_t *only)
{
	sigset_t pending;

	count = last = 0;
	for (int i = 0; i < QUEUED; i++)
		sigqueue(getpid(), number, (union sigval){ .sival_int = i });
	sigpending(&pending);
	expect(number, "is pending", sigismember(&pending, number) == 1 && !count);
	sigprocmask(SIG_UNBLOCK, only, NULL);
	expect(number, "is delivered in order", last == number && count == QUEUED && in_order());
	sigprocmask(SIG_BLOCK, only, NULL);
}

static void take(int number, const sigset_t *only)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = number };
	const struct itimerspec soon = { .it_value = { 0, 1000 } };
	int fd = signalfd(-1, only, 0);
	struct signalfd_siginfo info;
	timer_t timer;

	raise(number);
	expect(number, "sigtimedwait", sigtimedwait(only, NULL, NULL) == number);
	raise(number);
	expect(number, "signalfd", read(fd, &info, sizeof(info)) == sizeof(info) &&
				   info.ssi_signo == (unsigned int)number);
	close(fd);
	expect(number, "timer", !timer_create(CLOCK_MONOTONIC, &event, &timer) &&
				!timer_settime(timer, 0, &soon, NULL) &&
				sigtimedwait(only, NULL, NULL) == number);
	timer_delete(timer);
}

/* The status of a child that raises the signal, with its handler or without. */
static int status_of(int number, int handled)
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		count = 0;
		if (!handled)
			signal(number, SIG_DFL);
		raise(number);
		_exit(count);
	}
	waitpid(child, &status, 0);
	return status;
}

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void on_timer(union sigval flag)
{
	__atomic_store_n((int *)flag.sival_ptr, 1, __ATOMIC_RELAXED);
}

static void use_libcs_own(void)
{
	static int fired;
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer,
				  .sigev_value.sival_ptr = &fired };
	const struct itimerspec soon = { .it_value = { 0, 1000 } };
	pthread_t thread;
	void *result;
	timer_t timer;

	pthread_create(&thread, NULL, wait_for_ever, NULL);
	expect(33, "setgid", !setgid(getgid()));
	pthread_cancel(thread);
	pthread_join(thread, &result);
	expect(32, "pthread_cancel", result == PTHREAD_CANCELED);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &soon, NULL);
	while (!__atomic_load_n(&fired, __ATOMIC_RELAXED))
		usleep(1000);
}

int main(void)
{
	sigset_t only;

	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		sigemptyset(&only);
		sigaddset(&only, number);
		sigprocmask(SIG_SETMASK, &only, NULL);
		handle(number);
		queue(number, &only);
		take(number, &only);
		expect(number, "ends a process", WTERMSIG(status_of(number, 0)) == number);
	}
	use_libcs_own();
	handle(SIGABRT);
	expect(SIGABRT, "is handled", status_of(SIGABRT, 1) == 1 << 8);
	expect(SIGABRT, "ends a process", WTERMSIG(status_of(SIGABRT, 0)) == SIGABRT);
	printf("%d signals, %d failed\n", SIGRTMAX - SIGRTMIN + 1, failed);
	return failed != 0;
}
