#!/bin/bash
# SPDX-License-Identifier: MIT
# The Fortran module: a program that counts with it gets known counts, and errors as sentences.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
command -v "$MPIFORT" >/dev/null && command -v gfortran >/dev/null || skip 'no mpifort with gfortran'
cat >"$scratch/f.f90" <<'CODE'
program f
  use, intrinsic :: iso_c_binding
  use mpi
  use ipmu_mpi
  implicit none
  type(c_ptr) :: set
  type(ipmu_mpi_count) :: answer
  type(ipmu_mpi_shape) :: shape
  character(kind=c_char) :: why(ipmu_mpi_why_max)
  integer :: rc, rank, i
  call mpi_init(rc)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, rc)
  rc = ipmu_mpi_init(MPI_COMM_WORLD, 'intel_uncore:::NONE' // c_null_char, set, why)
  if (rank == 1) then
    print '(a,i0,1x,512a)', 'wrong name: ', rc, (why(i), i = 1, findloc(why, c_null_char, 1) - 1)
  end if
  rc = ipmu_mpi_init(MPI_COMM_WORLD, 'intel_uncore:::NODE,intel_core:::RANK' // c_null_char, set, why)
  if (rc /= 0) stop 1
  rc = ipmu_mpi_start(set)
  rc = ipmu_mpi_stop(set)
  rc = ipmu_mpi_read(set)
  call ipmu_mpi_shape_get(set, shape)
  do i = 0, 1
    rc = ipmu_mpi_get(set, i, ipmu_mpi_all, ipmu_mpi_all, answer)
    print '(a,i0,a,i0,a,i0,a,i0)', 'event ', i, ': ', answer%count, ', ', answer%measured, &
      ' of ', shape%ranks
  end do
  rc = ipmu_mpi_finalize(set)
  if (c_associated(set)) print '(a)', 'not freed'
  call mpi_finalize(rc)
end program
CODE
(cd "$scratch" && "$MPIFORT" -std=f2008 -Wall -Werror=line-truncation -fno-range-check -o f \
	"$STAGE/include/ipmu/ipmu_mpi.f90" f.f90 -L"$STAGE_LIB" "-lipmu_mpi_$MPI" -Wl,-rpath,"$STAGE_LIB") \
	>"$scratch/out" 2>&1
check 'compiles' [ -x "$scratch/f" ]
stub_papi
ranks 3 "$scratch/f" >"$scratch/out" 2>&1
check 'known counts' lines 3 'event 0: 2010, 2 of 3'
check 'known counts' lines 3 'event 1: 6, 3 of 3'
check 'an error is a sentence' says 'wrong name: -2 node .* has no event intel_uncore:::NONE'
check 'finalize' differs says 'not freed'
finish
