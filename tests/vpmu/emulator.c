// SPDX-License-Identifier: MIT
/* Stands for an emulator of some version: emulator MODEL VERSION. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "calls.h"

int main(int argc, char **argv)
{
	struct vpmu_guest_host host = { .version = 0 };
	void *model = argc == 3 ? dlopen(argv[1], RTLD_LAZY) : NULL;
	vpmu_guest_open_function *open_model;

	if (!model) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	*(void **)&open_model = dlsym(model, VPMU_GUEST_OPEN);
	host.version = (uint32_t)atoi(argv[2]);
	return open_model(&host) ? 0 : 1;
}
