/* SPDX-License-Identifier: MIT */
/* Sends the messages of named regions for an emulated program: vpmu_regions_call(). The thread
 * keeps its turn until ipmu-run has answered, so no other thread of the program executes, and no
 * clock of the process moves meanwhile. The caller has published what it has counted, as before
 * each system call. */
#include "regions.h"

#include <pthread.h>
#include <string.h>

#include "../../common/machine_device.h"
#include "../../common/region_socket.h"
#include "../machine/kernel.h"
#include "system.h"

#define CODES 8		/* copies of the library in one process */

static struct {
	const char *where;
	void (*edge)(bool inside);
	struct sockaddr_un address;
	int rank, fd;
	uint64_t identity;
	uint32_t inside;		/* calls without their end */
	struct machine_code code[CODES];
	uint32_t codes;
	pthread_mutex_t lock;
} regions = { .fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

bool vpmu_regions_only(const char *where)
{
	return where && !strncmp(where, REGION_ONLY, strlen(REGION_ONLY));
}

void vpmu_regions_begin(const char *where, void (*edge)(bool inside))
{
	const char *at = vpmu_regions_only(where) ? where + strlen(REGION_ONLY) : where;

	if (!region_address(at, &regions.address, &regions.rank))
		return;
	regions.where = where;
	regions.edge = edge;
}

const char *vpmu_regions_where(void)
{
	return regions.where;
}

bool vpmu_regions_quiet(uint64_t address)
{
	uint32_t n = __atomic_load_n(&regions.codes, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++)
		if (address >= regions.code[i].begin && address < regions.code[i].end)
			return true;
	return false;
}

void vpmu_regions_forked(void)
{
	pthread_mutex_init(&regions.lock, NULL);
	descriptor_close(regions.fd, regions.identity);
	regions.fd = -1;
	if (regions.inside && regions.edge)
		regions.edge(false);
	regions.inside = 0;
}

static int64_t add_code(const struct machine_code *code)
{
	int64_t rc = 0;

	if (code->begin >= code->end)
		return -EINVAL;
	pthread_mutex_lock(&regions.lock);
	if (regions.codes < CODES) {
		regions.code[regions.codes] = *code;
		__atomic_store_n(&regions.codes, regions.codes + 1, __ATOMIC_RELEASE);
	} else {
		rc = -ENOSPC;
	}
	pthread_mutex_unlock(&regions.lock);
	return rc;
}

int64_t vpmu_regions_code(uint64_t argument)
{
	const struct machine_code *code;

	if (vpmu_system.memory->native || !regions.where)
		return -EOPNOTSUPP;
	code = vpmu_system.memory->memory(argument, sizeof(*code), false);
	return code ? add_code(code) : -EFAULT;
}

static void count_inside(bool begins)
{
	bool edge = begins ? !regions.inside++ : regions.inside && !--regions.inside;

	if (edge && regions.edge)
		regions.edge(begins);
}

/* If there is nobody to answer, the program continues without a word, as it does natively. */
static int64_t tell(const struct region_message *m, bool begins)
{
	int answer;

	if (!descriptor_is(regions.fd, regions.identity))
		regions.fd = region_connect(&regions.address, &regions.identity);
	answer = regions.fd < 0 ? -EPIPE : region_ask(regions.fd, regions.identity, m);
	if (answer == REGION_WELL)
		count_inside(begins);
	return answer == REGION_UNKNOWN ? -ENOENT : answer == REGION_FULL ? -ENOSPC : 0;
}

int64_t vpmu_regions_call(bool begins, uint64_t name)
{
	struct region_message m = { .head = REGION_HEAD, .rank = regions.rank,
				    .what = begins ? REGION_ENTERED : REGION_LEFT,
				    .process = (int)getpid(), .thread = (int)vpmu_gettid() };
	const char *text;
	int64_t rc;

	if (vpmu_system.memory->native || !regions.where)
		return -EOPNOTSUPP;
	text = vpmu_system.memory->text(name);
	if (!text)
		return -EFAULT;
	strncpy(m.name, text, sizeof(m.name) - 1);
	pthread_mutex_lock(&regions.lock);
	rc = tell(&m, begins);
	pthread_mutex_unlock(&regions.lock);
	return rc;
}
