// SPDX-License-Identifier: MIT
/* Makes and locks a file, for ever: squat FILE. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = argc > 1 ? (umask(0), open(argv[1], O_RDWR | O_CREAT, 0666)) : -1;

	if (fd < 0 || fcntl(fd, F_SETLK, &all))
		return 1;
	puts("locked");
	fflush(stdout);
	alarm(1500);
	pause();
	return 0;
}
