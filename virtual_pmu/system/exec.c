/* SPDX-License-Identifier: MIT */
/* Execution of a program. A program that stays on the machine is executed under the emulator, with
 * the machine's plugin. Any other is executed as it is, and so is a file that cannot be executed:
 * the kernel then returns the error. vpmu_system_exec() replaces path, arguments and environment
 * before the call, vpmu_system_exec_failed() undoes this after one that failed. Its state belongs
 * to the thread. */
#include "regions.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../emulator/user_calls.h"
#include "../machine/kernel.h"
#include "../machine/program.h"

#define DESCRIPTORS "/proc/self/fd/"

/* A program must have these in its environment to be on the machine, whatever its caller passes. */
static const char *const kept_names[] = {
	"VPMU_SEGMENT", VPMU_FEED_ENV, "HWLOC_XMLFILE", "HWLOC_THISSYSTEM", "HWLOC_PLUGINS_PATH",
	"IPMU_STATE_DIR", "UCX_MEM_EVENTS", "OMPI_MCA_btl_vader_single_copy_mechanism",
};
#define KEPT (sizeof(kept_names) / sizeof(kept_names[0]))

static char *kept[KEPT];		/* NAME=VALUE as this process was started with; or NULL */
static char emulator[PATH_MAX], feed[PATH_MAX], tool[PATH_MAX], only[PATH_MAX];
static char profile[PATH_MAX];
static bool profiles_data;

/* State of one execution. */
struct room {
	struct vpmu_program program;
	struct vpmu_emulator emulator;
	char given[PATH_MAX];	/* the path; relative to a descriptor: by its name in /proc */
	char name[PATH_MAX];	/* one that another process can use */
	int folder;		/* the descriptor; -1: none */
	int lent;		/* a descriptor that the emulator inherits; -1: none */
	bool beyond;		/* the path leads over a link that is the kernel's, in /proc */
	bool left;		/* counted as one that leaves the machine */
	bool executed;		/* counted as one that stays */
	const char **words;	/* the arguments, the environment and texts of it */
};

static _Thread_local struct room *room;

static bool has_name(const char *variable, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(variable, name, length) && variable[length] == '=';
}

void vpmu_system_exec_begin(const char *feed_path, const struct vpmu_passed_on *with)
{
	ssize_t n = readlink("/proc/self/exe", emulator, sizeof(emulator) - 1);

	emulator[n > 0 ? n : 0] = '\0';
	snprintf(feed, sizeof(feed), "%s", feed_path);
	snprintf(tool, sizeof(tool), "%s", with->tool);
	snprintf(only, sizeof(only), "%s", with->only);
	snprintf(profile, sizeof(profile), "%s", with->profile);
	profiles_data = with->data;
	for (size_t i = 0; i < KEPT; i++) {
		const char *value = getenv(kept_names[i]);

		if (value && asprintf(&kept[i], "%s=%s", kept_names[i], value) < 0)
			kept[i] = NULL;
	}
}

/* ---- which file it is ---- */

