/* SPDX-License-Identifier: MIT */
/* Messages between the ipmu-run of a node, as one packet of any bytes. One that is accepted is of
 * this version, has the size of its type and members in range. Any other has a reason. */
#include "fuzz.h"
#include "../../ipmu_run/job/message.h"

#include <errno.h>
#include <string.h>

static void check(const union message *m, size_t size)
{
	REQUIRE(m->head.version == MESSAGE_VERSION);
	switch (m->head.type) {
	case MESSAGE_REGION:
		REQUIRE(size == sizeof(m->region) && m->region.rank >= 0);
		REQUIRE(m->region.status >= 0 && m->region.status <= 255);
		REQUIRE(!m->region.killed || m->region.status > 128);
		REQUIRE(memchr(m->region.name, '\0', sizeof(m->region.name)));
		REQUIRE(m->region.what < REGION_ENTERED || m->region.process > 0);
		break;
	case MESSAGE_HELLO:
		REQUIRE(size == sizeof(m->hello) && m->hello.rank >= 0);
		REQUIRE(strnlen(m->hello.options, MESSAGE_OPTIONS_MAX) < MESSAGE_OPTIONS_MAX);
		break;
	case MESSAGE_ANSWER:
		REQUIRE(size == sizeof(m->reply));
		REQUIRE(m->reply.answer >= REGION_WELL && m->reply.answer <= REGION_FULL &&
			m->reply.answer != REGION_LATER);
		break;
	default:
		REQUIRE(m->head.type == MESSAGE_WORD && size == sizeof(m->word));
		REQUIRE(m->word.status >= 0 && m->word.status <= 255);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exact room, so that a read behind the packet is seen. */
	union message *m = calloc(1, sizeof(*m));
	char why[MESSAGE_WHY_MAX] = "";
	int rc;

	REQUIRE(m);
	memcpy(m, data, size < sizeof(*m) ? size : sizeof(*m));
	rc = message_check(m, size, why);
	REQUIRE(rc == 0 || (rc == -EPROTO && why[0]));
	if (!rc)
		check(m, size);
	free(m);
	return 0;
}
