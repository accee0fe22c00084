/* SPDX-License-Identifier: MIT */
/* A machine that is the node of a network: its address, its names, and what launchers of parallel
 * programs look for. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

#define INTERFACE "eth0"

static void write_address(uint32_t node, char *out, size_t bytes)
{
	snprintf(out, bytes, "10.86.0.%u", node + 1);
}

static void set_address(int fd, unsigned long what, const char *text)
{
	struct ifreq request = { .ifr_name = INTERFACE };
	struct sockaddr_in *a = (struct sockaddr_in *)&request.ifr_addr;

	a->sin_family = AF_INET;
	if (inet_pton(AF_INET, text, &a->sin_addr) != 1 || ioctl(fd, what, &request))
		init_fail("the network's interface " INTERFACE ": %s", strerror(errno));
}

static void switch_on(uint32_t node)
{
	struct ifreq request = { .ifr_name = INTERFACE, .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char address[32];

	write_address(node, address, sizeof(address));
	set_address(fd, SIOCSIFADDR, address);
	set_address(fd, SIOCSIFNETMASK, "255.255.255.0");
	if (ioctl(fd, SIOCSIFFLAGS, &request))
		init_fail("the network's interface " INTERFACE ": %s", strerror(errno));
	close(fd);
}

static FILE *create(const char *path, mode_t mode)
{
	FILE *f;

	unlink(path);
	f = fopen(path, "we");
	if (!f)
		init_fail("%s: %s", path, strerror(errno));
	fchmod(fileno(f), mode);
	return f;
}

/* The host's names come behind those of the nodes. */
static void name_nodes(void)
{
	FILE *old = fopen("/etc/hosts", "re"), *new = create("/etc/hosts.vpmu", 0644);
	char address[32], line[1024];

	for (uint32_t node = 0; node < VPMU_NODES_MAX; node++) {
		write_address(node, address, sizeof(address));
		fprintf(new, "%s node%u\n", address, node);
	}
	while (old && fgets(line, sizeof(line), old))
		fputs(line, new);
	if (old)
		fclose(old);
	if (fclose(new) || rename("/etc/hosts.vpmu", "/etc/hosts"))
		init_fail("/etc/hosts: %s", strerror(errno));
}

static void write_hosts(const struct vpmu_start *start, const char *file, const char *format)
{
	FILE *f = create(file, 0644);

	for (uint32_t node = 0; node < start->nodes; node++)
		fprintf(f, format, node, start->slots);
	fclose(f);
}

static void help_launchers(const struct init_order *order)
{
	FILE *f;

	mkdir("/run/vpmu", 0755);
	f = create(VPMU_RSH, 0755);
	fprintf(f, "#!/bin/sh\nexec '%s' rsh \"$@\"\n", order->vpmu);
	fclose(f);
	write_hosts(order->start, VPMU_HOSTS_OPENMPI, "node%u slots=%u\n");
	write_hosts(order->start, VPMU_HOSTS_MPICH, "node%u:%u\n");
}

void init_network(const struct init_order *order)
{
	char name[32];

	if (!order->start->is_node)
		return;
	snprintf(name, sizeof(name), "node%u", order->start->node);
	sethostname(name, strlen(name));
	switch_on(order->start->node);
	name_nodes();
	help_launchers(order);
	init_serve(order);
}
