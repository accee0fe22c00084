/* SPDX-License-Identifier: MIT */
/* Sets the booted machine up, before and after it has received the order to start. init_modules()
 * loads the drivers, init_file_system() makes / of the host's files with a layer in memory, and
 * init_names() sets clock, host name and entropy. Functions that fail end the machine. Nothing that
 * the program writes reaches the host, except in the shared working folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/random.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "init.h"

#define NEW_ROOT "/root"

/* ---- modules ---- */

/* Names have '-' in files where the kernel has '_'. */
static bool is_of(const char *word, const char *module, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if ((word[i] == '-' ? '_' : word[i]) != (module[i] == '-' ? '_' : module[i]))
			return false;
	return word[bytes] == '.';
}

/* Copies a module's settings from the kernel's command line ("msr.allow_writes=off"), as modprobe
 * does. */
static void settings_of(const char *file, char *out, size_t bytes)
{
	const char *module = file + strcspn(file, "-") + 1;
	size_t length = strlen(module) - strlen(".ko"), used = 0;
	char line[4096], *rest = line, *word;
	int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);

	line[n > 0 ? n : 0] = '\0';
	*out = '\0';
	while ((word = strsep(&rest, " \n")))
		if (is_of(word, module, length) && used < bytes)
			used += (size_t)snprintf(out + used, bytes - used, "%s ",
						 word + length + 1);
	if (fd >= 0)
		close(fd);
}

