/* SPDX-License-Identifier: MIT */
/* descriptors FOLDER EVENT...: a rank counts by ipmu_mpi.h, and meanwhile puts a file of its own in
 * the place of each descriptor that is the libraries'. The files stay as they were written, the
 * descriptors stay the rank's, and the counts are not known. */
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ipmu/ipmu_mpi.h>

#define NUMBERS 1024
#define BYTES 16384

static ino_t mine[NUMBERS];	/* 0: that descriptor is not ours */
static char page[BYTES];

/* The pipe of the process that restores registers has a high number; low ones are MPI's. */
static bool is_the_libraries(int fd)
{
	char link[32], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	return !strncmp(path, "/dev/cpu/", 9) || !strcmp(path, "/dev/vpmu") ||
	       strstr(path, "/package-") || strstr(path, "/cpu-") ||
	       (fd >= 100 && !strncmp(path, "pipe:", 5));
}

static int replace(const char *folder, int rank)
{
	char path[4096];
	int n = 0;

	memset(page, 'u', sizeof(page));
	for (int fd = 3; fd < NUMBERS; fd++) {
		struct stat st;
		int own;

		if (!is_the_libraries(fd))
			continue;
		snprintf(path, sizeof(path), "%s/%d-%d", folder, rank, fd);
		own = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (own < 0 || write(own, page, BYTES) != BYTES || dup2(own, fd) != fd ||
		    close(own) || fstat(fd, &st))
			exit(3);
		mine[fd] = st.st_ino;
		n++;
	}
	return n;
}

static int touched(void)
{
	int n = 0;

	for (int fd = 3; fd < NUMBERS; fd++) {
		char there[BYTES];
		struct stat st;

		if (!mine[fd])
			continue;
		n += fstat(fd, &st) || st.st_ino != mine[fd] || st.st_size != BYTES ||
		     pread(fd, there, BYTES, 0) != BYTES || memcmp(there, page, BYTES) != 0;
	}
	return n;
}

int main(int argc, char **argv)
{
	struct ipmu_mpi_count count;
	char why[IPMU_MPI_WHY_MAX];
	struct ipmu_mpi *m;
	int rank, replaced;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (ipmu_mpi_init(MPI_COMM_WORLD, (const char *const *)argv + 2, argc - 2, &m, why)) {
		fprintf(stderr, "init: %s\n", why);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	ipmu_mpi_start(m);
	replaced = replace(argv[1], rank);
	ipmu_mpi_stop(m);
	ipmu_mpi_read(m);
	for (int e = 0; e < argc - 2; e++)
		if (!ipmu_mpi_get(m, e, IPMU_MPI_ALL, IPMU_MPI_ALL, &count))
			printf("rank %d event %d: %d of %d\n", rank, e, count.measured,
			       count.expected);
	ipmu_mpi_finalize(&m);
	printf("rank %d: %s replaced, %d touched\n", rank, replaced ? "some" : "none", touched());
	MPI_Finalize();
	return 0;
}
