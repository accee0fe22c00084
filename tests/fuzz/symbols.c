/* SPDX-License-Identifier: MIT */
/* Symbol tables of programs, in which an address of an emulated program is looked up. The input is
 * the file that the address is mapped from; its first two bytes are the place in it. */
#include "fuzz.h"
#include "feed/program/function_name.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPPED 4096u
#define NAME_BYTES 4200u

static char path[] = "/dev/shm/fuzz-symbols-XXXXXX";
static int fd = -1;
static const unsigned char *mapped;

static void take_down(void)
{
	(void)unlink(path);
}

static void set_up(void)
{
	fd = mkstemp(path);
	REQUIRE(fd >= 0);
	atexit(take_down);
	mapped = mmap(NULL, MAPPED, PROT_READ, MAP_SHARED, fd, 0);
	REQUIRE(mapped != MAP_FAILED);
}

/* "NAME of PATH", with a name that stands in the file, or "PATH+0xOFFSET". */
static void check_text(const char *text, const uint8_t *data, size_t size, unsigned offset)
{
	size_t length = strlen(text), name;
	char plain[128];

	snprintf(plain, sizeof(plain), "%s+0x%x", path, offset);
	if (!strcmp(text, plain))
		return;
	REQUIRE(length >= strlen(path) + 4);
	name = length - strlen(path) - 4;
	REQUIRE(!strncmp(text + name, " of ", 4) && !strcmp(text + name + 4, path));
	REQUIRE(!name || memmem(data, size, text, name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[NAME_BYTES];
	unsigned offset = fuzz_byte(&data, &size) << 8;
	char little[16];

	offset = (offset | fuzz_byte(&data, &size)) % MAPPED;
	if (fd < 0)
		set_up();
	REQUIRE(pwrite(fd, data, size, 0) == (ssize_t)size && ftruncate(fd, (off_t)size) == 0);
	vpmu_function_name(mapped + offset, text, sizeof(text));
	check_text(text, data, size, offset);
	vpmu_function_name(mapped + offset, little, sizeof(little));
	REQUIRE(strlen(little) < sizeof(little) && !strncmp(little, text, strlen(little)));
	return 0;
}
