/* SPDX-License-Identifier: MIT */
/* Starts the program under QEMU with the feed (or natively without) and waits for it. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool.h"

#define SHIM "libvpmu_shim.so"
#define FEED "libvpmu_feed.so"
#define QEMU_OPTIONS 12

struct program {
	char path[PATH_MAX];		/* of the file to execute, after any #! */
	char line[256];			/* the #! line, cut into words */
	char *words[2];			/* interpreter and its one argument */
	int word_count;
};

/* ---- finding things ---- */

static bool runnable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static int find_in_path(const char *name, char *out, size_t bytes)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(out, bytes, "%s", name) < (int)bytes && runnable(out) ? 0 : -1;
	for (const char *p = path ? path : "/usr/bin:/bin"; p; p = strchr(p, ':') ?
	     strchr(p, ':') + 1 : NULL) {
		int n = (int)strcspn(p, ":");

		if (snprintf(out, bytes, "%.*s%s%s", n ? n : 1, n ? p : ".", "/", name) <
		    (int)bytes && runnable(out))
			return 0;
	}
	return -1;
}

static bool library_in(const char *directory, const char *name, char *out, size_t bytes)
{
	char joined[PATH_MAX];

	if (snprintf(joined, sizeof(joined), "%s/%s", directory, name) >= (int)sizeof(joined))
		return false;
	char *real = realpath(joined, NULL);
	bool found = real && snprintf(out, bytes, "%s", real) < (int)bytes;

	free(real);
	return found;
}

/* VPMU_LIBDIR; else where vpmu is installed; else beside it, as in the build directory. */
static int find_library(const char *name, char *out, size_t bytes)
{
	static const char *const places[] = { "/../lib/ipmu", "", "/.libs" };
	const char *given = getenv("VPMU_LIBDIR");
	char self[PATH_MAX], directory[PATH_MAX + 16];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (given && *given) {
		if (library_in(given, name, out, bytes))
			return 0;
		vpmu_complain("no %s in VPMU_LIBDIR (%s)", name, given);
		return -1;
	}
	self[n > 0 ? n : 0] = '\0';
	if (strrchr(self, '/'))
		*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(directory, sizeof(directory), "%s%s", self, places[i]);
		if (library_in(directory, name, out, bytes))
			return 0;
	}
	vpmu_complain("cannot find %s in %s/../lib/ipmu or beside vpmu; set VPMU_LIBDIR to its "
		      "directory", name, self);
	return -1;
}

/* ---- what kind of program it is ---- */

static ssize_t read_head(const char *path, void *buf, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, buf, bytes, 0);

	if (fd >= 0)
		close(fd);
	return n;
}

static void split_line(struct program *p)
{
	char *word = p->line + 2 + strspn(p->line + 2, " \t"), *end;

	word[strcspn(word, "\r\n")] = '\0';
	end = word + strcspn(word, " \t");
	p->words[p->word_count++] = word;
	if (!*end)
		return;
	*end++ = '\0';
	end += strspn(end, " \t");	/* the rest is one argument, blanks and all */
	if (*end)
		p->words[p->word_count++] = end;
}

static void warn_static(const char *path, const Elf64_Ehdr *header)
{
	Elf64_Phdr segments[64];
	size_t count = header->e_phnum < 64 ? header->e_phnum : 64;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, segments, count * sizeof(segments[0]),
					(off_t)header->e_phoff);

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(segments[0]); i++)
		if (segments[i].p_type == PT_INTERP)
			return;
	vpmu_complain("warning: %s is statically linked: it runs on the machine, but cannot be "
		      "given its device files and CPUs", path);
}

static int check_elf(const char *path)
{
	Elf64_Ehdr header;
	ssize_t n = read_head(path, &header, sizeof(header));

	if (n != (ssize_t)sizeof(header) || memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) {
		vpmu_complain("%s: not an x86-64 program, nor a script that starts with #!", path);
		return VPMU_EXIT_FAILURE;
	}
	warn_static(path, &header);
	return 0;
}

static int load_program(const char *name, struct program *p)
{
	memset(p, 0, sizeof(*p));
	if (find_in_path(name, p->path, sizeof(p->path))) {
		vpmu_complain("%s: no such program, or not executable", name);
		return VPMU_EXIT_FAILURE;
	}
	ssize_t n = read_head(p->path, p->line, sizeof(p->line) - 1);
	if (n > 2 && p->line[0] == '#' && p->line[1] == '!') {
		split_line(p);
		if (!runnable(p->words[0])) {
			vpmu_complain("%s: its interpreter '%s' cannot be run", p->path,
				      p->words[0]);
			return VPMU_EXIT_FAILURE;
		}
		return check_elf(p->words[0]);
	}
	return check_elf(p->path);
}

/* ---- the command line and environment ---- */

struct command_line { char **argv; int argc; };

static void add(struct command_line *c, const char *word)
{
	c->argv[c->argc++] = (char *)(uintptr_t)word;
}

/* The program with its interpreter in front, if any, as the kernel would have it. */
static void add_program(struct command_line *c, const struct program *p, char **argv,
			const char *zeroth)
{
	if (p->word_count) {
		for (int i = 0; i < p->word_count; i++)
			add(c, p->words[i]);
		add(c, p->path);
	} else {
		add(c, zeroth);
	}
	for (int i = 1; argv[i]; i++)
		add(c, argv[i]);
	add(c, NULL);
}

struct texts { char preload[PATH_MAX * 2 + 64], cpu[256], plugin[PATH_MAX * 2 + 64], shim[PATH_MAX],
	       feed[PATH_MAX], qemu[PATH_MAX]; };

