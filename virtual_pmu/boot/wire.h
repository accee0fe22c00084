/* SPDX-License-Identifier: MIT */
/* boot/: messages between `vpmu boot` and the first process of the machine that it boots, and that
 * process. They are joined by four ports of a virtio-serial device: one for the frames below, and
 * one each for the program's stdin, stdout and stderr, so that none of them waits for another. A
 * port's end is not a place in its data, so frames have the number of bytes so far. */
#ifndef VPMU_WIRE_H
#define VPMU_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

/* Ports by their numbers on the device; number 0 is kept for consoles. The streams' are 2 to 4. */
enum { VPMU_PORT_CONTROL = 1, VPMU_PORT_STREAM = 2, VPMU_PORTS = 5 };
#define VPMU_STREAMS 3

/* Names under which the host's folders are offered to the machine. */
#define VPMU_TAG_ROOT "vpmu.root"
#define VPMU_TAG_WORK "vpmu.work"
#define VPMU_TAG_MODULES "vpmu.modules"

/* In the first file system: modules in the order of their names, which is that of loading. */
#define VPMU_MODULES_FOLDER "/modules"

enum vpmu_frame_type {
	/* from the machine */
	VPMU_READY = 1,		/* the machine is there: nothing, answered by VPMU_START */
	VPMU_FAILED,		/* a sentence: the program could not be started */
	VPMU_ENDED,		/* struct vpmu_ended: the last frame */
	/* to the machine */
	VPMU_START = 16,	/* struct vpmu_start, then gids and texts */
	VPMU_SIGNAL,		/* struct vpmu_signal */
	VPMU_WINDOW,		/* struct vpmu_window */
	VPMU_INPUT_END,		/* uint64_t: bytes of stdin in all */
	VPMU_OUTPUT_CLOSED,	/* uint32_t: stream that nobody reads any more */
};

struct vpmu_window { uint16_t rows, columns; };
struct vpmu_signal { int32_t number; uint32_t group; };

struct vpmu_ended {
	uint64_t bytes[VPMU_STREAMS];	/* of stdout and stderr in all */
	int32_t status;			/* as a shell has it */
	uint32_t rung;			/* the machine's counters have received start and end */
};

struct vpmu_start {
	uint32_t uid, gid, umask;
	uint32_t groups, words, settings;	/* how many gids, arguments, variables follow */
	uint32_t terminal[VPMU_STREAMS];	/* which streams are the terminal */
	uint32_t has_terminal, work_is_shared;
	uint64_t seconds, nanoseconds;		/* of the host's clock */
	uint8_t random[32];
	struct vpmu_window window;
	struct termios termios;
	/* Follow: groups * uint32_t; then texts, each with its NUL: host name, working folder,
	 * arguments, environment. */
};

/* 0, or -1 when the other side is gone. The payload is malloc'd, with a NUL behind it. */
int vpmu_frame_write(int fd, enum vpmu_frame_type type, const void *payload, size_t bytes);
int vpmu_frame_read(int fd, uint32_t *type, void **payload, size_t *bytes);

/* Large, since each move costs a time slice of several threads on both sides. */
#define VPMU_STREAM_BYTES 262144

/* A stream in one direction. */
struct vpmu_stream {
	int from, to;		/* -1: closed */
	size_t have, gone;	/* of buffer: filled, and of that written */
	uint64_t taken, limit;	/* bytes read so far, and in all once that is known */
	bool careful;		/* `to` may block: write only what surely fits */
	bool eager;		/* `from` never blocks, and gives little at a time */
	bool broken;		/* nobody reads `to` any more */
	char buffer[VPMU_STREAM_BYTES];
};

#define VPMU_NO_LIMIT UINT64_MAX

struct pollfd;
/* _wait: sets the event to wait for (fd -1: none). _move: reads or writes when it has come. */
void vpmu_stream_wait(const struct vpmu_stream *s, struct pollfd *p);
void vpmu_stream_move(struct vpmu_stream *s, const struct pollfd *p);
/* All is written that there was to read. */
bool vpmu_stream_done(const struct vpmu_stream *s);

#endif
