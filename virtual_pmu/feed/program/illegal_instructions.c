/* SPDX-License-Identifier: MIT */
/* Explains instructions that the machine's processor does not have, where the emulator alone would
 * end the program with "uncaught target signal 4". vpmu_illegal_translate() watches such an
 * instruction. If the program handles SIGILL, the thread keeps the instruction, and it is explained
 * only if the thread then ends the program: in the handler by any signal or with a status other
 * than 0, or later by SIGILL, which a handler that raises it again has blocked until it returns.
 * One sentence per process goes to stderr; nothing is counted here, and no lock is taken. */
#include "illegal_instructions.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../system/system.h"
#include "../translate/decoding.h"
#include "../thread/emulated_thread.h"
#include "function_name.h"

#define PAGE 4096u
#define LONGEST 15u	/* bytes of an instruction */

/* The emulator's processors, oldest first; each has what those before it have. */
enum level { BASE, CORE2, NEHALEM, SANDY_BRIDGE, IVY_BRIDGE, HASWELL, BROADWELL, SKYLAKE, NONE };

static const struct { const char *qemu, *march, *machine; } levels[] = {
	[BASE] = { "qemu64", "x86-64", "knc" },
	[CORE2] = { "core2duo", "core2", "core2" },
	[NEHALEM] = { "Nehalem", "nehalem", "nhmex" },
	[SANDY_BRIDGE] = { "SandyBridge", "sandybridge", "snb" },
	[IVY_BRIDGE] = { "IvyBridge", "ivybridge", "ivb" },
	[HASWELL] = { "Haswell", "haswell", "hsw" },
	[BROADWELL] = { "Broadwell", "broadwell", "bdw" },
	[SKYLAKE] = { "Skylake", "skylake", "skl" },
};

/* The first level with an extension, after the instruction manual and Intel's product pages. */
static const struct { ZydisISAExt ext; enum level first; const char *name; } extensions[] = {
	{ ZYDIS_ISA_EXT_SSSE3, CORE2, "SSSE3" },
	{ ZYDIS_ISA_EXT_SSE4, NEHALEM, "SSE4" },
	{ ZYDIS_ISA_EXT_AVX, SANDY_BRIDGE, "AVX" },
	{ ZYDIS_ISA_EXT_AVXAES, SANDY_BRIDGE, "AVX" },
	{ ZYDIS_ISA_EXT_AES, SANDY_BRIDGE, "AES" },
	{ ZYDIS_ISA_EXT_PCLMULQDQ, SANDY_BRIDGE, "PCLMULQDQ" },
	{ ZYDIS_ISA_EXT_F16C, IVY_BRIDGE, "F16C" },
	{ ZYDIS_ISA_EXT_RDRAND, IVY_BRIDGE, "RDRAND" },
	{ ZYDIS_ISA_EXT_AVX2, HASWELL, "AVX2" },
	{ ZYDIS_ISA_EXT_AVX2GATHER, HASWELL, "AVX2" },
	{ ZYDIS_ISA_EXT_FMA, HASWELL, "FMA" },
	{ ZYDIS_ISA_EXT_BMI1, HASWELL, "BMI1" },
	{ ZYDIS_ISA_EXT_BMI2, HASWELL, "BMI2" },
	{ ZYDIS_ISA_EXT_MOVBE, HASWELL, "MOVBE" },
	{ ZYDIS_ISA_EXT_ADOX_ADCX, BROADWELL, "ADX" },
	{ ZYDIS_ISA_EXT_AVX512EVEX, NONE, "AVX-512" },
	{ ZYDIS_ISA_EXT_AVX512VEX, NONE, "AVX-512" },
	{ ZYDIS_ISA_EXT_SHA, NONE, "SHA" },
	{ ZYDIS_ISA_EXT_GFNI, NONE, "GFNI" },
	{ ZYDIS_ISA_EXT_VAES, NONE, "VAES" },
	{ ZYDIS_ISA_EXT_VPCLMULQDQ, NONE, "VPCLMULQDQ" },
	{ ZYDIS_ISA_EXT_FMA4, NONE, "FMA4" },
	{ ZYDIS_ISA_EXT_RTM, NONE, "RTM" },
};
#define EXTENSIONS (sizeof(extensions) / sizeof(extensions[0]))

static bool handled, said;

/* The last instruction whose SIGILL the calling thread handled. */
static _Thread_local struct {
	const uint8_t *code;	/* NULL: none */
	ZydisMnemonic mnemonic;
	size_t extension;
	bool over;		/* the thread has left its handler */
} kept;

