/* SPDX-License-Identifier: MIT */
/* The memory controllers' registers: base address from PCI configuration space, then a page of
 * physical memory for each controller. Accesses are aligned and as wide as the register: wider
 * loads return wrong values, and halves of a counter may be of different moments.
 * ipmu_window_open() maps a page, under the system's lock. ipmu_window_read() needs the page mapped
 * and takes no lock. A mapped page stays until ipmu_window_close(), so readers cannot lose it. */
#include "access.h"
#include "trace.h"

#include "../base/why.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define HOST_BRIDGE "/sys/bus/pci/devices/0000:00:00.0/config"
#define PAGE 0x1000u
#define BAR_ENABLED 1u

__attribute__((noinline, cold))
static void trace(const struct ipmu_regs *p, const char *way, const struct ipmu_reg *reg,
		  uint32_t addr, bool write, uint64_t value)
{
	bool by_number = ipmu_reg_at(p->registers, addr, NULL, NULL);

	ipmu_trace_print(&(struct ipmu_trace_access){ .what = "package", .number = p->package,
						      .way = way, .reg = by_number ? NULL : reg,
						      .addr = addr, .write = write,
						      .value = value });
}

static int read_bar(const struct ipmu_regs *p, const struct ipmu_reg *bar, uint64_t *base,
		    char *why)
{
	uint64_t value;
	int fd = open(HOST_BRIDGE, O_RDONLY | O_CLOEXEC), error;
	ssize_t n;

	if (fd < 0)
		return ipmu_fail(why, -errno, "%s: %s: the memory controller cannot be found%s",
				 HOST_BRIDGE, strerror(errno), ipmu_limit_advice(errno));
	n = pread(fd, &value, sizeof(value), (off_t)bar->addr);
	error = errno;
	close(fd);
	if (n < 0 && error != EPERM && error != EACCES)
		return ipmu_fail(why, -error, "%s: offset 0x%X: %s", HOST_BRIDGE,
				 (unsigned)bar->addr, strerror(error));
	if (n != (ssize_t)sizeof(value))
		return ipmu_fail(why, -EACCES, "%s: offset 0x%X is not readable: it needs "
				 "CAP_SYS_ADMIN (root)", HOST_BRIDGE, (unsigned)bar->addr);
	if (ipmu_tracing())
		trace(p, ", in PCI 0000:00:00.0", bar, bar->addr, false, value);
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

static const struct ipmu_reg *bar_of(const struct ipmu_regs *p)
{
	const struct ipmu_reg *const *r = p->registers;

	while ((*r)->space != IPMU_PCI)
		r++;
	return *r;
}

static bool writes_there(const struct ipmu_regs *p)
{
	for (const struct ipmu_reg *const *r = p->registers; *r; r++)
		if ((*r)->space == IPMU_MMIO && ipmu_reg_writable(*r))
			return true;
	return false;
}

/* The physical address of that register. */
static int address(struct ipmu_regs *p, uint32_t addr, uint64_t *at, char *why)
{
	uint64_t base = 0;
	int rc;

	if (addr >= IPMU_UNITS_FROM) {
		rc = ipmu_discovery_read(p, why);
		if (!rc && !ipmu_discovery_has(p, addr))	/* only a file can name it */
			rc = ipmu_fail(why, -ENXIO, "this machine has no unit with register 0x%X",
				       (unsigned)addr);
		*at = rc ? 0 : ipmu_discovery_address(p, addr);
		return rc;
	}
	rc = read_bar(p, bar_of(p), &base, why);
	*at = base + addr;
	return rc;
}

int ipmu_window_open(struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr, char *why)
{
	struct ipmu_window *w = window_of(p, addr);
	uint64_t at;
	int rc;

	if (!w)
		return ipmu_fail(why, -ENOSPC, "%s: no window is left for it", reg->name);
	if (w->page)
		return 0;
	rc = address(p, addr, &at, why);
	if (rc)
		return rc;
	w->first = addr & ~(PAGE - 1);
	at &= ~(uint64_t)(PAGE - 1);
	if (writes_there(p) && !ipmu_window_map(w, at, true, NULL))
		return 0;
	return ipmu_window_map(w, at, false, why);
}

static const struct ipmu_window *opened(const struct ipmu_regs *p, uint32_t addr)
{
	const struct ipmu_window *w = p->windows;

	while (w->first != (addr & ~(PAGE - 1)))
		w++;
	return w;
}

static volatile void *place(const struct ipmu_regs *p, uint32_t addr)
{
	uint64_t at = addr < IPMU_UNITS_FROM ? addr : ipmu_discovery_address(p, addr);

	return (volatile unsigned char *)opened(p, addr)->page + at % PAGE;
}

bool ipmu_window_writable(const struct ipmu_regs *p, uint32_t addr)
{
	return opened(p, addr)->writable;
}

uint64_t ipmu_window_read(const struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr)
{
	volatile void *at = place(p, addr);
	uint64_t value = reg->width > 32 ? *(volatile uint64_t *)at : *(volatile uint32_t *)at;

	if (ipmu_tracing())
		trace(p, ", in the window", reg, addr, false, value);
	return value;
}

int ipmu_window_write(const struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr,
		      uint64_t value)
{
	volatile void *at = place(p, addr);

	if (!ipmu_window_writable(p, addr))
		return -EACCES;
	if (reg->width > 32)
		*(volatile uint64_t *)at = value;
	else
		*(volatile uint32_t *)at = (uint32_t)value;
	if (ipmu_tracing())
		trace(p, ", in the window", reg, addr, true, value);
	return 0;
}
