// SPDX-License-Identifier: MIT
/* Tries to change the files that describe the machine, by paths, descriptors and numbers. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utime.h>

#define CPU "/sys/devices/system/cpu"
#define NONE "absent-file"

static void result(const char *what, long rc)
{
	printf("%s\t%s\n", rc < 0 ? strerrorname_np(errno) : "0", what);
}

#define TRY(call) result(#call, call)

/* Streams: the error of opening. */
static long stream(FILE *f)
{
	return f ? fclose(f) : -1;
}

static void by_path(const char *file, const char *folder, const char *none)
{
	TRY(open(file, O_WRONLY));
	TRY(open(file, O_RDWR));
	TRY(open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644));
	TRY(open(file, O_WRONLY | O_CREAT | O_EXCL, 0644));
	TRY(open(file, O_RDONLY | O_TRUNC));
	TRY(open(folder, O_WRONLY));
	TRY(open(none, O_WRONLY));
	TRY(open(none, O_WRONLY | O_CREAT, 0644));
	TRY(creat(file, 0644));
	TRY(creat(none, 0644));
	TRY(stream(fopen(file, "w")));
	TRY(stream(fopen(file, "a")));
	TRY(stream(fopen(file, "r+")));
	TRY(stream(fopen(none, "w")));
	TRY(stream(freopen(file, "w", fopen("/dev/null", "r"))));
	TRY(truncate(file, 0));
	TRY(truncate(folder, 0));
	TRY(truncate(none, 0));
	TRY(unlink(file));
	TRY(unlink(folder));
	TRY(unlink(none));
	TRY(remove(file));
	TRY(rmdir(file));
	TRY(rmdir(folder));
	TRY(mkdir(none, 0755));
	TRY(mkdir(folder, 0755));
	TRY(mkfifo(none, 0644));
	TRY(symlink("/", none));
	TRY(symlink("/", file));
	TRY(link(file, none));
	TRY(link(file, "/dev/" NONE));
	TRY(rename(file, none));
	TRY(rename(none, file));
	TRY(rename(file, "/dev/" NONE));
	TRY(utime(file, NULL));
	TRY(utime(none, NULL));
}

static void by_folder(int at, const char *file, const char *folder, const char *none)
{
	TRY(openat(at, file, O_WRONLY));
	TRY(openat(at, none, O_WRONLY | O_CREAT, 0644));
	TRY(unlinkat(at, file, 0));
	TRY(unlinkat(at, folder, AT_REMOVEDIR));
	TRY(mkdirat(at, none, 0755));
	TRY(mkfifoat(at, none, 0644));
	TRY(symlinkat("/", at, none));
	TRY(linkat(at, file, at, none, 0));
	TRY(renameat(at, file, at, none));
	TRY(renameat2(at, file, at, none, 0));
	TRY(utimensat(at, file, NULL, 0));
}

static void by_number(int at, const char *file, const char *folder, const char *none)
{
	TRY(syscall(SYS_open, file, O_WRONLY));
	TRY(syscall(SYS_openat, at, file, O_WRONLY));
	TRY(syscall(SYS_openat, at, none, O_WRONLY | O_CREAT, 0644));
	TRY(syscall(SYS_creat, file, 0644));
	TRY(syscall(SYS_truncate, file, 0L));
	TRY(syscall(SYS_unlink, file));
	TRY(syscall(SYS_unlinkat, at, file, 0));
	TRY(syscall(SYS_rmdir, folder));
	TRY(syscall(SYS_mkdir, none, 0755));
	TRY(syscall(SYS_mkdirat, at, none, 0755));
	TRY(syscall(SYS_rename, file, none));
	TRY(syscall(SYS_renameat, at, file, at, none));
	TRY(syscall(SYS_renameat2, at, file, at, none, 0));
	TRY(syscall(SYS_link, file, none));
	TRY(syscall(SYS_linkat, at, file, at, none, 0));
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return creat(argv[1], 0644) < 0;
	int at = open(CPU, O_RDONLY | O_DIRECTORY);

	by_path(CPU "/kernel_max", CPU "/cpu0/topology", CPU "/" NONE);
	by_folder(AT_FDCWD, CPU "/kernel_max", CPU "/cpu0/topology", CPU "/" NONE);
	by_folder(at, "kernel_max", "cpu0/topology", NONE);
	if (chdir(CPU "/cpu0"))
		return 1;
	by_path("../kernel_max", "./topology", NONE);
	by_number(open(".", O_RDONLY), "../kernel_max", "topology", NONE);
	return 0;
}
