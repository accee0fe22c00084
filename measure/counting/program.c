/* SPDX-License-Identifier: MIT */
/* Runs the program that is counted. program_start() forks a child that waits at a pipe.
 * program_run() starts it and waits for its end; program_cancel() ends a child that was not
 * started. After program_signals(), signals to ipmu-run are passed on to it. The child does not
 * outlive ipmu-run: the kernel kills it with its parent. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launched.h"
#include "now.h"
#include "program.h"
#include "virtual.h"

static volatile sig_atomic_t child, ending;
static const struct cpus *program_has;
static bool has_run, keeps_connection, launched;
static double sleep_s;

static const int passed_on[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM };
#define PASSED_ON (sizeof(passed_on) / sizeof(passed_on[0]))

/* Signals of the terminal reach the whole process group, so the program has them already. So do a
 * launcher's; but one that ends the program may well come twice. */
static void signal_pass_on(int number, siginfo_t *from, void *context)
{
	bool ends = number != SIGUSR1 && number != SIGUSR2;
	int saved = errno;

	(void)context;
	if (ends)
		ending = number;
	if (child > 0 && from->si_code != SI_KERNEL && (ends || !launched))
		kill((pid_t)child, number);
	errno = saved;
}

int program_ending(void)
{
	return ending;
}

/* The engine has handlers of its own where we have none; ours let it stop the counters in peace. */
void program_signals(void)
{
	struct sigaction old, action = { .sa_sigaction = signal_pass_on,
					 .sa_flags = SA_SIGINFO | SA_RESTART };
	struct launched as;

	launched = launched_as(&as);
	for (size_t i = 0; i < PASSED_ON; i++)
		if (!sigaction(passed_on[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(passed_on[i], &action, NULL);
}

/* Only what we have set: what was ignored stays ignored in the program. */
static void reset_signals(void)
{
	struct sigaction old;

	for (size_t i = 0; i < PASSED_ON; i++)
		if (!sigaction(passed_on[i], NULL, &old) && (old.sa_flags & SA_SIGINFO) &&
		    old.sa_sigaction == signal_pass_on)
			signal(passed_on[i], SIG_DFL);
}

static sigset_t passed_on_set(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaddset(&set, passed_on[i]);
	return set;
}

void program_sleep(double seconds)
{
	sleep_s = seconds;
}

/* In place of a program, until a signal that would end one. */
static _Noreturn void sleep_here(void)
{
	const uint64_t until = now_ns() + (uint64_t)(sleep_s * 1e9);
	const sigset_t set = passed_on_set();
	uint64_t now = now_ns();
	int got = -1;

	/* A stopped process that continues is interrupted. */
	for (; got < 0 && (sleep_s <= 0 || now < until); now = now_ns()) {
		const struct timespec t = { .tv_sec = (time_t)((until - now) / 1000000000u),
					    .tv_nsec = (long)((until - now) % 1000000000u) };

		got = sleep_s > 0 ? sigtimedwait(&set, NULL, &t) : sigwaitinfo(&set, NULL);
	}
	_exit(0);
}

/* Nothing outlives a launcher that was killed: mpirun would wait for it. */
static void become(char **argv, int start_fd, int failure_fd, const sigset_t *mask)
{
	char byte;
	int why;

	prctl(PR_SET_PDEATHSIG, SIGKILL);	/* one that has ended closes its end of the pipe */
	while (read(start_fd, &byte, 1) != 1)
		if (errno != EINTR)
			_exit(0);	/* the launcher has given up, or is no more */
	if (!argv[0])
		sleep_here();
	reset_signals();
	if (program_has)
		cpus_set(program_has);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	why = errno;
	(void)!write(failure_fd, &why, sizeof(why));
	_exit(0);
}

static int close_all(int fds[4], int rc)
{
	for (int i = 0; i < 4; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return rc;
}

void program_cpus(const struct cpus *cpus)
{
	program_has = cpus;
}

void program_keep_connection(void)
{
	keeps_connection = true;
}

void program_leave_connection(void)
{
	const char *fd = secure_getenv("PMI_FD");
	static bool left;

	if (!left && fd && atoi(fd) > STDERR_FILENO)
		close(atoi(fd));
	left = true;	/* the number may be another file's from now on */
}

int program_start(struct program *p, char **argv)
{
	int fds[4] = { -1, -1, -1, -1 };	/* two pipes: the start, a failure to execute */
	const sigset_t set = passed_on_set();
	sigset_t old;

	if (pipe2(fds, O_CLOEXEC) || pipe2(fds + 2, O_CLOEXEC))
		return close_all(fds, -errno);
	fflush(NULL);
	sigprocmask(SIG_BLOCK, &set, &old);
	p->pid = fork();
	if (p->pid == 0) {
		close(fds[1]);	/* else the child would never see the pipe closed */
		become(argv, fds[0], fds[3], &old);
	}
	if (p->pid < 0) {
		int rc = -errno;

		sigprocmask(SIG_SETMASK, &old, NULL);
		return close_all(fds, rc);
	}
	child = p->pid;
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(fds[0]);
	close(fds[3]);
	p->start_fd = fds[1];
	p->failure_fd = fds[2];
	return 0;
}

static int program_wait(struct program *p)
{
	int status = 0;

	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	return status;
}

const char *program_stream(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return "closed";
	switch (st.st_mode & S_IFMT) {
	case S_IFREG: return "file";
	case S_IFIFO: return "pipe";
	case S_IFSOCK: return "socket";
	default: return isatty(fd) ? "terminal" : "device";
	}
}

bool program_has_run(void)
{
	return has_run;
}

int program_run(struct program *p, int *status, uint64_t *ns)
{
	int ended, why = 0;

	p->began_ns = now_ns();
	has_run = true;
	(void)!write(p->start_fd, "", 1);
	if (!keeps_connection)
		program_leave_connection();
	ended = program_wait(p);
	*ns = now_ns() - p->began_ns;
	close(p->start_fd);
	if (read(p->failure_fd, &why, sizeof(why)) != (ssize_t)sizeof(why))
		why = 0;
	close(p->failure_fd);
	if (WIFSIGNALED(ended))
		ending = WTERMSIG(ended);
	*status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
	p->killed = WIFSIGNALED(ended) ||
		    (virtual_is_beside() && program_status_is_signal(*status));
	return -why;
}

void program_cancel(struct program *p)
{
	close(p->start_fd);
	close(p->failure_fd);
	program_wait(p);
}
