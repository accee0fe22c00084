/* SPDX-License-Identifier: MIT */
/* Functions that ipmu_mpi.f90 needs beyond the C ones. They take Fortran's communicators and one
 * text for a list, and flush the standard output before Fortran writes again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collecting/event_list.h"
#include "export.h"
#include "ipmu_mpi.h"

API int ipmu_mpi_init_f(MPI_Fint comm, const char *events, struct ipmu_mpi **out, char *why);
API int ipmu_mpi_report_f(const struct ipmu_mpi *m);

/* Lists must be compared in the library, even those that no memory was left for. */
API int ipmu_mpi_init_f(MPI_Fint comm, const char *events, struct ipmu_mpi **out, char *why)
{
	const char *names[LIST_MAX];
	char *list = strdup(events);
	int n = list ? event_list_split(list, names) : 0;
	int rc = ipmu_mpi_init(PMPI_Comm_f2c(comm), names, n, out, why);

	free(list);
	return rc;
}

API int ipmu_mpi_report_f(const struct ipmu_mpi *m)
{
	int rc = ipmu_mpi_report(m, stdout);

	return fflush(stdout) ? -EIO : rc;
}
