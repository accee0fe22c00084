/* SPDX-License-Identifier: MIT */
/* Advice for a machine on which nothing can be counted, and errors in group files. */
#include <errno.h>
#include <stdio.h>

#include "run.h"

static const char ways[] =
"three ways to count:\n"
"  as root, with the msr module: modprobe msr, then sudo ipmu-run ...\n"
"  without privileges, by msr-safe: an administrator loads it, writes what ipmu-allowlist prints\n"
"    into /dev/cpu/msr_allowlist, and gives a group access to /dev/cpu/*/msr_safe\n";

int complain_machine(int rc, const char *why, const char *machine)
{
	const char *what = rc == -EPERM || rc == -EACCES ? "not permitted: " :
			   rc == -ENODEV ? "nothing to count with here: " : "";

	complain(0, "%s%s", what, why);
	if (rc == -EPERM)
		fputs(ways, stderr);
	if (rc == -EPERM || rc == -ENODEV)
		fprintf(stderr, "%son the virtual machine: ipmu-run --on %s ...; 'vpmu machines' "
			"lists others\n", rc == -EPERM ? "  " : "", machine ? machine : "skl-4c8t");
	return EXIT_CANNOT_COUNT;
}

void complain_group_file(const char *why)
{
	complain(0, "%s", why);
}
