/* SPDX-License-Identifier: MIT */
/* Whatever the event name says, only documented bits of documented registers are written: names
 * from the lists with qualifiers from a pool and at random, and what is no name at all, on every
 * family. Each write that a measurement makes is held against the documents' tables; the registers
 * are an array that holds all ones in undocumented bits, so that a cleared one is seen as well. */
#include "ipmu.h"
#include "tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

enum { MSR_FD = 1000 };
#define ADDRESSES 0x1000

/* bits that may be written, by address; known: the document has the register */
static struct { bool known; uint64_t mask; } documented[ADDRESSES];
static uint64_t registers[ADDRESSES];
static long writes, bad;
static const char *current;

static int refuse(int error)
{
	errno = error;
	return -1;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	if (strncmp(path, "/dev/cpu/", 9) == 0)
		return strcmp(strrchr(path, '/'), "/msr") ? refuse(ENOENT) : MSR_FD;
	if (strncmp(path, "/sys/bus/pci/", 13) == 0 || strcmp(path, "/dev/mem") == 0)
		return refuse(ENOENT);
	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	return __real_open(path, flags, mode);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	return fd == MSR_FD ? 0 : __real_close(fd);
}

static void complain(const char *what, unsigned address, uint64_t value)
{
	if (bad++ < 20)
		print_error("%s: %s of 0x%X: 0x%llx\n", current, what, address,
			    (unsigned long long)value);
}

ssize_t __real_pread(int fd, void *buf, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t bytes, off_t at)
{
	if (fd != MSR_FD)
		return __real_pread(fd, buf, bytes, at);
	if (at >= ADDRESSES || !documented[at].known)
		complain("read", (unsigned)at, 0);
	memcpy(buf, &registers[at % ADDRESSES], bytes);
	return (ssize_t)bytes;
}

/* Other bits must be as they were; of a counter, whose upper bits follow from the lower, or 0. */
ssize_t __real_pwrite(int fd, const void *buf, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t bytes, off_t at)
{
	uint64_t value, others;

	if (fd != MSR_FD)
		return __real_pwrite(fd, buf, bytes, at);
	memcpy(&value, buf, sizeof(value));
	writes++;
	if (at >= ADDRESSES || !documented[at].known || !documented[at].mask) {
		complain("write", (unsigned)at, value);
		return (ssize_t)bytes;
	}
	others = ~documented[at].mask;
	if ((value & others) && ((value ^ registers[at]) & others))
		complain("write of undocumented bits", (unsigned)at, value);
	if (!(value & others) && (registers[at] & others))
		complain("undocumented bits cleared", (unsigned)at, value);
	registers[at] = value;
	return (ssize_t)bytes;
}

/* ---- the families */

struct family {
	const char *table, *cpus;
	int family, model;
	enum ipmu_scope scope;
	bool without_iq_escr;
	struct { unsigned address; uint64_t value; } has[2];
};

static const struct family families[] = {
	{ "skl-client-uncore/registers.tsv", "pack:1 core:8 pu:2", 6, 0x5E, IPMU_SCOPE_PACKAGE,
	  false, { { 0x396, 9 } } },
	{ "knc/registers.tsv", "pack:1 core:2 pu:4", 11, 1, IPMU_SCOPE_CPU, false, { { 0, 0 } } },
	{ "core2-fixed/registers.tsv", "pack:1 core:2 pu:1", 6, 0x0F, IPMU_SCOPE_CPU, false,
	  { { 0x1A0, 0x80 } } },
	{ "nehalem-ex-mbox/registers.tsv", "pack:2 core:2 pu:2", 6, 0x2E, IPMU_SCOPE_PACKAGE,
	  false, { { 0, 0 } } },
	{ "nehalem-ex-mbox/registers.tsv", "pack:2 core:2 pu:2", 6, 0x2F, IPMU_SCOPE_PACKAGE,
	  false, { { 0, 0 } } },
	{ "netburst/registers.tsv", "pack:2 core:1 pu:2", 15, 2, IPMU_SCOPE_CPU, false,
	  { { 0x1A0, 0x80 } } },
	{ "netburst/registers.tsv", "pack:2 core:1 pu:2", 15, 4, IPMU_SCOPE_CPU, true,
	  { { 0x1A0, 0x80 } } },
};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

