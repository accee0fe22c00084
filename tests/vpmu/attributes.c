// SPDX-License-Identifier: MIT
/* Sets, reads, lists and removes extended attributes of a file by all twelve calls. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

#define SAY(call)                    \
	(errno = 0, answer = (call), \
	 printf("%s: %ld %s\n", #call, answer, answer < 0 ? strerror(errno) : ""))

int main(int argc, char **argv)
{
	const char *f = argv[argc - 1];
	int fd = open(f, O_RDONLY);
	char to[256];
	long answer;

	SAY(setxattr(f, "user.a", "xyz", 3, 0));
	SAY(setxattr(f, "user.a", "xyz", 3, XATTR_CREATE));
	SAY(lsetxattr(f, "user.b", "12", 2, 0));
	SAY(fsetxattr(fd, "user.c", "", 0, 0));
	SAY(getxattr(f, "user.a", to, sizeof(to)));
	SAY(getxattr(f, "user.a", NULL, 0));
	SAY(getxattr(f, "user.a", to, 1));
	SAY(lgetxattr(f, "user.b", to, sizeof(to)));
	SAY(fgetxattr(fd, "user.c", to, sizeof(to)));
	SAY(getxattr(f, "user.none", to, sizeof(to)));
	SAY(listxattr(f, to, sizeof(to)));
	SAY(llistxattr(f, NULL, 0));
	SAY(flistxattr(fd, to, sizeof(to)));
	SAY(removexattr(f, "user.a"));
	SAY(lremovexattr(f, "user.b"));
	SAY(fremovexattr(fd, "user.c"));
	SAY(listxattr(f, to, sizeof(to)));
	SAY(getxattr("/no/such/file", "user.a", to, sizeof(to)));
	SAY(getxattr((char *)1, "user.a", to, sizeof(to)));
	return 0;
}
