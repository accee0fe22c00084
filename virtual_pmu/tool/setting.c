/* SPDX-License-Identifier: MIT */
/* --set REGISTER=VALUE: what a register of a new machine has at the start. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

int vpmu_setting(const struct vpmu_machine *m, struct vpmu_segment *s, const char *text)
{
	struct vpmu_register_info reg;
	char name[64], *end;
	const char *equals = strchr(text, '=');

	if (!equals || (size_t)(equals - text) >= sizeof(name) || !equals[1]) {
		vpmu_complain("--set %s: write REGISTER=VALUE, as in --set "
			      "MSR_UNC_ARB_PERFCTR0=0xFFFFFFFFFFF", text);
		return VPMU_EXIT_USAGE;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
	if (vpmu_model_find(m, name, &reg)) {
		vpmu_complain("--set %s: %s has no register '%s'; see 'vpmu regs -m %s'", text,
			      m->name, name, m->name);
		return VPMU_EXIT_USAGE;
	}
	errno = 0;
	uint64_t value = strtoull(equals + 1, &end, 0);
	/* strtoull() takes blanks and signs, too, and makes -1 of 64 bits of ones. */
	if (!isdigit((unsigned char)equals[1]) || errno || *end ||
	    (reg.width < 64 && value >> reg.width)) {
		vpmu_complain("--set %s: %s takes a number of at most %u bits", text, reg.name,
			      reg.width);
		return VPMU_EXIT_USAGE;
	}
	if (s)
		vpmu_model_poke(s, 0, &reg, value);
	return 0;
}