static int find_parts(const struct vpmu_launch *launch, struct texts *t)
{
	const char *qemu = getenv("VPMU_QEMU");

	if (find_library(SHIM, t->shim, sizeof(t->shim)))
		return VPMU_EXIT_FAILURE;
	if (!launch->feed)
		return 0;
	if (find_library(FEED, t->feed, sizeof(t->feed)))
		return VPMU_EXIT_FAILURE;
	if (find_in_path(qemu && *qemu ? qemu : "qemu-x86_64", t->qemu, sizeof(t->qemu))) {
		vpmu_complain("cannot find %s; install QEMU's user-mode emulation (Debian: "
			      "qemu-user) or set VPMU_QEMU", qemu ? qemu : "qemu-x86_64");
		return VPMU_EXIT_FAILURE;
	}
	if (strchr(t->shim, ',') || strchr(t->feed, ',')) {
		vpmu_complain("%s: QEMU cannot take a path with a comma; install elsewhere",
			      t->feed);
		return VPMU_EXIT_FAILURE;
	}
	return 0;
}

static void fill_texts(const struct vpmu_launch *launch, struct texts *t)
{
	const struct vpmu_machine *m = &launch->place->segment->machine;
	const char *others = getenv("LD_PRELOAD");
	char list[PATH_MAX];

	snprintf(list, sizeof(list), "%s", others ? others : "");
	for (char *c = list; *c; c++)
		if (*c == ',' || *c == ' ')	/* QEMU's -E splits at commas */
			*c = ':';
	snprintf(t->preload, sizeof(t->preload), "LD_PRELOAD=%s%s%s", t->shim, *list ? ":" : "",
		 list);
	snprintf(t->cpu, sizeof(t->cpu), "%s,model-id=%s", m->qemu_cpu, m->brand);
	snprintf(t->plugin, sizeof(t->plugin), "file=%s,segment=%s,keep=on", t->feed,
		 launch->place->path);
}

static void set_environment(const struct vpmu_launch *launch, const struct texts *t)
{
	char *real = realpath(launch->place->path, NULL);

	/* Absolute: the program may change its directory. */
	setenv("VPMU_SEGMENT", real ? real : launch->place->path, 1);
	free(real);
	real = realpath(launch->place->topology, NULL);
	setenv("HWLOC_XMLFILE", real ? real : launch->place->topology, 1);
	free(real);
	setenv("HWLOC_THISSYSTEM", "1", 1);
	real = realpath(launch->place->state, NULL);
	setenv("IPMU_STATE_DIR", real ? real : launch->place->state, 1);
	free(real);
	/* UCX, which MPICH uses, would write its own mmap over the shim's. */
	setenv("UCX_MEM_EVENTS", "n", 0);
	if (launch->feed) {
		setenv(VPMU_FEED_ENV, "1", 1);
		/* QEMU's user mode has no process_vm_readv, which Open MPI tries for every large
		 * message, with a complaint each. */
		setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
		unsetenv("LD_PRELOAD");		/* QEMU itself must not have it */
	} else {
		unsetenv(VPMU_FEED_ENV);
		setenv("LD_PRELOAD", strchr(t->preload, '=') + 1, 1);
	}
}

static void compose(const struct vpmu_launch *launch, const struct program *p,
		    const struct texts *t, struct command_line *c)
{
	const char *const words[] = { t->qemu, "-cpu", t->cpu, "-E", t->preload, "-plugin",
				      t->plugin };

	if (!launch->feed) {
		add_program(c, p, launch->argv, launch->argv[0]);
		return;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		add(c, words[i]);
	if (!p->word_count) {
		add(c, "-0");
		add(c, launch->argv[0]);
	}
	add_program(c, p, launch->argv, p->path);
}

/* ---- running it ---- */

static volatile sig_atomic_t child;

/* What the terminal sends reaches the whole process group, so the child has it already. */
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

/* A vpmu that is killed must not leave its program on a machine that others take for unused. */
static void run_child(const char *path, char **argv, const sigset_t *mask, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(VPMU_EXIT_FAILURE);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execv(path, argv);
	vpmu_complain("%s: %s", path, strerror(errno));
	_exit(VPMU_EXIT_FAILURE);
}

static int spawn(const char *path, char **argv, int *status)
{
	pid_t parent = getpid(), pid;
	sigset_t old;

	block_forwarded(&old);
	pid = fork();
	if (pid == 0)
		run_child(path, argv, &old, parent);
	if (pid < 0) {
		vpmu_complain("cannot start %s: %s", path, strerror(errno));
		return VPMU_EXIT_FAILURE;
	}
	child = pid;
	catch_forwarded();
	sigprocmask(SIG_SETMASK, &old, NULL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	*status = WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
	return 0;
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
	struct command_line c = { .argc = 0 };
	struct texts *t = calloc(1, sizeof(*t));
	struct program *p = calloc(1, sizeof(*p));
	int rc = VPMU_EXIT_FAILURE;

	c.argv = calloc((size_t)count_words(launch->argv) + QEMU_OPTIONS + 4, sizeof(*c.argv));
	if (!t || !p || !c.argv) {
		vpmu_complain("no memory");
		goto out;
	}
	rc = load_program(launch->argv[0], p);
	if (!rc)
		rc = find_parts(launch, t);
	if (rc)
		goto out;
	fill_texts(launch, t);
	compose(launch, p, t, &c);
	set_environment(launch, t);
	rc = spawn(launch->feed ? t->qemu : p->word_count ? p->words[0] : p->path, c.argv, status);
out:
	free(c.argv);
	free(p);
	free(t);
	return rc;
}
