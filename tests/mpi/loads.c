// SPDX-License-Identifier: MIT
/* Loads a plugin and calls it: loads PLUGIN. */
#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
	void (*call)(void);

	if (!plugin)
		return 3;
	*(void **)&call = dlsym(plugin, "plugin");
	if (!call)
		return 3;
	system(getenv("WORK"));
	call();
	return 0;
}
