// SPDX-License-Identifier: MIT
/* Loads and unloads a library: unloads LIBRARY. */
#include <dlfcn.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	alarm(1500);
	return argc != 2 || !library || dlclose(library);
}
