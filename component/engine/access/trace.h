/* SPDX-License-Identifier: MIT */
/* IPMU_DEBUG=registers: a line on stderr for each access to a register, with its name, address and
 * value, the CPU, and what it was for. Off, it costs one branch an access. */
#ifndef IPMU_TRACE_H
#define IPMU_TRACE_H

#include "../registers/reg.h"

#include <stdatomic.h>
#include <stddef.h>

struct ipmu_trace_access {
	const char *what;		/* "CPU" or "package", for `number` */
	int number;
	const char *way;		/* "", or how: ", in a batch" */
	const struct ipmu_reg *reg;	/* NULL: the MSR at addr */
	uint32_t addr;
	bool write;
	uint64_t value;
	int rc;				/* a negative errno if it failed */
};

/* Set once, when the environment is read; no other file writes them. */
extern atomic_bool ipmu_trace_is_on __attribute__((visibility("hidden")));
extern _Thread_local const char *ipmu_trace_purpose __attribute__((tls_model("initial-exec")));

/* Read the environment, the first time. Unknown words are reported in one line on stderr. */
void ipmu_trace_open(void);
/* Registers that may be accessed, for their names; kept until the process ends. */
void ipmu_trace_know(const struct ipmu_reg *const *registers);
/* Async-signal-safe, and keeps errno. */
void ipmu_trace_print(const struct ipmu_trace_access *a);

static inline bool ipmu_tracing(void)
{
	return __builtin_expect(atomic_load_explicit(&ipmu_trace_is_on, memory_order_relaxed), 0);
}

/* Set the purpose of this thread's accesses from here on ("start", ...). Returns the previous
 * purpose, for the caller to restore. Accesses without a purpose are reads of counters. */
static inline const char *ipmu_trace_for(const char *purpose)
{
	const char *was = NULL;

	if (ipmu_tracing()) {
		was = ipmu_trace_purpose;
		ipmu_trace_purpose = purpose;
	}
	return was;
}

#endif
