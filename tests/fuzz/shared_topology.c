/* SPDX-License-Identifier: MIT */
/* The topology that processes share: the beginning of its file, changed in places, its length, and
 * the variable that names it. hwloc's own part is memory with its addresses: only its header can be
 * checked, and is changed here. What is adopted is the topology that was written. */
#include "fuzz.h"
#include "source.h"
#include "topology_check.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BEGINNING (4096 + 24)	/* our page, and hwloc's header: version, length, address, size */

static struct {
	int fd;
	off_t bytes;
	uint8_t beginning[BEGINNING];
} w;

static void make(void)
{
	char why[IPMU_WHY_MAX];
	struct stat st;

	REQUIRE(setenv("HWLOC_SYNTHETIC", "pack:2 l3:1 core:2 pu:2", 1) == 0);
	w.fd = memfd_create("topology", MFD_CLOEXEC);
	REQUIRE(w.fd > 0 && ipmu_topology_export(w.fd, why) == 0);
	REQUIRE(fstat(w.fd, &st) == 0);
	w.bytes = st.st_size;
	REQUIRE(pread(w.fd, w.beginning, BEGINNING, 0) == BEGINNING);
}

static void change(const uint8_t *data, size_t size)
{
	uint8_t beginning[BEGINNING];
	unsigned more = fuzz_byte(&data, &size);

	memcpy(beginning, w.beginning, BEGINNING);
	while (size > 2) {
		size_t at = ((size_t)data[0] << 8 | data[1]) % BEGINNING;

		if (data[0] & 0x80)	/* what decides is in the headers */
			at = data[0] & 0x40 ? 4096 + at % 24 : at % 40;
		beginning[at] = data[2];
		data += 3, size -= 3;
	}
	/* Never shorter: hwloc's part would have holes afterwards. */
	REQUIRE(ftruncate(w.fd, w.bytes) == 0);
	REQUIRE(ftruncate(w.fd, more & 1 ? w.bytes + more * 16 : w.bytes) == 0);
	REQUIRE(pwrite(w.fd, beginning, BEGINNING, 0) == BEGINNING);
}

static void check(int rc, struct ipmu_topology *t)
{
	if (rc) {
		REQUIRE(!t);
		return;
	}
	REQUIRE(t->ncpus == 8 && t->ncores == 4 && t->npackages == 2);
	topology_check(t);
	ipmu_topology_free(t);
}

/* Up to a NUL the input is the variable: FD:DEVICE:INODE, where '#' stands for the right ones. */
static void name_it(const uint8_t **data, size_t *size)
{
	size_t n = strnlen((const char *)*data, *size);
	char text[256], right[64];
	struct stat st;

	REQUIRE(fstat(w.fd, &st) == 0);
	snprintf(right, sizeof(right), "%d:%llu:%llu", w.fd, (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	if (n && **data == '#')
		snprintf(text, sizeof(text), "%s%.*s", right, (int)n - 1, (const char *)*data + 1);
	else
		snprintf(text, sizeof(text), "%.*s", (int)n, (const char *)*data);
	REQUIRE(setenv(IPMU_TOPOLOGY_ENV, text, 1) == 0);
	n += n < *size;
	*data += n;
	*size -= n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ipmu_topology *t = NULL;
	char why[IPMU_WHY_MAX] = "";
	int rc;

	if (!w.fd)
		make();
	name_it(&data, &size);
	change(data, size);
	rc = ipmu_topology_adopt(w.fd, &t, why);
	REQUIRE(!rc || why[0]);
	check(rc, t);
	t = NULL;
	check(ipmu_topology_adopt_inherited(&t), t);
	return 0;
}
