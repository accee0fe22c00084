/* SPDX-License-Identifier: MIT */
#include "shown.h"

#include <string.h>

#define PIECE_MAX 5	/* \xNN, or four bytes of UTF-8, and a NUL */

/* Bytes of the character that the text begins with; 0: it is none that may be shown. */
static size_t character(const char *text, size_t left)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t bytes = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 :
		       *p < 0xf5 ? 4 : 0;

	if (*p < ' ' || *p == 0x7f || bytes > left)
		return 0;
	for (size_t i = 1; i < bytes; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* U+0080 to U+009F, and longer forms of what a shorter one says. */
	if ((*p == 0xc2 || *p == 0xe0) && p[1] < 0xa0)
		return 0;
	return *p == 0xf0 && p[1] < 0x90 ? 0 : bytes;
}

/* Returns how many bytes of the text the piece stands for. */
static size_t piece(const char *text, size_t left, char out[PIECE_MAX])
{
	size_t bytes = character(text, left);

	if (!bytes) {
		snprintf(out, PIECE_MAX, "\\x%02X", (unsigned)(unsigned char)*text);
		return 1;
	}
	memcpy(out, text, bytes);
	out[bytes] = '\0';
	return bytes;
}

bool shown_as_is(const char *text, size_t bytes)
{
	size_t n;

	for (; bytes; text += n, bytes -= n) {
		n = *text == '\t' ? 1 : character(text, bytes);
		if (!n)
			return false;
	}
	return true;
}

const char *shown(const char *text, char *out, size_t room)
{
	size_t left = strlen(text), n = 0;
	char one[PIECE_MAX];

	while (left) {
		size_t taken = piece(text, left, one);

		if (n + strlen(one) >= room)
			break;
		n += (size_t)sprintf(out + n, "%s", one);
		text += taken;
		left -= taken;
	}
	out[n] = '\0';
	return out;
}

void shown_write(FILE *to, const char *text, size_t bytes)
{
	char many[4096];	/* stderr has no buffer */
	size_t n = 0;

	while (bytes) {
		size_t taken = 1;

		if (*text == '\n' || *text == '\t') {
			many[n++] = *text;
		} else if (*text != '\r') {
			taken = piece(text, bytes, many + n);
			n += strlen(many + n);
		}
		if (n + PIECE_MAX > sizeof(many)) {
			fwrite(many, 1, n, to);
			n = 0;
		}
		text += taken;
		bytes -= taken;
	}
	fwrite(many, 1, n, to);
}
