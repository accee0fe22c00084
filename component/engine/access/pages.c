/* SPDX-License-Identifier: MIT */
/* The files of registers, and pages of physical memory that are mapped and given back. */
#include "access.h"

#include "../base/why.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 0x1000u

const char *ipmu_access_file(const struct ipmu_regs *p, const struct ipmu_reg *reg)
{
	return reg && reg->space == IPMU_MMIO ? IPMU_WINDOW_FILE : p->msr_path;
}

static int explain_open(int error, char *why)
{
	return ipmu_fail(why, -error, "%s: %s%s", IPMU_WINDOW_FILE, strerror(error),
			 error == EPERM || error == EACCES ?
			 ": reading the memory controller needs CAP_SYS_RAWIO (root)" :
			 error == ENOENT || error == ENXIO || error == ENODEV ?
			 ": the memory controller's registers are there: the kernel needs "
			 "CONFIG_DEVMEM, and a container the file" : ipmu_limit_advice(error));
}

int ipmu_window_map(struct ipmu_window *w, uint64_t at, bool write, char *why)
{
	int fd = open(IPMU_WINDOW_FILE, (write ? O_RDWR : O_RDONLY) | O_SYNC | O_CLOEXEC), err;
	void *page;

	if (fd < 0)
		return explain_open(errno, why);
	page = mmap(NULL, PAGE, PROT_READ | (write ? PROT_WRITE : 0), MAP_SHARED, fd, (off_t)at);
	err = errno;
	close(fd);
	if (page == MAP_FAILED)
		return ipmu_fail(why, -err, "%s at 0x%llX: %s%s", IPMU_WINDOW_FILE,
				 (unsigned long long)at, strerror(err),
				 err == EPERM || err == EACCES ?
				 ": the kernel refuses device memory (boot with iomem=relaxed, or "
				 "use its uncore_imc driver)" : ipmu_limit_advice(err));
	w->page = page;
	w->writable = write;
	return 0;
}

void ipmu_window_close(struct ipmu_regs *p)
{
	for (int i = 0; i < IPMU_WINDOWS_MAX; i++) {
		if (p->windows[i].page)
			munmap((void *)(uintptr_t)p->windows[i].page, PAGE);
		p->windows[i].page = NULL;
	}
}
