/* SPDX-License-Identifier: MIT */
/* unload: counts through a PAPI that it loads itself, and unloads without a word to it. Prints how
 * many threads are added while it counts, how many are left of them afterwards, and whether the
 * library is gone. An emulator has threads of its own, which are there before. */
#include <papi.h>

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define C "intel_uncore:::"

static int threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n - 2;
}

#define FIND(library, name) \
	__typeof__(&name) name##_; \
	do { \
		void *found = dlsym(library, #name); \
		memcpy(&name##_, &found, sizeof(found)); \
	} while (0)

static int count(void *papi)
{
	int set = PAPI_NULL;

	FIND(papi, PAPI_library_init);
	FIND(papi, PAPI_create_eventset);
	FIND(papi, PAPI_add_named_event);
	FIND(papi, PAPI_start);
	return PAPI_library_init_(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
	       PAPI_create_eventset_(&set) ||
	       PAPI_add_named_event_(set, C "skl_unc_imc.DRAM_DATA_READS") ||
	       PAPI_add_named_event_(set, C "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I") ||
	       PAPI_start_(set);
}

int main(void)
{
	void *papi = dlopen("libpapi.so", RTLD_NOW | RTLD_LOCAL);
	int before = threads(), during, rc;

	if (!papi) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	rc = count(papi);
	during = threads();
	rc = rc ? rc : dlclose(papi);
	for (int ms = 0; ms < 60000 && threads() > before; ms++)
		usleep(1000);
	printf("%d %d %s\n", during - before, threads() - before,
	       dlopen("libpapi.so", RTLD_NOW | RTLD_NOLOAD) ? "loaded" : "gone");
	return rc != 0;
}
