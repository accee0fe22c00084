/* SPDX-License-Identifier: MIT */
/* Frames between `vpmu boot` and the first process of its machine, and the order to start, which is
 * cut into pieces there. The input is one side of the connection: all frames up to its end. */
#include "fuzz.h"
#include "fuzz_file.h"
#include "boot/guest/init.h"

/* The text and its NUL are the order's, or the NUL is the one behind it. */
static size_t check_text(const char *text, const char *payload, size_t bytes)
{
	REQUIRE(text >= payload && text < payload + bytes);
	return strlen(text);
}

static size_t check_texts(char **texts, uint32_t count, const char *payload, size_t bytes)
{
	size_t length = 0;

	for (uint32_t i = 0; i < count; i++)
		length += check_text(texts[i], payload, bytes) + 1;
	REQUIRE(!texts[count]);
	return length;
}

static void check_order(void *payload, size_t bytes)
{
	struct init_order order;
	gid_t any = 0;
	size_t length;

	if (!init_order_cut(payload, bytes, &order)) {
		REQUIRE(!order.words && !order.settings);
		return;
	}
	for (uint32_t i = 0; i < order.start->groups; i++)
		any |= order.groups[i];
	REQUIRE(!any || order.start->groups);	/* all can be read */
	length = sizeof(*order.start) + sizeof(*order.groups) * order.start->groups + 2 +
		 check_text(order.host, payload, bytes) + check_text(order.folder, payload, bytes);
	REQUIRE(order.start->words);
	length += check_texts(order.words, order.start->words, payload, bytes);
	length += check_texts(order.settings, order.start->settings, payload, bytes);
	REQUIRE(length <= bytes + 1);
	free(order.words);
	free(order.settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	size_t bytes, taken = 0;
	uint32_t type;
	void *payload;

	fuzz_file_write(&file, data, size);
	REQUIRE(lseek(file.fd, 0, SEEK_SET) == 0);
	while (!vpmu_frame_read(file.fd, &type, &payload, &bytes)) {
		taken += 8 + bytes;
		REQUIRE(taken <= size && !((char *)payload)[bytes]);
		if (type == VPMU_START)
			check_order(payload, bytes);
		free(payload);
	}
	return 0;
}

/* Ends the machine; nothing that is tried here calls it. */
void init_fail(const char *format, ...)
{
	(void)format;
	abort();
}
