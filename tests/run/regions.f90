! SPDX-License-Identifier: MIT
! Marks regions whose names are padded or literal.
program f
  use ipmu_region
  use, intrinsic :: iso_c_binding
  implicit none
  character(len=20) :: name = 'padded'
  integer(c_int) :: rc
  call ipmu_region_begin(name)
  call ipmu_region_begin('literal')
  call ipmu_region_end('literal', rc)
  call ipmu_region_end('padded', rc)
  if (rc /= 0) stop 1
  call ipmu_region_end('padded', rc)
  if (rc == 0) stop 2
end program
