/* SPDX-License-Identifier: MIT */
/* Counting through msr-safe, with the allowlist that ipmu-allowlist prints: the same counts as
 * through the plain devices, a system call for each phase, and a clear word about a missing line.
 * The program measures on a virtual machine when it is given the machine's name, and is its own
 * examiner otherwise. Its system calls are counted on their way to the device files. */
#include "model/core_events.h"
#include "ipmu.h"
#include "model/model.h"
#include "on_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- measuring */

static struct calls { int reads, writes, batches; } calls;

ssize_t __real_pread(int fd, void *buf, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t bytes, off_t at);
/* Registers are read and written as 8 bytes, the journal is not. */
ssize_t __wrap_pread(int fd, void *buf, size_t bytes, off_t at)
{
	calls.reads += bytes == sizeof(uint64_t);
	return __real_pread(fd, buf, bytes, at);
}

ssize_t __real_pwrite(int fd, const void *buf, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t bytes, off_t at)
{
	calls.writes += bytes == sizeof(uint64_t);
	return __real_pwrite(fd, buf, bytes, at);
}

int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	calls.batches++;
	return __real_ioctl(fd, request, argument);
}

#define EVENTS_MAX 8

static const struct machine {
	const char *name, *allowlist;
	enum ipmu_scope scope;
	int first_start[3];	/* batches, reads, writes of one register that remain at most */
	int again[3], stop[3];
	const char *events[EVENTS_MAX];
	const char *overflows;	/* this counter is about to */
	uint64_t last_value;
} machines[] = {
	/* A first start checks once on each package or CPU (NetBurst: each counter) for a foreign
	 * user. Then it saves, programs, reads its baselines and switches on. A second one neither
	 * checks nor saves, and on these two it has nothing to program. */
	{ "skl-8c16t", "skylake-client", IPMU_SCOPE_PACKAGE, { 4, 1, 0 }, { 2, 0, 0 }, { 1, 1, 0 },
	  .events = { "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I",
	    "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I",
	    "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL", "skl_unc_clk.UNC_CLOCK",
	    "skl_unc_imc.DRAM_DATA_READS" } },	/* which is no MSR */
	{ "knc-4c16t", "knights-corner", IPMU_SCOPE_CPU, { 4, 3, 0 }, { 2, 0, 0 }, { 1, 6, 0 },
	  .events = { "knc.INSTRUCTIONS_EXECUTED:cpu=0", "knc.INSTRUCTIONS_EXECUTED:cpu=5",
	    "knc.BRANCHES:cpu=5", "knc.INSTRUCTIONS_EXECUTED:cpu=11" },
	  .overflows = "IA32_PerfCnt0", .last_value = 0xFFFFFFFFFE },
	{ "core2-4c", "core2", IPMU_SCOPE_CPU, { 4, 2, 0 }, { 2, 0, 0 }, { 1, 2, 0 },
	  .events = { "core_fixed.INST_RETIRED:ANY:cpu=0", "core_fixed.INST_RETIRED:ANY:cpu=1",
	    "core_fixed.CPU_CLK_UNHALTED:CORE:cpu=1", "core.INSTRUCTION_RETIRED:cpu=1" } },
	/* The U-Box of each package is checked before each change: others use it. It starts and
	 * stops two M-Boxes and eight C-Boxes, of which 64 registers are read at once. */
	{ "nhmex-2p16c32t", "nehalem-ex", IPMU_SCOPE_PACKAGE,
	  { 8, 12, 0 }, { 5, 10, 0 }, { 2, 10, 0 },
	  .events = { "nhmex_unc_mbox.FVC_EV0:BBOX_CMDS_READS", "nhmex_unc_mbox.BBOX_CMDS_ALL",
	    "nhmex_unc_mbox.PAGE_HIT" },
	  .overflows = "M0_MSR_PMU_CNT_0", .last_value = 0xFFFFFFFFFFFE },
	/* The tags of a replay event are set at each start. */
	{ "p4-2p4t", "prescott", IPMU_SCOPE_CPU, { 4, 4, 0 }, { 3, 0, 0 }, { 3, 0, 0 },
	  .events = { "netburst_p.instr_retired:NBOGUSNTAG:cpu=0",
	    "netburst_p.instr_retired:NBOGUSNTAG:cpu=1",
	    "netburst_p.branch_retired:MMTM:MMTP:cpu=1",
	    "netburst_p.replay_event:L1_LD_MISS:cpu=0" } },
};
#define MACHINES (sizeof(machines) / sizeof(machines[0]))

static int gives_up(const char *why)
{
	printf("error %s\n", why);
	return 0;
}

