/* SPDX-License-Identifier: MIT */
#include "qualifiers.h"

#include <stdio.h>
#include <strings.h>

bool ipmu_qualifier_is(const struct ipmu_qualifier *q, const char *key)
{
	return strcasecmp(q->key, key) == 0;
}

const struct ipmu_qualifier *ipmu_qualifiers_own(const struct ipmu_qualifiers *q, const char *key)
{
	for (int i = 0; i < q->n; i++)
		if (q->list[i].owner == IPMU_OF_TYPE && ipmu_qualifier_is(&q->list[i], key))
			return &q->list[i];
	return NULL;
}

const struct ipmu_qualifier *ipmu_qualifiers_first(const struct ipmu_qualifiers *q,
						   enum ipmu_qualifier_owner owner)
{
	for (int i = 0; i < q->n; i++)
		if (q->list[i].owner == owner)
			return &q->list[i];
	return NULL;
}

const char *ipmu_qualifiers_text(const struct ipmu_qualifiers *q, enum ipmu_qualifier_owner owner,
				 char text[IPMU_QUALIFIERS_TEXT])
{
	size_t n = 0;

	text[0] = '\0';
	for (int i = 0; i < q->n && n < IPMU_QUALIFIERS_TEXT; i++)
		if (q->list[i].owner == owner)
			n += (size_t)snprintf(text + n, IPMU_QUALIFIERS_TEXT - n,
					      ":" IPMU_QUALIFIER_FORMAT,
					      IPMU_QUALIFIER_WORDS(&q->list[i]));
	return text;
}
