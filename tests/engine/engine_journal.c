/* SPDX-License-Identifier: MIT */
/* The journal is bytes from a file that anybody may have written: what is accepted names registers
 * of the family only, and with it no bit is written that the document does not give. */
#include "lease/journal.h"
#include "lease/state.h"
#include "engine_fixture.h"
#include "on_machine.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define BOOT "11111111-2222-3333-4444-555555555555"
#define GLOBAL "MSR_UNC_PERF_GLOBAL_CTRL"
#define SELECT "MSR_UNC_CBO_0_PERFEVTSEL0"

static const struct ipmu_family *const skl = &ipmu_skl_client_uncore;
static struct ipmu_journal j, out;

static void add(uint32_t addr, uint64_t found, uint64_t now, uint64_t writable)
{
	j.saved[j.header.nsaved++] = (struct ipmu_journal_entry){
		.addr = addr, .found = found, .now = now, .writable = writable };
}

/* As the document has it: GLOBAL_CTRL, and counter 0 of C-Box 0 with its select. */
static void good(void)
{
	memset(&j, 0, sizeof(j));
	ipmu_journal_init(&j.header, skl, 0, BOOT);
	add(0xE01, 0x8000000F, 0x20000000, 0xE000000F);
	add(0x700, 0x508834, 0x401834, 0x1FD4FFFF);
	add(0x706, 42, 42, 0xFFFFFFFFFFF);
	j.header.nslots = 1;
	j.slots[0] = (struct ipmu_journal_slot){ .used = 1, .counters = 3, .select = 0x1834 };
	strcpy(j.slots[0].event, "skl_unc_cbo.X");
}

static int check(size_t length)
{
	char why[IPMU_WHY_MAX] = "";
	int rc = ipmu_journal_check(&j, length, skl, 0, BOOT, &out, why);

	assert_int_equal(rc < 0, why[0] != '\0');
	return rc;
}

static void states(void **state)
{
	(void)state;
	good();
	assert_memory_equal(&j.header, "IMPURNL1", 8);	/* of all versions: one refuses another's */
	assert_int_equal(check(sizeof(j)), IPMU_JOURNAL_VALID);
	assert_memory_equal(&j, &out, sizeof(j));
	assert_int_equal(check(0), IPMU_JOURNAL_FRESH);
	strcpy(j.header.boot_id, "another");
	assert_int_equal(check(sizeof(j)), IPMU_JOURNAL_OLD);
	memset(&j, 0, sizeof(j));
	assert_int_equal(check(sizeof(j)), IPMU_JOURNAL_FRESH);
}

static void every_cut_is_noticed(void **state)
{
	(void)state;
	good();
	for (size_t n = 1; n < sizeof(j); n++)
		assert_int_equal(check(n), -EBADMSG);
	assert_int_equal(check(sizeof(j) + 1), -EBADMSG);
}

#define BAD(change) do { good(); change; assert_int_equal(check(sizeof(j)), -EBADMSG); } while (0)

static void what_cannot_be_is_refused(void **state)
{
	(void)state;
	BAD(j.header.magic++);
	BAD(j.header.version++);
	BAD(j.header.bytes--);
	BAD(j.header.place = 1);
	BAD(strcpy(j.header.family, "knc"));
	BAD(memset(j.header.family, 'x', sizeof(j.header.family)));
	BAD(memset(j.header.boot_id, 'x', sizeof(j.header.boot_id)));
	BAD(j.header.generation = 0);
	BAD(j.header.nsaved = IPMU_SAVED_MAX + 1);
	BAD(j.header.nslots = IPMU_JOURNAL_SLOTS + 1);
	BAD(j.saved[0].addr = 0x1A0);		/* IA32_MISC_ENABLE */
	BAD(j.saved[0].addr = 0);
	BAD(j.saved[0].addr = 0x708);		/* between two boxes */
	BAD(j.saved[0].addr = 0x5044);		/* the memory controller's, not an MSR */
	BAD(j.saved[1].writable |= 1ull << 63);
	BAD(j.saved[1].addr = 0xE01);		/* other fields */
	BAD(j.saved[1] = j.saved[0]);		/* twice */
	BAD(j.slots[0].used = 2);
	BAD(j.slots[0].type = 4);
	BAD(j.slots[0].box = IPMU_BOXES_MAX);
	BAD(j.slots[0].ctr = 2);
	BAD(j.slots[0].direction = 3);
	BAD(j.slots[0].nextra = IPMU_EXTRA_MAX + 1);
	BAD((j.slots[0].nextra = 1, j.slots[0].extra[0].reg = 99));
	BAD((j.slots[0].nextra = 1, j.slots[0].extra[0].value = 1ull << 40));
	BAD((j.slots[0].nextra = 1, j.slots[0].extra[0].index = 1));
	BAD(memset(j.slots[0].event, 'x', sizeof(j.slots[0].event)));
	BAD(j.slots[0].event[3] = '\033');
	BAD((j.header.nslots = 2, j.slots[1] = j.slots[0]));
}

