/* SPDX-License-Identifier: MIT */
#include "crossing.h"

#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

#include "instructions.h"
#include "qemu_plugin_api.h"

#define LONGEST 15u
#define PAGE 4096u

/* QEMU gives the plugin the bytes up to where it noticed the end of the page. The others are read
 * from the program's memory. */
static size_t length_in_memory(const struct qemu_plugin_insn *insn)
{
	uint8_t bytes[LONGEST];
	struct iovec here = { bytes, sizeof(bytes) };
	struct iovec there = { qemu_plugin_insn_haddr(insn), sizeof(bytes) };
	ssize_t n = there.iov_base ? process_vm_readv(getpid(), &here, 1, &there, 1, 0) : -1;

	return n > 0 ? vpmu_length_of(bytes, (size_t)n) : 0;
}

size_t vpmu_block_instructions(const struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb), length;
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, count - 1);
	uint64_t room = PAGE - qemu_plugin_insn_vaddr(last) % PAGE;

	if (count == 1 || room >= LONGEST)
		return count;
	length = length_in_memory(last);
	return length > room ? count - 1 : count;
}
