/* SPDX-License-Identifier: MIT */
/* The grammar of event names, the only place that cuts them:
 * pmu.EVENT:UMASK:modifiers:package=N:box=N, pmu::EVENT..., EVENT.UMASK... */
#ifndef IPMU_PARSE_H
#define IPMU_PARSE_H

#include "../pmu/families.h"
#include "../pmu/qualifiers.h"

/* A name as a list. All pointers point into `text`, so it is not copied. */
struct ipmu_parsed_name {
	char text[IPMU_NAME_MAX];
	const char *pmu;	/* NULL: not given */
	const char *event;
	struct ipmu_qualifiers q;	/* owners are not known yet: all are libpfm4's */
};

/* -EINVAL: no name. */
int ipmu_name_parse(const char *name, struct ipmu_parsed_name *out, char *why);
int ipmu_name_check_length(const char *name, char *why);

/* The type of that name in a family, or with NULL in any; NULL: there is none. *box: the number
 * behind it, or IPMU_ALL. */
const struct ipmu_pmu_type *ipmu_type_named(const struct ipmu_family *family, const char *pmu,
					    int *box);

/* -EINVAL: a key is given twice. `name` is for the message. */
int ipmu_name_check_twice(const struct ipmu_qualifiers *q, const char *name, char *why);
/* The number of a qualifier, 0 to 9999. -EINVAL: it has none. */
int ipmu_name_number(const struct ipmu_qualifier *q, const char *name, int *out, char *why);

#endif
