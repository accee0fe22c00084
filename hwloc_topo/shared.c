/* SPDX-License-Identifier: MIT */
/* A discovery that several processes share, through hwloc's shared-memory form of a topology.
 * ipmu_topology_export() writes it to a file; ipmu_topology_adopt() makes tables of it without
 * looking at the machine. No lock is needed: the header is written last, and a file without it is
 * refused. A file is also refused unless environment, control group and hwloc version are the
 * exporter's. */
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <hwloc/shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipmu_topology.h"
#include "source.h"

#define PAGE 4096
#define ORIGIN_MAX 2048
/* hwloc's form works at one address, the same in all processes: far from where Linux puts programs,
 * heaps, libraries and stacks. If it is taken in a process, that one discovers for itself. */
#define ADDRESS ((void *)UINT64_C(0x2f0000000000))

/* The first page of the file. What the tables depend on must be the same in the process that adopts
 * them. */
struct header {
	char magic[16];
	uint32_t api_version, header_bytes;
	uint64_t bytes;		/* of hwloc's part, from the second page on */
	char origin[ORIGIN_MAX];
};
static const char magic[16] = "ipmu-topology-1";
_Static_assert(sizeof(struct header) <= PAGE, "the header has a page");

static int explain(char *why, int err, const char *what)
{
	snprintf(why, IPMU_WHY_MAX, "%s: %s", what, strerror(err));
	return -err;
}

static size_t append_file(char *out, size_t used, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return used;
	while (used < ORIGIN_MAX - 1 && (n = read(fd, out + used, ORIGIN_MAX - 1 - used)) > 0)
		used += (size_t)n;
	close(fd);
	return used;
}

/* Fill in what the tables depend on: which machine the environment names, and which CPUs the
 * process's control group leaves. */
static void origin_fill(char out[ORIGIN_MAX])
{
	static const char *const names[] = {
		"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_COMPONENTS",
		"HWLOC_THISSYSTEM",
	};
	size_t used = 0;

	memset(out, 0, ORIGIN_MAX);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && used < ORIGIN_MAX / 2; i++) {
		const char *value = secure_getenv(names[i]);

		used += (size_t)snprintf(out + used, ORIGIN_MAX / 2 - used, "%s=%s\n", names[i],
					 value ? value : "");
	}
	used = append_file(out, used < ORIGIN_MAX / 2 ? used : ORIGIN_MAX / 2 - 1,
			   "/proc/self/cgroup");
	append_file(out, used, "/proc/self/cpuset");
}

static int write_all(hwloc_topology_t topology, int fd, char *why)
{
	struct header h = { .header_bytes = sizeof(h) };
	size_t bytes;

	memcpy(h.magic, magic, sizeof(magic));
	h.api_version = hwloc_get_api_version();
	origin_fill(h.origin);
	if (hwloc_shmem_topology_get_length(topology, &bytes, 0))
		return explain(why, errno ? errno : EIO, "the size of hwloc's shared topology");
	h.bytes = bytes;
	if (ftruncate(fd, (off_t)(PAGE + bytes)))
		return explain(why, errno, "the file of the shared topology");
	if (hwloc_shmem_topology_write(topology, fd, PAGE, ADDRESS, bytes, 0))
		return explain(why, errno ? errno : EIO, "writing hwloc's shared topology");
	/* Last: without it, the file is nothing. */
	if (pwrite(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h))
		return explain(why, errno ? errno : EIO, "the file of the shared topology");
	return 0;
}

int ipmu_topology_export(int fd, char why[IPMU_WHY_MAX])
{
	hwloc_topology_t topology;
	int rc = ipmu_source_open(&topology, why);

	if (rc)
		return rc;
	rc = write_all(topology, fd, why);
	hwloc_topology_destroy(topology);
	return rc;
}

static int header_read(int fd, struct header *h, char *why)
{
	char origin[ORIGIN_MAX];
	struct stat st;

	if (pread(fd, h, sizeof(*h), 0) != (ssize_t)sizeof(*h) || fstat(fd, &st) ||
	    memcmp(h->magic, magic, sizeof(magic)) || h->header_bytes != sizeof(*h) ||
	    h->bytes > (uint64_t)st.st_size || h->bytes + PAGE != (uint64_t)st.st_size)
		return explain(why, EINVAL, "the file is not a shared topology of this library");
	if (h->api_version != hwloc_get_api_version())
		return explain(why, EINVAL, "the shared topology is of another hwloc version");
	origin_fill(origin);
	if (memcmp(origin, h->origin, sizeof(origin)))
		return explain(why, EXDEV, "the shared topology is of another machine or control "
			       "group");
	return 0;
}

int ipmu_topology_adopt(int fd, struct ipmu_topology **out, char why[IPMU_WHY_MAX])
{
	hwloc_topology_t topology;
	struct header h;
	int rc = header_read(fd, &h, why);

	if (rc)
		return rc;
	if (hwloc_shmem_topology_adopt(&topology, fd, PAGE, ADDRESS, (size_t)h.bytes, 0))
		return explain(why, errno ? errno : EIO, "hwloc cannot adopt the shared topology");
	rc = ipmu_tables_load(topology, out, why);
	hwloc_topology_destroy(topology);
	return rc;
}

/* "FD:DEVICE:INODE" of an open file: a number alone might mean another file by now. */
int ipmu_topology_adopt_inherited(struct ipmu_topology **out)
{
	const char *text = secure_getenv(IPMU_TOPOLOGY_ENV);
	unsigned long long device, inode;
	char why[IPMU_WHY_MAX];
	struct stat st;
	int fd;

	if (!text || sscanf(text, "%d:%llu:%llu", &fd, &device, &inode) != 3 || fstat(fd, &st) ||
	    st.st_dev != device || st.st_ino != inode)
		return -ENOENT;
	return ipmu_topology_adopt(fd, out, why);
}
