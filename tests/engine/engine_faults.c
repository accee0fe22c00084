/* SPDX-License-Identifier: MIT */
/* A machine that refuses: each fault behind the device files gives one sentence that says what
 * failed and what to do, and everything else continues. The C library's calls are replaced in
 * this program; its registers are an array. */
#include "access/access.h"
#include "ipmu.h"
#include "lease/state.h"
#include "pmu/families.h"

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

#include <cmocka.h>

#define STATE_DIR "/tmp"	/* a state directory by the user's choice */
enum { MSR_FD = 1000, PCI_FD, MEM_FD };

/* Faults of the machine in this case; zeros: none. */
static struct {
	int open_msr, open_pci, open_mem, open_state, map;	/* errno */
	int read_config;			/* errno of MSR_UNC_CBO_CONFIG */
	int read;				/* errno of any read */
	int write;				/* errno of any write */
	uint64_t config;			/* its value */
	bool deaf;				/* counters ignore writes */
	bool short_pci, no_bar;
	int allocation;				/* which one fails, from 1 on */
} fault;

static uint64_t registers[0x1000];
static uint32_t page[1024];
static int reads, writes;

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
		return strstr(path, "msr_safe") ? refuse(ENOENT) :
		       fault.open_msr ? refuse(fault.open_msr) : MSR_FD;
	if (strncmp(path, "/sys/bus/pci/devices/0000:00:00.0", 33) == 0)
		return fault.open_pci ? refuse(fault.open_pci) : PCI_FD;
	if (strcmp(path, "/dev/mem") == 0)
		return fault.open_mem ? refuse(fault.open_mem) : MEM_FD;
	if (fault.open_state && strcmp(path, STATE_DIR) == 0)
		return refuse(fault.open_state);
	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	return __real_open(path, flags, mode);
}

static ssize_t read_pci(void *buf, size_t bytes)
{
	uint64_t bar = fault.no_bar ? 0xFED10000 : 0xFED10001;

	memcpy(buf, &bar, bytes);
	return fault.short_pci ? 0 : (ssize_t)bytes;
}

ssize_t __real_pread(int fd, void *buf, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t bytes, off_t at)
{
	if (fd == PCI_FD)
		return read_pci(buf, bytes);
	if (fd != MSR_FD)
		return __real_pread(fd, buf, bytes, at);
	if (fault.read)
		return refuse(fault.read);
	reads++;
	if (at == 0x396 && fault.read_config)
		return refuse(fault.read_config);
	memcpy(buf, at == 0x396 ? &fault.config : &registers[at], bytes);
	return (ssize_t)bytes;
}

ssize_t __real_pwrite(int fd, const void *buf, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t bytes, off_t at)
{
	if (fd != MSR_FD)
		return __real_pwrite(fd, buf, bytes, at);
	if (fault.write)
		return refuse(fault.write);
	writes++;
	if (!fault.deaf)
		memcpy(&registers[at], buf, bytes);
	return (ssize_t)bytes;
}

void *__real_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	if (fd != MEM_FD)
		return __real_mmap(at, bytes, prot, flags, fd, offset);
	assert_true(offset == 0xFED15000);
	assert_int_equal(prot, PROT_READ);
	if (!fault.map)
		return page;
	errno = fault.map;
	return MAP_FAILED;
}

int __real_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes)
{
	return at == page ? 0 : __real_munmap(at, bytes);
}

void *__real_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes)
{
	return fault.allocation && !--fault.allocation ? NULL : __real_calloc(n, bytes);
}

static struct ipmu_topology *topo;

