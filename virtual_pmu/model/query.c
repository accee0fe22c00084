/* SPDX-License-Identifier: MIT */
/* Queries of tools: the registers and events of a machine, and registers' values without side
 * effects. vpmu_model_register() and vpmu_model_event() list them by number, vpmu_model_find()
 * looks a name up. vpmu_model_peek() and _poke() need the machine lock, all others read constants.
 * A poke is not a program's write: it is no access, no violation, and no change that a program
 * left. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model_type.h"

bool vpmu_model_register(const struct vpmu_machine *m, uint32_t index,
			 struct vpmu_register_info *out)
{
	struct vpmu_register r;

	if (!vpmu_register_number(m, index, &r))
		return false;
	vpmu_register_describe(m, &r, out);
	return true;
}

bool vpmu_model_event(const struct vpmu_machine *m, uint32_t index, struct vpmu_event_info *out)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);
	const struct vpmu_event_info *found = NULL;
	size_t bytes;

	if (!type)
		return false;
	bytes = type->event_stride ? type->event_stride : sizeof(*out);
	if (index < type->event_count)
		found = (const void *)((const char *)type->events + index * bytes);
	else if (type->core)
		found = type->core->event(m, index - type->event_count);
	if (found)
		*out = *found;
	return found;
}

int vpmu_model_find(const struct vpmu_machine *m, const char *text, struct vpmu_register_info *out)
{
	struct vpmu_register_info info;
	char *end;
	unsigned long number = strtoul(text, &end, 16);
	bool numeric = strncasecmp(text, "0x", 2) == 0 && text[2] && !*end;

	for (uint32_t i = 0; vpmu_model_register(m, i, &info); i++)
		if ((numeric && info.space == VPMU_MSR && info.address == number) ||
		    strcasecmp(info.name, text) == 0) {
			*out = info;
			return 0;
		}
	return -ENOENT;
}

static int locate(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register_info *reg,
		  struct vpmu_register *r)
{
	if (cpu >= vpmu_machine_cpus(&s->machine))
		return -ENXIO;
	return vpmu_register_on(&s->machine, cpu, reg->space, reg->address, r) ? 0 : -ENOENT;
}

/* Counters in memory have 32 or 64 bits. */
static size_t bytes_of(const struct vpmu_register_info *reg)
{
	return reg->space == VPMU_MMIO && reg->width <= 32 ? 4 : 8;
}

int vpmu_model_peek(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register_info *reg,
		    uint64_t *value)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);
	struct vpmu_register r;
	int rc = locate(s, cpu, reg, &r);

	if (rc)
		return rc;
	if (type->gather)
		type->gather(s, vpmu_cpu_package(&s->machine, cpu));
	*value = 0;	/* little-endian: the low half of *value is the 32-bit register */
	memcpy(value, vpmu_register_value(s, cpu, &r), bytes_of(reg));
	return 0;
}

int vpmu_model_poke(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register_info *reg,
		    uint64_t value)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);
	struct vpmu_register r;
	int rc = locate(s, cpu, reg, &r);

	if (rc)
		return rc;
	if (reg->width < 64 && value >> reg->width)
		return -ERANGE;
	type->advance(s, vpmu_cpu_package(&s->machine, cpu));
	memcpy(vpmu_register_value(s, cpu, &r), &value, bytes_of(reg));
	vpmu_register_written(s, cpu, &r, value);
	vpmu_register_note_poke(s, cpu, &r);
	return 0;
}

/* ---- free-running counters ---- */

static bool is_free(const struct vpmu_event_info *e)
{
	return !strcmp(e->counters, "FREE");
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The event's name stands behind the PMU's and a dot or colons, and before qualifiers. */
static bool names(const char *full, const char *event)
{
	for (const char *at = full; *at; at++) {
		size_t n = 0;

		while (event[n] && lower(at[n]) == lower(event[n]))
			n++;
		if (!event[n] && (!at[n] || at[n] == ':') &&
		    (at == full || at[-1] == '.' || at[-1] == ':'))
			return true;
	}
	return false;
}

void vpmu_model_count_free(struct vpmu_segment *s, const char *name)
{
	struct vpmu_event_info e;

	for (uint32_t i = 0; vpmu_model_event(&s->machine, i, &e); i++)
		if (is_free(&e) && !e.driven && names(name, e.name))
			vpmu_record_undriven(s, VPMU_MMIO, e.code, VPMU_UNDRIVEN_FREE | e.code);
}

static bool free_text(const struct vpmu_machine *m, const struct vpmu_undriven *u, char *text,
		      size_t bytes)
{
	struct vpmu_event_info e;

	for (uint32_t i = 0; u->select & VPMU_UNDRIVEN_FREE && vpmu_model_event(m, i, &e); i++)
		if (is_free(&e) && e.code == u->address) {
			snprintf(text, bytes, "%s: %s", e.name, e.why);
			return true;
		}
	return false;
}

static const char *why_undriven(const struct vpmu_machine *m, const struct vpmu_undriven *u)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);
	const char *why = NULL;

	if (u->select & VPMU_UNDRIVEN_CORE)
		why = type->core ? type->core->undriven(m, u) : NULL;
	else if (type->undriven)
		why = type->undriven(u);
	return why ? why : "the machine's record of it is damaged";
}

void vpmu_model_undriven_text(const struct vpmu_machine *m, const struct vpmu_undriven *u,
			      char *text, size_t bytes)
{
	struct vpmu_register r;
	struct vpmu_register_info info = { .name = "?" };
	const struct vpmu_model_type *type = vpmu_model_type(m);
	const char *event;

	if (free_text(m, u, text, bytes))
		return;
	event = type->undriven_event ? type->undriven_event(u) : NULL;
	if (vpmu_register_at(m, (enum vpmu_space)u->space, u->address, &r))
		vpmu_register_describe(m, &r, &info);
	if (event) {
		snprintf(text, bytes, "%s on %s: %s", event, info.name, why_undriven(m, u));
		return;
	}
	snprintf(text, bytes, "code 0x%02x umask 0x%02x on %s: %s",
		 (unsigned int)(u->select & 0xff), (unsigned int)(u->select >> 8 & 0xff),
		 info.name, why_undriven(m, u));
}
