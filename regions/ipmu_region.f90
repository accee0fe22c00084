! SPDX-License-Identifier: MIT
! Regions of a program by name, for the reports of ipmu-run: compile this with your program and link
! with -lipmu_region. What the functions do is in ipmu_region.h. Blanks at the end of a name do not
! belong to it.
!
!   call ipmu_region_begin('solve')
!   call ipmu_region_end('solve', rc)
module ipmu_region
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: ipmu_region_begin, ipmu_region_end

  interface
    integer(c_int) function begin_c(name) bind(C, name='ipmu_region_begin')
      import
      character(kind=c_char), intent(in) :: name(*)
    end function

    integer(c_int) function end_c(name) bind(C, name='ipmu_region_end')
      import
      character(kind=c_char), intent(in) :: name(*)
    end function
  end interface

contains

  subroutine ipmu_region_begin(name, rc)
    character(len=*), intent(in) :: name
    integer(c_int), intent(out), optional :: rc
    integer(c_int) :: answer

    answer = begin_c(trim(name) // c_null_char)
    if (present(rc)) rc = answer
  end subroutine

  subroutine ipmu_region_end(name, rc)
    character(len=*), intent(in) :: name
    integer(c_int), intent(out), optional :: rc
    integer(c_int) :: answer

    answer = end_c(trim(name) // c_null_char)
    if (present(rc)) rc = answer
  end subroutine
end module