/* A choice read from the journal is complete: another process compares and programs it again. */
static void a_choice_comes_back_as_it_was_put(void **state)
{
	const struct ipmu_choice choice = {
		.counters = 0x3, .select = 0x401834, .companions = 0x30,
		.companion_select = 0x35000,
		.preset = true, .preset_value = 0xFFFFFFFFFF6, .direction = 2, .clear = true,
		.nextra = 2,
		.extra = { { .reg = skl->registers[1], .index = 3, .mask = 0xFF, .value = 0x12 },
			   { .reg = skl->registers[0], .index = 1, .mask = 0x300,
			     .value = 0x100 } },
	};
	struct ipmu_journal_slot slot = { .used = 1 };
	struct ipmu_choice back;

	(void)state;
	memset(&back, 0xFF, sizeof(back));
	assert_int_equal(ipmu_journal_put_choice(skl, &choice, &slot), 0);
	ipmu_journal_get_choice(skl, &slot, &back);
	assert_true(back.counters == choice.counters && back.select == choice.select);
	assert_true(back.companions == choice.companions);
	assert_true(back.companion_select == choice.companion_select);
	assert_true(back.preset && back.preset_value == choice.preset_value);
	assert_int_equal(back.direction, choice.direction);
	assert_true(back.clear);
	assert_int_equal(back.nextra, choice.nextra);
	for (int i = 0; i < choice.nextra; i++) {
		assert_ptr_equal(back.extra[i].reg, choice.extra[i].reg);
		assert_int_equal(back.extra[i].index, choice.extra[i].index);
		assert_true(back.extra[i].mask == choice.extra[i].mask);
		assert_true(back.extra[i].value == choice.extra[i].value);
	}
}

/* Any register of any family is found again by its address, and no other address is. */
static void registers_are_found_by_address(void **state)
{
	(void)state;
	for (const struct ipmu_family *const *f = ipmu_families; *f; f++) {
		int n = 0, found = 0;

		for (uint32_t addr = 0; addr < 0x20000; addr++)
			found += ipmu_journal_register(*f, addr, NULL, NULL) != NULL;
		for (uint32_t addr = IPMU_UNITS_FROM - 0x1000; addr < IPMU_UNITS_GLOBAL + 0x1000;
		     addr++)
			found += ipmu_journal_register(*f, addr, NULL, NULL) != NULL;
		for (const struct ipmu_reg *const *r = (*f)->registers; *r; r++)
			if (((*r)->space == IPMU_MSR && (*r)->access != IPMU_WO &&
			     !(*r)->never_write) ||
			    ((*r)->space == IPMU_MMIO && ipmu_reg_writable(*r)))
				n += ((*r)->boxes ? (*r)->boxes : 1) *
				     ((*r)->ctrs ? (*r)->ctrs : 1);
		assert_int_equal(found, n);
	}
}

/* Changes of single bytes: refused, or harmless: nothing in `out` is outside the tables. */
static void any_byte_may_change(void **state)
{
	int accepted = 0;

	(void)state;
	srand(4711);
	for (int i = 0; i < 20000; i++) {
		good();
		for (int n = rand() % 4; n >= 0; n--)
			((unsigned char *)&j)[(size_t)rand() % (rand() % 2 ? sizeof(j) : 400)] =
				(unsigned char)rand();
		if (check(sizeof(j)) != IPMU_JOURNAL_VALID)
			continue;
		accepted++;
		for (uint32_t k = 0; k < out.header.nsaved; k++)
			assert_non_null(ipmu_journal_register(skl, out.saved[k].addr, NULL, NULL));
	}
	assert_in_range(accepted, 200, 19800);
}

/* ---- a file on a machine */

static void put_file(int place)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/package-%d.skl_unc", getenv("IPMU_STATE_DIR"), place);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, &j, sizeof(j)), sizeof(j));
	close(fd);
}

static void real_boot(void)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	assert_non_null(file);
	assert_non_null(fgets(j.header.boot_id, sizeof(j.header.boot_id), file));
	fclose(file);
	j.header.boot_id[strcspn(j.header.boot_id, "\n")] = '\0';
}

