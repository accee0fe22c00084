/* SPDX-License-Identifier: MIT */
/* A machine that fails: one row per fault, each injected behind the device files at one step of a
 * measurement. Survived is a fault after which the sentence says what failed and what to do, no
 * number is wrong, all that can still be restored is, and everything else continues.
 *
 * The C library's calls are replaced in this program, its registers are an array. A row may say
 * which devices there are: the kernel's, msr-safe's, or those and its batch device. */
#include "engine_fault_rows.h"

#include "ipmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the machine behind the files */

enum { MSR_FD = 1000, BATCH_FD = 1100, PCI_FD, MEM_FD };
#define CPUS 16
#define ADDRESSES 0x1000

static const struct fault *fault;
static enum step step;
static unsigned devices;
static int hits, cpu_of[100], descriptors;
static bool tells_version;	/* msr-safe: 1.8.0; older ones have no file that does */
static uint64_t registers[CPUS][ADDRESSES], before[CPUS][ADDRESSES];
static uint32_t page[1024];

static int refuse(int error)
{
	errno = error;
	return -1;
}

static bool strikes(enum op op, int cpu, unsigned addr)
{
	if (fault->step != step || fault->op != op)
		return false;
	if (fault->cpu == FIRST_TWO ? cpu > 1 : fault->cpu != ANY && fault->cpu != cpu)
		return false;
	if (fault->last && (addr < fault->first || addr > fault->last))
		return false;
	hits++;
	return fault->kind != ONCE || hits == 1;
}

static uint64_t *at(int cpu, unsigned addr)
{
	return &registers[fault->machine == KNC ? cpu : 0][addr];
}

static int opened(int fd)
{
	descriptors++;
	return fd;
}

static int open_version(void)
{
	int fd = tells_version ? memfd_create("version", MFD_CLOEXEC) : refuse(ENOENT);

	if (fd >= 0)
		assert_int_equal(pwrite(fd, "1.8.0\n", 6, 0), 6);
	return fd;
}

static int open_msr(const char *path)
{
	static int next;
	const char *device = strrchr(path, '/') + 1;
	bool safe = devices & (SAFE | BATCH);
	int cpu = atoi(path + strlen("/dev/cpu/"));

	if (strcmp(path, "/dev/cpu/msr_batch") == 0)
		return devices & BATCH ? opened(BATCH_FD) : refuse(ENOENT);
	if (strcmp(path, "/dev/cpu/msr_safe_version") == 0)
		return open_version();
	if (strcmp(device, safe ? "msr_safe" : "msr") != 0)
		return refuse(safe ? EACCES : ENOENT);
	if (strikes(ON_OPEN, cpu, 0))
		return refuse(fault->error);
	next = (next + 1) % 100;
	cpu_of[next] = cpu;
	return opened(MSR_FD + next);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	if (strncmp(path, "/dev/cpu/", 9) == 0)
		return open_msr(path);
	if (strncmp(path, "/sys/bus/pci/devices/0000:00:00.0", 33) == 0)
		return strikes(ON_PCI, 0, 0) ? refuse(fault->error) : opened(PCI_FD);
	if (strcmp(path, "/dev/mem") == 0)
		return strikes(ON_MEM, 0, 0) ? refuse(fault->error) : opened(MEM_FD);
	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	return __real_open(path, flags, mode);
}

static bool is_msr(int fd)
{
	return fd >= MSR_FD && fd < MSR_FD + 100;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	if (fd < MSR_FD || fd > MEM_FD)
		return __real_close(fd);
	descriptors--;
	return 0;
}

