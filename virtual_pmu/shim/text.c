/* SPDX-License-Identifier: MIT */
/* Texts that are put together without libc: paths of devices and a message. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "inside.h"
#include "shim.h"

char *shim_text_add(char *at, const char *text)
{
	size_t n = strlen(text);

	memcpy(at, text, n + 1);
	return at + n;
}

const char *shim_variable(char *const variables[], const char *name)
{
	size_t length = strlen(name);

	for (; variables && *variables; variables++)
		if (!strncmp(*variables, name, length) && (*variables)[length] == '=')
			return *variables + length + 1;
	return NULL;
}

char *shim_number_text(char *at, unsigned long n)
{
	char digits[24] = "", *first = digits + sizeof(digits) - 1;

	do
		*--first = (char)('0' + n % 10);
	while (n /= 10);
	return shim_text_add(at, first);
}

char *shim_path_text(struct vpmu_open_file path, char *at)
{
	switch (path.file) {
	case VPMU_FILE_MSR:
	case VPMU_FILE_SAFE:
		at = shim_number_text(shim_text_add(at, "/dev/cpu/"), path.cpu);
		return shim_text_add(at, path.file == VPMU_FILE_MSR ? "/msr" : "/msr_safe");
	case VPMU_FILE_BATCH:
		return shim_text_add(at, "/dev/cpu/msr_batch");
	case VPMU_FILE_CONFIG:
		return shim_text_add(at, "/sys/bus/pci/devices/0000:00:00.0/config");
	case VPMU_FILE_MEM:
		return shim_text_add(at, "/dev/mem");
	default:
		return shim_text_add(at, "/dev/cpu");
	}
}

int shim_not_served(const char *call, struct vpmu_open_file path)
{
	char line[SHIM_TEXT_BYTES + 128];
	char *at = shim_text_add(shim_text_add(line, "vpmu: "), call);

	at = shim_path_text(path, shim_text_add(at, " of "));
	at = shim_text_add(at, " is not served on the virtual machine; use open and pread\n");
	shim_syscall(SYS_write, STDERR_FILENO, shim_address(line), at - line, 0);
	errno = ENOTSUP;
	return -1;
}
