! SPDX-License-Identifier: MIT
! Counts one PAPI event while a long array is read:
!
!   gfortran count.F90 $(pkg-config --cflags --libs papi) -o count
!   vpmu run -m skl-4c8t -- ./count intel_uncore:::skl_unc_imc.DRAM_DATA_READS
program count
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
#include "f90papi.h"
  integer, parameter :: words = 32 * 2**20 / 8
  integer(int64), allocatable :: array(:)
  integer(int64) :: counted(1), total
  character(len=128) :: event
  integer :: set, rc

  event = 'intel_uncore:::skl_unc_imc.DRAM_DATA_READS'
  if (command_argument_count() > 0) call get_command_argument(1, event)
  allocate (array(words))
  array = 1
  rc = PAPI_VER_CURRENT
  call PAPIF_library_init(rc)
  if (rc /= PAPI_VER_CURRENT) call failed('another PAPI than that of f90papi.h')
  set = PAPI_NULL
  call PAPIF_create_eventset(set, rc)
  if (rc /= PAPI_OK) call failed('event set')
  call PAPIF_add_named_event(set, event, rc)
  if (rc /= PAPI_OK) call failed(trim(event))
  call PAPIF_start(set, rc)
  if (rc /= PAPI_OK) call failed('start')
  total = sum(array)
  call PAPIF_stop(set, counted, rc)
  if (rc /= PAPI_OK) call failed('stop')
  print '(a,1x,i0,a,i0,a,i0,a)', trim(event), counted(1), ' (', words / 8, &
    ' lines of 64 bytes were read, sum ', total, ')'
  call PAPIF_shutdown
contains
  subroutine failed(what)
    character(len=*), intent(in) :: what
    call PAPIF_perror(what)
    stop 1
  end subroutine
end program