/* The same things in each run. */
static void happen(struct vpmu_segment *s)
{
	uint32_t counts[VPMU_CORE_EVENTS];
	uint32_t cpus = vpmu_machine_cpus(&s->machine);

	for (uint32_t i = 0; i < VPMU_CORE_EVENTS; i++)
		counts[i] = 10 + i;
	vpmu_lock(s);
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		vpmu_core_events(s, cpu, counts, 1000 + cpu);
	for (uint32_t p = 0; p < s->machine.packages; p++) {
		for (uint32_t n = 0; n < 24; n++) {
			vpmu_llc_lookup(s, p, n % 8, VPMU_READ, VPMU_I, n);
			vpmu_tracker(s, p, VPMU_TRK_DATA_READ, true, n, n + 3);
			vpmu_memory_command(s, p, n & 1, n % 3 == 0, VPMU_PAGE_HIT, n);
		}
		vpmu_clock(s, p, s->uclk[p] + 1234);
	}
	vpmu_unlock(s);
}

static void tell(const char *phase)
{
	printf("calls %s %d %d %d\n", phase, calls.batches, calls.reads, calls.writes);
	calls = (struct calls){ 0 };
}

static int measure(struct ipmu_session *session, const char *phase, int n)
{
	uint64_t values[EVENTS_MAX];
	char why[IPMU_WHY_MAX] = "";

	calls = (struct calls){ 0 };
	if (ipmu_session_start(session, why))
		return -1 + gives_up(why);
	tell(phase);
	happen(on_machine_segment());
	calls = (struct calls){ 0 };
	ipmu_session_read(session, values);
	tell("read");
	printf("counts");
	for (int i = 0; i < n; i++)
		printf(" %llu", (unsigned long long)values[i]);
	putchar('\n');
	if (ipmu_session_stop(session, NULL, why))
		return -1 + gives_up(why);
	tell("stop");
	return 0;
}

/* Overflow flags are restored through registers that can only be written. */
static void bring_near_overflow(const struct machine *m)
{
	struct vpmu_segment *s = on_machine_segment();
	struct vpmu_register_info reg;

	if (!m->overflows || vpmu_model_find(&s->machine, m->overflows, &reg))
		return;
	vpmu_lock(s);
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(&s->machine); cpu++)
		vpmu_model_poke(s, cpu, &reg, m->last_value);
	vpmu_unlock(s);
}

static void count(const struct machine *m, struct ipmu_system *sys, struct ipmu_session *session)
{
	struct ipmu_event events[EVENTS_MAX];
	char why[IPMU_WHY_MAX] = "";
	int n = 0;

	for (; n < EVENTS_MAX && m->events[n]; n++)
		if (ipmu_event_parse(sys, m->events[n], &events[n], why))
			break;
	if (why[0] || ipmu_session_set(session, events, n, why))
		gives_up(why);
	else if (!measure(session, "start", n))
		measure(session, "again", n);
}

static int child(const struct machine *m)
{
	struct ipmu_topology *topo;
	struct ipmu_session *session;
	struct ipmu_system *sys;
	char why[IPMU_WHY_MAX] = "";

	bring_near_overflow(m);
	if (ipmu_topology_load(&topo, why))
		return gives_up(why);
	if (ipmu_system_open(topo, m->scope, &sys, why)) {
		gives_up(why);
	} else {
		if (!ipmu_session_new(sys, &session, why))
			count(m, sys, session);
		ipmu_session_free(session);
		ipmu_system_close(sys);
	}
	ipmu_topology_free(topo);
	return 0;
}

/* ---- examining */

static const char *self;

struct result { char error[1024]; char counts[256]; int calls[8][3]; int phases; };

static void take_line(struct result *r, const char *line)
{
	int *c = r->calls[r->phases];

	if (strncmp(line, "error ", 6) == 0)
		snprintf(r->error, sizeof(r->error), "%s", line + 6);
	else if (strncmp(line, "counts", 6) == 0)
		snprintf(r->counts + strlen(r->counts), sizeof(r->counts) - strlen(r->counts),
			 "%s", line + 6);
	else if (sscanf(line, "calls %*s %d %d %d", &c[0], &c[1], &c[2]) == 3 && r->phases < 7)
		r->phases++;
	else if (*line)
		print_message("%s: %s\n", self, line);
}

static struct result run(const struct machine *m, const char *allowlist)
{
	static struct result r;
	char command[1024], line[1024], option[256] = "";
	FILE *f;

	memset(&r, 0, sizeof(r));
	if (allowlist)
		snprintf(option, sizeof(option), "--msr-safe=%s", allowlist);
	snprintf(command, sizeof(command), "'%s' run --no-feed --strict -m %s %s -- '%s' %s 2>&1",
		 getenv("VPMU"), m->name, option, self, m->name);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		take_line(&r, line);
	}
	assert_int_equal(pclose(f), 0);
	return r;
}

#define LINES_MAX 256
static char lines[LINES_MAX][128];

static int read_list(const struct machine *m)
{
	char command[512];
	int n = 0;
	FILE *f;

	snprintf(command, sizeof(command), "'%s/bin/ipmu-allowlist' -m %s", getenv("STAGE"),
		 m->allowlist);
	f = popen(command, "r");
	assert_non_null(f);
	while (n < LINES_MAX && fgets(lines[n], sizeof(lines[n]), f))
		if (lines[n][0] == '0')
			n++;
	assert_int_equal(pclose(f), 0);
	return n;
}

