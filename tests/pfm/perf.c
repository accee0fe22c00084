// SPDX-License-Identifier: MIT
/* Prints the PMUs that libpfm4 finds below $FAKE_ROOT, or an event's encoding for the kernel:
 * perf [EVENT]. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

int __real_access(const char *path, int mode);
FILE *__real_fopen(const char *path, const char *mode);
int __real_scandir(const char *path, struct dirent ***found, int (*filter)(const struct dirent *),
		   int (*order)(const struct dirent **, const struct dirent **));

static const char *fake(const char *path, char *buf, size_t size)
{
	if (strncmp(path, "/sys/", 5) != 0 && strncmp(path, "/proc/", 6) != 0)
		return path;
	snprintf(buf, size, "%s%s", getenv("FAKE_ROOT"), path);
	return buf;
}

int __wrap_access(const char *path, int mode)
{
	char buf[4096];

	return __real_access(fake(path, buf, sizeof(buf)), mode);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	char buf[4096];

	return __real_fopen(fake(path, buf, sizeof(buf)), mode);
}

/* Only libpfm4 after 4.13.0 lists the folder. */
int __wrap_scandir(const char *path, struct dirent ***found, int (*filter)(const struct dirent *),
		   int (*order)(const struct dirent **, const struct dirent **))
{
	char buf[4096];

	return __real_scandir(fake(path, buf, sizeof(buf)), found, filter, order);
}

static void show_present(void)
{
	pfm_pmu_info_t info;
	int i;

	for (i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm_get_pmu_info((pfm_pmu_t)i, &info) != PFM_SUCCESS || !info.is_present)
			continue;
		if (strncmp(info.name, "skl_unc_", 8) == 0)
			printf("%s ", info.name + 8);
		if (strncmp(info.name, "nhmex_unc_", 10) == 0)
			printf("%s ", info.name + 10);
	}
	printf("end\n");
}

static void show_encoding(const char *event)
{
	struct perf_event_attr attr;
	pfm_perf_encode_arg_t arg;
	int rc;

	memset(&attr, 0, sizeof(attr));
	memset(&arg, 0, sizeof(arg));
	attr.size = sizeof(attr);
	arg.attr = &attr;
	arg.size = sizeof(arg);
	rc = pfm_get_os_event_encoding(event, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
	if (rc != PFM_SUCCESS) {
		printf("%s\n", pfm_strerror(rc));
		return;
	}
	printf("%u 0x%llx 0x%llx %d%d%d%d%d%d\n", attr.type, (unsigned long long)attr.config,
	       (unsigned long long)attr.config1, attr.exclude_user, attr.exclude_kernel,
	       attr.exclude_hv, attr.exclude_idle, attr.exclude_host, attr.exclude_guest);
}

int main(int argc, char **argv)
{
	if (pfm_initialize() != PFM_SUCCESS)
		return 1;
	if (argc == 1)
		show_present();
	else
		show_encoding(argv[1]);
	return 0;
}