/* Masks that are not in the column but in notes and other tables: PEBS_ENABLE, ISS, and three
 * registers whose layout only LIKWID has. ZDP_CTL_FVC is a bit wider in a Westmere-EX (Linux). */
static uint64_t mask_of(const struct family *f, const struct tsv *t)
{
	const char *name = tsv_cell(t, "register");
	static const struct { const char *name; uint64_t mask; } rows[] = {
		{ "MSR_PEBS_ENABLE", 0x7019FFF }, { "_PMU_ISS", 0x3FF }, { "_PMU_MSC_THR", 0x7F8 },
		{ "_PMU_PGT", 0x41 }, { "_PMU_PLD", 0x1F01 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strstr(name, rows[i].name))
			return rows[i].mask;
	if (f->model == 0x2F && strstr(name, "_PMU_ZDP_CTL_FVC"))
		return 0x1FFFFFF;
	return strcmp(tsv_cell(t, "access"), "RO") == 0 ? 0 : tsv_number(t, "writemask");
}

static bool counts_itself(const struct tsv *t)
{
	const char *name = tsv_cell(t, "register");

	return strstr(name, "CTR0") || strstr(name, "CTR1") || strstr(name, "CTR2") ||
	       strstr(name, "IA32_PMC") || strstr(name, "PerfCnt") || strstr(name, "_COUNTER") ||
	       strstr(name, "_CNT_0") || strstr(name, "_CNT_1") || strstr(name, "_CNT_2") ||
	       strstr(name, "_CNT_3") || strstr(name, "_CNT_4") || strstr(name, "_CNT_5") ||
	       strcmp(tsv_cell(t, "access"), "WO") == 0;
}

static void read_table(const struct family *f)
{
	struct tsv t;

	memset(documented, 0, sizeof(documented));
	memset(registers, 0, sizeof(registers));
	for (tsv_open(&t, f->table); tsv_next(&t);) {
		const char *address = tsv_cell(&t, "address");
		unsigned at = (unsigned)strtoul(address, NULL, 0);
		uint64_t mask = mask_of(f, &t), width = tsv_number(&t, "width");

		if (strncmp(address, "0x", 2) != 0 ||
		    (f->without_iq_escr && strstr(tsv_cell(&t, "register"), "MSR_IQ_ESCR")))
			continue;
		assert_true(at < ADDRESSES);
		documented[at].known = true;
		documented[at].mask = mask;
		if (mask && !counts_itself(&t))
			registers[at] = ~mask & (~0ull >> (64 - width));
	}
	for (int i = 0; i < 2; i++)
		if (f->has[i].address)
			registers[f->has[i].address] = f->has[i].value;
}

/* ---- names */

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(seed >> 4) * n >> 28);
}

static const char *const pool[] = {
	"u", "k", "u=0", "k=1", "e", "e=1", "e=0", "i", "i=1", "c=1", "c=255", "c=256", "t", "t=1",
	"t=31", "t=255", "thr=1", "thr=15", "thr=16", "cmpl=1", "any=1", "cpu=0", "cpu=1", "cpu=99",
	"package=0", "package=1", "package=-1", "box=0", "box=1", "box=7", "box=8", "freeze=1",
	"freeze=100", "freeze=281474976710656", "freeze=18446744073709551615", "ovf=1",
	"ovf=1099511627776", "ovf=18446744073709551615", "force_ovf=1", "select=1", "select=9",
	"tag=loads", "tag=0xff", "start=instr_retired", "0xffffffff", "0xff", "0x0",
	"umask=0xffff", "ANY", "ALL", "T=1", "wrap_mode=1", "storage_mode=3", "pmi_en=1", "en=1",
	"c=4294967295", "ovf_en=1", "int=1", "flag_mode=1", "set_flag_sel=7", "inc_sel=31",
};
#define POOL (sizeof(pool) / sizeof(pool[0]))

#define NAMES_MAX 4096
static char names[NAMES_MAX][IPMU_NAME_MAX];
static int nnames;

static void list_names(const struct ipmu_system *sys)
{
	struct ipmu_event_info info;

	nnames = 0;
	for (int e = 0; !ipmu_event_list(sys, e, -1, &info); e++) {
		assert_true(nnames < NAMES_MAX);
		strcpy(names[nnames++], info.name);
		for (int u = 0; !ipmu_event_list(sys, e, u, &info) && nnames < NAMES_MAX; u++)
			strcpy(names[nnames++], info.name);
	}
	assert_true(nnames > 5);
}

