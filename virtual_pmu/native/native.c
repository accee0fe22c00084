/* SPDX-License-Identifier: MIT */
/* The preloaded library's way into system/. native_machine() opens the segment once.
 * native_before() and native_after() stand around a system call; native_call() is both with the
 * host's call in between. From native_enter() to native_leave() signals are blocked, and the
 * thread's own calls go to the host. A handler that read a register there would wait for a lock of
 * its own thread. */
#include "native.h"

#include <cpuid.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../machine/kernel.h"
#include "../system/system.h"
#include "window.h"

static struct vpmu_segment *machine;
static bool searched;
static char segment_path[PATH_MAX];	/* a copy: programs change their environment */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* True while the thread executes code of system/, whose own calls are the host's. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

native_function native_next(native_function *slot, const char *name)
{
	native_function found = __atomic_load_n(slot, __ATOMIC_RELAXED);

	if (!found) {
		void *address = dlsym(RTLD_NEXT, name);

		/* ISO C has no conversion from an object to a function pointer. */
		memcpy(&found, &address, sizeof(found));
		__atomic_store_n(slot, found, __ATOMIC_RELAXED);
	}
	return found;
}

/* ---- the machine ---- */

/* Addresses of a native program are this code's. */
static const char *text_at(uint64_t address)
{
	return (const char *)(uintptr_t)address;
}

static void *memory_at(uint64_t address, uint64_t bytes, bool write)
{
	(void)bytes, (void)write;
	return (void *)(uintptr_t)address;
}

static void host_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	__cpuid_count(leaf, subleaf, r[0], r[1], r[2], r[3]);
}

static const struct vpmu_program_memory own_memory = {
	.text = text_at, .memory = memory_at, .cpuid = host_cpuid, .native = true,
};

/* Reports nothing: `vpmu run` has checked the segment and reported what was wrong with it. */
static void find_machine(void)
{
	const char *path = getenv("VPMU_SEGMENT");
	int saved = errno;
	char why[256];

	inside = true;
	if (path && strlen(path) < sizeof(segment_path))
		strcpy(segment_path, path);
	if (*segment_path && vpmu_segment_open(segment_path, &machine, why, sizeof(why)))
		machine = NULL;
	if (machine) {
		vpmu_lock_forget(machine);
		vpmu_system_begin(machine, segment_path, &own_memory);
	}
	inside = false;
	errno = saved;
	__atomic_store_n(&searched, true, __ATOMIC_RELEASE);
}

struct vpmu_segment *native_machine(void)
{
	/* A sanitizer's runtime makes calls before libc has the environment. */
	if (inside || !environ)
		return NULL;
	if (!__atomic_load_n(&searched, __ATOMIC_ACQUIRE))
		pthread_once(&once, find_machine);
	return machine;
}

/* Searches when the process starts: programs change their environment. */
__attribute__((constructor(101))) static void library_begin(void)
{
	native_machine();
}

/* ---- calls ---- */

/* All signals but the two that glibc needs itself. */
#define ALL_SIGNALS (~(UINT64_C(3) << 31))

void native_enter(uint64_t *signals)
{
	const uint64_t all = ALL_SIGNALS;

	vpmu_syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, signals, sizeof(all));
	inside = true;
}

void native_leave(const uint64_t *signals)
{
	inside = false;
	vpmu_syscall(SYS_rt_sigprocmask, SIG_SETMASK, signals, NULL, sizeof(*signals));
}

/* True for calls that are checked by their descriptor first. Most of them are for the host's files,
 * and that check is all that they cost. */
static bool is_transfer(long number)
{
	switch (number) {
	case SYS_read: case SYS_write: case SYS_pread64: case SYS_pwrite64: case SYS_readv:
	case SYS_writev: case SYS_preadv: case SYS_pwritev: case SYS_preadv2: case SYS_pwritev2:
	case SYS_ioctl:
		return true;
	default:
		return false;
	}
}

static bool is_other(const struct native_call *c)
{
	enum vpmu_file file;

	if (is_transfer(c->number)) {
		file = vpmu_descriptor((int)c->a[0]).file;
		return !vpmu_file_is_device(file) && file != VPMU_NO_CPU;
	}
	return c->number == SYS_mmap && c->a[3] & MAP_ANONYMOUS;
}

static int64_t call_make(const struct native_call *c)
{
	return vpmu_syscall(c->number, c->a[0], c->a[1], c->a[2], c->a[3], c->a[4], c->a[5]);
}

static bool is_window(const struct native_call *c)
{
	return c->number == SYS_mmap && vpmu_descriptor((int)c->a[4]).file == VPMU_FILE_MEM;
}

bool native_before(struct native_call *c)
{
	int saved = errno;
	uint64_t signals;
	bool answered;

	if (!native_machine() || is_other(c))
		return false;
	native_enter(&signals);
	answered = is_window(c);
	if (answered)
		c->answer = native_window_map(c->a);
	else
		answered = vpmu_system_call(c->number, c->a, &c->answer);
	if (c->number == SYS_munmap)
		native_window_unmap((uint64_t)c->a[0], (uint64_t)c->a[1]);
	native_leave(&signals);
	errno = saved;
	return answered;
}

static bool is_copy(const struct native_call *c)
{
	return c->number == SYS_dup ||
	       (c->number == SYS_fcntl && (c->a[1] == F_DUPFD || c->a[1] == F_DUPFD_CLOEXEC));
}

long native_result(const struct native_call *c)
{
	if (c->answer >= 0 || c->answer < -4095)
		return c->answer;
	errno = (int)-c->answer;
	return -1;
}

long native_after(struct native_call *c, long answer)
{
	uint64_t signals;

	if (!native_machine() || is_other(c))
		return answer;
	c->answer = answer == -1 ? -errno : answer;
	native_enter(&signals);
	vpmu_system_return(c->number, c->a, &c->answer);
	if (is_copy(c) && answer >= 0)
		vpmu_descriptors_forget((int)answer, (int)answer);
	native_leave(&signals);
	return native_result(c);
}

long native_call(struct native_call *c)
{
	if (native_before(c))
		return native_result(c);
	c->answer = call_make(c);
	return native_after(c, native_result(c));
}
