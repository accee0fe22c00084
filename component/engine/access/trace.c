/* SPDX-License-Identifier: MIT */
/* IPMU_DEBUG=registers (trace.h). ipmu_trace_open() reads the environment once, ipmu_trace_know()
 * records tables for names, ipmu_trace_print() writes a line. No lock is needed: tables are added
 * atomically and stay until the process ends. Printing is async-signal-safe and keeps errno. */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "IPMU_DEBUG"
#define WORD "registers"
#define TABLES_MAX 8

atomic_bool ipmu_trace_is_on;
_Thread_local const char *ipmu_trace_purpose;
static const struct ipmu_reg *const *_Atomic tables[TABLES_MAX];

/* Print a line in one write, so that lines of several threads and processes do not mix. */
static void put(const char *line, int n, int room)
{
	ssize_t done = write(STDERR_FILENO, line, (size_t)(n < room ? n : room - 1));

	(void)done;
}

static void complain(const char *word, size_t length)
{
	char line[160];

	put(line, snprintf(line, sizeof(line), "ipmu: " VARIABLE "=%.*s: '" WORD "' is the only "
			   "word that it takes: it prints a line for each access to a register\n",
			   (int)(length < 40 ? length : 40), word), (int)sizeof(line));
}

/* If stderr is closed, one of our devices may get its number: do not trace then. */
static void ask(void)
{
	const char *text = secure_getenv(VARIABLE);

	if (!text || fcntl(STDERR_FILENO, F_GETFD) < 0)
		return;
	while (*text) {
		size_t n = strcspn(text, ",");

		if (n == strlen(WORD) && strncmp(text, WORD, n) == 0)
			atomic_store(&ipmu_trace_is_on, true);
		else if (n)
			complain(text, n);
		text += n + (text[n] == ',');
	}
}

void ipmu_trace_open(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, ask);
}

void ipmu_trace_know(const struct ipmu_reg *const *registers)
{
	for (int i = 0; i < TABLES_MAX; i++) {
		const struct ipmu_reg *const *there = NULL;

		if (atomic_compare_exchange_strong(&tables[i], &there, registers) ||
		    there == registers)
			return;
	}
}

static void name_of(const struct ipmu_trace_access *a, char name[64])
{
	const struct ipmu_reg *reg = a->reg;
	int box = 0, ctr = 0;

	for (int i = 0; i < TABLES_MAX && tables[i] && !reg; i++)
		reg = ipmu_reg_at(tables[i], a->addr, &box, &ctr);
	if (reg)
		ipmu_reg_name(reg, box, ctr, name);
	else
		snprintf(name, 64, "?");
}

void ipmu_trace_print(const struct ipmu_trace_access *a)
{
	const char *purpose = ipmu_trace_purpose ? ipmu_trace_purpose : "read";
	char line[256], name[64], failure[32] = "";
	int saved = errno;

	name_of(a, name);
	if (a->rc)
		snprintf(failure, sizeof(failure), ", failed: errno %d", -a->rc);
	put(line, snprintf(line, sizeof(line), "ipmu: %s %d %s 0x%X %s 0x%llX (%s%s%s)\n",
			   a->what, a->number, a->write ? "write" : "read", (unsigned)a->addr, name,
			   (unsigned long long)a->value, purpose, a->way, failure),
	    (int)sizeof(line));
	errno = saved;
}
