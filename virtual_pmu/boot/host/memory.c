/* SPDX-License-Identifier: MIT */
/* Describes to the kernel which memory of a booted machine belongs to which package. The firmware
 * has a table for that (ACPI 6.4, 5.2.16, System Resource Affinity Table). vpmu_boot_affinity()
 * makes the table, vpmu_boot_node_bytes() is each package's share. The feed divides memory by the
 * same share. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host.h"

#define ALIGNMENT (UINT64_C(2) << 20)

/* The q35 board has memory below 4 GiB up to here, or if there is more than that, 2 GiB of it; what
 * is more is above 4 GiB. */
#define BELOW_MAX UINT64_C(0xb0000000)
#define BELOW_OF_MORE UINT64_C(0x80000000)
#define ABOVE (UINT64_C(1) << 32)

struct cpu_entry {
	uint8_t type, bytes;		/* 2: by the number of its local x2APIC */
	uint16_t reserved;
	uint32_t domain, apic, flags, clock_domain, reserved_too;
};

struct memory_entry {
	uint8_t type, bytes;		/* 1 */
	uint32_t domain;
	uint16_t reserved;
	uint64_t base, length;
	uint32_t reserved_too, flags;
	uint64_t reserved_last;
} __attribute__((packed));

#define ENABLED 1u

static uint64_t bytes_of(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	return n << (*end == 'G' ? 30 : 20);
}

uint64_t vpmu_boot_node_bytes(const struct vpmu_boot *boot)
{
	const struct vpmu_machine *m = &boot->place->segment->machine;

	if (m->packages == 1 || m->one_node)
		return 0;
	return bytes_of(boot->memory) / m->packages / ALIGNMENT * ALIGNMENT;
}

/* The board gives threads and cores whole bits of the number. */
static uint32_t apic_of(const struct vpmu_machine *m, uint32_t package, uint32_t core,
			uint32_t thread)
{
	uint32_t threads = 1, cores = 1;

	while (threads < m->threads)
		threads *= 2;
	while (cores < m->cores)
		cores *= 2;
	return (package * cores + core) * threads + thread;
}

static void put_cpus(FILE *out, const struct vpmu_machine *m, uint32_t package)
{
	for (uint32_t core = 0; core < m->cores; core++)
		for (uint32_t thread = 0; thread < m->threads; thread++) {
			struct cpu_entry e = { .type = 2, .bytes = sizeof(e), .domain = package,
					       .apic = apic_of(m, package, core, thread),
					       .flags = ENABLED };

			fwrite(&e, sizeof(e), 1, out);
		}
}

static void put_range(FILE *out, uint32_t package, uint64_t base, uint64_t end)
{
	struct memory_entry e = { .type = 1, .bytes = sizeof(e), .domain = package, .base = base,
				  .length = end - base, .flags = ENABLED };

	if (base < end)
		fwrite(&e, sizeof(e), 1, out);
}

/* Memory from `at` to `end`, counted from its start, is in two places if the hole is within. */
static void put_memory(FILE *out, uint32_t package, uint64_t at, uint64_t end, uint64_t below)
{
	put_range(out, package, at, end < below ? end : below);
	put_range(out, package, ABOVE + (at > below ? at - below : 0),
		  end > below ? ABOVE + end - below : 0);
}

static void put_table(FILE *out, const struct vpmu_boot *boot)
{
	static const uint32_t head[3] = { 1 };
	const struct vpmu_machine *m = &boot->place->segment->machine;
	uint64_t bytes = bytes_of(boot->memory), each = vpmu_boot_node_bytes(boot);
	uint64_t below = bytes >= BELOW_MAX ? BELOW_OF_MORE : bytes;

	fwrite(head, sizeof(head), 1, out);
	for (uint32_t i = 0; i < m->packages; i++) {
		put_cpus(out, m, i);
		put_memory(out, i, i * each, i + 1 == m->packages ? bytes : (i + 1) * each, below);
	}
}

int vpmu_boot_affinity(const struct vpmu_boot *boot)
{
	int fd = memfd_create("vpmu-srat", 0), copy = fd < 0 ? -1 : dup(fd);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (out)
		put_table(out, boot);
	if (out && !fclose(out))
		return fd;
	vpmu_complain("cannot make the table of memory: %s", strerror(errno));
	return -1;
}
