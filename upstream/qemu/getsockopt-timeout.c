/*
 * SPDX-License-Identifier: MIT
 *
 * Test getsockopt() of the timeouts of a socket.
 */
#include <assert.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>

int main(void)
{
    const int options[] = { SO_RCVTIMEO, SO_SNDTIMEO };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    assert(fd != -1);
    for (int i = 0; i < 2; i++) {
        struct timeval set = { .tv_sec = 2 }, got = { .tv_sec = -1 };
        socklen_t len = sizeof(got);
        int err = setsockopt(fd, SOL_SOCKET, options[i], &set, sizeof(set));

        assert(err == 0);
        err = getsockopt(fd, SOL_SOCKET, options[i], &got, &len);
        assert(err == 0);
        assert(len == sizeof(got));
        assert(got.tv_sec == set.tv_sec && got.tv_usec == 0);
    }

    return EXIT_SUCCESS;
}
