/* SPDX-License-Identifier: MIT */
/* Event names of any bytes, on every family: the first byte chooses it. */
#include "event_check.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ipmu_system *sys = event_check_system(fuzz_byte(&data, &size));
	char name[512];

	size = size < sizeof(name) ? size : sizeof(name) - 1;
	if (size)
		memcpy(name, data, size);
	name[size] = '\0';
	event_check_parse(sys, name);
	return 0;
}
