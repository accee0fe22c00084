/* SPDX-License-Identifier: MIT */
/* The process's own copy of the tables, which all callers share. */
#include <pthread.h>
#include <stddef.h>

#include "ipmu_topology.h"
#include "source.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ipmu_topology *shared;
static unsigned int users;

int ipmu_topology_acquire(const struct ipmu_topology **out, char why[IPMU_WHY_MAX])
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (!users)
		rc = ipmu_topology_load(&shared, why);
	if (!rc) {
		users++;
		*out = shared;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

void ipmu_topology_release(void)
{
	pthread_mutex_lock(&lock);
	if (users && !--users) {
		ipmu_topology_free(shared);
		shared = NULL;
	}
	pthread_mutex_unlock(&lock);
}
