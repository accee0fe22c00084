/* SPDX-License-Identifier: MIT */
/* Starts the program under QEMU with the feed (or natively without) and waits for it. vpmu_launch()
 * is the entry point. It finds the program and our libraries, changes this process's environment
 * and forks. Signals are forwarded to the program until it ends. The program dies with vpmu, since
 * other runs would take its machine for unused. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../emulator/user_calls.h"
#include "../machine/program.h"
#include "mpi_region.h"
#include "program_file.h"
#include "tool.h"

/* ---- what kind of program it is ---- */

static int load_program(const char *name, bool feed, struct vpmu_program *p)
{
	char path[PATH_MAX];
	bool sanitized;
	int rc = program_find(getenv("PATH"), name, path, sizeof(path));

	if (rc)
		return vpmu_complain_program(name, rc);
	rc = vpmu_program_load(path, p);
	sanitized = feed && p->kind == VPMU_PROGRAM_SANITIZED;
	if (rc == EACCES && p->word_count)
		vpmu_complain("%s: its interpreter '%s' cannot be run", path, p->words[0]);
	else if (rc && rc != ENOEXEC)
		vpmu_complain("%s: %s", path, strerror(rc));
	else if (rc || p->kind == VPMU_PROGRAM_FOREIGN)
		vpmu_complain("%s: not an x86-64 program, nor a script that starts with #!",
			      p->word_count ? p->words[0] : path);
	else if (sanitized)
		vpmu_complain("%s: has a sanitizer's runtime (%s), which the emulator cannot run; "
			      "build it without -fsanitize, or use vpmu boot", path, p->sanitizer);
	if (rc == EACCES && p->word_count && access(p->words[0], F_OK))
		return VPMU_EXIT_NOT_FOUND;
	if (rc || sanitized || p->kind == VPMU_PROGRAM_FOREIGN)
		return VPMU_EXIT_NOT_EXECUTABLE;
	if (p->kind == VPMU_PROGRAM_PRIVILEGED)
		vpmu_complain("warning: %s: on the machine it does not get the rights that its "
			      "file gives (set-user-id, set-group-id, capabilities)", path);
	return 0;
}

/* ---- the command line and environment ---- */

struct texts {
	char native[PATH_MAX], feed[PATH_MAX], tool[PATH_MAX], preload[VPMU_PRELOAD_BYTES];
	struct vpmu_emulator emulator;
};

static int check_path(const char *path)
{
	if (!strpbrk(path, " :,"))
		return 0;
	vpmu_complain("%s: neither LD_PRELOAD nor QEMU takes a path with a blank, colon or comma; "
		      "install elsewhere", path);
	return VPMU_EXIT_FAILURE;
}

static int find_library(const char *name, char *out, size_t bytes)
{
	if (vpmu_find_part(name, out, bytes))
		return VPMU_EXIT_FAILURE;
	return check_path(out);
}

static int find_itself(char out[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);

	out[n > 0 ? n : 0] = '\0';
	return check_path(out);
}

static int find_parts(const struct vpmu_launch *launch, struct texts *t)
{
	const char *qemu = getenv("VPMU_QEMU");

	if (!launch->feed)
		return find_library(VPMU_NATIVE_LIBRARY, t->native, sizeof(t->native));
	if (find_library(VPMU_FEED_LIBRARY, t->feed, sizeof(t->feed)) || find_itself(t->tool))
		return VPMU_EXIT_FAILURE;
	if (!qemu || !*qemu)
		return find_library("qemu-x86_64", t->emulator.qemu, sizeof(t->emulator.qemu));
	if (!program_find(getenv("PATH"), qemu, t->emulator.qemu, sizeof(t->emulator.qemu)))
		return 0;
	vpmu_complain("VPMU_QEMU=%s: no such program", qemu);
	return VPMU_EXIT_FAILURE;
}

/* Absolute: the program may change its directory. */
static void set_path(const char *name, const char *path)
{
	char *real = realpath(path, NULL);

	setenv(name, real ? real : path, 1);
	free(real);
}