static int load(void **state)
{
	const char *dir = getenv("TEST_DATA");
	char path[512], why[IPMU_WHY_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/topo/skl-4c8t.xml", dir ? dir : "tests/data");
	setenv("HWLOC_XMLFILE", path, 1);
	setenv("IPMU_STATE_DIR", "none", 1);
	return ipmu_topology_load(&topo, why);
}

static int unload(void **state)
{
	(void)state;
	ipmu_topology_free(topo);
	return 0;
}

static void healthy(void)
{
	memset(&fault, 0, sizeof(fault));
	memset(registers, 0, sizeof(registers));
	fault.config = 5;
	reads = writes = 0;
}

/* The whole component is out: open fails, and nothing has been changed. */
static void refused(int rc, const char *what, const char *todo)
{
	struct ipmu_system *sys = NULL;
	uint64_t before[0x1000];
	char why[IPMU_WHY_MAX] = "";

	memcpy(before, registers, sizeof(before));
	assert_int_equal(ipmu_system_open(topo, IPMU_SCOPE_PACKAGE, &sys, why), rc);
	print_message("%s\n", why);
	assert_null(sys);
	assert_non_null(strstr(why, what));
	assert_non_null(strstr(why, todo));
	assert_memory_equal(before, registers, sizeof(before));
}

static void the_msr_device(void **state)
{
	static const struct {
		int error, rc;
		const char *todo;
	} rows[] = {
		{ ENOENT, -ENOENT, "modprobe msr" },
		{ EACCES, -EACCES, "group" },
		{ EPERM, -EPERM, "CAP_SYS_RAWIO" },
		{ ENXIO, -ENXIO, "offline" },
		{ EMFILE, -EMFILE, "Too many open files" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		healthy();
		fault.open_msr = rows[i].error;
		refused(rows[i].rc, "/dev/cpu/0/msr", rows[i].todo);
	}
}

/* A user who may not use the directory needs another one; that does not help against a limit. */
static void the_state_directory(void **state)
{
	static const int errors[] = { EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP,
				      EMFILE, ENFILE, ENOMEM };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		char why[IPMU_WHY_MAX] = "";
		const char *path;
		int rc;

		healthy();
		fault.open_state = errors[i];
		setenv("IPMU_STATE_DIR", STATE_DIR, 1);
		rc = ipmu_state_open(false, &path, why);
		setenv("IPMU_STATE_DIR", "none", 1);
		print_message("%s\n", why);
		assert_int_equal(rc, -errors[i]);
		assert_non_null(strstr(why, strerror(errors[i])));
		assert_int_equal(strstr(why, "set IPMU_STATE_DIR to") != NULL, i < 6);
	}
}

static void registers_that_do_not_answer(void **state)
{
	(void)state;
	healthy();
	fault.read_config = EIO;
	refused(-ENXIO, "MSR_UNC_CBO_CONFIG", "hypervisor");
	healthy();
	fault.deaf = true;
	refused(-ENXIO, "does not hold what is written", "hypervisor");
	healthy();
	fault.write = EPERM;
	refused(-EPERM, "MSR_UNC_ARB_PERFCTR1", "filters MSR writes");
	healthy();
	fault.write = EIO;
	refused(-ENXIO, "MSR_UNC_ARB_PERFCTR1", "hypervisor");
}

static int boxes_of(struct ipmu_system *sys, const char *name, char *why)
{
	const struct ipmu_pmu_type *type;

	for (int i = 0; (type = ipmu_system_type(sys, i)) != NULL; i++)
		if (strcmp(ipmu_type_name(type), name) == 0)
			return ipmu_system_boxes(sys, type, 0, why);
	fail_msg("no type %s", name);
	return -1;
}

/* A single PMU is absent, with a reason; its events are refused, and all other PMUs work. */
static void without(const char *pmu, const char *event, const char *says)
{
	static const char *const all[] = { "skl_unc_cbo", "skl_unc_arb", "skl_unc_clk",
					   "skl_unc_imc" };
	struct ipmu_system *sys;
	struct ipmu_event parsed;
	char why[IPMU_WHY_MAX] = "";

	assert_int_equal(ipmu_system_open(topo, IPMU_SCOPE_PACKAGE, &sys, why), 0);
	for (int i = 0; i < 4; i++)
		if (strcmp(all[i], pmu) == 0)
			assert_int_equal(boxes_of(sys, all[i], why), 0);
		else
			assert_true(boxes_of(sys, all[i], NULL) > 0);
	print_message("%s\n", why);
	assert_non_null(strstr(why, says));
	assert_int_equal(ipmu_event_parse(sys, event, &parsed, why), -ENODEV);
	assert_non_null(strstr(why, says));
	ipmu_system_close(sys);
}

static void the_memory_controller(void **state)
{
	static const char event[] = "skl_unc_imc.DRAM_DATA_READS";

	(void)state;
	healthy();
	fault.open_pci = ENOENT;
	without("skl_unc_imc", event, "memory controller cannot be found");
	healthy();
	fault.short_pci = true;
	without("skl_unc_imc", event, "CAP_SYS_ADMIN");
	healthy();
	fault.no_bar = true;
	without("skl_unc_imc", event, "switched off");
	healthy();
	fault.open_mem = EACCES;
	without("skl_unc_imc", event, "CAP_SYS_RAWIO");
	healthy();
	fault.map = EPERM;
	without("skl_unc_imc", event, "iomem=relaxed");
}

/* Allocations fail in turn; those made before are freed once. */
static void allocations(void **state)
{
	struct ipmu_system *sys = NULL;
	char why[IPMU_WHY_MAX] = "";
	int n = 0, rc;

	(void)state;
	do {
		healthy();
		fault.allocation = ++n;
		rc = ipmu_system_open(topo, IPMU_SCOPE_PACKAGE, &sys, why);
		if (!fault.allocation) {
			assert_int_equal(rc, -ENOMEM);
			assert_null(sys);
			assert_non_null(strstr(why, "out of memory"));
		}
	} while (rc);
	/* the system, its packages and its four kinds of boxes */
	assert_true(n > 6);
	ipmu_system_close(sys);
	healthy();
}

static void slice_counts(void **state)
{
	static const char event[] = "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I";
	struct ipmu_system *sys;
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	for (uint64_t config = 0; config < 16; config++) {
		healthy();
		fault.config = config;
		if (config < 2 || config > 9) {
			without("skl_unc_cbo", event, "C-Boxes");
			continue;
		}
		assert_int_equal(ipmu_system_open(topo, IPMU_SCOPE_PACKAGE, &sys, why), 0);
		assert_int_equal(boxes_of(sys, "skl_unc_cbo", NULL), config - 1);
		/* four cores: another number is remarked on */
		assert_int_equal(ipmu_system_note(sys)[0] != '\0', config != 5);
		ipmu_system_close(sys);
	}
}

static void a_busy_counter_is_not_probed(void **state)
{
	struct ipmu_system *sys;
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	healthy();
	registers[0x3B3] = 0x400181;
	registers[0x3B1] = 4711;
	assert_int_equal(ipmu_system_open(topo, IPMU_SCOPE_PACKAGE, &sys, why), 0);
	assert_int_equal(writes, 0);
	assert_int_equal(registers[0x3B1], 4711);
	ipmu_system_close(sys);
}

/* Every write fails once it counts. */
static void registers_that_cannot_be_put_back(void **state)
{
	struct ipmu_system *sys;
	struct ipmu_session *s;
	struct ipmu_event event;
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	healthy();
	assert_int_equal(ipmu_system_open(topo, IPMU_SCOPE_PACKAGE, &sys, why), 0);
	assert_int_equal(ipmu_event_parse(sys, "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL", &event, why),
			 0);
	assert_int_equal(ipmu_session_new(sys, &s, why), 0);
	assert_int_equal(ipmu_session_set(s, &event, 1, why), 0);
	assert_int_equal(ipmu_session_start(s, why), 0);
	fault.write = EIO;
	ipmu_session_free(s);
	assert_int_equal(ipmu_system_close(sys), -EIO);
	healthy();
	assert_int_equal(ipmu_system_open(topo, IPMU_SCOPE_PACKAGE, &sys, why), 0);
	assert_int_equal(ipmu_system_close(sys), 0);
}

/* ---- the bits of a register that are not changed here */

/* Open, with one register that holds `value`, and is saved as said. */
static struct ipmu_saved *saved_one(struct ipmu_regs *p, const struct ipmu_family *family,
				    uint64_t value, struct ipmu_saved what)
{
	char why[IPMU_WHY_MAX];
	int box, ctr;

	healthy();
	registers[what.addr] = value;
	assert_int_equal(ipmu_access_open(p, family->registers, 0, why), 0);
	what.reg = ipmu_reg_at(family->registers, what.addr, &box, &ctr);
	assert_non_null(what.reg);
	p->saved[0] = what;
	p->nsaved = 1;
	return &p->saved[0];
}

static void written_and_restored(struct ipmu_regs *p, uint64_t value, uint64_t expected,
				 uint64_t later, uint64_t restored)
{
	const struct ipmu_saved s = p->saved[0];

	assert_int_equal(ipmu_msr_write(p, s.reg, 0, 0, value), 0);
	assert_int_equal(registers[s.addr], expected);
	registers[s.addr] = later;
	assert_int_equal(ipmu_access_restore(p), 0);
	assert_int_equal(registers[s.addr], restored);
	ipmu_access_close(p);
}

static const enum ipmu_saved_state states[] = { IPMU_SAVED_FOUND, IPMU_SAVED_BORROWED };

#define OTHER (1ull << 17)	/* of MSR_UNC_CBO_0_PERFEVTSEL0: no field of the document */
#define ENABLE (1ull << 22)

/* A journal says what a register held before. Bits that are never changed are those of the register
 * itself, whatever the journal says. The register is read once. */
static void a_borrowed_register_is_read_first(void **state)
{
	struct ipmu_regs p;
	struct ipmu_saved *s;

	(void)state;
	for (int i = 0; i < 4; i++) {
		uint64_t own = i & 1 ? OTHER : 0;

		s = saved_one(&p, &ipmu_skl_client_uncore, own | 0x77, (struct ipmu_saved){
			      .addr = 0x700, .state = IPMU_SAVED_BORROWED,
			      .found = (own ^ OTHER) | 0x3c, .now = own | ENABLE | 0x34 });
		if (i & 2) {
			fault.read = EIO;
			assert_int_equal(ipmu_msr_write(&p, s->reg, 0, 0, ENABLE | 0x35), -EIO);
			assert_int_equal(registers[0x700], own | 0x77);
			fault.read = 0;
		}
		/* what the journal says is there already */
		assert_int_equal(ipmu_msr_write(&p, s->reg, 0, 0, ENABLE | 0x34), 0);
		assert_int_equal(registers[0x700], own | ENABLE | 0x34);
		assert_int_equal(ipmu_msr_write(&p, s->reg, 0, 0, ENABLE | 0x36), 0);
		assert_int_equal(reads, 1);
		written_and_restored(&p, ENABLE | 0x35, own | ENABLE | 0x35, own | ENABLE | 0x35,
				     own | 0x3c);
	}
}

/* Values that this process has read itself are not read again. */
static void a_saved_register_is_not_read_again(void **state)
{
	struct ipmu_regs p;
	struct ipmu_saved *s;

	(void)state;
	for (int i = 0; i < 2; i++) {
		uint64_t own = i ? OTHER : 0;

		s = saved_one(&p, &ipmu_skl_client_uncore, own | 0x77, (struct ipmu_saved){
			      .addr = 0x700, .found = own | 0x3c, .now = own | 0x77 });
		assert_int_equal(ipmu_msr_write(&p, s->reg, 0, 0, 0x3c), 0);
		assert_int_equal(registers[0x700], own | 0x3c);
		assert_int_equal(reads, 0);
		written_and_restored(&p, ENABLE | 0x34, own | ENABLE | 0x34, own | ENABLE | 0x34,
				     own | 0x3c);
	}
}

/* A counter moves: nothing of it is kept. */
static void a_counter_has_no_other_bits(void **state)
{
	struct ipmu_regs p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		saved_one(&p, &ipmu_skl_client_uncore, 0xF0000000077777, (struct ipmu_saved){
			  .addr = 0x706, .state = states[i], .found = 0x123456, .now = 5 });
		written_and_restored(&p, 0, 0, 99, 0x123456);
	}
}