static char list_path[] = "/tmp/ipmu-allowlist-XXXXXX";

static void write_list(int n, int without)
{
	FILE *f = fopen(list_path, "w");

	assert_non_null(f);
	for (int i = 0; i < n; i++)
		if (i != without)
			fputs(lines[i], f);
	fclose(f);
}

static void at_most(const int *got, const int *most)
{
	for (int i = 0; i < 3; i++)
		assert_in_range(got[i], 0, most[i]);
}

static void as_many_calls_as_phases(const struct machine *m, const struct result *r)
{
	static const int one_batch[] = { 1, 0, 0 };

	assert_int_equal(r->phases, 6);
	for (int i = 0; i < r->phases; i++)
		print_message("%s: %d batches, %d reads, %d writes\n", m->name, r->calls[i][0],
			      r->calls[i][1], r->calls[i][2]);
	at_most(r->calls[0], m->first_start);
	at_most(r->calls[1], one_batch);
	assert_int_equal(r->calls[1][0], 1);
	at_most(r->calls[2], m->stop);
	at_most(r->calls[3], m->again);
}

static void all_lines(void **state)
{
	for (size_t i = 0; i < MACHINES; i++) {
		const struct machine *m = &machines[i];
		struct result plain = run(m, NULL), safe;

		(void)state;
		print_message("%s: counts%s\n", m->name, plain.counts);
		assert_string_equal(plain.error, "");
		assert_non_null(strpbrk(plain.counts, "123456789"));
		for (int p = 0; p < plain.phases; p++)
			assert_int_equal(plain.calls[p][0], 0);
		write_list(read_list(m), -1);
		safe = run(m, list_path);
		assert_string_equal(safe.error, "");
		assert_string_equal(safe.counts, plain.counts);
		as_many_calls_as_phases(m, &safe);
	}
}

/* Removing a needed line fails with a message that quotes it; removing another changes nothing. */
static int one_line_less(const struct machine *m, const char *counts, int n, int i)
{
	struct result r;

	write_list(n, i);
	r = run(m, list_path);
	if (!r.error[0]) {
		assert_string_equal(r.counts, counts);
		return 0;
	}
	lines[i][strcspn(lines[i], "\n")] = '\0';
	if (!strstr(r.error, lines[i]) || !strstr(r.error, strchr(lines[i], '#') + 2))
		fail_msg("%s, without '%s': %s", m->name, lines[i], r.error);
	strcat(lines[i], "\n");
	return 1;
}

static void each_line_missing_once(void **state)
{
	/* skl: all but the status, as no overflow is checked; knc: all but the overflow control,
	 * which is only needed to restore the registers */
	static const int needed[] = { 40, 7, 7, 18, 10 };

	(void)state;
	for (size_t i = 0; i < MACHINES; i++) {
		const struct machine *m = &machines[i];
		struct result plain = run(m, NULL);
		char counts[sizeof(plain.counts)];
		int n = read_list(m), refused = 0;

		strcpy(counts, plain.counts);
		for (int k = 0; k < n; k++)
			refused += one_line_less(m, counts, n, k);
		print_message("%s: %d of %d lines are needed\n", m->name, refused, n);
		assert_true(refused >= needed[i]);
	}
}

static void read_only_lines(void **state)
{
	const struct machine *m = &machines[0];
	struct result r;
	int n = read_list(m);
	char *mask = strchr(lines[0], ' ') + 1;

	(void)state;
	assert_non_null(strstr(lines[0], "MSR_UNC_PERF_GLOBAL_CTRL"));
	memcpy(mask, "0x0000000000000000", 18);
	write_list(n, -1);
	r = run(m, list_path);
	print_message("%s\n", r.error);
	assert_non_null(strstr(r.error, "does not allow to write MSR_UNC_PERF_GLOBAL_CTRL"));
	assert_non_null(strstr(r.error, "0x00000E01 0x00000000E000000F"));
	assert_non_null(strstr(r.error, "CPU 0"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_lines),
		cmocka_unit_test(each_line_missing_once),
		cmocka_unit_test(read_only_lines),
	};
	int fd, rc;

	for (size_t i = 0; i < MACHINES && argc == 2; i++)
		if (strcmp(argv[1], machines[i].name) == 0)
			return child(&machines[i]);
	if (!getenv("VPMU") || !getenv("STAGE")) {
		puts("VPMU and STAGE do not name the vpmu command and the stage");
		return 77;
	}
	/* The machine's library is preloaded before a sanitizer's runtime, which does no harm. */
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=1", 0);
	self = argv[0];
	fd = mkstemp(list_path);
	if (fd < 0)
		return 1;
	close(fd);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(list_path);
	return rc;
}
