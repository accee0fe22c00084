/* SPDX-License-Identifier: MIT */
/* The memory controllers' registers: base address from PCI configuration space, then a page of
 * physical memory for each controller, read with aligned loads as wide as the register (wider ones
 * return wrong values). */
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

/* The window of that offset; else a free one, with a NULL page; NULL: all are in use. */
static struct ipmu_window *window_of(struct ipmu_regs *p, uint32_t addr)
{
	for (int i = 0; i < IPMU_WINDOWS_MAX; i++)
		if (!p->windows[i].page || p->windows[i].first == (addr & ~(PAGE - 1)))
			return &p->windows[i];
	return NULL;
}

static int map_page(struct ipmu_window *w, uint64_t at, char *why)
{
	int fd = open(MEMORY, O_RDONLY | O_SYNC | O_CLOEXEC), err;
	void *map;

	if (fd < 0)
		return ipmu_fail(why, -errno, "%s: %s: reading the memory controller needs "
				 "CAP_SYS_RAWIO (root)", MEMORY, strerror(errno));
	map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, (off_t)at);
	err = errno;
	close(fd);
	if (map == MAP_FAILED)
		return ipmu_fail(why, -err, "%s at 0x%llX: %s: the kernel refuses device memory "
				 "(boot with iomem=relaxed, or use its uncore_imc driver)", MEMORY,
				 (unsigned long long)at, strerror(err));
	w->page = map;
	return 0;
}

int ipmu_window_open(struct ipmu_regs *p, const struct ipmu_reg *bar,
		     const struct ipmu_reg *reg, char *why)
{
	struct ipmu_window *w = window_of(p, reg->addr);
	uint64_t base = 0;
	int rc;

	if (!w)
		return ipmu_fail(why, -ENOSPC, "%s: no window is left for it", reg->name);
	if (w->page)
		return 0;
	rc = read_bar(p, bar, &base, why);
	if (rc)
		return rc;
	w->first = reg->addr & ~(PAGE - 1);
	return map_page(w, base + w->first, why);
}

uint64_t ipmu_window_read(const struct ipmu_regs *p, const struct ipmu_reg *reg)
{
	const struct ipmu_window *w = p->windows;
	const volatile unsigned char *at;
	uint64_t value;

	while (w->first != (reg->addr & ~(PAGE - 1)))
		w++;
	at = (const volatile unsigned char *)w->page + reg->addr % PAGE;
	value = reg->width > 32 ? *(const volatile uint64_t *)(const volatile void *)at :
				  *(const volatile uint32_t *)(const volatile void *)at;
	if (ipmu_tracing())
		trace(p, ", in the window", reg, value);
	return value;
}

void ipmu_window_close(struct ipmu_regs *p)
{
	for (int i = 0; i < IPMU_WINDOWS_MAX; i++) {
		if (p->windows[i].page)
			munmap((void *)(uintptr_t)p->windows[i].page, PAGE);
		p->windows[i].page = NULL;
	}
}