/* Others may change bits of a shared register at any time: they are read before each write. */
static void a_shared_register_is_read_each_time(void **state)
{
	const uint64_t kernels = 3, ours = 1ull << 32;
	struct ipmu_regs p;
	struct ipmu_saved *s;

	(void)state;
	for (int i = 0; i < 2; i++) {
		s = saved_one(&p, &ipmu_arch_core, kernels, (struct ipmu_saved){ .addr = 0x38F,
			      .state = states[i], .found = 1, .now = 1 });
		assert_int_equal(ipmu_msr_update(&p, s->reg, 0, 0, ours, ours), 0);
		assert_true(registers[0x38F] == (kernels | ours));
		writes = 0;	/* it holds that already */
		assert_int_equal(ipmu_msr_update(&p, s->reg, 0, 0, ours, ours), 0);
		assert_int_equal(writes, 0);
		registers[0x38F] = kernels;	/* and now it does not */
		assert_int_equal(ipmu_msr_update(&p, s->reg, 0, 0, ours, ours), 0);
		assert_true(registers[0x38F] == (kernels | ours));
		registers[0x38F] = ours | 2;
		assert_int_equal(ipmu_msr_update(&p, s->reg, 0, 0, ours, 0), 0);
		assert_int_equal(registers[0x38F], 2);
		registers[0x38F] = ours | 2;	/* only changed bits are restored */
		assert_int_equal(ipmu_access_restore(&p), 0);
		assert_int_equal(registers[0x38F], 2);
		ipmu_access_close(&p);
	}
}

