/* SPDX-License-Identifier: MIT */
/* Passes on what the program does to the plugin that has asked for it. */
#include "qemu/osdep.h"
#include "qemu/plugin.h"
#include "qemu.h"
#include "user-internals.h"
#include "exec/helper-proto.h"
#include "tcg/helper-tcg.h"

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

static const struct vpmu_user_host host = {
    .version = VPMU_USER_VERSION, .text = text, .memory = memory, .cpuid = cpuid,
    .stack = stack, .program = real_exec_path,
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
    uint64_t flags;
    struct vpmu_user_registers registers = { env->regs, &env->eip, &flags };

    if (!vpmu_user) {
        return false;
    }
    flags = cpu_compute_eflags(env);
    if (!vpmu_user->fault(address, &registers)) {
        return false;
    }
    cpu_load_eflags(env, flags, CC_O | CC_S | CC_Z | CC_A | CC_P | CC_C);
    return true;
}

const char *vpmu_user_variable(const char *variable)
{
    size_t length = strlen(VPMU_USER_VARIABLE);

    return strncmp(variable, VPMU_USER_VARIABLE, length) ? variable : variable + length;
}
