/* SPDX-License-Identifier: MIT */
/* Several machines that one command starts: a process each, the first of which is the caller's. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../boot/wire.h"
#include "tool.h"

struct vpmu_nodes {
	unsigned int count, ready;	/* others than the first */
	pid_t process[VPMU_NODES_MAX];
	int news;			/* each writes a byte when its program has started */
	bool over;
	char folder[PATH_MAX];
};

/* ---- the folder of the network ----
 * Its lock is shared by all nodes' processes, which inherit it: nobody has that of a folder whose
 * processes were killed. */

static const char *parent_folder(void)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	return runtime && *runtime && !access(runtime, W_OK) ? runtime : "/tmp";
}

static int lock_folder(const char *path, int how)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && (flock(fd, how) || fstat(fd, &st) || st.st_uid != geteuid() ||
			!st.st_nlink)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void remove_unused(const char *path)
{
	int fd = lock_folder(path, LOCK_EX | LOCK_NB);
	char name[16];

	if (fd < 0)
		return;
	for (int node = 0; node < VPMU_NODES_MAX; node++) {
		snprintf(name, sizeof(name), "node%d", node);
		unlinkat(fd, name, 0);
	}
	rmdir(path);
	close(fd);
}

static void sweep_folders(void)
{
	char pattern[PATH_MAX];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%.4000s/vpmu-network-??????", parent_folder());
	if (!glob(pattern, GLOB_NOSORT, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			remove_unused(found.gl_pathv[i]);
		globfree(&found);
	}
}

/* Another one may take it for a killed one's before it is locked. */
static int make_folder(char folder[PATH_MAX])
{
	int fd = -1;

	for (int tries = 0; fd < 0 && tries < 100; tries++) {
		snprintf(folder, PATH_MAX, "%.4000s/vpmu-network-XXXXXX", parent_folder());
		if (!mkdtemp(folder)) {
			vpmu_complain("%s: cannot make this folder: %s", folder, strerror(errno));
			return VPMU_EXIT_FAILURE;
		}
		fd = lock_folder(folder, LOCK_SH);
	}
	return fd < 0 ? VPMU_EXIT_FAILURE : 0;
}

/* Nobody's terminal: the machines end when the first one does. */
static void become_node(pid_t parent)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(VPMU_EXIT_FAILURE);
	setsid();
	dup2(nothing, 0);
	dup2(2, 1);
}

static int fork_nodes(struct vpmu_nodes *n, unsigned int *node, int *told)
{
	pid_t parent = getpid();
	int pair[2];

	if (pipe2(pair, O_CLOEXEC))
		return -errno;
	n->news = pair[0];
	for (unsigned int i = 1; i <= n->count; i++) {
		n->process[i] = fork();
		if (n->process[i] < 0)
			return -errno;
		if (!n->process[i]) {
			become_node(parent);
			*node = i;
			*told = pair[1];
			return 0;
		}
	}
	close(pair[1]);
	return 0;
}

int vpmu_nodes_start(unsigned int count, char folder[PATH_MAX], unsigned int *node, int *told,
		     struct vpmu_nodes **out)
{
	struct vpmu_nodes *n = calloc(1, sizeof(*n));
	int rc;

	sweep_folders();
	rc = n ? make_folder(folder) : VPMU_EXIT_FAILURE;
	*node = 0;
	if (rc)
		return rc;
	n->count = count - 1;
	snprintf(n->folder, sizeof(n->folder), "%s", folder);
	rc = fork_nodes(n, node, told);
	if (rc)
		vpmu_complain("cannot start %u machines: %s", count, strerror(-rc));
	if (!*node)
		*out = n;
	return rc ? VPMU_EXIT_FAILURE : 0;
}

int vpmu_nodes_news(const struct vpmu_nodes *n)
{
	return n->over ? -1 : n->news;
}

void vpmu_nodes_listen(struct vpmu_nodes *n)
{
	char bytes[VPMU_NODES_MAX];
	ssize_t got = read(n->news, bytes, sizeof(bytes));

	if (got > 0)
		n->ready += (unsigned int)got;
	n->over = got <= 0;
}

bool vpmu_nodes_lost(struct vpmu_nodes *n)
{
	for (unsigned int i = 1; i <= n->count; i++)
		if (n->process[i] > 0 && waitpid(n->process[i], NULL, WNOHANG) > 0) {
			vpmu_complain("node%u has ended: the others are switched off", i);
			n->process[i] = 0;
			return true;
		}
	return false;
}

bool vpmu_nodes_ready(const struct vpmu_nodes *n)
{
	return n->ready == n->count;
}

int vpmu_nodes_end(struct vpmu_nodes *n)
{
	int status, rc = 0;

	for (unsigned int i = 1; i <= n->count; i++)
		if (n->process[i] > 0)
			kill(n->process[i], SIGTERM);
	for (unsigned int i = 1; i <= n->count; i++)
		if (n->process[i] > 0 && waitpid(n->process[i], &status, 0) > 0 &&
		    WIFEXITED(status) && WEXITSTATUS(status) == VPMU_EXIT_VIOLATIONS)
			rc = VPMU_EXIT_VIOLATIONS;
	rmdir(n->folder);
	close(n->news);
	free(n);
	return rc;
}