/* The program gets them, and not the emulator. */
static int hide_variables(void)
{
	char *hidden;

	for (char **variable = environ; *variable; variable++) {
		if (!vpmu_emulator_heeds(*variable))
			continue;
		if (asprintf(&hidden, VPMU_USER_VARIABLE "%s", *variable) < 0) {
			vpmu_complain("no memory");
			return VPMU_EXIT_FAILURE;
		}
		*variable = hidden;
	}
	return 0;
}

/* An outer `vpmu run --no-feed` has put its library in front, which only native programs need. */
static void drop_native_library(void)
{
	static const char name[] = "/" VPMU_NATIVE_LIBRARY;
	const char *list = getenv("LD_PRELOAD");
	size_t first = list ? strcspn(list, ": ") : 0;

	if (first < strlen(name) || strncmp(list + first - strlen(name), name, strlen(name)))
		return;
	if (list[first])
		setenv("LD_PRELOAD", list + first + 1, 1);
	else
		unsetenv("LD_PRELOAD");
}

static int set_environment(const struct vpmu_launch *launch, struct texts *t)
{
	set_path("VPMU_SEGMENT", launch->place->path);
	set_path("HWLOC_XMLFILE", launch->place->topology);
	setenv("HWLOC_THISSYSTEM", "1", 1);
	set_path("IPMU_STATE_DIR", launch->place->state);
	/* UCX, which MPICH uses, would write its own mmap over the preloaded library's. */
	setenv("UCX_MEM_EVENTS", "n", 0);
	if (launch->feed) {
		setenv(VPMU_FEED_ENV, "1", 1);
		unsetenv(REGION_NAMED_ENV);
		drop_native_library();
		/* A folder without plugins: hwloc would load those of GPUs and libxml2 for a
		 * topology. Emulating that takes longer than the rest of PAPI's start. */
		setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 0);
		/* QEMU's user mode has no process_vm_readv, which Open MPI tries for every large
		 * message, with a complaint each. */
		setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
	} else {
		unsetenv(VPMU_FEED_ENV);
		vpmu_preload(t->preload, t->native, getenv("LD_PRELOAD"));
		setenv("LD_PRELOAD", strchr(t->preload, '=') + 1, 1);
	}
	return launch->feed ? hide_variables() : 0;
}

static void launch_compose(const struct vpmu_launch *launch, const struct vpmu_program *p,
			   struct texts *t, const char **out)
{
	const struct vpmu_place *place = launch->place;
	int n = 0;

	if (launch->feed) {
		vpmu_emulator_fill(&t->emulator, &place->segment->machine, t->feed, place->path,
				   launch->follow ? t->tool : NULL, launch->fixed);
		vpmu_emulator_choose(&t->emulator, p, launch->only);
		vpmu_emulator_profile(&t->emulator, launch->profile, launch->data);
		vpmu_emulator_regions(&t->emulator, getenv(REGION_NAMED_ENV));
		vpmu_emulator_words(&t->emulator, p, launch->argv, out);
		return;
	}
	for (int i = 0; i < p->word_count; i++)
		out[n++] = p->words[i];
	out[n++] = p->word_count ? p->path : launch->argv[0];
	for (int i = 1; launch->argv[i]; i++)
		out[n++] = launch->argv[i];
	out[n] = NULL;
}

/* ---- running it ---- */

static volatile sig_atomic_t child;

/* A signal of the terminal reaches the whole process group, so the child has it already. */
static void forward(int number, siginfo_t *from, void *context)
{
	int saved = errno;

	(void)context;
	if (child > 0 && (from->si_code == SI_USER || from->si_code == SI_QUEUE ||
			  from->si_code == SI_TKILL))
		kill((pid_t)child, number);
	errno = saved;
}

static const int forwarded[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM };
#define FORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static void block_forwarded(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < FORWARDED; i++)
		sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, old);
}