/* Descriptors that are open now, of the machine's devices and of the system's files. */
static int open_descriptors(void)
{
	int n = descriptors;

	for (int fd = 0; fd < 100; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

int __real_dup3(int fd, int to, int flags);
int __wrap_dup3(int fd, int to, int flags);
int __wrap_dup3(int fd, int to, int flags)
{
	if (!is_msr(fd) || !is_msr(to))
		return __real_dup3(fd, to, flags);
	cpu_of[to - MSR_FD] = cpu_of[fd - MSR_FD];
	return to;
}

static ssize_t read_pci(void *buf, size_t bytes)
{
	uint64_t bar = 0xFED10001;
	bool struck = strikes(ON_BAR, 0, 0);

	if (struck && fault->kind == VALUE)
		bar = fault->value;
	memcpy(buf, &bar, bytes);
	return struck && fault->kind == SHORT ? 0 : (ssize_t)bytes;
}

ssize_t __real_pread(int fd, void *buf, size_t bytes, off_t offset);
ssize_t __wrap_pread(int fd, void *buf, size_t bytes, off_t offset);
ssize_t __wrap_pread(int fd, void *buf, size_t bytes, off_t offset)
{
	int cpu;

	if (fd == PCI_FD)
		return read_pci(buf, bytes);
	if (!is_msr(fd))
		return __real_pread(fd, buf, bytes, offset);
	cpu = cpu_of[fd - MSR_FD];
	if (strikes(ON_READ, cpu, (unsigned)offset)) {
		if (fault->kind != SHORT)
			return refuse(fault->error);
		bytes /= 2;
	}
	memcpy(buf, at(cpu, (unsigned)offset), bytes);
	return (ssize_t)bytes;
}

ssize_t __real_pwrite(int fd, const void *buf, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t bytes, off_t offset)
{
	int cpu;

	if (!is_msr(fd))
		return __real_pwrite(fd, buf, bytes, offset);
	cpu = cpu_of[fd - MSR_FD];
	if (strikes(ON_WRITE, cpu, (unsigned)offset)) {
		if (fault->kind == DEAF)
			return (ssize_t)bytes;
		return fault->kind == SHORT ? 4 : refuse(fault->error);
	}
	memcpy(at(cpu, (unsigned)offset), buf, bytes);
	return (ssize_t)bytes;
}

/* ---- the batch device, as msr-safe 1.8 has it */

struct op_of_batch { uint16_t cpu, is_read; int32_t err; uint32_t msr; uint64_t data, mask; };
struct batch { uint32_t count, version; struct op_of_batch *ops; };

/* Errors for which the module refuses the batch before it executes any operation of it. */
static int check_op(struct op_of_batch *op)
{
	bool first_look = fault->error == EACCES || fault->error == ENXIO;

	op->err = 0;
	if (first_look && strikes(op->is_read ? ON_READ : ON_WRITE, op->cpu, op->msr))
		op->err = -fault->error;
	return op->err;
}

static int execute(struct op_of_batch *op)
{
	bool io = fault->error == EIO || fault->kind == DEAF;
	bool struck = io && strikes(op->is_read ? ON_READ : ON_WRITE, op->cpu, op->msr);

	if (struck && fault->kind != DEAF)
		return op->err = -EIO;
	if (op->is_read)
		op->data = *at(op->cpu, op->msr);
	else if (!struck)
		*at(op->cpu, op->msr) = op->data;
	return 0;
}

static int run_batch(struct batch *b)
{
	int rc = 0, one;

	assert_int_equal(b->version, tells_version ? 0x010800 : 0x010000);
	if (strikes(ON_BATCH, 0, 0))
		return refuse(fault->error);
	for (uint32_t i = 0; i < b->count; i++)
		rc = (one = check_op(&b->ops[i])) ? one : rc;
	if (rc)
		return refuse(-rc);
	for (uint32_t i = 0; i < b->count; i++)
		rc = (one = execute(&b->ops[i])) && !rc ? one : rc;
	return rc ? refuse(-rc) : 0;
}

int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	if (fd != BATCH_FD)
		return __real_ioctl(fd, request, argument);
	assert_int_equal(request, 0xC01063A2);
	return run_batch(argument);
}

void *__real_mmap(void *where, size_t bytes, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *where, size_t bytes, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *where, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	if (fd != MEM_FD)
		return __real_mmap(where, bytes, prot, flags, fd, offset);
	assert_int_equal(offset, 0xFED15000);	/* BAR, and the page of DRAM_GT_REQUESTS */
	if (!strikes(ON_MAP, 0, 0))
		return page;
	errno = fault->error;
	return MAP_FAILED;
}

int __real_munmap(void *where, size_t bytes);
int __wrap_munmap(void *where, size_t bytes);
int __wrap_munmap(void *where, size_t bytes)
{
	return where == page ? 0 : __real_munmap(where, bytes);
}

/* ---- what it counts: slice b b + 1 a tick, the uncore clock 1000; CPU c c + 1 */

#define TICKS 10

static void tick_skl(void)
{
	uint64_t *r = registers[0];

	if (!(r[0xE01] & 1u << 29))
		return;
	for (unsigned b = 0; b < 4; b++)
		for (unsigned c = 0; c < 2; c++)
			if (r[0x700 + 0x10 * b + c] & 1u << 22)
				r[0x706 + 0x10 * b + c] += b + 1;
	if (r[0x394] & 1u << 22)
		r[0x395] += 1000;
}

static void tick_knc(void)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		for (unsigned c = 0; c < 2; c++)
			if (registers[cpu][0x2F] >> c & registers[cpu][0x28 + c] >> 22 & 1)
				registers[cpu][0x20 + c] += cpu + 1;
}

