/* SPDX-License-Identifier: MIT */
/* Journals: a good one of some family, changed in places or cut. What the check lets through names
 * only registers and counters that the family has, and comes out as it went in. */
#include "event_check.h"
#include "lease/journal.h"
#include "counting/system.h"
#include "fuzz.h"

#define BOOT "01234567-89ab-cdef-0123-456789abcdef"
#define PLACE 3

/* Every register that can be saved, and a few slots of the family's first type. */
static void fill(const struct ipmu_family *family, struct ipmu_journal *j)
{
	memset(j, 0, sizeof(*j));
	ipmu_journal_init(&j->header, family, PLACE, BOOT);
	for (int i = 0; family->registers[i] && j->header.nsaved < IPMU_SAVED_MAX; i++) {
		const struct ipmu_reg *reg = family->registers[i];
		uint32_t addr = ipmu_reg_addr(reg, 0, 0);

		if (ipmu_journal_register(family, addr, NULL, NULL) != reg)
			continue;
		j->saved[j->header.nsaved++] = (struct ipmu_journal_entry){
			.addr = addr, .writable = ipmu_reg_writable(reg),
		};
	}
	for (; j->header.nslots < 4; j->header.nslots++) {
		struct ipmu_journal_slot *slot = &j->slots[j->header.nslots];

		slot->used = 1;
		slot->ctr = (uint8_t)(j->header.nslots % (unsigned)family->types[0]->counters);
		slot->counters = 1;
		snprintf(slot->event, sizeof(slot->event), "event %u", (unsigned)j->header.nslots);
	}
}

static size_t change(uint8_t *bytes, size_t length, const uint8_t *data, size_t size)
{
	unsigned cut = fuzz_byte(&data, &size);

	while (size > 3) {
		size_t at = ((size_t)data[0] << 8 | data[1]) % length;
		size_t n = 1 + (data[2] & 7);

		if (data[2] & 8)	/* the header decides most */
			at %= sizeof(struct ipmu_journal_header);
		data += 3, size -= 3;
		n = n < size ? n : size;
		n = n < length - at ? n : length - at;
		memcpy(bytes + at, data, n);
		data += n, size -= n;
	}
	return cut & 1 ? length - cut * 64 : length;
}

static void check_saved(const struct ipmu_family *family, const struct ipmu_journal *j)
{
	REQUIRE(j->header.nsaved <= IPMU_SAVED_MAX && j->header.nslots <= IPMU_JOURNAL_SLOTS);
	for (uint32_t i = 0; i < j->header.nsaved; i++) {
		int box, ctr;
		const struct ipmu_reg *reg = ipmu_journal_register(family, j->saved[i].addr, &box,
								   &ctr);

		REQUIRE(reg && (reg->space == IPMU_MSR || ipmu_reg_writable(reg)));
		REQUIRE(ipmu_reg_addr(reg, box, ctr) == j->saved[i].addr);
		REQUIRE(j->saved[i].writable == ipmu_reg_writable(reg));
	}
}

static void check_slots(const struct ipmu_family *family, const struct ipmu_journal *j)
{
	for (uint32_t i = 0; i < j->header.nslots; i++) {
		const struct ipmu_journal_slot *slot = &j->slots[i];
		struct ipmu_journal_slot again = { 0 };
		struct ipmu_choice choice;
		int types = 0;

		if (!slot->used)
			continue;
		while (family->types[types])
			types++;
		REQUIRE(slot->type < types && slot->box < IPMU_BOXES_MAX);
		REQUIRE(slot->ctr < family->types[slot->type]->counters);
		REQUIRE(memchr(slot->event, '\0', sizeof(slot->event)));
		ipmu_journal_get_choice(family, slot, &choice);
		REQUIRE(ipmu_journal_put_choice(family, &choice, &again) == 0);
		REQUIRE(again.select == slot->select && again.nextra == slot->nextra);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ipmu_family *family = event_check_system(fuzz_byte(&data, &size))->family;
	static struct ipmu_journal bytes, out;
	char why[IPMU_WHY_MAX] = "";
	size_t length;
	int rc;

	fill(family, &bytes);
	length = change((uint8_t *)&bytes, sizeof(bytes), data, size);
	rc = ipmu_journal_check(&bytes, length, family, PLACE, BOOT, &out, why);
	if (rc < 0) {
		REQUIRE(why[0]);
	} else if (rc == IPMU_JOURNAL_VALID) {
		check_saved(family, &out);
		check_slots(family, &out);
	}
	return 0;
}
