/* SPDX-License-Identifier: MIT */
/* A leader's open file in the hands of its node's other ranks, and its view of the machine. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_limit.h"
#include "ipmu_topology.h"
#include "nodes.h"

/* Containers may number processes apart: what is opened must be the file that is meant. */
static int open_same(const int64_t word[4])
{
	char path[64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)word[0], (int)word[1]);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st) && (int64_t)st.st_dev == word[2] &&
	    (int64_t)st.st_ino == word[3])
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int node_share(const struct nodes *at, int fd)
{
	int64_t word[4] = { getpid(), fd, 0, 0 };
	struct stat st;

	if (at->node_rank == 0 && fd >= 0 && !fstat(fd, &st)) {
		word[2] = (int64_t)st.st_dev;
		word[3] = (int64_t)st.st_ino;
	}
	PMPI_Bcast(word, 4, MPI_INT64_T, 0, at->node);
	if (at->node_rank && word[1] >= 0)
		fd = open_same(word);
	/* The leader may close it, or end, only when all have it. */
	PMPI_Barrier(at->node);
	return fd;
}

static int new_export(void)
{
	int fd = memfd_create("ipmu-topology", MFD_CLOEXEC), rc;
	char why[IPMU_WHY_MAX];
	sigset_t signals;

	if (fd < 0)
		return -1;
	file_limit_hold(&signals);
	rc = ipmu_topology_export(fd, why);
	file_limit_release(&signals);
	if (!rc)
		return fd;
	close(fd);
	return -1;
}

/* The leader's export: of an earlier counter set, or a new one. -1: none. */
static int exported(void)
{
	const char *text = secure_getenv(IPMU_TOPOLOGY_ENV);

	return text ? atoi(text) : new_export();
}

/* libipmu_mpi and PAPI's components all ask for the topology. The file stays open until the process
 * ends, like the variable that names it. */
void share_topology(const struct nodes *at)
{
	int fd = node_share(at, at->node_rank ? -1 : exported());
	bool known = secure_getenv(IPMU_TOPOLOGY_ENV);
	char text[96];
	struct stat st;

	if (fd < 0)
		return;
	if (!known && !fstat(fd, &st)) {
		snprintf(text, sizeof(text), "%d:%llu:%llu", fd, (unsigned long long)st.st_dev,
			 (unsigned long long)st.st_ino);
		setenv(IPMU_TOPOLOGY_ENV, text, 0);
	} else if (at->node_rank) {
		close(fd);
	}
}
