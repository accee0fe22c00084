! SPDX-License-Identifier: MIT
! libipmu_mpi for Fortran: compile this with your program and link with -lipmu_mpi.
! What each function does is in ipmu_mpi.h. Communicators are Fortran's integers (with mpi_f08,
! comm%MPI_VAL); lists of events are one text with commas; texts end with c_null_char.
module ipmu_mpi
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: ipmu_mpi_all = -1
  integer, parameter :: ipmu_mpi_why_max = 512

  type, bind(C) :: ipmu_mpi_shape
    integer(c_int) :: ranks, nodes, packages, node, leader
  end type

  type, bind(C) :: ipmu_mpi_count
    integer(c_long_long) :: count
    integer(c_int) :: measured, expected
  end type

  interface
    integer(c_int) function ipmu_mpi_init(comm, events, set, why) bind(C, name='ipmu_mpi_init_f')
      import
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: events(*)
      type(c_ptr), intent(out) :: set
      character(kind=c_char), intent(out) :: why(*)
    end function

    integer(c_int) function ipmu_mpi_start(set) bind(C)
      import
      type(c_ptr), value :: set
    end function

    integer(c_int) function ipmu_mpi_stop(set) bind(C)
      import
      type(c_ptr), value :: set
    end function

    integer(c_int) function ipmu_mpi_read(set) bind(C)
      import
      type(c_ptr), value :: set
    end function

    integer(c_int) function ipmu_mpi_read_begin(set) bind(C)
      import
      type(c_ptr), value :: set
    end function

    integer(c_int) function ipmu_mpi_read_test(set, done) bind(C)
      import
      type(c_ptr), value :: set
      integer(c_int), intent(out) :: done
    end function

    integer(c_int) function ipmu_mpi_read_wait(set) bind(C)
      import
      type(c_ptr), value :: set
    end function

    integer(c_int) function ipmu_mpi_get(set, event, node, package, answer) bind(C)
      import
      type(c_ptr), value :: set
      integer(c_int), value :: event, node, package
      type(ipmu_mpi_count), intent(out) :: answer
    end function

    ! To the standard output, through C: flush your own before.
    integer(c_int) function ipmu_mpi_report(set) bind(C, name='ipmu_mpi_report_f')
      import
      type(c_ptr), value :: set
    end function

    integer(c_int) function ipmu_mpi_write(set, prefix) bind(C)
      import
      type(c_ptr), value :: set
      character(kind=c_char), intent(in) :: prefix(*)
    end function

    subroutine ipmu_mpi_shape_get(set, answer) bind(C)
      import
      type(c_ptr), value :: set
      type(ipmu_mpi_shape), intent(out) :: answer
    end subroutine

    integer(c_int) function ipmu_mpi_finalize(set) bind(C)
      import
      type(c_ptr), intent(inout) :: set
    end function
  end interface
end module
