/* SPDX-License-Identifier: MIT */
/* Finds the machine of this process, and guards each access to it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "inside.h"
#include "shim.h"

static struct vpmu_segment *machine;
static bool searched;
static char segment_path[PATH_MAX];	/* programs may change their environment; "": none */
static pthread_once_t once = PTHREAD_ONCE_INIT;

NEXT_SLOT(open)

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

static const struct vpmu_program_memory own_memory = { .text = text_at, .memory = memory_at };

shim_function shim_next(shim_function *slot, const char *name)
{
	shim_function found = __atomic_load_n(slot, __ATOMIC_RELAXED);

	if (!found) {
		void *address = dlsym(RTLD_NEXT, name);

		/* ISO C has no conversion from an object to a function pointer. */
		memcpy(&found, &address, sizeof(found));
		__atomic_store_n(slot, found, __ATOMIC_RELAXED);
	}
	return found;
}

/* Reports nothing: `vpmu run` has checked the segment and reported what was wrong with it. */
static void find_machine(void)
{
	char why[256];
	const char *path = shim_variable(environ, "VPMU_SEGMENT");
	int saved = errno;

	if (path && strlen(path) < sizeof(segment_path))
		shim_text_add(segment_path, path);
	if (*segment_path && vpmu_segment_open(segment_path, &machine, why, sizeof(why)))
		machine = NULL;
	if (machine) {
		vpmu_lock_forget(machine);
		vpmu_system_begin(machine, segment_path, &own_memory);
	}
	errno = saved;
	__atomic_store_n(&searched, true, __ATOMIC_RELEASE);
}

struct vpmu_segment *shim_machine(void)
{
	if (!__atomic_load_n(&searched, __ATOMIC_ACQUIRE))
		pthread_once(&once, find_machine);
	return machine;
}

/* Searches when the process starts: programs change their environment. */
__attribute__((constructor(101))) static void begin(void)
{
	shim_machine();
}

const char *shim_segment_path(void)
{
	return shim_machine() ? segment_path : NULL;
}

int shim_segment_open(void)
{
	return *segment_path ? NEXT(open)(segment_path, O_RDONLY | O_CLOEXEC) : -1;
}

/* All signals but the two that glibc needs itself. */
#define ALL_SIGNALS (~(UINT64_C(3) << 31))

/* A handler that reads a register while this thread holds the lock would wait forever. */
void shim_enter(struct vpmu_segment *s, struct shim_guard *guard)
{
	const uint64_t all = ALL_SIGNALS;

	shim_syscall(SYS_rt_sigprocmask, SIG_BLOCK, shim_address(&all),
		     shim_address(&guard->signals), sizeof(all));
	guard->locked = vpmu_lock_unless_held(s);
}

void shim_leave(struct vpmu_segment *s, const struct shim_guard *guard)
{
	if (guard->locked)
		vpmu_unlock(s);
	shim_syscall(SYS_rt_sigprocmask, SIG_SETMASK, shim_address(&guard->signals), 0,
		     sizeof(guard->signals));
}
