/* SPDX-License-Identifier: MIT */
/* The types that headers of the aggregation mention, for unit tests of what needs no MPI. */
#ifndef WITHOUT_MPI_H
#define WITHOUT_MPI_H

typedef int MPI_Comm;
typedef int MPI_Request;

#endif
