/* SPDX-License-Identifier: MIT */
/* Segment files: a whole one of some machine, changed in places or cut. It is opened or refused
 * with a reason; an opened one can be listed, read and counted on. */
#include "fuzz.h"
#include "model/model.h"
#include "machine/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const machines[] = {
	"skl-1c2t", "knc-1c4t", "core2-2c", "nhmex-1p1c1t", "p4-1c2t",
};
#define MACHINES (sizeof(machines) / sizeof(machines[0]))

struct image {
	int fd;
	char path[64];
	struct vpmu_segment *whole;	/* never changed */
};

static const struct image *image_of(unsigned n)
{
	static struct image images[MACHINES];
	struct image *i = &images[n % MACHINES];
	struct vpmu_machine m;
	char why[512], path[64];

	if (i->whole)
		return i;
	snprintf(path, sizeof(path), "/dev/shm/fuzz-segment-%d-%u", (int)getpid(), n);
	REQUIRE(vpmu_machine_parse(machines[n % MACHINES], &m, why, sizeof(why)) == 0);
	REQUIRE(vpmu_segment_create(path, &m, &i->whole, why, sizeof(why)) == 0);
	unlink(path);
	i->fd = memfd_create("segment", MFD_CLOEXEC);
	REQUIRE(i->fd >= 0);
	snprintf(i->path, sizeof(i->path), "/proc/self/fd/%d", i->fd);
	return i;
}

/* The header and the registers; the caches behind them are left as holes. */
static void write_image(const struct image *i, const uint8_t *data, size_t size, off_t bytes)
{
	REQUIRE(ftruncate(i->fd, 0) == 0);
	REQUIRE(pwrite(i->fd, i->whole, i->whole->mmio_offset, 0) ==
		(ssize_t)i->whole->mmio_offset);
	while (size > 3) {
		unsigned at = (unsigned)data[0] << 8 | data[1];
		size_t n = 1 + (data[2] & 7);

		if (data[2] & 8)	/* what decides is at the beginning */
			at %= offsetof(struct vpmu_segment, machine) + sizeof(struct vpmu_machine);
		data += 3, size -= 3;
		n = n < size ? n : size;
		REQUIRE(pwrite(i->fd, data, n, (off_t)(at % i->whole->mmio_offset)) == (ssize_t)n);
		data += n, size -= n;
	}
	REQUIRE(ftruncate(i->fd, bytes) == 0);
}

static void use(struct vpmu_segment *s)
{
	struct vpmu_register_info reg;
	uint64_t value;

	for (uint32_t n = 0; vpmu_model_register(&s->machine, n, &reg); n++)
		for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(&s->machine); cpu++)
			(void)vpmu_model_peek(s, cpu, &reg, &value);
	vpmu_clock(s, 0, 1000);
	vpmu_dram(s, 0, 1, 1, 1);
	(void)vpmu_thread_find(s, 12345);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct image *i = image_of(fuzz_byte(&data, &size));
	unsigned cut = fuzz_byte(&data, &size);
	off_t bytes = (off_t)i->whole->bytes;
	struct vpmu_segment *s = NULL;
	char why[512] = "";

	/* Mostly whole; otherwise a few bytes missing, or most of it. */
	if (cut & 1)
		bytes = cut & 2 ? (off_t)(cut * 300) : bytes - (off_t)cut;
	write_image(i, data, size, bytes);
	if (vpmu_segment_open(i->path, &s, why, sizeof(why))) {
		REQUIRE(why[0] && !s);
		return 0;
	}
	use(s);
	vpmu_segment_close(s);
	return 0;
}
