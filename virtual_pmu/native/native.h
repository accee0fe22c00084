/* SPDX-License-Identifier: MIT */
/* native/: the preloaded library of a native program (`vpmu run --no-feed`). Its functions stand in
 * front of libc's: each becomes a system call that system/ answers, or libc's own function is
 * called. Programs that make system calls without libc, as statically linked ones do, are not
 * served here; under the emulator they are. */
#ifndef VPMU_NATIVE_H
#define VPMU_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../model/model.h"
#include "../system/descriptors.h"

/* NEXT(open)(...): libc's function of this name, looked up once, after a NEXT_SLOT(open) in the
 * same file. */
typedef void (*native_function)(void);
native_function native_next(native_function *slot, const char *name);
#define NEXT_SLOT(name) static native_function next_##name;
#define NEXT(name) ((__typeof__(&name))native_next(&next_##name, #name))

#define NATIVE_EXPORT __attribute__((visibility("default")))

/* The machine of this process; NULL: nothing is served. */
struct vpmu_segment *native_machine(void);

/* A system call in the kernel's terms. */
struct native_call { long number; int64_t a[6], answer; };
#define NATIVE_CALL(...) NATIVE_CALL_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define NATIVE_CALL_(number, a, b, c, d, e, f, ...) \
	{ number, { NATIVE_WORD(a), NATIVE_WORD(b), NATIVE_WORD(c), NATIVE_WORD(d), \
		    NATIVE_WORD(e), NATIVE_WORD(f) }, 0 }
#define NATIVE_WORD(argument) ((int64_t)(intptr_t)(argument))

/* True: the call is answered. False: the caller makes it through libc. */
bool native_before(struct native_call *c);
/* libc has made the call: returns what the program gets, with errno. */
long native_after(struct native_call *c, long answer);
/* The answer as libc's functions return it: -1 with errno, or the value. */
long native_result(const struct native_call *c);
/* Before and after, with the kernel in between. */
long native_call(struct native_call *c);

/* Blocks all signals and marks the thread, whose calls of libc's functions are the host's from
 * here on. A handler that reads a register while its thread holds the machine lock would wait
 * forever. */
void native_enter(uint64_t *signals);
void native_leave(const uint64_t *signals);

/* ---- faults.c ---- */

/* From now on segmentation faults are checked first, for stores to the window. */
void native_trap_faults(void);

#endif
