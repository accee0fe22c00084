/* SPDX-License-Identifier: MIT */
/* Paths by other spellings. */
#include <fcntl.h>
#include <string.h>

#include "inside.h"
#include "shim.h"

/* Without ".", ".." and repeated slashes; `out` has room for what it is made of. */
static void simplify(const char *path, char *out)
{
	char *at = out;

	while (*path) {
		size_t length;

		path += strspn(path, "/");
		length = strcspn(path, "/");
		if (length == 2 && path[0] == '.' && path[1] == '.') {
			while (at > out && *--at != '/')
				;
		} else if (length && !(length == 1 && *path == '.')) {
			*at++ = '/';
			memcpy(at, path, length);
			at += length;
		}
		path += length;
	}
	*at = '\0';
}

bool shim_path_simple(int dir, const char *path, char *out, size_t bytes)
{
	char link[48] = "/proc/self/cwd", joined[SHIM_SIMPLE_BYTES];
	size_t length = strlen(path);
	long n = 0;

	if (*path != '/') {
		if (dir != AT_FDCWD)
			shim_number_text(shim_text_add(link, "/proc/self/fd/"), (unsigned long)dir);
		n = shim_syscall(SYS_readlink, shim_address(link), shim_address(joined),
				 sizeof(joined) / 2, 0);
	}
	if (n < 0 || n == sizeof(joined) / 2 || (size_t)n + length + 2 > sizeof(joined) ||
	    (size_t)n + length + 2 > bytes)
		return false;
	joined[n] = '/';
	memcpy(joined + n + 1, path, length + 1);
	simplify(joined, out);
	return true;
}
