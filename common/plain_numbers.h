/* SPDX-License-Identifier: MIT */
/* Numbers with a point, whatever language the program that we are in has chosen (setlocale), for
 * this thread: between begin and end. */
#ifndef IPMU_PLAIN_NUMBERS_H
#define IPMU_PLAIN_NUMBERS_H

#include <locale.h>

/* Returns the locale for plain_numbers_end(). */
static inline locale_t plain_numbers_begin(void)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	return plain ? uselocale(plain) : (locale_t)0;
}

static inline void plain_numbers_end(locale_t before)
{
	if (before)
		freelocale(uselocale(before));
}

#endif
