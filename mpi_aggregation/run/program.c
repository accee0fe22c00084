/* SPDX-License-Identifier: MIT */
/* The program runs as a child, so that this process can say that nothing was counted. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_environment.h"
#include "mpi_note.h"
#include "run.h"

/* ---- what the program's ranks note down ---- */

/* -1: there is none, and nothing will be known. */
static int notes_open(void)
{
	int fd = memfd_create("ipmu-mpi-notes", 0);
	char text[96];
	struct stat st;

	unsetenv(ENV_NOTE);
	if (fd < 0)
		return -1;
	if (ftruncate(fd, NOTES_BYTES) || fstat(fd, &st)) {
		close(fd);
		return -1;
	}
	snprintf(text, sizeof(text), "%d:%d:%llu:%llu", (int)getpid(), fd,
		 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	setenv(ENV_NOTE, text, 1);
	return fd;
}

static bool noted(int notes, enum job_note what)
{
	char byte = 0;

	return pread(notes, &byte, 1, what) != 1 || byte;
}

static int not_counted(int status, int notes, const char *program)
{
	char why[NOTES_WHY_BYTES + 1] = "";
	const char *slash = strrchr(program, '/');
	bool virtual = strcmp(slash ? slash + 1 : program, "vpmu") == 0;

	(void)!pread(notes, why, NOTES_WHY_BYTES, NOTES_WHY);
	return complain(status, "nothing was counted: %s did not call MPI_Init, or it cannot be "
			"seen there: the program is statically linked or set-user-id%s%s%s",
			program, why[0] ? "; and from its start: " : "", why,
			virtual ? "; on the virtual machine a program without MPI is counted by "
				  "'ipmu-run --on MACHINE'" : "");
}

static int judge(int status, int notes, const char *program)
{
	int failure = status ? status : STATUS_OURS;

	if (notes < 0 || status == STATUS_NOT_FOUND || status == STATUS_NOT_EXECUTABLE)
		return status;
	if (noted(notes, NOTE_UNWRITTEN))
		return failure;		/* whoever noted it has said what */
	/* One voice is enough. */
	if (noted(notes, NOTE_ENDED) || !is_first_rank())
		return status;
	if (!noted(notes, NOTE_INIT))
		return noted(notes, NOTE_COUNTED) ? status : not_counted(failure, notes, program);
	return status ? status :
	       complain(failure, "%s ended neither by MPI_Finalize nor by exit(): its counts are "
			"lost", program);
}

/* ---- its life ---- */

static volatile sig_atomic_t child;
static bool launched;	/* the environment is not for handlers */

/* The terminal's signals reach the whole process group, so the child has them already, and so do
 * those of launchers. One that ends the program may well come twice. */
static void forward(int number, siginfo_t *from, void *context)
{
	bool ends = number != SIGUSR1 && number != SIGUSR2;
	int saved = errno;

	(void)context;
	if (child > 0 && from->si_code != SI_KERNEL && (ends || !launched))
		kill((pid_t)child, number);
	errno = saved;
}

static void catch_signals(void)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
	struct sigaction old, action = { .sa_sigaction = forward,
					 .sa_flags = SA_SIGINFO | SA_RESTART };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

static void become(char **words, char **argv, const sigset_t *mask, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_OURS);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (words[0])
		execv(words[0], words);
	execvp(argv[0], argv);
	_exit(complain(errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE, "%s: %s",
		       argv[0], strerror(errno)));
}

/* Launchers look at how a rank ended. The core is the program's to leave. */
static int die_alike(int number)
{
	const struct rlimit none = { 0, 0 };
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	return 128 + number;
}

int program_run(char **words, char **argv)
{
	pid_t parent = getpid(), pid;
	int status = 0, notes = notes_open();
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid = fork();
	if (pid == 0)
		become(words, argv, &old, parent);
	if (pid < 0)
		return complain(STATUS_OURS, "cannot start %s: %s", argv[0], strerror(errno));
	child = pid;
	launched = is_launched();
	catch_signals();
	sigprocmask(SIG_SETMASK, &old, NULL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	if (WIFSIGNALED(status))
		return die_alike(WTERMSIG(status));
	return judge(WEXITSTATUS(status), notes, argv[0]);
}
