/* SPDX-License-Identifier: MIT */
/* --cpus and --set of `vpmu run`. The input is a byte that chooses the machine, the text of --cpus
 * up to a NUL, and the text of --set. What is accepted means what a plain reading of it means. */
#include "complaints.h"
#include "machine/machine.h"
#include "machine/segment.h"
#include "model/model.h"

#include <ctype.h>

static const char *const names[] = {
	"skl-4c8t", "nhmex-2p16c32t", "p4-1c2t", "core2-4c", "adl-8p8e24t",
};
#define MACHINES (sizeof(names) / sizeof(names[0]))

/* A machine without a segment behind it: nothing of it is used but its description. */
static struct vpmu_segment *machine(unsigned n)
{
	static struct vpmu_segment *all[MACHINES];
	char why[512];

	n %= MACHINES;
	if (!all[n]) {
		all[n] = calloc(1, sizeof(*all[n]));
		REQUIRE(all[n]);
		REQUIRE(!vpmu_machine_parse(names[n], &all[n]->machine, why, sizeof(why)));
	}
	return all[n];
}

/* Digits from here on; the number, or a large one. */
static unsigned long digits(const char **at)
{
	unsigned long n = 0;

	REQUIRE(isdigit((unsigned char)**at));
	for (; isdigit((unsigned char)**at); ++*at)
		n = n < 100000 ? n * 10 + (unsigned long)(**at - '0') : n;
	return n;
}

static void check_mask(const char *text, const struct vpmu_machine *m, const uint64_t *mask)
{
	uint64_t expected[VPMU_CPUS_MAX / 64] = { 0 };

	for (const char *at = text; *at; at += *at == ',') {
		unsigned long first = digits(&at), last = first;

		if (*at == '-') {
			at++;
			last = digits(&at);
		}
		REQUIRE(*at == ',' || !*at);
		REQUIRE(first <= last && last < vpmu_machine_cpus(m));
		for (; first <= last; first++)
			expected[first / 64] |= UINT64_C(1) << first % 64;
	}
	REQUIRE(text[0] && text[strlen(text) - 1] != ',');
	REQUIRE(!memcmp(expected, mask, sizeof(expected)));
}

static void check_cpus(struct vpmu_segment *s, const char *text)
{
	struct vpmu_cpus cpus;
	int before = complaints, rc = vpmu_affinity(s, text, &cpus);

	REQUIRE((rc != 0) == (complaints > before));
	if (!rc && strcmp(text, "rank"))
		check_mask(text, &s->machine, cpus.mask);
}

/* An accepted value: digits of its base and nothing else, no more bits than the register has. */
static void check_value(const char *text, unsigned width)
{
	unsigned base = text[0] != '0' ? 10 : tolower((unsigned char)text[1]) == 'x' ? 16 : 8;
	unsigned __int128 value = 0;

	for (text += base == 16 ? 2 : 0; *text; text++) {
		int c = tolower((unsigned char)*text);

		REQUIRE(base == 16 ? isxdigit(c) : isdigit(c) && (unsigned)c < '0' + base);
		value = value * base + (unsigned)(isdigit(c) ? c - '0' : c - 'a' + 10);
		REQUIRE(!(value >> width));
	}
}

static void check_set(const struct vpmu_machine *m, const char *text)
{
	struct vpmu_register_info reg;
	const char *equals = strchr(text, '=');
	int before = complaints, rc = vpmu_setting(m, NULL, text);
	char name[64];

	REQUIRE((rc != 0) == (complaints > before));
	if (rc)
		return;
	REQUIRE(equals && equals[1]);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
	REQUIRE(!vpmu_model_find(m, name, &reg));
	check_value(equals + 1, reg.width);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vpmu_segment *s = machine(fuzz_byte(&data, &size));
	char text[512], *set;

	size = size < sizeof(text) - 2 ? size : sizeof(text) - 2;
	memset(text, 0, sizeof(text));
	if (size)
		memcpy(text, data, size);
	set = text + strlen(text) + 1;
	check_cpus(s, text);
	check_set(&s->machine, set);
	return 0;
}
