! SPDX-License-Identifier: MIT
! Allocates an array of 1234 numbers three times.
program arrays
  real(8), allocatable :: a(:)
  integer :: i
  do i = 1, 3
    allocate(a(1234))
    a = i
    if (a(7) < 0) stop 1
    deallocate(a)
  end do
end program
