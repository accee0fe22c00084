/* SPDX-License-Identifier: MIT */
/* msr-safe's batch device: the register accesses of a phase in one system call.
 *
 * Between ipmu_batch_begin and ipmu_batch_end the writes of all units of a system are queued, in
 * their order for each CPU. ipmu_msr_read and ipmu_msr_save send the queue first, so they read what
 * it writes. ipmu_msr_count and ipmu_batch_read ignore the queue and may be called at any time,
 * also from a signal handler. All other functions need the system's lock. A NULL batch is fine:
 * nothing is queued. */
#ifndef IPMU_BATCH_H
#define IPMU_BATCH_H

#include "access.h"

#define IPMU_BATCH_READS 64	/* at once; on the stack */

/* As the device has it. */
struct ipmu_batch_op {
	uint16_t cpu, is_read;
	int32_t err;
	uint32_t msr;
	uint64_t data, mask;
};

/* Write one register by itself and note a failure: ipmu_msr_write_now. */
typedef int ipmu_batch_single(struct ipmu_regs *p, uint32_t addr, uint64_t value);

/* NULL if there is no such device or it cannot be opened: everything works without. `write` is what
 * executes a queue that the device does not take. */
struct ipmu_batch *ipmu_batch_open(ipmu_batch_single *write);
void ipmu_batch_close(struct ipmu_batch *b);

/* Policy for a write that the device refuses, and with it the whole batch. */
enum ipmu_batch_refused {
	IPMU_BATCH_FAIL,	/* none is executed */
	IPMU_BATCH_GO_ON,	/* they are executed one by one, as far as they can be */
};
void ipmu_batch_begin(struct ipmu_batch *b, enum ipmu_batch_refused refused);
/* Send what is queued, and keep queueing. */
int ipmu_batch_flush(struct ipmu_batch *b);
/* The same, and queue no more. */
int ipmu_batch_end(struct ipmu_batch *b);
/* Forget the queue, before registers are written one by one in an emergency. */
void ipmu_batch_drop(struct ipmu_batch *b);

bool ipmu_batch_queueing(const struct ipmu_batch *b);
/* Queue a write. s (may be NULL) has the register's last value, which is set back if the write
 * fails. */
int ipmu_batch_write(struct ipmu_batch *b, struct ipmu_regs *p, uint32_t addr, uint64_t value,
		     struct ipmu_saved *s);

/* Execute up to IPMU_BATCH_READS reads. false: they could not be done together, nothing is known.
 * Otherwise each has its result, or its err. */
bool ipmu_batch_read(struct ipmu_batch *b, struct ipmu_batch_op *ops, int n);

#endif
