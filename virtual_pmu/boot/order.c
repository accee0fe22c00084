/* SPDX-License-Identifier: MIT */
/* What is to be started, as the other side says it. */
#include <stdlib.h>
#include <string.h>

#include "init.h"

static char *next_text(char **at, const char *end)
{
	char *text = *at;

	if (text >= end)
		init_fail("the order to start is incomplete");
	*at += strlen(text) + 1;
	return text;
}

static char **take_texts(uint32_t count, char **at, const char *end)
{
	char **texts = calloc((size_t)count + 1, sizeof(*texts));

	if (!texts)
		init_fail("no memory");
	for (uint32_t i = 0; i < count; i++)
		texts[i] = next_text(at, end);
	return texts;
}

void init_receive(int control, struct init_order *order)
{
	uint32_t type;
	size_t bytes;
	void *payload;
	char *at, *end;

	*order = (struct init_order){ .start = NULL };
	if (vpmu_frame_write(control, VPMU_READY, "", 0) ||
	    vpmu_frame_read(control, &type, &payload, &bytes) ||
	    type != VPMU_START || bytes < sizeof(*order->start))
		init_fail("no order to start");
	order->start = order->user = payload;
	order->groups = (gid_t *)((char *)payload + sizeof(*order->start));
	at = (char *)(order->groups + order->start->groups);
	end = (char *)payload + bytes;
	order->host = next_text(&at, end);
	order->folder = next_text(&at, end);
	order->vpmu = next_text(&at, end);
	order->words = take_texts(order->start->words, &at, end);
	order->settings = take_texts(order->start->settings, &at, end);
}