static void garbage(char *name, size_t room)
{
	size_t n = random_below((uint32_t)room - 1);

	for (size_t i = 0; i < n; i++)
		name[i] = (char)(1 + random_below(255));
	name[n] = '\0';
}

static void make_name(char name[IPMU_NAME_MAX])
{
	const char *base = names[random_below((uint32_t)nnames)];
	uint32_t qualifiers = random_below(5);

	if (random_below(50) == 0) {
		garbage(name, IPMU_NAME_MAX);
		return;
	}
	snprintf(name, IPMU_NAME_MAX, "%s", base);
	for (uint32_t i = 0; i < qualifiers; i++) {
		size_t used = strlen(name), room = IPMU_NAME_MAX - used;

		if (random_below(12) == 0)	/* a unit mask of any event */
			snprintf(name + used, room, "%.30s",
				 strrchr(names[random_below((uint32_t)nnames)], ':') ?
				 strrchr(names[random_below((uint32_t)nnames)], ':') : ":X");
		else
			snprintf(name + used, room, ":%s", pool[random_below(POOL)]);
	}
	if (random_below(20) == 0 && *name)
		name[random_below((uint32_t)strlen(name))] = (char)(1 + random_below(255));
}

/* ---- measuring */

static bool measure(struct ipmu_system *sys, struct ipmu_session *s, const char *const *list, int n)
{
	struct ipmu_event events[4];
	uint64_t values[4];
	char why[IPMU_WHY_MAX];
	bool ran = false;

	for (int i = 0; i < n; i++)
		if (ipmu_event_parse(sys, list[i], &events[i], why))
			return false;
	if (!ipmu_session_set(s, events, n, why) && !ipmu_session_start(s, why)) {
		ipmu_session_read(s, values);
		ran = !ipmu_session_stop(s, values, why);
	}
	ipmu_session_set(s, NULL, 0, why);	/* restores the registers */
	return ran;
}

static void check_family(const struct family *f, int rounds)
{
	struct ipmu_topology *topo;
	struct ipmu_system *sys;
	struct ipmu_session *s;
	char why[IPMU_WHY_MAX] = "";
	int ran = 0;

	read_table(f);
	setenv("HWLOC_SYNTHETIC", f->cpus, 1);
	assert_int_equal(ipmu_topology_load(&topo, why), 0);
	strcpy(topo->vendor, "GenuineIntel");
	topo->family = f->family;
	topo->model = f->model;
	current = "open";
	if (ipmu_system_open(topo, f->scope, &sys, why))
		fail_msg("%s", why);
	list_names(sys);
	assert_int_equal(ipmu_session_new(sys, &s, why), 0);
	for (int i = 0; i < nnames; i++) {	/* each as it is listed */
		const char *one[] = { names[i] };

		current = names[i];
		ran += measure(sys, s, one, 1);
	}
	print_message("%s, model %d: %d of %d listed names count", f->table, f->model, ran, nnames);
	for (int i = 0; i < rounds; i++) {
		char made[2][IPMU_NAME_MAX];
		const char *two[] = { made[0], made[1] };

		make_name(made[0]);
		make_name(made[1]);
		current = made[0];
		ran += measure(sys, s, two, random_below(8) == 0 ? 2 : 1);
	}
	print_message(", %d with those made up of %d\n", ran, rounds);
	assert_true(ran > 50);
	ipmu_session_free(s);
	current = "close";
	ipmu_system_close(sys);
	ipmu_topology_free(topo);
}

static void only_documented_bits(void **state)
{
	const char *rounds = getenv("ROUNDS"), *start = getenv("SEED");

	(void)state;
	unsetenv("HWLOC_XMLFILE");
	setenv("IPMU_ALLOW_PMI", "1", 1);
	seed = start ? (uint32_t)strtoul(start, NULL, 0) : 1;
	for (size_t i = 0; i < FAMILIES; i++)
		check_family(&families[i], rounds ? atoi(rounds) : 3000);
	print_message("%ld writes, %ld of them bad\n", writes, bad);
	assert_true(writes > 10000);
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(only_documented_bits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
