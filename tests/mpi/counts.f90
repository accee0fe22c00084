! SPDX-License-Identifier: MIT
! Counts by the Fortran module, and prints counts and an error.
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
