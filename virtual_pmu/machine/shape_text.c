/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "machine.h"

__attribute__((format(printf, 4, 5)))
static size_t add(char *text, size_t bytes, size_t at, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text + at, bytes - at, format, args);
	va_end(args);
	return n < 0 ? at : at + (size_t)n < bytes ? at + (size_t)n : bytes - 1;
}

static size_t add_cache(char *text, size_t bytes, size_t at, const char *name,
			const struct vpmu_cache *c)
{
	return c->bytes ? add(text, bytes, at, ", %s %u KiB of %u ways", name, c->bytes / 1024,
			      c->ways) : at;
}

void vpmu_machine_text(const struct vpmu_machine *m, char *text, size_t bytes)
{
	const struct vpmu_little *e = &m->little;
	size_t at = add(text, bytes, 0, "packages %u, cores %u, threads %u, slices %u",
			m->packages, m->cores, m->threads, m->slices);

	at = add_cache(text, bytes, at, "L1I", &m->l1i);
	at = add_cache(text, bytes, at, "L1D", &m->l1d);
	at = add_cache(text, bytes, at, "L2", &m->l2);
	at = add_cache(text, bytes, at, "LLC", &m->llc);
	if (e->cores) {
		at = add(text, bytes, at, ", E cores %u, %u to an L2, %u away", e->cores,
			 e->cluster, e->away);
		at = add_cache(text, bytes, at, "L1I", &e->l1i);
		at = add_cache(text, bytes, at, "L1D", &e->l1d);
		at = add_cache(text, bytes, at, "L2", &e->l2);
	}
	add(text, bytes, at, ", clocks %u/%u/%u, fill buffers %u", m->llc_clocks,
	    m->memory_clocks, m->write_clocks, m->fill_buffers);
}
