/* SPDX-License-Identifier: MIT */
/* Instructions that read or write registers, executed for the emulator: CPUID, RDPMC, RDTSC, the
 * value of RDPID, and Knights Corner's SPFLT. They act on the calling thread's virtual CPU. Those
 * that touch a register take the machine lock, which the caller must not hold. An instruction that
 * the machine does not have is refused, and the program gets its fault. */
#include "system.h"

/* registers: the emulator's answer. The CPU's place is set only up to the emulator's last leaf. */
static void tell(uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	const struct vpmu_machine *m = &vpmu_system.segment->machine;
	uint32_t last[4];

	vpmu_cpuid(m, cpu, leaf, subleaf, registers);
	vpmu_system.memory->cpuid(0, 0, last);
	if (leaf <= last[0])
		vpmu_cpuid_place(m, cpu, leaf, subleaf, registers);
}

void vpmu_system_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	tell(vpmu_system_cpu(), leaf, subleaf, registers);
}

void vpmu_system_cpuid_of(uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	vpmu_system.memory->cpuid(leaf, subleaf, registers);
	if (vpmu_system.memory->native)
		vpmu_cpuid_identity(&vpmu_system.segment->machine, leaf, registers);
	tell(cpu, leaf, subleaf, registers);
}

int vpmu_system_rdpmc(uint32_t index, uint64_t *value)
{
	struct vpmu_segment *s = vpmu_system.segment;
	int rc;

	vpmu_lock(s);
	rc = vpmu_rdpmc(s, vpmu_system_cpu(), index, value);
	vpmu_unlock(s);
	return rc;
}

bool vpmu_system_rdtsc(uint64_t *value)
{
	struct vpmu_segment *s = vpmu_system.segment;
	bool is;

	vpmu_lock(s);
	is = vpmu_rdtsc(s, vpmu_system_cpu(), value);
	vpmu_unlock(s);
	return is;
}

/* As Linux sets it: the node from bit 12 on, the CPU below. */
uint32_t vpmu_system_tsc_aux(void)
{
	const struct vpmu_machine *m = &vpmu_system.segment->machine;
	uint32_t cpu = vpmu_system_cpu();

	return (m->one_node ? 0 : vpmu_cpu_package(m, cpu)) << 12 | cpu;
}

/* ---- SPFLT ---- */

/* VEX.128.F2.0F AE /6 with a register: its number; or -1. length: of the instruction. Zydis's
 * tables of Knights Corner have the opcode. */
static int spflt_register(const uint8_t code[5], uint32_t *length)
{
	const uint8_t *last = code + (code[0] == 0xc5 ? 1 : 2);	/* of the prefix */
	bool high = false;

	if (code[0] == 0xc4) {
		if ((code[1] & 0x1f) != 1)
			return -1;
		high = !(code[1] & 0x20);
	} else if (code[0] != 0xc5) {
		return -1;
	}
	if ((*last & 0x7f) != 0x7b || last[1] != 0xae || (last[2] & 0xf8) != 0xf0)
		return -1;
	*length = (uint32_t)(last + 3 - code);
	return (last[2] & 7) | high << 3;
}

bool vpmu_system_illegal(const uint64_t general[16], uint64_t *rip)
{
	struct vpmu_segment *s = vpmu_system.segment;
	uint8_t code[5] = { 0 };
	uint32_t length;
	const void *at;
	int number;
	bool is;

	for (size_t i = 0; i < sizeof(code); i++) {	/* the next page may not be there */
		at = vpmu_system.memory->memory(*rip + i, 1, false);
		if (at)
			code[i] = *(const uint8_t *)at;
	}
	number = spflt_register(code, &length);
	if (number < 0)
		return false;
	vpmu_lock(s);
	is = vpmu_spflt(s, vpmu_system_cpu(), general[number] & 1);
	vpmu_unlock(s);
	*rip += is ? length : 0;
	return is;
}
