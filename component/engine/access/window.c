/* SPDX-License-Identifier: MIT */
/* The memory controller's registers: base address from PCI configuration space, then one page of
 * physical memory, read with aligned 32-bit loads (wider ones return wrong values). */
#include "access.h"
#include "trace.h"

#include "../base/why.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HOST_BRIDGE "/sys/bus/pci/devices/0000:00:00.0/config"
#define MEMORY "/dev/mem"
#define PAGE 0x1000u
#define BAR_ENABLED 1u

__attribute__((noinline, cold))
static void trace(const struct ipmu_regs *p, const char *way, const struct ipmu_reg *reg,
		  uint64_t value)
{
	ipmu_trace_print(&(struct ipmu_trace_access){ .what = "package", .number = p->package,
						      .way = way, .reg = reg, .addr = reg->addr,
						      .value = value });
}

static int read_bar(const struct ipmu_regs *p, const struct ipmu_reg *bar, uint64_t *base,
		    char *why)
{
	uint64_t value;
	int fd = open(HOST_BRIDGE, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return ipmu_fail(why, -errno, "%s: %s: the memory controller cannot be found",
				 HOST_BRIDGE, strerror(errno));
	n = pread(fd, &value, sizeof(value), (off_t)bar->addr);
	close(fd);
	if (n != (ssize_t)sizeof(value))
		return ipmu_fail(why, -EACCES, "%s: offset 0x%X is not readable: it needs "
				 "CAP_SYS_ADMIN (root)", HOST_BRIDGE, (unsigned)bar->addr);
	if (ipmu_tracing())
		trace(p, ", in PCI 0000:00:00.0", bar, value);
	if (value == ~0ull)
		return ipmu_fail(why, -ENODEV, "%s: offset 0x%X reads as ones: the host bridge "
				 "does not answer; look whether the firmware or a hypervisor hides "
				 "it", HOST_BRIDGE, (unsigned)bar->addr);
	*base = value & ipmu_reg_fields(bar);
	if (!(value & BAR_ENABLED) || !*base)
		return ipmu_fail(why, -ENODEV, "%s: the memory controller's window at offset 0x%X "
				 "is switched off (0x%llX): enable it in the firmware",
				 HOST_BRIDGE, (unsigned)bar->addr, (unsigned long long)value);
	return 0;
}

int ipmu_window_open(struct ipmu_regs *p, const struct ipmu_reg *bar,
		     const struct ipmu_reg *reg, char *why)
{
	uint32_t first = reg->addr & ~(PAGE - 1);
	uint64_t base = 0;
	void *map;
	int fd, rc, err;

	rc = read_bar(p, bar, &base, why);
	if (rc)
		return rc;
	fd = open(MEMORY, O_RDONLY | O_SYNC | O_CLOEXEC);
	if (fd < 0)
		return ipmu_fail(why, -errno, "%s: %s: reading the memory controller needs "
				 "CAP_SYS_RAWIO (root)", MEMORY, strerror(errno));
	map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, (off_t)(base + first));
	err = errno;
	close(fd);
	if (map == MAP_FAILED)
		return ipmu_fail(why, -err, "%s at 0x%llX: %s: the kernel refuses device memory "
				 "(boot with iomem=relaxed, or use its uncore_imc driver)", MEMORY,
				 (unsigned long long)(base + first), strerror(err));
	p->window = map;
	p->window_first = first;
	return 0;
}

uint32_t ipmu_window_read(const struct ipmu_regs *p, const struct ipmu_reg *reg)
{
	uint32_t value = p->window[(reg->addr - p->window_first) / sizeof(uint32_t)];

	if (ipmu_tracing())
		trace(p, ", in the window", reg, value);
	return value;
}

void ipmu_window_close(struct ipmu_regs *p)
{
	if (p->window)
		munmap((void *)(uintptr_t)p->window, PAGE);
	p->window = NULL;
}
