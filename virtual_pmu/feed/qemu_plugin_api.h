/* SPDX-License-Identifier: MIT */
/* The few functions and types of QEMU's TCG plugin interface, version 4, that the feed uses.
 * Distributions ship the interface without its header; this states what the interface's
 * documentation says, for user-mode emulation. */
#ifndef VPMU_QEMU_PLUGIN_API_H
#define VPMU_QEMU_PLUGIN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION 4

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

/* Handed to qemu_plugin_install: what runs, and which interface versions it offers. */
typedef struct qemu_info_t {
	const char *target_name;
	struct { int min, cur; } version;
	bool system_emulation;
	struct { int smp_vcpus, max_vcpus; } system;
} qemu_info_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_CB_RW_REGS };
/* The last is ours (plugin-accesses.patch of emulator/patches/), beside one of the others:
 * generated code makes the access itself, and no helper function of QEMU's. */
enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W = 2, QEMU_PLUGIN_MEM_RW = 3, VPMU_MEM_IN_CODE = 4,
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *udata);
typedef void (*qemu_plugin_simple_cb_t)(qemu_plugin_id_t id);
typedef void (*qemu_plugin_vcpu_simple_cb_t)(qemu_plugin_id_t id, unsigned int vcpu);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *udata);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int vcpu, qemu_plugin_meminfo_t info,
					  uint64_t vaddr, void *udata);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_syscall_cb_t)(qemu_plugin_id_t id, unsigned int vcpu, int64_t num,
					      uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
					      uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
typedef void (*qemu_plugin_vcpu_syscall_ret_cb_t)(qemu_plugin_id_t id, unsigned int vcpu,
						  int64_t num, int64_t ret);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb);
void qemu_plugin_register_vcpu_idle_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb);
void qemu_plugin_register_vcpu_resume_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t cb);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id,
					      qemu_plugin_vcpu_syscall_ret_cb_t cb);
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, qemu_plugin_simple_cb_t cb);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb, void *udata);

/* Ours (emulator/user_calls.h). Once, while the plugin is installed: QEMU keeps the pointer. NULL:
 * it speaks another version. */
struct vpmu_user_calls;
struct vpmu_user_host;
const struct vpmu_user_host *qemu_plugin_vpmu_serve(uint32_t version,
						    const struct vpmu_user_calls *calls);

/* Inside the translation callback. */
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
					  enum qemu_plugin_cb_flags flags, void *udata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_udata_cb_t cb,
					    enum qemu_plugin_cb_flags flags, void *udata);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t cb,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *udata);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
/* Copies the instruction's bytes, `bytes` at most; returns how many. */
#define QEMU_PLUGIN_INSN_BYTES 15
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t bytes);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);	/* in this process */

/* Registers, in callbacks with QEMU_PLUGIN_CB_R_REGS: their handles, inside the callback for a new
 * CPU, and how many bytes of one were added. The arrays are glib's, which QEMU is linked with. */
typedef struct _GArray { char *data; unsigned int len; } GArray;
typedef struct _GByteArray { uint8_t *data; unsigned int len; } GByteArray;
struct qemu_plugin_register;
typedef struct qemu_plugin_reg_descriptor {
	struct qemu_plugin_register *handle;
	const char *name, *feature;
} qemu_plugin_reg_descriptor;
GArray *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *bytes);
char *g_array_free(GArray *array, int free_segment);
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned int length);

/* Fields of a memory callback's `info`: ours (plugin-accesses.patch), so that no call is needed. */
#define VPMU_INFO_STORE (1u << 17)
#define VPMU_INFO_BYTES_SHIFT 24	/* of the access's bytes - 1 */
static inline qemu_plugin_meminfo_t vpmu_info(uint32_t bytes, bool store)
{
	return (bytes - 1) << VPMU_INFO_BYTES_SHIFT | (store ? VPMU_INFO_STORE : 0);
}
static inline uint32_t vpmu_info_bytes(qemu_plugin_meminfo_t info)
{
	return (info >> VPMU_INFO_BYTES_SHIFT) + 1;
}
static inline uint64_t vpmu_info_last(qemu_plugin_meminfo_t info, uint64_t address)
{
	return address + (info >> VPMU_INFO_BYTES_SHIFT);	/* of its bytes */
}

#endif