static void catch_forwarded(void)
{
	struct sigaction action = { .sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction old;

	for (size_t i = 0; i < FORWARDED; i++)
		if (!sigaction(forwarded[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(forwarded[i], &action, NULL);
}

/* Makes the slot of the program's first thread, which holds the CPUs where it may run. */
static void bind_child(const struct vpmu_launch *launch)
{
	struct vpmu_segment *s = launch->place->segment;
	struct vpmu_thread *t = vpmu_thread_slot(s, vpmu_gettid(), 0);

	if (t)
		vpmu_thread_bind(s, t, launch->cpus->mask, VPMU_CPUS_MAX / 64);
}

/* When vpmu is killed, its program must not stay on a machine that other runs take for unused. */
static void run_child(const struct vpmu_launch *launch, const char *path, char **argv,
		      const sigset_t *mask, pid_t parent)
{
	int error;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(VPMU_EXIT_FAILURE);
	if (launch->cpus->bound)
		bind_child(launch);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execv(path, argv);
	error = errno;
	vpmu_complain("%s: %s", path, strerror(error));
	_exit(launch->feed ? VPMU_EXIT_FAILURE :
	      error == ENOENT ? VPMU_EXIT_NOT_FOUND : VPMU_EXIT_NOT_EXECUTABLE);
}

/* Hydra detects by the connection's end that a rank has ended, so only the program has it. */
static void leave_connection(void)
{
	const char *fd = getenv("PMI_FD");

	if (fd && atoi(fd) > STDERR_FILENO)
		close(atoi(fd));
}

static int launch_spawn(const struct vpmu_launch *launch, const char *path, char **argv,
			int *status)
{
	pid_t parent = getpid(), pid;
	sigset_t old;

	if (launch->feed)
		__atomic_fetch_add(&launch->place->segment->executed_count, 1, __ATOMIC_RELAXED);
	block_forwarded(&old);
	pid = fork();
	if (pid == 0)
		run_child(launch, path, argv, &old, parent);
	if (pid < 0) {
		vpmu_complain("cannot start %s: %s", path, strerror(errno));
		return VPMU_EXIT_FAILURE;
	}
	child = pid;
	leave_connection();
	catch_forwarded();
	sigprocmask(SIG_SETMASK, &old, NULL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	*status = WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
	return 0;
}

/* Each feed that starts on the machine takes an address space, before the program's first
 * instruction. An emulator that a signal ended early keeps its status. */
static int check_feed(const struct vpmu_launch *launch, uint32_t spaces, const char *qemu,
		      int status)
{
	const struct vpmu_segment *s = launch->place->segment;

	if (status > 128 || __atomic_load_n(&s->next_space, __ATOMIC_RELAXED) != spaces)
		return 0;
	vpmu_complain("%s ended with status %d and has not started the machine's plugin: nothing "
		      "was run; it has to be a qemu-x86_64 that takes plugins", qemu, status);
	return VPMU_EXIT_FAILURE;
}

static int count_words(char **argv)
{
	int n = 0;

	while (argv[n])
		n++;
	return n;
}

int vpmu_launch(const struct vpmu_launch *launch, int *status)
{
	size_t words = (size_t)count_words(launch->argv) + VPMU_EMULATOR_WORDS;
	const char **line = calloc(words, sizeof(*line));
	struct texts *t = calloc(1, sizeof(*t));
	struct vpmu_program *p = calloc(1, sizeof(*p));
	uint32_t spaces = launch->place->segment->next_space;
	int rc = VPMU_EXIT_FAILURE;

	if (!t || !p || !line) {
		vpmu_complain("no memory");
		goto out;
	}
	rc = load_program(launch->argv[0], launch->feed, p);
	if (!rc)
		rc = find_parts(launch, t);
	if (rc)
		goto out;
	launch_compose(launch, p, t, line);
	rc = set_environment(launch, t);
	if (rc)
		goto out;
	rc = launch_spawn(launch, launch->feed ? t->emulator.qemu : p->word_count ?
			  p->words[0] : p->path, (char **)(uintptr_t)line, status);
	if (!rc && launch->feed)
		rc = check_feed(launch, spaces, t->emulator.qemu, *status);
out:
	free(line);
	free(p);
	free(t);
	return rc;
}