static void what_cannot_be_read_is_not_written(void **state)
{
	struct ipmu_regs p;
	struct ipmu_saved *s;

	(void)state;
	s = saved_one(&p, &ipmu_arch_core, 1, (struct ipmu_saved){ .addr = 0x38F, .found = 1 });
	fault.read = EIO;
	assert_int_equal(ipmu_msr_write(&p, s->reg, 0, 0, 1ull << 33), -EIO);
	assert_int_equal(ipmu_msr_update(&p, s->reg, 0, 0, 1ull << 33, 1ull << 33), -EIO);
	assert_int_equal(writes, 0);
	ipmu_access_close(&p);
}

/* Nothing is left to restore if the register holds its old value, although that write failed. */
static void what_needs_no_writing_back_is_restored(void **state)
{
	static const struct { uint64_t holds; int read, rc, saved; } cases[] = {
		{ 0x3c, 0, 0, 0 }, { OTHER | 0x3c, 0, 0, 0 }, { 0x3d, 0, -EIO, 1 },
		{ ENABLE | 0x3c, 0, -EIO, 1 }, { 0x3c, EIO, -EIO, 1 },
	};
	struct ipmu_regs p;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		saved_one(&p, &ipmu_skl_client_uncore, cases[i].holds, (struct ipmu_saved){
			  .addr = 0x700, .found = 0x3c, .now = ENABLE | 0x34,
			  .state = IPMU_SAVED_UNRESTORED });
		fault.write = EIO;
		fault.read = cases[i].read;
		assert_int_equal(ipmu_access_restore(&p), cases[i].rc);
		assert_int_equal(p.nsaved, cases[i].saved);
		ipmu_access_close(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_msr_device),
		cmocka_unit_test(the_state_directory),
		cmocka_unit_test(registers_that_do_not_answer),
		cmocka_unit_test(the_memory_controller),
		cmocka_unit_test(allocations),
		cmocka_unit_test(slice_counts),
		cmocka_unit_test(registers_that_cannot_be_put_back),
		cmocka_unit_test(a_busy_counter_is_not_probed),
		cmocka_unit_test(a_borrowed_register_is_read_first),
		cmocka_unit_test(a_saved_register_is_not_read_again),
		cmocka_unit_test(a_counter_has_no_other_bits),
		cmocka_unit_test(a_shared_register_is_read_each_time),
		cmocka_unit_test(what_cannot_be_read_is_not_written),
		cmocka_unit_test(what_needs_no_writing_back_is_restored),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
