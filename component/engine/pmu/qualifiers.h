/* SPDX-License-Identifier: MIT */
/* Qualifiers, which follow the event in a name: a list of keys, each of which may have a value, in
 * the order of the name. names/parse.c makes it from text; no other file cuts names. */
#ifndef IPMU_QUALIFIERS_H
#define IPMU_QUALIFIERS_H

#include "../ipmu.h"

#define IPMU_QUALIFIERS_MAX 17	/* 16 of a name, and a privilege level that its frame adds */
#define IPMU_QUALIFIERS_TEXT (IPMU_NAME_MAX + IPMU_QUALIFIERS_MAX)

enum ipmu_qualifier_owner {
	IPMU_OF_PFM,	/* libpfm4's: unit masks and modifiers */
	IPMU_OF_TYPE,	/* one that type->qualifiers lists */
	IPMU_OF_PLACE,	/* package, cpu or box: encoders skip it */
};

struct ipmu_qualifier {
	const char *key, *value;	/* as they were spelled; value NULL: there is no '=' */
	enum ipmu_qualifier_owner owner;
};

struct ipmu_qualifiers {
	int n;
	struct ipmu_qualifier list[IPMU_QUALIFIERS_MAX];
};

/* Format of a qualifier in a message, "key" or "key=value". */
#define IPMU_QUALIFIER_FORMAT "%s%s%s"
#define IPMU_QUALIFIER_WORDS(q) (q)->key, (q)->value ? "=" : "", (q)->value ? (q)->value : ""

/* Letter case of keys is ignored. */
bool ipmu_qualifier_is(const struct ipmu_qualifier *q, const char *key);
/* The type's own qualifier of that key, or NULL. */
const struct ipmu_qualifier *ipmu_qualifiers_own(const struct ipmu_qualifiers *q, const char *key);
/* The first one of that owner, or NULL. */
const struct ipmu_qualifier *ipmu_qualifiers_first(const struct ipmu_qualifiers *q,
						   enum ipmu_qualifier_owner owner);

/* Those of one owner as a name spells them, ":ANY_I:c=1", or "". For messages, for libpfm4 and for
 * names that are given out. Returns text. */
const char *ipmu_qualifiers_text(const struct ipmu_qualifiers *q, enum ipmu_qualifier_owner owner,
				 char text[IPMU_QUALIFIERS_TEXT]);

#endif
