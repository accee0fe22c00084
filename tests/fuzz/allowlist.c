/* SPDX-License-Identifier: MIT */
/* Allowlists of msr-safe, and owners of device files as `vpmu run --devices` takes them. Up to a
 * NUL the input is the owner. What is accepted, written again, reads the same. */
#include "complaints.h"
#include "fuzz_file.h"

static int parse(struct fuzz_file *list, const char *owner, struct vpmu_devices *d)
{
	const struct vpmu_device_options o = {
		.msr_safe = list != NULL, .allowlist = list ? list->path : NULL, .owner = owner,
	};
	int before = complaints, rc = vpmu_devices_parse(&o, d);

	REQUIRE((rc != 0) == (complaints > before));
	return rc;
}

static void check_list(struct fuzz_file *list)
{
	static struct vpmu_devices d, again;
	static char text[VPMU_ALLOWED_MAX * 40];
	size_t n = 0;

	if (parse(list, NULL, &d))
		return;
	REQUIRE(d.msr_safe && d.allowed_count <= VPMU_ALLOWED_MAX);
	for (uint32_t i = 0; i < d.allowed_count; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "0x%08X 0x%016llX # %u\n",
				      d.allowed[i].address,
				      (unsigned long long)d.allowed[i].mask, i);
	fuzz_file_write(list, text, n);
	REQUIRE(parse(list, NULL, &again) == 0);
	REQUIRE(!memcmp(&d, &again, sizeof(d)));
}

/* No number is cut to what fits. */
static void check_owner(const char *owner)
{
	static struct vpmu_devices d;
	char *end;

	if (!owner[0] || parse(NULL, owner, &d))
		return;
	REQUIRE(d.owned && strtoul(owner, &end, 8) == d.mode);
	if (*end == ':')
		REQUIRE(strtoul(end + 1, &end, 10) == d.uid);
	if (*end == ':')
		REQUIRE(strtoul(end + 1, &end, 10) == d.gid);
	REQUIRE(!*end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file list;
	const uint8_t *nul = size ? memchr(data, '\0', size) : NULL;
	size_t length = nul ? (size_t)(nul - data) : 0;
	char owner[64];

	snprintf(owner, sizeof(owner), "%.*s", (int)length, (const char *)data);
	check_owner(owner);
	length += nul != NULL;
	fuzz_file_write(&list, data + length, size - length);
	check_list(&list);
	return 0;
}