static void ticks(int n)
{
	for (int i = 0; i < n; i++)
		fault->machine == KNC ? tick_knc() : tick_skl();
}

/* ---- a measurement */

static const char *const skl_events[] = {
	"skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I", "skl_unc_clk.UNC_CLOCK",
};
static const char *const knc_events[] = {
	"knc.INSTRUCTIONS_EXECUTED:cpu=0", "knc.INSTRUCTIONS_EXECUTED:cpu=5",
};

static struct ipmu_topology *topologies[2];
static char why[IPMU_WHY_MAX];

/* Counts after n ticks; late: ticks that the lost counter has missed. */
static void want(const uint64_t *values, uint64_t n, uint64_t late)
{
	uint64_t all = fault->machine == KNC ? 1 : 1 + 2 + 3 + 4;
	uint64_t other = fault->machine == KNC ? 6 : 1000;

	if (fault->machine == KNC) {
		assert_int_equal(values[0], all * n);
		assert_int_equal(values[1], other * (n - late));
	} else {
		assert_int_equal(values[0], all * n - late);	/* slice 0 counts 1 a tick */
		assert_int_equal(values[1], other * n);
	}
}

/* Did the step end as in the row? false: it has failed, as it had to. */
static bool ended(enum step which, int rc)
{
	if (fault->fails != which) {
		if (rc)
			fail_msg("%s", why);
		return true;
	}
	assert_int_equal(rc, fault->rc);
	if (!strstr(why, fault->says) || !strstr(why, fault->todo))
		fail_msg("'%s' does not say '%s' and '%s'", why, fault->says, fault->todo);
	if (fault->never && strstr(why, fault->never))
		fail_msg("'%s' says '%s'", why, fault->never);
	return false;
}

/* The memory controller alone is out, with the reason. */
static void check_imc(struct ipmu_system *sys)
{
	const struct ipmu_pmu_type *type;

	for (int i = 0; (type = ipmu_system_type(sys, i)) != NULL; i++) {
		int boxes = ipmu_system_boxes(sys, type, 0, why);
		bool out = strcmp(ipmu_type_name(type), "skl_unc_imc") == 0;

		assert_int_equal(boxes > 0, !out);
		if (out && (!strstr(why, fault->says) || !strstr(why, fault->todo)))
			fail_msg("'%s' does not say '%s' and '%s'", why, fault->says, fault->todo);
	}
}

static void count(struct ipmu_session *s)
{
	uint64_t values[2] = { 0 }, last[2];
	uint64_t late = fault->lost ? TICKS : 0;
	int lost = fault->lost ? fault->rc : 0;

	ticks(TICKS);
	assert_int_equal(ipmu_session_read(s, values), 0);
	want(values, TICKS, 0);
	step = READ;
	ticks(TICKS);
	assert_int_equal(ipmu_session_read(s, values), lost);
	want(values, 2 * TICKS, late);
	step = STOP;
	assert_int_equal(ipmu_session_read(s, last), lost);
	want(last, 2 * TICKS, late);
	ended(STOP, ipmu_session_stop(s, NULL, why));
	assert_int_equal(ipmu_session_read(s, last), lost);
	want(last, 2 * TICKS, late);
}

static void measure(struct ipmu_system *sys)
{
	const char *const *names = fault->machine == KNC ? knc_events : skl_events;
	struct ipmu_event events[2];
	struct ipmu_session *s;
	int rc;

	for (int i = 0; i < 2; i++)
		assert_int_equal(ipmu_event_parse(sys, names[i], &events[i], why), 0);
	assert_int_equal(ipmu_session_new(sys, &s, why), 0);
	step = START;
	rc = ipmu_session_set(s, events, 2, why);
	if (!rc)
		rc = ipmu_session_start(s, why);
	if (ended(START, rc)) {
		step = NEVER;
		count(s);
	}
	step = FREE;
	ipmu_session_free(s);
}

