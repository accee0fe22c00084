/* SPDX-License-Identifier: MIT */
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "ipmu_topology.h"

static int explain(char *why, int err, const char *what, const char *name)
{
	snprintf(why, IPMU_WHY_MAX, "%s%s%s: %s", what, name ? " " : "", name ? name : "",
		 strerror(err));
	return -err;
}

static const char *env_value(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

/* The user of a privileged program (AT_SECURE) must not choose its topology, nor the files and
 * plugins that hwloc loads: hwloc reads its environment without asking. */
static void forget_environment(const char *prefix)
{
	char name[64];

	for (char **e = environ; e && *e;) {
		size_t n = strcspn(*e, "=");

		if (strncmp(*e, prefix, strlen(prefix)) != 0 || n >= sizeof(name)) {
			e++;
			continue;
		}
		memcpy(name, *e, n);
		name[n] = '\0';
		unsetenv(name);
		e = environ;
	}
}

/* hwloc itself falls back to the real machine when the environment names a topology that it
 * cannot read. Counting on the wrong machine is worse than an error, so name the source here. */
static int source_select(hwloc_topology_t topology, char *why)
{
	const char *xml = env_value("HWLOC_XMLFILE");
	const char *synthetic = env_value("HWLOC_SYNTHETIC");

	if (xml && hwloc_topology_set_xml(topology, xml))
		return explain(why, errno ? errno : EINVAL,
			       "hwloc cannot read the topology that HWLOC_XMLFILE names,", xml);
	if (!xml && synthetic && hwloc_topology_set_synthetic(topology, synthetic))
		return explain(why, errno ? errno : EINVAL,
			       "hwloc cannot read the topology in HWLOC_SYNTHETIC,", synthetic);
	return 0;
}

int ipmu_source_load(hwloc_topology_t topology, char *why)
{
	const char *xml = env_value("HWLOC_XMLFILE");
	int rc;

	hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	errno = 0;
	rc = source_select(topology, why);
	if (rc)
		return rc;
	if (hwloc_topology_load(topology))
		return explain(why, errno ? errno : EINVAL,
			       xml ? "hwloc cannot load the topology in the file" :
				     "hwloc cannot discover this machine's topology", xml);
	return 0;
}

/* Load no devices, because finding them takes most of hwloc's time. Load only the caches that show
 * which cores share a slice. */
int ipmu_source_open(hwloc_topology_t *topology, char *why)
{
	int rc;

	if (getauxval(AT_SECURE))
		forget_environment("HWLOC_");
	if (hwloc_topology_init(topology))
		return explain(why, ENOMEM, "hwloc's topology", NULL);
	hwloc_topology_set_all_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(*topology, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_type_filter(*topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_type_filter(*topology, HWLOC_OBJ_L2CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_type_filter(*topology, HWLOC_OBJ_L3CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
	rc = ipmu_source_load(*topology, why);
	if (rc)
		hwloc_topology_destroy(*topology);
	return rc;
}