static enum level machine_level(void)
{
	const char *cpu = vpmu_feed.segment->machine.qemu_cpu;
	enum level level = BASE;

	for (enum level i = BASE; i < NONE; i++)
		if (!strncmp(cpu, levels[i].qemu, strlen(levels[i].qemu)))
			level = i;
	return level;
}

/* Most blocks end with a branch, whose bytes need not be decoded: it has no VEX or EVEX prefix, and
 * no opcode of three bytes. */
static bool may_be_newer(const uint8_t *bytes, size_t count)
{
	size_t i = 0;

	while (i + 1 < count && (bytes[i] == 0x66 || bytes[i] == 0xf2 || bytes[i] == 0xf3 ||
				 (bytes[i] & 0xf0) == 0x40))
		i++;
	if (bytes[i] == 0xc4 || bytes[i] == 0xc5 || bytes[i] == 0x62)
		return true;
	return i + 1 < count && bytes[i] == 0x0f &&
	       (bytes[i + 1] == 0x38 || bytes[i + 1] == 0x3a || bytes[i + 1] == 0xc7);
}

/* EXTENSIONS: the machine has it, or it is none of these. */
static size_t missing_extension(const uint8_t *bytes, size_t count, ZydisMnemonic *mnemonic)
{
	ZydisDecoder decoder;
	ZydisDecoderContext context;
	ZydisDecodedInstruction insn;
	size_t i = 0;

	if (!decode_without_operands(bytes, count, &decoder, &context, &insn))
		return EXTENSIONS;
	*mnemonic = insn.mnemonic;
	while (i < EXTENSIONS && (extensions[i].ext != insn.meta.isa_ext ||
				  extensions[i].first <= machine_level()))
		i++;
	return i;
}

static void explain(const uint8_t *code, ZydisMnemonic mnemonic, size_t extension)
{
	const char *machine = vpmu_feed.segment->machine.name;
	enum level first = extensions[extension].first;
	char where[PATH_MAX + 256], fits[64] = "; no machine has it";
	const char *name = ZydisMnemonicGetString(mnemonic);

	vpmu_function_name(code, where, sizeof(where));
	if (first != NONE)
		snprintf(fits, sizeof(fits), ", or use a newer machine (%s-...)",
			 levels[first].machine);
	dprintf(STDERR_FILENO, "vpmu: illegal instruction %s (%s)%s%s: %s does not have it; "
		"compile with -march=%s%s\n", name ? name : "", extensions[extension].name,
		*where ? " in " : "", where, machine, levels[machine_level()].march, fits);
}

/* The emulator stops reading where it gives up: the rest is read here, within the page. */
static size_t readable(const uint8_t *code)
{
	size_t count = PAGE - (uintptr_t)code % PAGE;

	return count < LONGEST ? count : LONGEST;
}

static void explain_kept(void)
{
	if (kept.code && !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		explain(kept.code, kept.mnemonic, kept.extension);
	kept.code = NULL;
}

static void on_execute(unsigned int vcpu, void *code)
{
	(void)vcpu;
	kept.extension = missing_extension(code, readable(code), &kept.mnemonic);
	kept.code = kept.extension < EXTENSIONS ? code : NULL;
	kept.over = false;
	if (!__atomic_load_n(&handled, __ATOMIC_RELAXED))
		explain_kept();
}

void vpmu_illegal_translate(struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1);
	uint8_t *code = qemu_plugin_insn_haddr(last);
	ZydisMnemonic mnemonic;

	if (code && may_be_newer(code, readable(code)) &&
	    missing_extension(code, readable(code), &mnemonic) < EXTENSIONS)
		qemu_plugin_register_vcpu_insn_exec_cb(last, on_execute, QEMU_PLUGIN_CB_NO_REGS,
						       code);
}

static bool is_handler(uint64_t action)
{
	const uint64_t *handler = vpmu_system.memory->memory(action, sizeof(*handler), false);

	return handler && *handler != (uintptr_t)SIG_DFL && *handler != (uintptr_t)SIG_IGN;
}

void vpmu_illegal_call(int64_t number, uint64_t arg1, uint64_t arg2)
{
	if (number == SYS_rt_sigaction && arg1 == SIGILL && arg2)
		__atomic_store_n(&handled, is_handler(arg2), __ATOMIC_RELAXED);
	if (number == SYS_rt_sigreturn || (number == SYS_rt_sigprocmask && arg1 == SIG_SETMASK))
		kept.over = true;
	if (number == SYS_exit_group && arg1 & 0xff && !kept.over)
		explain_kept();
}

void vpmu_illegal_killed(int number)
{
	if (number == SIGILL || !kept.over)
		explain_kept();
}