static int opens(const struct engine_fixture *f)
{
	struct ipmu_system *sys;
	char why[IPMU_WHY_MAX] = "";
	int rc = ipmu_system_open(f->topo, IPMU_SCOPE_PACKAGE, &sys, why);

	if (!rc)
		ipmu_system_close(sys);
	else
		print_message("%s\n", why);
	return rc;
}

/* Only documented fields of a forged journal reach a register: the machine records each write of
 * another bit, and the test run fails on any. */
static void a_forged_journal_writes_documented_fields_only(void **state)
{
	const struct engine_fixture *f = *state;

	good();
	real_boot();
	j.saved[0].found = ~0ull;
	j.saved[1].found = ~0ull;
	j.saved[2].found = ~0ull;
	j.saved[0].now = engine_fixture_peek(f, GLOBAL);
	j.saved[1].now = engine_fixture_peek(f, SELECT) ^ 1;	/* it is somebody else's now */
	put_file(0);
	assert_int_equal(opens(f), 0);
	assert_int_equal(engine_fixture_peek(f, SELECT), j.saved[1].now ^ 1);
	j.saved[1].now ^= 1;
	put_file(0);
	assert_int_equal(opens(f), 0);
	assert_int_equal(engine_fixture_peek(f, GLOBAL), 0xE000000F);
	assert_int_equal(engine_fixture_peek(f, SELECT), 0x1FD4FFFF);
	assert_int_equal(f->segment->violation_count, 0);
	engine_fixture_poke(f, GLOBAL, 0x8000000F);
	engine_fixture_poke(f, SELECT, 0x508834);
	engine_fixture_poke(f, "MSR_UNC_CBO_0_PERFCTR0", 0);
	assert_int_equal(engine_fixture_changed(f, true), 0);
}

/* The journal's author died after noting a write, and before that write. */
static void the_register_says_what_it_holds(void **state)
{
	const struct engine_fixture *f = *state;

	good();
	real_boot();
	j.saved[1].now = j.saved[1].found;
	j.saved[2].found = 0;
	put_file(0);
	engine_fixture_poke(f, SELECT, 0x1834);
	assert_int_equal(opens(f), 0);
	assert_int_equal(engine_fixture_changed(f, true), 0);
}

static void a_journal_of_another_boot_is_discarded(void **state)
{
	const struct engine_fixture *f = *state;

	good();
	j.saved[1].found = 0x1111;
	put_file(0);
	assert_int_equal(opens(f), 0);
	assert_int_equal(engine_fixture_changed(f, true), 0);
}

static void a_damaged_journal_writes_nothing(void **state)
{
	const struct engine_fixture *f = *state;
	uint64_t was = f->segment->accesses.wrmsr;

	good();
	real_boot();
	j.saved[2].addr = 0x1A0;
	put_file(0);
	assert_int_equal(opens(f), -EBADMSG);
	assert_int_equal(f->segment->accesses.wrmsr, was);
	assert_int_equal(engine_fixture_changed(f, true), 0);
	good();
	put_file(0);	/* of another boot: for later processes */
}

/* Members of the group that may write the directory may write its files; nobody else may. */
static void a_file_is_shared_as_its_directory_is(void **state)
{
	static const struct { mode_t directory, file; } rows[] = {
		{ 0700, 0600 }, { 0755, 0600 }, { 02770, 0660 }, { 0770, 0660 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[] = "/tmp/engine_journal.XXXXXX", why[IPMU_WHY_MAX] = "";
		struct stat st, d;
		int dir, fd;

		assert_non_null(mkdtemp(path));
		assert_int_equal(chmod(path, rows[i].directory), 0);
		dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fd = ipmu_state_file(dir, path, "file", true, why);
		if (fd < 0)
			fail_msg("%s", why);
		assert_true(fstat(fd, &st) == 0 && fstat(dir, &d) == 0);
		assert_int_equal(st.st_mode & 07777, rows[i].file);
		assert_int_equal(st.st_gid, d.st_gid);
		close(fd);
		unlinkat(dir, "file", 0);
		close(dir);
		rmdir(path);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),
		cmocka_unit_test(every_cut_is_noticed),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(a_choice_comes_back_as_it_was_put),
		cmocka_unit_test(registers_are_found_by_address),
		cmocka_unit_test(any_byte_may_change),
		cmocka_unit_test(a_file_is_shared_as_its_directory_is),
		cmocka_unit_test(a_forged_journal_writes_documented_fields_only),
		cmocka_unit_test(the_register_says_what_it_holds),
		cmocka_unit_test(a_journal_of_another_boot_is_discarded),
		cmocka_unit_test(a_damaged_journal_writes_nothing),
	};

	(void)argc;
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, engine_fixture_open, engine_fixture_close);
}
