/* SPDX-License-Identifier: MIT */
/* Passes on what the program does to the plugin that has asked for it. The plugin gives its
 * functions to qemu_plugin_vpmu_serve() before the program begins, and gets functions of QEMU in
 * return. The patches make QEMU call vpmu_user_*() in the program's thread. Without a plugin
 * QEMU does what it always does. */
#include "qemu/osdep.h"
#include "qemu/plugin.h"
#include "qemu.h"
#include "user-internals.h"
#include "user-mmap.h"
#include "exec/helper-proto.h"
#include "exec/tb-flush.h"
#include "exec/translation-block.h"
#include "qemu/guest-random.h"
#include "tcg/helper-tcg.h"

#if QEMU_VERSION_MAJOR >= 11
#include "accel/tcg/cpu-loop.h"
#define tb_flush(cpu) queue_tb_flush(cpu)
#else
#include "exec/exec-all.h"
#endif

#include "vpmu_user.h"

const struct vpmu_user_calls *vpmu_user;

static const char *text(uint64_t address)
{
    return lock_user_string(address);
}

static void *memory(uint64_t address, uint64_t bytes, bool write)
{
    return lock_user(write ? VERIFY_WRITE : VERIFY_READ, address, bytes, 1);
}

static void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
    cpu_x86_cpuid(cpu_env(thread_cpu), leaf, subleaf, &registers[0], &registers[1], &registers[2],
                  &registers[3]);
}

static uint64_t stack(void)
{
    return cpu_env(thread_cpu)->regs[R_ESP];
}

static bool protect(uint64_t address, uint64_t bytes, int rights)
{
    return !target_mprotect(address, bytes, rights);
}

/* No other block has these flags, so that neither is taken for the other. Nothing may interrupt the
 * block before its instruction. */
static bool step(void (*around)(bool begins))
{
    start_exclusive();
    around(true);
    vpmu_step_flags = CF_NOIRQ | 1u << CF_CLUSTER_SHIFT;
    cpu_exec_step_atomic(thread_cpu);
    vpmu_step_flags = 0;
    around(false);
    end_exclusive();
    return thread_cpu->exception_index == -1;
}

static void translations_forget(void)
{
    tb_flush(thread_cpu);
}

static void random_bytes(void *to, uint64_t bytes)
{
    qemu_guest_getrandom_nofail(to, bytes);
}

static void seed(uint64_t number)
{
    vpmu_guest_random_seed_again(number);
}

static void leave(void)
{
    cpu_exit(thread_cpu);
}

static bool signalled(void)
{
    return qatomic_read(&get_task_state(thread_cpu)->signal_pending);
}

static bool blocks(unsigned int vcpu, int number)
{
    CPUState *cpu = qemu_get_cpu(vcpu);
    TaskState *ts = cpu ? get_task_state(cpu) : NULL;

    return !ts || sigismember(ts->in_sigsuspend ? &ts->sigsuspend_mask : &ts->signal_mask, number);
}

static bool send_signal(unsigned int vcpu, int number, const void *info)
{
    CPUState *cpu = qemu_get_cpu(vcpu);
    struct sigaction action;

    if (!cpu || number < 1 || number > TARGET_NSIG || vpmu_user_sigaction(number, NULL, &action) ||
        action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL) {
        return false;
    }
    return vpmu_user_note_signal(cpu, number, info);
}

static const struct vpmu_user_host host = {
    .version = VPMU_USER_VERSION, .text = text, .memory = memory, .cpuid = cpuid,
    .stack = stack, .protect = protect, .step = step, .forget = translations_forget,
    .random = random_bytes, .seed = seed, .program = real_exec_path,
    .leave = leave, .signalled = signalled, .blocks = blocks, .signal = send_signal,
};

const struct vpmu_user_host *qemu_plugin_vpmu_serve(uint32_t version,
                                                    const struct vpmu_user_calls *calls)
{
    if (version != VPMU_USER_VERSION) {
        return NULL;
    }
    vpmu_user = calls;
    return &host;
}

void vpmu_user_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                     uint32_t *edx)
{
    uint32_t registers[4] = { *eax, *ebx, *ecx, *edx };

    if (!vpmu_user) {
        return;
    }
    vpmu_user->cpuid(leaf, subleaf, registers);
    *eax = registers[0];
    *ebx = registers[1];
    *ecx = registers[2];
    *edx = registers[3];
}

bool vpmu_user_rdpmc(CPUX86State *env, uintptr_t ra)
{
    enum vpmu_user_answer answer = VPMU_USER_UNKNOWN;
    uint64_t value = 0;

    if (vpmu_user) {
        answer = vpmu_user->rdpmc(env->regs[R_ECX], &value);
    }
    if (answer == VPMU_USER_FAULT) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    if (answer == VPMU_USER_DONE) {
        env->regs[R_EAX] = (uint32_t)value;
        env->regs[R_EDX] = value >> 32;
    }
    return answer == VPMU_USER_DONE;
}

bool vpmu_user_fault(CPUX86State *env, uint64_t address)
{
    struct vpmu_user_block block = vpmu_restored;

    vpmu_restored.left = 0;
    return vpmu_user && vpmu_user->fault(address, env->error_code & PG_ERROR_W_MASK, &block);
}

bool vpmu_user_illegal(CPUX86State *env)
{
    return vpmu_user && vpmu_user->illegal(env->regs, &env->eip);
}

const char *vpmu_user_variable(const char *variable)
{
    size_t length = strlen(VPMU_USER_VARIABLE);

    return strncmp(variable, VPMU_USER_VARIABLE, length) ? variable : variable + length;
}

#define RESTORER 0x04000000

/* As the kernel has it. */
struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

int vpmu_user_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    struct kernel_action before, after;

    if (number != 32 && number != 33) {
        return (sigaction)(number, action, old);
    }
    /* The restorer is glibc's, and the same for all signals. */
    if (action && !syscall(SYS_rt_sigaction, SIGSEGV, NULL, &after, sizeof(after.mask))) {
        after.handler = action->sa_sigaction;
        after.flags = (uint32_t)action->sa_flags | RESTORER;
        after.mask = action->sa_mask.__val[0];
    }
    if (syscall(SYS_rt_sigaction, number, action ? &after : NULL, &before, sizeof(after.mask))) {
        return -1;
    }
    if (old) {
        old->sa_sigaction = before.handler;
        old->sa_flags = before.flags;
    }
    return 0;
}

int vpmu_user_open_status(CPUArchState *env, int fd)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[1024], machines[1024];

    if (!f) {
        return -1;
    }
    while (fgets(line, sizeof(line), f)) {
        bool changed = vpmu_user && vpmu_user->status_line(line, machines, sizeof(machines));

        dprintf(fd, "%s", changed ? machines : line);
    }
    fclose(f);
    return 0;
}

/* Replaces glibc's for QEMU and its libraries, none of which the program shares: an assertion has
 * failed. The program's own SIGABRT never gets here. */
void abort(void)
{
    uint64_t set = UINT64_C(1) << (SIGABRT - 1);

    if (vpmu_user) {
        vpmu_user->aborted();
    }
    (sigaction)(SIGABRT, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, sizeof(set));
    raise(SIGABRT);
    _exit(128 + SIGABRT);
}

/* glibc's calls its own abort(). */
void __assert_fail(const char *what, const char *file, unsigned int line, const char *function)
{
    fprintf(stderr, "qemu: %s:%u: %s: assertion failed: %s\n", file, line, function, what);
    abort();
}
