/* SPDX-License-Identifier: MIT */
/* What to do where nothing can be counted. */
#include <errno.h>
#include <stdio.h>

#include "run.h"

static const char ways[] =
"three ways to count:\n"
"  as root, with the msr module: modprobe msr, then sudo ipmu-run ...\n"
"  without privileges, by msr-safe: an administrator loads it, writes what ipmu-allowlist prints\n"
"    into /dev/cpu/msr_allowlist, and gives a group access to /dev/cpu/*/msr_safe\n"
"  on the virtual machine: ipmu-run --on skl-4c8t ...; 'vpmu machines' lists others\n";

int complain_machine(int rc, const char *why)
{
	if (rc == -EPERM) {
		complain(0, "not permitted: %s", why);
		fputs(ways, stderr);
	} else if (rc == -EACCES) {
		complain(0, "not permitted: %s", why);
	} else if (rc == -ENODEV) {
		complain(0, "nothing to count with here: %s", why);
		fputs("on the virtual machine: ipmu-run --on skl-4c8t ...; 'vpmu machines' lists "
		      "others\n", stderr);
	} else {
		complain(0, "%s", why);
	}
	return EXIT_CANNOT_COUNT;
}
