// SPDX-License-Identifier: MIT
/* Fills and reads a block under a memory policy: policies [calls | mbind | MODE NODES]. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES ((size_t)64 << 20)
#define PAGES (BYTES / 4096)

static int failed;

static void expect(const char *what, long got, long want)
{
	if (got == want)
		return;
	failed++;
	printf("%s: %ld (%s), expected %ld\n", what, got, strerror(errno), want);
}

static long set(int mode, unsigned long nodes)
{
	return syscall(SYS_set_mempolicy, mode, nodes ? &nodes : NULL, nodes ? 65ul : 0ul);
}

static long bind_to(void *at, size_t bytes, int mode, unsigned long nodes, unsigned int flags)
{
	return syscall(SYS_mbind, at, bytes, mode, &nodes, 65ul, flags);
}

static long node_of(void *page)
{
	int status = -1;

	return syscall(SYS_move_pages, 0, 1ul, &page, NULL, &status, 0) ? -1 : status;
}

static long move(void *page, int node)
{
	int status = -1;

	return syscall(SYS_move_pages, 0, 1ul, &page, &node, &status, MPOL_MF_MOVE) ? -errno
										    : status;
}

static void check_calls(char *p)
{
	unsigned long nodes = 0;
	int mode = -1, status;

	expect("default",
	       syscall(SYS_get_mempolicy, &mode, &nodes, 64ul, NULL, 0ul) + mode + (long)nodes, 0);
	expect("allowed nodes",
	       syscall(SYS_get_mempolicy, NULL, &nodes, 64ul, NULL, MPOL_F_MEMS_ALLOWED), 0);
	expect("allowed nodes", (long)nodes, 3);
	expect("a page that nothing has touched", node_of(p), -ENOENT);
	expect("mbind", bind_to(p, 8 * 4096, MPOL_BIND, 2, 0), 0);
	memset(p, 1, 16 * 4096);
	expect("a page of the range", node_of(p + 7 * 4096), 1);
	expect("a page behind it", node_of(p + 8 * 4096), 0);
	expect("mode of the range", syscall(SYS_get_mempolicy, &mode, &nodes, 64ul, p, MPOL_F_ADDR),
	       0);
	expect("mode of the range", mode, MPOL_BIND);
	expect("node of an address",
	       syscall(SYS_get_mempolicy, &mode, NULL, 0ul, p, MPOL_F_NODE | MPOL_F_ADDR), 0);
	expect("node of an address", mode, 1);
	expect("move_pages", move(p, 0), 0);
	expect("move_pages has moved it", node_of(p), 0);
	expect("no such node", move(p, 2), -ENODEV);
	expect("mbind, strict", bind_to(p + 8 * 4096, 4096, MPOL_BIND, 2, MPOL_MF_STRICT), -1);
	expect("mbind, strict", errno, EIO);
	expect("mbind, moving", bind_to(p + 8 * 4096, 4096, MPOL_BIND, 2, MPOL_MF_MOVE), 0);
	expect("mbind has moved it", node_of(p + 8 * 4096), 1);
	expect("no nodes", set(MPOL_BIND, 0), -1);
	expect("no nodes", errno, EINVAL);
	expect("default with nodes", set(MPOL_DEFAULT, 1), -1);
	expect("no such mode", set(99, 1), -1);
	expect("interleave", set(MPOL_INTERLEAVE, 3), 0);
	if (!fork()) {
		mode = -1;
		syscall(SYS_get_mempolicy, &mode, &nodes, 64ul, NULL, 0ul);
		_exit(mode != MPOL_INTERLEAVE || nodes != 3);
	}
	wait(&status);
	expect("a child inherits the policy", status, 0);
	set(MPOL_DEFAULT, 0);
	munmap(p, BYTES);
}

static void sweep(volatile char *p)
{
	for (size_t i = 0; i < BYTES; i += 64)
		p[i] = 1;
	for (size_t i = 0; i < BYTES; i += 64)
		(void)p[i];
}

int main(int argc, char **argv)
{
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (argc < 2) {
		sweep(p);
	} else if (!strcmp(argv[1], "calls")) {
		check_calls(p);
	} else if (!strcmp(argv[1], "mbind")) {
		expect("mbind", bind_to(p, BYTES, MPOL_BIND, 2, 0), 0);
		sweep(p);
	} else {	/* MODE NODES: of a program that inherits it */
		expect("set_mempolicy", set(atoi(argv[1]), strtoul(argv[2], NULL, 0)), 0);
		execl(argv[0], argv[0], NULL);
		return 2;
	}
	return failed != 0;
}
