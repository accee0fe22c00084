/* SPDX-License-Identifier: MIT */
#include "message.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "complain.h"

static size_t size_of(uint32_t type)
{
	switch (type) {
	case MESSAGE_REGION: return sizeof(struct region_message);
	case MESSAGE_ANSWER: return sizeof(struct region_reply);
	case MESSAGE_HELLO: return sizeof(struct message_hello);
	case MESSAGE_WORD: return sizeof(struct message_word);
	default: return 0;
	}
}

static bool is_status(int status)
{
	return status >= 0 && status <= 255;
}

static bool in_range(const union message *m)
{
	switch (m->head.type) {
	case MESSAGE_REGION:
		return m->region.what >= REGION_BEGUN && m->region.what <= REGION_LEFT &&
		       m->region.rank >= 0 && is_status(m->region.status) &&
		       memchr(m->region.name, '\0', sizeof(m->region.name)) &&
		       (m->region.what < REGION_ENTERED || m->region.process > 0) &&
		       (m->region.killed == 0 ||
			(m->region.killed == 1 && m->region.status > 128));
	case MESSAGE_ANSWER:
		return m->reply.answer >= REGION_WELL && m->reply.answer <= REGION_FULL &&
		       m->reply.answer != REGION_LATER;
	case MESSAGE_HELLO:
		return m->hello.rank >= 0 &&
		       memchr(m->hello.options, '\0', sizeof(m->hello.options));
	default:
		return m->word.what >= WORD_GO && m->word.what <= WORD_REFUSED &&
		       is_status(m->word.status);
	}
}

int message_check(const union message *m, size_t bytes, char why[MESSAGE_WHY_MAX])
{
	size_t size = bytes < sizeof(m->head) ? 0 : size_of(m->head.type);

	if (!size)
		snprintf(why, MESSAGE_WHY_MAX, "its message is of no known type");
	else if (m->head.version != MESSAGE_VERSION)
		snprintf(why, MESSAGE_WHY_MAX, "its messages are of version %u, ours of version "
			 "%u: use one ipmu-run for all ranks", m->head.version, MESSAGE_VERSION);
	else if (bytes != size)
		snprintf(why, MESSAGE_WHY_MAX, "its message has %zu bytes in place of %zu", bytes,
			 size);
	else if (!in_range(m))
		snprintf(why, MESSAGE_WHY_MAX, "a number in its message is out of range");
	else
		return 0;
	return -EPROTO;
}

void message_refuse(int fd, const char *why)
{
	struct ucred peer = { .pid = 0 };
	socklen_t bytes = sizeof(peer);

	(void)!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes);
	complain(0, "cannot speak with process %d of this job: %s", (int)peer.pid, why);
}

int message_receive(int fd, enum message_type type, union message *out)
{
	ssize_t got = recv(fd, out, sizeof(*out), MSG_TRUNC);
	char why[MESSAGE_WHY_MAX] = "its message is of another type";
	int rc = got <= 0 ? -EPIPE : message_check(out, (size_t)got, why);

	if (!rc && out->head.type != type)
		rc = -EPROTO;
	if (rc == -EPROTO)
		message_refuse(fd, why);
	return rc;
}
