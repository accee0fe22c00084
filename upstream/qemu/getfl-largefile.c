/*
 * SPDX-License-Identifier: MIT
 *
 * Test that F_GETFL reports no flag that a socket does not have.
 * A 32-bit program may see O_LARGEFILE.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>

int main(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), flags;

    assert(fd != -1);
    flags = fcntl(fd, F_GETFL);
    assert(flags != -1);
    assert(sizeof(long) == 4 || flags == O_RDWR);

    return EXIT_SUCCESS;
}
