/* SPDX-License-Identifier: MIT */
/* Reads the host's order to start a program. */
#include <stdlib.h>
#include <string.h>

#include "init.h"

/* The part of the order that is not cut yet; a NUL is behind its end, to which a last text without
 * one of its own extends. */
struct rest { char *at, *end; };

/* NULL: nothing is left. */
static char *next_text(struct rest *r)
{
	char *text = r->at;

	if (text >= r->end)
		return NULL;
	r->at += strlen(text) + 1;
	return text;
}

/* NULL: there are not so many. Each takes a byte at least. */
static char **take_texts(uint32_t count, struct rest *r)
{
	char **texts = (int64_t)count <= r->end - r->at ?
		calloc((size_t)count + 1, sizeof(*texts)) : NULL;

	for (uint32_t i = 0; texts && i < count; i++) {
		texts[i] = next_text(r);
		if (!texts[i]) {
			free(texts);
			return NULL;
		}
	}
	return texts;
}

bool init_order_cut(void *payload, size_t bytes, struct init_order *order)
{
	struct rest r = { .end = (char *)payload + bytes };

	*order = (struct init_order){ .start = payload };
	if (bytes < sizeof(*order->start) ||
	    order->start->groups > (bytes - sizeof(*order->start)) / sizeof(*order->groups))
		return false;
	order->groups = (gid_t *)((char *)payload + sizeof(*order->start));
	r.at = (char *)(order->groups + order->start->groups);
	order->host = next_text(&r);
	order->folder = next_text(&r);
	order->words = order->start->words ? take_texts(order->start->words, &r) : NULL;
	if (order->words)
		order->settings = take_texts(order->start->settings, &r);
	if (order->settings)
		return true;
	free(order->words);
	order->words = NULL;
	return false;
}

void init_receive(int control, struct init_order *order)
{
	uint32_t type;
	size_t bytes;
	void *payload;

	if (vpmu_frame_write(control, VPMU_READY, "", 0) ||
	    vpmu_frame_read(control, &type, &payload, &bytes) || type != VPMU_START)
		init_fail("no order to start");
	if (!init_order_cut(payload, bytes, order))
		init_fail("the order to start is incomplete");
}
