/* SPDX-License-Identifier: MIT */
#ifndef IPMU_MPI_EXPORT_H
#define IPMU_MPI_EXPORT_H

/* Everything else is hidden: see the makefile's -fvisibility. */
#define API __attribute__((visibility("default")))

#endif
