// SPDX-License-Identifier: MIT
/* Prints the errno and the sentence for an event: refused SCOPE EVENT. */
#include <ipmu.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_topology *topo;
	struct ipmu_system *sys;
	struct ipmu_event event;
	int rc = ipmu_topology_load(&topo, why);

	if (!rc)
		rc = ipmu_system_open(topo, (enum ipmu_scope)atoi(argv[1]), &sys, why);
	if (!rc)
		rc = ipmu_event_parse(sys, argv[argc - 1], &event, why);
	printf("%d %s\n", -rc, why);
	return 0;
}
