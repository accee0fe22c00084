/* SPDX-License-Identifier: MIT */
/* Frames between `vpmu boot` and its machine: they arrive as they were sent, and a length that
 * nothing follows takes no memory. */
#include "virtual_pmu/boot/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static size_t largest;		/* bytes requested at once */

static void note(size_t bytes)
{
	largest = bytes > largest ? bytes : largest;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
	note(bytes);
	return __real_malloc(bytes);
}

void *__real_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes)
{
	note(bytes);
	return __real_realloc(old, bytes);
}

static int port_open(void)
{
	int fd = memfd_create("port", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* A position changes the pattern, and every part of a frame differs from the others. */
static void pattern_fill(unsigned char *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		data[i] = (unsigned char)(i + i / 251 + i / 65536);
}

static void frames_arrive(void **state)
{
	static const size_t lengths[] = { 0, 1, 65535, 65536, 65537, 131072, 200001 };
	static unsigned char sent[200001];
	int fd = port_open();
	size_t bytes = 0;
	uint32_t type = 0;
	void *payload = NULL;

	(void)state;
	pattern_fill(sent, sizeof(sent));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		assert_int_equal(vpmu_frame_write(fd, VPMU_SIGNAL, sent, lengths[i]), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		assert_int_equal(vpmu_frame_read(fd, &type, &payload, &bytes), 0);
		assert_int_equal(type, VPMU_SIGNAL);
		assert_int_equal(bytes, lengths[i]);
		assert_memory_equal(payload, sent, bytes);
		assert_int_equal(((char *)payload)[bytes], '\0');
		free(payload);
	}
	assert_int_equal(vpmu_frame_read(fd, &type, &payload, &bytes), -1);
	close(fd);
}

static void length_takes_no_memory(void **state)
{
	static const uint32_t lengths[] = { 101, 65537, 64u << 20, (64u << 20) + 1, UINT32_MAX };
	static const char some[100];
	size_t bytes;
	uint32_t type;
	void *payload;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		uint32_t head[2] = { VPMU_START, lengths[i] };
		int fd = port_open();

		assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
		assert_int_equal(write(fd, some, sizeof(some)), sizeof(some));
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		largest = 0;
		assert_int_equal(vpmu_frame_read(fd, &type, &payload, &bytes), -1);
		assert_true(largest <= 1 << 17);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_arrive),
		cmocka_unit_test(length_takes_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
