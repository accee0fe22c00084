// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static void tell(const char *what, int rc)
{
	printf("%s %d\n", what, rc < 0 ? errno : 0);
}

/* Makes files in the working folder. "other": tries to change those of another user. */
int main(int argc, char **argv)
{
	const struct timeval times[2] = { { 1000000000, 0 }, { 1000000000, 0 } };
	int fd;

	(void)argv;
	umask(0);
	if (argc > 1) {
		tell("other chmod", chmod("shared/set", 0777));
		tell("other unlink", unlink("shared/set"));
		tell("other open", open("shared/set", O_WRONLY));
		return 0;
	}
	fd = open("made", O_CREAT | O_EXCL | O_WRONLY, 06755);
	tell("open", fd);
	tell("write", (int)write(fd, "text", 4));
	fd = open("shared/set", O_CREAT | O_EXCL | O_WRONLY, 0644);
	tell("write set", (int)write(fd, "text", 4));
	tell("chmod", chmod("shared/set", 06755));
	tell("utimes", utimes("made", times));
	tell("mkdir", mkdir("folder", 0750));
	tell("symlink", symlink("made", "link"));
	tell("mkfifo", mkfifo("fifo", 0640));
	tell("rename", rename("fifo", "renamed"));
	return 0;
}