static void load_module(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	char settings[1024];

	settings_of(name, settings, sizeof(settings));
	/* A module that finds nothing to drive fails with ENODEV; a part that is missed after all
	 * is named where it is missed. */
	if (fd < 0 || (syscall(SYS_finit_module, fd, settings, 0) && errno != EEXIST &&
		       errno != ENODEV))
		fprintf(stderr, "vpmu: module %s: %s\n", name, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* An access to this register, which no processor has, passes to the emulator which instructions of
 * the kernel serve programs. Register accesses of other instructions are the drivers' own. */
static void show_msr_driver(void)
{
	const off_t shown = 0x40005650;
	int fd = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);
	uint64_t value = 0;

	if (fd < 0)
		return;
	/* Whether the accesses succeed does not matter. */
	if (pread(fd, &value, sizeof(value), shown) == sizeof(value))
		value = 0;
	if (pwrite(fd, &value, sizeof(value), shown) < 0)
		errno = 0;
	close(fd);
}

void init_modules(void)
{
	struct dirent **entries;
	int count;

	if (chdir(VPMU_MODULES_FOLDER))
		return;
	count = scandir(".", &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.')
			load_module(entries[i]->d_name);
		free(entries[i]);
	}
	show_msr_driver();
	if (chdir("/"))
		init_fail("/: %s", strerror(errno));
}

/* ---- mounts ---- */

static void setup_mount(const char *source, const char *target, const char *type,
			unsigned long flags, const char *data)
{
	if (mkdir(target, 0755) && errno != EEXIST)
		init_fail("%s: %s", target, strerror(errno));
	if (mount(source, target, type, flags, data))
		init_fail("%s (%s): %s", target, type, strerror(errno));
}

void init_first_folders(void)
{
	setup_mount("dev", "/dev", "devtmpfs", MS_NOSUID, "mode=0755");
	setup_mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	setup_mount("sys", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static void make_path(const char *path)
{
	char *copy = strdup(path);

	for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0755);
		*slash = '/';
	}
	if (!copy || (mkdir(copy, 0755) && errno != EEXIST))
		init_fail("%s: cannot be made: %s", path, strerror(errno));
	free(copy);
}

/* Each user attaches with its own id, so that files belong to the user who makes them. With one id
 * for all, root's emulator would make set-user-id files of root for any user. */
#define NINE_P "trans=virtio,version=9p2000.L,msize=512000,access=user"

/* The host's files; what is written over them is kept in memory. */
static void attach_root(void)
{
	setup_mount(VPMU_TAG_ROOT, "/lower", "9p", MS_RDONLY, NINE_P ",cache=loose");
	setup_mount("memory", "/memory", "tmpfs", 0, "mode=0755,size=75%");
	if (mkdir("/memory/upper", 0755) || mkdir("/memory/work", 0755))
		init_fail("/memory: %s", strerror(errno));
	setup_mount("vpmu", NEW_ROOT, "overlay", 0,
		    "lowerdir=/lower,upperdir=/memory/upper,workdir=/memory/work");
}

static void move_into_root(void)
{
	static const char *const moved[] = { "/dev", "/proc", "/sys" };
	char target[64];

	for (size_t i = 0; i < sizeof(moved) / sizeof(moved[0]); i++) {
		snprintf(target, sizeof(target), NEW_ROOT "%s", moved[i]);
		mkdir(target, 0755);
		if (mount(moved[i], target, NULL, MS_MOVE, NULL))
			init_fail("%s: %s", target, strerror(errno));
	}
	if (chdir(NEW_ROOT) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		init_fail("/: %s", strerror(errno));
}

static void attach_modules(void)
{
	struct utsname about;
	char path[128];

	uname(&about);
	snprintf(path, sizeof(path), "/lib/modules/%.80s", about.release);
	make_path(path);
	/* Without it modprobe finds nothing; everything else works. */
	if (mount(VPMU_TAG_MODULES, path, "9p", MS_RDONLY, NINE_P ",cache=loose"))
		fprintf(stderr, "vpmu: %s: %s\n", path, strerror(errno));
}

/* Shows the entry of the host's folder `host` that the path names, in the machine's own folder over
 * it. What is written there is kept in memory, as elsewhere. */
static void show_entry(int host, const char *folder, const char *path)
{
	size_t length = strlen(folder);
	char name[NAME_MAX + 1], source[64], target[NAME_MAX + 16];
	struct stat st;
	int fd;

	if (strncmp(path, folder, length) || path[length] != '/')
		return;
	path += length + strspn(path + length, "/");
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(path, "/"), path);
	fd = !*name || *name == '.' ? -1 : openat(host, name, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return;
	snprintf(source, sizeof(source), "/proc/self/fd/%d", fd);
	snprintf(target, sizeof(target), "%s/%s", folder, name);
	/* An entry that is there already has been named before. */
	if (!fstat(fd, &st) && !(S_ISDIR(st.st_mode) ? mkdir(target, 0755) :
				 mknod(target, S_IFREG | 0644, 0)) &&
	    mount(source, target, NULL, MS_BIND, NULL))
		fprintf(stderr, "vpmu: %s: %s\n", target, strerror(errno));
	close(fd);
}

static void show_entries(int host, const char *folder, const char *list)
{
	char *copy = strdup(list), *rest = copy, *path;

	while ((path = strsep(&rest, ":")))
		show_entry(host, folder, path);
	free(copy);
}

/* A folder of the machine's own. The host's entries in it are only those that the command names. */
static void attach_own(const char *folder, const char *data, const struct init_order *order)
{
	static const char *const lists[] = { "PATH=", "LD_LIBRARY_PATH=" };
	int host = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	setup_mount("own", folder, "tmpfs", MS_NOSUID | MS_NODEV, data);
	if (host < 0)
		return;
	show_entry(host, folder, order->folder);
	for (char **word = order->words; *word; word++)
		show_entry(host, folder, *word);
	for (char **s = order->settings; *s; s++)
		for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
			if (!strncmp(*s, lists[i], strlen(lists[i])))
				show_entries(host, folder, *s + strlen(lists[i]));
	close(host);
}

/* Nothing would wake the machine. The list of what the kernel can do is empty then, and what is
 * written there is refused. */
static void forbid_sleep(void)
{
	static const char states[] = "/sys/power/state", none[] = "/run/no-sleep";
	int fd = open(none, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);

	if (fd < 0 || mount(none, states, NULL, MS_BIND, NULL) ||
	    mount(NULL, states, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL))
		fprintf(stderr, "vpmu: %s: %s\n", states, strerror(errno));
	if (fd >= 0)
		close(fd);
	unlink(none);
}

void init_file_system(const struct init_order *order)
{
	attach_root();
	move_into_root();
	attach_own("/run", "mode=0755", order);
	attach_own("/tmp", "mode=1777", order);
	setup_mount("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
	setup_mount("pts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
		    "gid=5,mode=620,ptmxmode=666");
	attach_modules();
	if (!getenv("VPMU_SUSPEND"))
		forbid_sleep();
	if (symlink("/proc/self/fd", "/dev/fd") || symlink("fd/0", "/dev/stdin") ||
	    symlink("fd/1", "/dev/stdout") || symlink("fd/2", "/dev/stderr"))
		fprintf(stderr, "vpmu: /dev/fd: %s\n", strerror(errno));
	mkdir("/run/lock", 01777);
	if (order->start->work_is_shared) {
		make_path(order->folder);
		/* The host may read it meanwhile: all but mapped files are written through. */
		setup_mount(VPMU_TAG_WORK, order->folder, "9p", 0, NINE_P ",cache=mmap");
	}
}

void init_file_system_end(const struct init_order *order)
{
	int fd;

	if (!order->start->work_is_shared || chdir("/"))
		return;
	fd = open(order->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		syncfs(fd);
		close(fd);
	}
	umount2(order->folder, MNT_DETACH);
}

/* ---- names, clock, entropy, the loopback interface ---- */

static void mix_random(const struct vpmu_start *start)
{
	uint32_t words[(sizeof(struct rand_pool_info) + sizeof(start->random)) / 4];
	struct rand_pool_info *pool = (struct rand_pool_info *)words;
	int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC);

	pool->entropy_count = 8 * (int)sizeof(start->random);
	pool->buf_size = (int)sizeof(start->random);
	memcpy(pool->buf, start->random, sizeof(start->random));
	if (fd < 0)
		return;
	ioctl(fd, RNDADDENTROPY, pool);
	close(fd);
}

static void switch_on_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	ioctl(fd, SIOCSIFFLAGS, &request);
	close(fd);
}

void init_names(const struct init_order *order)
{
	struct timespec now = { .tv_sec = (time_t)order->start->seconds,
				.tv_nsec = (long)order->start->nanoseconds };

	clock_settime(CLOCK_REALTIME, &now);
	sethostname(order->host, strlen(order->host));
	mix_random(order->start);
	switch_on_loopback();
}
