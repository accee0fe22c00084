/* SPDX-License-Identifier: MIT */
#include "reg.h"

#include <stddef.h>
#include <stdio.h>

uint32_t ipmu_reg_addr(const struct ipmu_reg *reg, int box, int ctr)
{
	uint32_t offset = reg->box_offsets ? reg->box_offsets[box] :
					     (uint32_t)box * reg->box_stride;

	return reg->addr + offset + (uint32_t)ctr * reg->ctr_stride;
}

uint64_t ipmu_reg_fields(const struct ipmu_reg *reg)
{
	uint64_t mask = 0;

	for (const struct ipmu_field *f = reg->fields; f->name; f++)
		mask |= f->bits;
	return mask;
}

uint64_t ipmu_reg_writable(const struct ipmu_reg *reg)
{
	uint64_t mask = ipmu_reg_fields(reg);

	for (const struct ipmu_field *f = reg->fields; f->name; f++)
		if (f->never_write)
			mask &= ~f->bits;
	return reg->access == IPMU_RO || reg->never_write ? 0 : mask;
}

uint64_t ipmu_reg_set_by(const struct ipmu_reg *reg, enum ipmu_setter setter)
{
	uint64_t mask = 0;

	for (const struct ipmu_field *f = reg ? reg->fields : NULL; f && f->name; f++)
		if (f->setter == setter)
			mask |= f->bits;
	return mask;
}

uint64_t ipmu_reg_event_bits(const struct ipmu_reg *reg)
{
	return reg ? ipmu_reg_fields(reg) & ~ipmu_reg_set_by(reg, IPMU_BY_LIBRARY) : 0;
}

void ipmu_reg_name(const struct ipmu_reg *reg, int box, int ctr, char name[64])
{
	size_t n = 0;

	for (const char *p = reg->name; *p && n < 60; p++) {
		if (p[0] == '%' && (p[1] == 'b' || p[1] == 'c'))
			n += (size_t)snprintf(name + n, 64 - n, "%d", *++p == 'b' ? box : ctr);
		else
			name[n++] = *p;
	}
	name[n] = '\0';
}

static bool is_at(const struct ipmu_reg *reg, uint32_t addr, int *box, int *ctr)
{
	for (*box = 0; *box < (reg->boxes ? reg->boxes : 1); ++*box)
		for (*ctr = 0; *ctr < (reg->ctrs ? reg->ctrs : 1); ++*ctr)
			if (ipmu_reg_addr(reg, *box, *ctr) == addr)
				return true;
	return false;
}

/* True if the register can be found by its address. Registers of the window that are only read need
 * not be. */
static bool has_number(const struct ipmu_reg *reg)
{
	return reg->space == IPMU_MSR || (reg->space == IPMU_MMIO && ipmu_reg_writable(reg));
}

const struct ipmu_reg *ipmu_reg_at(const struct ipmu_reg *const *registers, uint32_t addr,
				   int *box, int *ctr)
{
	int any_box, any_ctr;

	for (const struct ipmu_reg *const *r = registers; *r; r++)
		if (has_number(*r) &&
		    is_at(*r, addr, box ? box : &any_box, ctr ? ctr : &any_ctr))
			return *r;
	return NULL;
}
