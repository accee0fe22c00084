/* SPDX-License-Identifier: MIT */
/* device_list FOLDER MAJOR: keeps the control group of this folder from the devices of that number,
 * as container managers do: by a BPF program of the kind "cgroup device" (Linux,
 * Documentation/admin-guide/cgroup-v2.rst, "Device controller"). All others stay allowed. */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

int main(int argc, char **argv)
{
	int32_t number = argc == 3 ? (int32_t)strtol(argv[2], NULL, 10) : 0;
	const struct bpf_insn program[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_1,
		  .off = offsetof(struct bpf_cgroup_dev_ctx, major) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_2, .off = 1,
		  .imm = number },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE, .insns = (uintptr_t)program,
		.insn_cnt = sizeof(program) / sizeof(program[0]), .license = (uintptr_t)"MIT",
	};
	union bpf_attr attach = {
		.target_fd = (uint32_t)open(argc == 3 ? argv[1] : "", O_RDONLY | O_DIRECTORY),
		.attach_type = BPF_CGROUP_DEVICE,
	};
	int loaded = bpf(BPF_PROG_LOAD, &load);

	attach.attach_bpf_fd = (uint32_t)loaded;
	if (loaded >= 0 && !bpf(BPF_PROG_ATTACH, &attach))
		return 0;
	perror("device_list");
	return 1;
}
