/* SPDX-License-Identifier: MIT */
/* Frames and streams between `vpmu boot` and init; both link this file. vpmu_frame_write() and
 * _read() block until a frame is through. vpmu_stream_wait() and _move() move one direction of a
 * stream around poll(), without blocking. A stream is either waiting to write what it has or to
 * read more, never both, so it needs one buffer. There is no lock. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "wire.h"

struct frame_head { uint32_t type, bytes; };
#define FRAME_MAX (64u << 20)
#define PART_MAX 65536	/* bytes of a frame that are waited for at once: most frames are shorter */

/* ---- frames ---- */

static int write_all(int fd, const void *data, size_t bytes)
{
	for (const char *at = data; bytes;) {
		ssize_t n = write(fd, at, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int read_all(int fd, void *data, size_t bytes)
{
	for (char *at = data; bytes;) {
		ssize_t n = read(fd, at, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

int vpmu_frame_write(int fd, enum vpmu_frame_type type, const void *payload, size_t bytes)
{
	struct frame_head head = { .type = type, .bytes = (uint32_t)bytes };

	return write_all(fd, &head, sizeof(head)) || write_all(fd, payload, bytes) ? -1 : 0;
}

/* Memory grows with what has come: a length alone takes none. */
static char *payload_read(int fd, size_t bytes)
{
	char *data = NULL;
	size_t have = 0;

	do {
		size_t part = bytes - have < PART_MAX ? bytes - have : PART_MAX;
		char *more = realloc(data, have + part + 1);

		if (!more || read_all(fd, more + have, part)) {
			free(more ? more : data);
			return NULL;
		}
		data = more;
		have += part;
	} while (have < bytes);
	data[bytes] = '\0';
	return data;
}

int vpmu_frame_read(int fd, uint32_t *type, void **payload, size_t *bytes)
{
	struct frame_head head;
	char *data;

	if (read_all(fd, &head, sizeof(head)) || head.bytes > FRAME_MAX)
		return -1;
	data = payload_read(fd, head.bytes);
	if (!data)
		return -1;
	*type = head.type;
	*payload = data;
	*bytes = head.bytes;
	return 0;
}

/* ---- streams ---- */

static bool is_full(const struct vpmu_stream *s)
{
	return s->have > s->gone;
}

static bool wants_more(const struct vpmu_stream *s)
{
	return s->from >= 0 && s->taken < s->limit;
}

void vpmu_stream_wait(const struct vpmu_stream *s, struct pollfd *p)
{
	*p = (struct pollfd){ .fd = -1 };
	if (s->broken)
		return;
	if (is_full(s))
		*p = (struct pollfd){ .fd = s->to, .events = POLLOUT };
	else if (wants_more(s))
		*p = (struct pollfd){ .fd = s->from, .events = POLLIN };
}

static ssize_t fill_more(struct vpmu_stream *s)
{
	size_t room = sizeof(s->buffer) - s->have;
	ssize_t n;

	if (room > s->limit - s->taken)
		room = (size_t)(s->limit - s->taken);
	n = room ? read(s->from, s->buffer + s->have, room) : 0;
	if (n > 0) {
		s->have += (size_t)n;
		s->taken += (uint64_t)n;
	}
	return n;
}

static void fill(struct vpmu_stream *s)
{
	ssize_t n;

	s->have = s->gone = 0;
	n = fill_more(s);
	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		s->from = -1;	/* a pty returns EIO at its end */
	while (n > 0 && s->eager)
		n = fill_more(s);
}

static void drain(struct vpmu_stream *s)
{
	size_t bytes = s->have - s->gone;
	ssize_t n;

	/* A pipe with room takes this much at least. */
	if (s->careful && bytes > 4096)
		bytes = 4096;
	n = write(s->to, s->buffer + s->gone, bytes);
	if (n > 0)
		s->gone += (size_t)n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		s->broken = true;
}

void vpmu_stream_move(struct vpmu_stream *s, const struct pollfd *p)
{
	if (p->fd < 0 || !p->revents)
		return;
	if (is_full(s))
		drain(s);
	else if (wants_more(s))
		fill(s);
}

bool vpmu_stream_done(const struct vpmu_stream *s)
{
	return s->broken || (!is_full(s) && !wants_more(s));
}