static bool same_file(const char *one, const char *other)
{
	struct stat a, b;

	return !stat(one, &a) && !stat(other, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* Spells what execveat() is given as a path. */
static int spell(struct room *r, int dirfd, int flags, const char *path)
{
	struct stat st;
	int n;

	r->folder = r->lent = -1;
	if (flags & ~(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
		return -EINVAL;
	if (!*path && !(flags & AT_EMPTY_PATH))
		return -ENOENT;
	if (*path == '/' || dirfd == AT_FDCWD) {
		n = snprintf(r->given, sizeof(r->given), "%s", *path ? path : ".");
	} else {
		if (fcntl(dirfd, F_GETFD) < 0)
			return -EBADF;
		r->folder = dirfd;
		n = snprintf(r->given, sizeof(r->given), DESCRIPTORS "%d%s%s", dirfd,
			     *path ? "/" : "", path);
	}
	if (n >= (int)sizeof(r->given))
		return -ENAMETOOLONG;
	if (*path && (flags & AT_SYMLINK_NOFOLLOW) && !lstat(r->given, &st) &&
	    S_ISLNK(st.st_mode))
		return -ELOOP;
	return 0;
}

/* Links that are the kernel's, and no texts, lead elsewhere in another process. */
static bool leads_beyond(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS };
	long fd = vpmu_syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd >= 0)
		close((int)fd);
	return fd == -ELOOP;
}

/* Finds a name of the file that is behind such a link. One that has none, as it is deleted or in
 * memory only, is lent to the emulator, which closes it. */
static int find_name(struct room *r)
{
	char link[64];
	int fd = open(r->given, O_PATH | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	snprintf(link, sizeof(link), DESCRIPTORS "%d", fd);
	n = readlink(link, r->name, sizeof(r->name) - 1);
	r->name[n > 0 ? n : 0] = '\0';
	if (*r->name == '/' && same_file(r->name, link)) {
		close(fd);
		return 0;
	}
	fcntl(fd, F_SETFD, 0);
	r->lent = fd;
	snprintf(r->name, sizeof(r->name), "%s", link);
	return 0;
}

static int room_find(struct room *r)
{
	r->beyond = leads_beyond(r->given);
	/* Links to the program's own file lead to the emulator. */
	if (r->beyond && same_file(r->given, "/proc/self/exe")) {
		snprintf(r->given, sizeof(r->given), "%s", vpmu_system.memory->program);
		r->beyond = false;
	}
	if (r->beyond)
		return find_name(r);
	snprintf(r->name, sizeof(r->name), "%s", r->given);
	return 0;
}

/* Interpreters of scripts open them anew: the name is the kernel's. */
static int name_script(struct room *r)
{
	char *path = r->program.path;

	if (!r->beyond || !r->program.word_count)
		return 0;
	if (r->folder < 0) {
		memcpy(path, r->given, sizeof(r->given));
		return 0;
	}
	if (fcntl(r->folder, F_GETFD) & FD_CLOEXEC)
		return -ENOENT;
	snprintf(path, sizeof(r->program.path), "/dev/fd/%s", r->given + strlen(DESCRIPTORS));
	return 0;
}

/* Do read leases fail there for no other reason than writers? On network file systems they do. */
static bool leases_tell(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	switch ((unsigned long)fs.f_type) {
	case EXT4_SUPER_MAGIC: case XFS_SUPER_MAGIC: case BTRFS_SUPER_MAGIC: case TMPFS_MAGIC:
	case OVERLAYFS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

/* The kernel refuses to execute such a file, and a read lease as well if the caller may have one at
 * all. SIGURG: it has no effect, should somebody open the file for writing just now. */
static bool is_open_for_writing(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool written;

	if (fd < 0)
		return false;
	written = leases_tell(fd) && !fcntl(fd, F_SETSIG, SIGURG) &&
		  fcntl(fd, F_SETLEASE, F_RDLCK) && errno == EAGAIN;
	close(fd);
	return written;
}

/* ---- does it stay? ---- */

static void room_count_left(struct room *r)
{
	__atomic_fetch_add(&vpmu_system.segment->left_count, 1, __ATOMIC_RELAXED);
	r->left = true;
}

static void room_leave(struct room *r, enum vpmu_program_kind kind)
{
	static const char *const said[] = {
		[VPMU_PROGRAM_PRIVILEGED] = "gets rights from its file (set-user-id, set-group-id, "
					    "capabilities), or may not be read: it runs "
					    "natively and is not counted",
		[VPMU_PROGRAM_SANITIZED] = "has a sanitizer's runtime, which the emulator cannot "
					   "run: it runs natively and is not counted",
		[VPMU_PROGRAM_OTHERS] = "runs as a user who may not open the machine: it runs "
					"natively and is not counted",
		[VPMU_PROGRAM_FOREIGN] = "is no x86-64 program and no script of one: it runs "
					 "natively and is not counted",
	};

	dprintf(STDERR_FILENO, "vpmu: warning: %s %s\n", r->program.path, said[kind]);
	room_count_left(r);
}

/* Returns 1 for a program that stays on the machine, 0 for others, or a negative errno. */
static int stays(struct room *r)
{
	struct vpmu_program *p = &r->program;
	const char *file;
	int rc;

	if (!*emulator)
		return 0;
	/* The machine is out of reach, as after chroot(), or the process has outlived it. */
	if (access(vpmu_system.path, F_OK)) {
		room_count_left(r);
		return 0;
	}
	rc = room_find(r);
	if (rc)
		return rc;
	/* The kernel may execute it all the same, for instance without a free descriptor. */
	if (vpmu_program_load(r->name, p)) {
		room_count_left(r);
		return 0;
	}
	file = vpmu_program_file(p);
	if (same_file(file, tool) || same_file(file, "/proc/self/exe"))
		return 0;
	if (is_open_for_writing(r->name))
		return -ETXTBSY;
	rc = name_script(r);
	if (rc)
		return rc;
	/* A process that became another user still has the machine mapped, but its children could
	 * not open the segment. */
	if (eaccess(vpmu_system.path, R_OK | W_OK))
		p->kind = VPMU_PROGRAM_OTHERS;
	if (p->kind != VPMU_PROGRAM)
		room_leave(r, p->kind);
	return p->kind == VPMU_PROGRAM;
}

/* ---- the command line and the environment ---- */

static size_t list_length(char *const list[])
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

/* Copies the variable to *at, with a name that the emulator does not heed. */
static const char *hide(const char *variable, char **at)
{
	const char *hidden = *at;

	*at += sprintf(*at, VPMU_USER_VARIABLE "%s", variable) + 1;
	return hidden;
}

static bool is_in(char *const envp[], const char *name)
{
	while (*envp && !has_name(*envp, name))
		envp++;
	return *envp;
}

static void fill_environment(char *const envp[], const char **out, char *texts)
{
	for (char *const *variable = envp; *variable; variable++)
		*out++ = vpmu_emulator_heeds(*variable) ? hide(*variable, &texts) : *variable;
	for (size_t i = 0; i < KEPT; i++)
		if (kept[i] && !is_in(envp, kept_names[i]))
			*out++ = kept[i];
	*out = NULL;
}

static int room_fill(struct room *r, char *const argv[], char *const envp[], char ***words,
		     char ***variables)
{
	size_t arguments = VPMU_EMULATOR_WORDS + list_length(argv), pointers, bytes = 0;
	const struct vpmu_fixed fixed = vpmu_system_fixed_next();
	struct vpmu_emulator *e = &r->emulator;

	pointers = arguments + list_length(envp) + KEPT + 1;
	for (size_t i = 0; envp[i]; i++)
		if (vpmu_emulator_heeds(envp[i]))
			bytes += strlen(envp[i]) + sizeof(VPMU_USER_VARIABLE);
	r->words = malloc(pointers * sizeof(r->words[0]) + bytes);
	if (!r->words)
		return -ENOMEM;
	snprintf(e->qemu, sizeof(e->qemu), "%s", emulator);
	vpmu_emulator_fill(e, &vpmu_system.segment->machine, feed, vpmu_system.path, tool,
			   &fixed);
	vpmu_emulator_choose(e, &r->program, only);
	vpmu_emulator_profile(e, profile, profiles_data);
	vpmu_emulator_regions(e, vpmu_regions_where());
	if (r->lent >= 0)
		snprintf(e->plugin + strlen(e->plugin), sizeof(e->plugin) - strlen(e->plugin),
			 ",close=%d", r->lent);
	vpmu_emulator_words(e, &r->program, argv, r->words);
	fill_environment(envp, r->words + arguments, (char *)(r->words + pointers));
	*words = (char **)(uintptr_t)r->words;
	*variables = *words + arguments;
	return 0;
}

static void room_take_back(struct room *r)
{
	if (r->lent >= 0)
		close(r->lent);
	r->lent = -1;
}

int vpmu_system_exec(int dirfd, int flags, const char **path, char ***argv, char ***envp)
{
	struct room *r;
	int rc;

	vpmu_system_exec_failed();	/* of an earlier call, if not reported */
	room = r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	rc = spell(r, dirfd, flags, *path);
	rc = rc ? rc : stays(r);
	*path = r->given;
	if (rc <= 0) {
		room_take_back(r);
		return rc;
	}
	*path = r->emulator.qemu;
	rc = room_fill(r, *argv, *envp, argv, envp);
	if (!rc)
		__atomic_fetch_add(&vpmu_system.segment->executed_count, 1, __ATOMIC_RELAXED);
	r->executed = !rc;
	return rc;
}

bool vpmu_system_exec_stays(void)
{
	return room && room->executed;
}

void vpmu_system_exec_failed(void)
{
	if (!room)
		return;
	if (room->left)
		__atomic_fetch_sub(&vpmu_system.segment->left_count, 1, __ATOMIC_RELAXED);
	if (room->executed)
		__atomic_fetch_sub(&vpmu_system.segment->executed_count, 1, __ATOMIC_RELAXED);
	room_take_back(room);
	free(room->words);
	free(room);
	room = NULL;
}

void vpmu_system_exec_loaded(const char *descriptor)
{
	if (descriptor)
		close(atoi(descriptor));
}
