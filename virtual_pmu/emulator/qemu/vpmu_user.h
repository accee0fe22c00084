/* SPDX-License-Identifier: MIT */
/* Functions that the patches of user mode call (patches/user-*). Each does nothing without the
 * plugin. */
#ifndef VPMU_USER_H
#define VPMU_USER_H

#include <sys/syscall.h>

#include "cpu.h"
#include "user/abitypes.h"
#include "user_calls.h"

extern const struct vpmu_user_calls *vpmu_user;		/* NULL: no plugin serves */

/* Patches of accel/tcg keep these: the block where the CPU's state was last restored, of which only
 * numbers are kept because another thread may drop it; bits that cpu_exec_step_atomic() changes in
 * its block's flags. */
extern __thread struct vpmu_user_block vpmu_restored;
extern __thread uint32_t vpmu_step_flags;

/* True: it is done, *answer is the kernel's. */
static inline bool vpmu_user_system_call(int64_t number, int64_t arguments[6], abi_long *answer)
{
    int64_t given;

    if (!vpmu_user || !vpmu_user->system_call(number, arguments, &given)) {
        return false;
    }
    *answer = given;
    return true;
}

static inline abi_long vpmu_user_system_return(int64_t number, const int64_t arguments[6],
                                               abi_long answer)
{
    int64_t changed = answer;

    if (vpmu_user) {
        vpmu_user->system_return(number, arguments, &changed);
    }
    return changed;
}

/* True: *value is the machine's. */
static inline bool vpmu_user_rdtsc(uint64_t *value)
{
    return vpmu_user && vpmu_user->rdtsc(value);
}

void vpmu_user_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                     uint32_t *edx);
/* True: it is done. A fault does not return. */
bool vpmu_user_rdpmc(CPUX86State *env, uintptr_t ra);
bool vpmu_user_fault(CPUX86State *env, uint64_t address);
bool vpmu_user_illegal(CPUX86State *env);

/* /proc/self/status, written to fd. */
int vpmu_user_open_status(CPUArchState *env, int fd);

/* ---- signals ---- */

/* In signal.c: notes a signal for a thread that does not execute code, or is the caller. */
bool vpmu_user_note_signal(CPUState *cpu, int number, const siginfo_t *info);

/* glibc's functions of these names refuse 32 and 33, which the program's glibc needs as well. */
int vpmu_user_sigaction(int number, const struct sigaction *action, struct sigaction *old);
#define sigaction(number, action, old) vpmu_user_sigaction(number, action, old)
#define sigprocmask(how, set, old) syscall(SYS_rt_sigprocmask, how, set, old, sizeof(uint64_t))
#define sigfillset(set) memset(set, 0xff, sizeof(sigset_t))
#define sigaddset(set, number) (*(uint64_t *)(set) |= UINT64_C(1) << ((number) - 1))
#define sigdelset(set, number) (*(uint64_t *)(set) &= ~(UINT64_C(1) << ((number) - 1)))

/* ---- addresses ---- */

/* The kernel of the host maps nothing near these, whether or not it moves what it maps. */
#define VPMU_USER_STACK UINT64_C(0x0fff00000000)	/* the highest end */
#define VPMU_USER_MAPPINGS UINT64_C(0x100000000000)	/* the lowest */
#define VPMU_USER_PROGRAM UINT64_C(0x400000000000)	/* the lowest, unless its file says where */

/* Distance of the first stack pointer from the stack's end, or a multiple of it, whatever the
 * lengths of environment and name. The stack is larger by twice as much. */
#define VPMU_USER_STRINGS (1 * MiB)
/* Variables of the environment begin at multiples of this many bytes, an odd number of lines. So
 * none moves when the length of another one changes. More variables than VPMU_USER_STRINGS_MAX lie
 * one behind the other. */
#define VPMU_USER_STRING (17 * 64)
#define VPMU_USER_STRINGS_MAX 256

static inline uint64_t vpmu_user_room(int count, uint64_t bytes)
{
    return !vpmu_user || count > VPMU_USER_STRINGS_MAX ? bytes :
           QEMU_ALIGN_UP(bytes, VPMU_USER_STRING);
}

/* The program's own variable. */
const char *vpmu_user_variable(const char *variable);

#endif
