! SPDX-License-Identifier: MIT
! Works before MPI_Init, after it and after MPI_Finalize.
program f
  include 'mpif.h'
  integer :: rc
  character(len=4000) :: command
  call get_environment_variable('WORK', command)
  call execute_command_line(trim(command))
  call mpi_init(rc)
  call execute_command_line(trim(command))
  call mpi_finalize(rc)
  call execute_command_line(trim(command))
end program
