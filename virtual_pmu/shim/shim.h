/* SPDX-License-Identifier: MIT */
/* shim/: the preloaded device shim: it stands in front of libc inside a native program and
 * serves the machine's device files and CPUs from the segment. Everything else goes to libc
 * unchanged. */
#ifndef VPMU_SHIM_H
#define VPMU_SHIM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../model/model.h"
#include "../system/devices.h"
#include "../system/system.h"

/* NEXT(open)(...): libc's function of this name, looked up once, after a NEXT_SLOT(open) in the
 * same file. */
typedef void (*shim_function)(void);
shim_function shim_next(shim_function *slot, const char *name);
#define NEXT_SLOT(name) static shim_function next_##name;
#define NEXT(name) ((__typeof__(&name))shim_next(&next_##name, #name))

#define SHIM_EXPORT __attribute__((visibility("default")))

/* The machine of this process; NULL when there is none, and then nothing is served. */
struct vpmu_segment *shim_machine(void);
/* The segment file, opened read-only by libc's open; -1. */
int shim_segment_open(void);
const char *shim_segment_path(void);
struct vpmu_open_file shim_classify(const char *path);

/* Replaces the path of a kernel's file about CPUs or memory by that of a file that describes the
 * machine. All other paths are returned as they are. at: the directory of a relative path. */
struct shim_room { char text[PATH_MAX]; };
const char *shim_where(int at, const char *path, struct shim_room *room);
#define SHIM_WHERE(at, path) \
	struct shim_room room; \
	path = shim_where(at, path, &room)
/* Is it a file of the host's kernel about its own performance events, which the machine has not? */
bool shim_hidden(const char *path);

/* The same for a path that is relative to an open directory. */
struct vpmu_open_file shim_classify_at(int dir, const char *path);

/* The path as an absolute one without ".", ".." and repeated slashes; false: it is too long, or
 * there is no such directory. */
#define SHIM_SIMPLE_BYTES 1024
bool shim_path_simple(int dir, const char *path, char *out, size_t bytes);

/* May the program open a file so, whose path shim_where() has given? It may write few of those that
 * describe the machine. False with errno; flags become those that the kernel would heed. */
bool shim_may_open(int at, const char *path, int *flags);

#define SHIM_TEXT_BYTES 64
/* The usual path of a device, at `at`; returns its end. */
char *shim_path_text(struct vpmu_open_file path, char *at);
char *shim_number_text(char *at, unsigned long n);
char *shim_text_add(char *at, const char *text);
/* getenv() of this environment. */
const char *shim_variable(char *const variables[], const char *name);
/* Says on stderr that this call does not work on the machine's files; -1 with errno. */
int shim_not_served(const char *call, struct vpmu_open_file path);

/* Every file descriptor served has a real one behind it (an anonymous file, which keeps offset,
 * dup and fork right). 0, or -1 with errno. */
int shim_backing(struct vpmu_open_file path, int flags);
/* Above this no descriptor is served. */
#define SHIM_FDS_MAX 65536
void shim_fd_serve(int fd, struct vpmu_open_file path, int flags);
int shim_fd_open(struct vpmu_open_file path, int flags);
struct vpmu_open_file shim_fd(int fd);	/* file VPMU_HOSTS: not ours */
/* Flags with which a served descriptor was opened; the file behind it has others. */
int shim_fd_flags(int fd);
/* Takes a descriptor that libc has opened. If it is a device by another path, a served descriptor
 * replaces it. Returns the one to use. */
int shim_fd_opened(int fd, int flags);
void shim_fd_copied(int from, int to);
void shim_fd_closed(int fd);

/* At the descriptor's own offset. */
ssize_t shim_read_here(struct vpmu_open_file path, int fd, void *buf, size_t bytes);
ssize_t shim_write_here(struct vpmu_open_file path, int fd, const void *buf, size_t bytes);
ssize_t shim_read(struct vpmu_open_file path, int fd, void *buf, size_t bytes, off_t offset);
ssize_t shim_write(struct vpmu_open_file path, int fd, const void *buf, size_t bytes, off_t offset);

/* Makes a system call on files by number, through the functions above. False: the caller makes
 * it. */
bool shim_file_call(long number, const long arguments[6], long *result);

/* A mapping of the window that the program may write, from this offset of it on; false: too
 * many. */
bool shim_window_add(void *at, size_t bytes, uint64_t offset);
/* From now on `ask` is told of segmentation faults first; where it gives false, the program's
 * handler comes. The first call counts. */
void shim_trap_faults(bool (*ask)(uintptr_t address, void *context));

/* Register accesses: blocks signals and holds the lock around one access. */
struct shim_guard { uint64_t signals; bool locked; };
void shim_enter(struct vpmu_segment *s, struct shim_guard *guard);
void shim_leave(struct vpmu_segment *s, const struct shim_guard *guard);

#endif