static void machine_as_found(void)
{
	memset(registers, 0, sizeof(registers));
	memset(cpu_of, 0, sizeof(cpu_of));
	hits = 0;
	registers[0][0x396] = 5;
	for (unsigned a = 0; a < 0x40; a++) {	/* values that a restore of zeros does not bring */
		registers[0][0x700 + a] = a % 0x10 < 2 ? 0x00048834 : 0x12345;
		registers[0][0x3B0 + a % 2] = 0x777;
	}
	registers[0][0x395] = 0x987654321;
	for (unsigned cpu = 0; cpu < CPUS && fault->machine == KNC; cpu++) {
		registers[cpu][0x20] = 0x1234567 + cpu;
		registers[cpu][0x28] = 0x0003002A;
	}
	memcpy(before, registers, sizeof(before));
}

static void nothing_left_changed(void)
{
	for (int cpu = 0; cpu < CPUS; cpu++)
		for (unsigned a = 0; a < ADDRESSES; a++)
			if (registers[cpu][a] != before[cpu][a])
				fail_msg("CPU %d, 0x%X was 0x%llx, is 0x%llx", cpu, a,
					 (unsigned long long)before[cpu][a],
					 (unsigned long long)registers[cpu][a]);
}

static void hide_cpus(struct ipmu_topology *t, bool hidden)
{
	for (int i = 0; i < t->ncpus; i++)
		t->cpus[i].allowed = !hidden;
	for (int i = 0; i < t->npackages; i++)
		t->packages[i].reach_cpu = hidden ? -1 : 0;
}

/* Prove that one fault less survived is noticed: cmocka ends the case, so count here. */
static int tried, survived;

static void survive(const struct fault *f, enum devices with)
{
	static const enum ipmu_scope scopes[] = { IPMU_SCOPE_PACKAGE, IPMU_SCOPE_CPU };
	struct ipmu_topology *topo = topologies[f->machine];
	struct ipmu_system *sys;
	int rc, found_open = open_descriptors();

	fault = f;
	devices = with;
	tells_version = tried % 2;
	why[0] = '\0';
	machine_as_found();
	hide_cpus(topo, f->op == ON_TOPOLOGY);
	step = OPEN;
	rc = ipmu_system_open(topo, scopes[f->machine], &sys, why);
	if (ended(OPEN, rc)) {
		if (f->op >= ON_PCI && f->op <= ON_MAP)
			check_imc(sys);
		step = NEVER;
		measure(sys);
		step = CLOSE;
		ipmu_system_close(sys);
	}
	if (f->step != NEVER && f->op != ON_TOPOLOGY)
		assert_true(hits > 0);	/* it did happen */
	nothing_left_changed();
	assert_int_equal(open_descriptors(), found_open);
}

static void every_fault(void **state)
{
	(void)state;
	for (size_t i = 0; i < FAULTS; i++)
		for (unsigned with = PLAIN; with <= BATCH; with <<= 1) {
			static const char *const names[] = { [PLAIN] = "msr", [SAFE] = "msr_safe",
							     [BATCH] = "msr_batch" };

			if (!(faults[i].devices & with))
				continue;
			tried++;
			print_message("%s, %s\n", faults[i].name, names[with]);
			survive(&faults[i], (enum devices)with);
			print_message("   %s\n", why[0] ? why : "(goes on)");
			survived++;
		}
}

static int load_machine(const char *file, struct ipmu_topology **out)
{
	const char *dir = getenv("TEST_DATA");
	char path[512];

	snprintf(path, sizeof(path), "%s/topo/%s", dir ? dir : "tests/data", file);
	setenv("HWLOC_XMLFILE", path, 1);
	return ipmu_topology_load(out, why);
}

static int load(void **state)
{
	struct ipmu_topology *knc;

	(void)state;
	if (load_machine("skl-4c8t.xml", &topologies[SKL]))
		return -1;
	unsetenv("HWLOC_XMLFILE");
	setenv("HWLOC_SYNTHETIC", "pack:1 core:4 pu:4", 1);
	if (ipmu_topology_load(&knc, why))
		return -1;
	snprintf(knc->vendor, sizeof(knc->vendor), "GenuineIntel");
	knc->family = 11;
	knc->model = 1;
	topologies[KNC] = knc;
	return 0;
}

static int unload(void **state)
{
	(void)state;
	ipmu_topology_free(topologies[SKL]);
	ipmu_topology_free(topologies[KNC]);
	printf("faults tried %d, survived %d\n", tried, survived);
	return tried != survived;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_fault) };

	return cmocka_run_group_tests(tests, load, unload);
}
