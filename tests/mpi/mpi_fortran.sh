#!/bin/bash
# SPDX-License-Identifier: MIT
# The Fortran module: a program that counts with it gets known counts, and errors as sentences.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
command -v "$MPIFORT" >/dev/null && command -v gfortran >/dev/null || skip 'no mpifort with gfortran'
(cd "$scratch" && "$MPIFORT" -std=f2008 -Wall -Werror=line-truncation -fno-range-check -o f \
	"$STAGE/include/ipmu/ipmu_mpi.f90" "${SRCDIR:?}/tests/mpi/counts.f90" -L"$STAGE_LIB" "-lipmu_mpi_$MPI" -Wl,-rpath,"$STAGE_LIB") \
	>"$scratch/out" 2>&1
check 'compiles' [ -x "$scratch/f" ]
stub_papi
ranks 3 "$scratch/f" >"$scratch/out" 2>&1
check 'known counts' lines 3 'event 0: 2010, 2 of 3'
check 'known counts' lines 3 'event 1: 6, 3 of 3'
check 'an error is a sentence' says 'wrong name: -2 node .* has no event intel_uncore:::NONE'
check 'finalize' differs says 'not freed'
finish
