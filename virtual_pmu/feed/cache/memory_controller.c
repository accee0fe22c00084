/* SPDX-License-Identifier: MIT */
#include "memory_controller.h"

#include "private_caches.h"

#define PAGE_SHIFT 12

/* An entry is the page's number, address space and all, with its home above: 0 when free. */
#define HOME_SHIFT 56
#define PAGE_MASK ((1ull << HOME_SHIFT) - 1)

static uint32_t spread(uint64_t page, uint32_t packages)
{
	return (uint32_t)(page % packages);
}

/* By the address ranges that the board's firmware reports to the kernel. */
static uint32_t by_address(const struct vpmu_caches *c, uint64_t tag)
{
	uint64_t offset = tag < c->low_bytes ? tag : tag - (UINT64_C(1) << 32) + c->low_bytes;
	uint64_t package = offset / c->node_bytes, last = c->s->machine.packages - 1;

	return (uint32_t)(package < last ? package : last);
}

/* The page's entry, or a free one for it; NULL: neither is near. */
static uint64_t *home_entry(const struct vpmu_caches *c, uint64_t page)
{
	uint64_t *homes = (uint64_t *)(void *)(c->base + c->layout.homes_at);
	uint64_t hash = page * 0x9e3779b97f4a7c15ull;

	for (uint32_t i = 0; i < VPMU_HOME_PROBES; i++) {
		uint64_t *entry = &homes[((hash >> 40) + i) % VPMU_HOME_PAGES];

		if (!*entry || (*entry & PAGE_MASK) == page)
			return entry;
	}
	return NULL;
}

static uint64_t address_of(uint64_t tag)
{
	return tag & ((UINT64_C(1) << VPMU_SPACE_SHIFT) - 1);
}

uint32_t vpmu_controller_home_package(const struct vpmu_caches *c, const struct vpmu_runner *r,
				      uint64_t tag)
{
	uint64_t page = tag >> PAGE_SHIFT, *entry;

	if (c->s->machine.packages == 1)
		return 0;
	if (c->node_bytes)
		return by_address(c, address_of(tag));
	entry = home_entry(c, page);
	if (!entry)
		return spread(page, c->s->machine.packages);
	if (!*entry)
		vpmu_controller_home_move(
			c, tag, c->place ? c->place(address_of(tag), r->package) : r->package);
	return (uint32_t)(*entry >> HOME_SHIFT) - 1;
}

void vpmu_controller_home_move(const struct vpmu_caches *c, uint64_t tag, uint32_t package)
{
	uint64_t *entry = home_entry(c, tag >> PAGE_SHIFT);

	if (entry)
		*entry = tag >> PAGE_SHIFT | (uint64_t)(package + 1) << HOME_SHIFT;
}

bool vpmu_controller_home_known(const struct vpmu_caches *c, uint64_t tag)
{
	const uint64_t *entry = home_entry(c, tag >> PAGE_SHIFT);

	return !entry || *entry;
}

/* Address bits 6, 13, 16 and 20: bits 0, 7, 10 and 14 of the line's number. */
#define BOX_BITS 0x4481ull

uint32_t vpmu_controller_box(const struct vpmu_caches *c, uint64_t tag)
{
	uint64_t line = vpmu_placed_line(tag);

	if (c->layout.boxes == 2)
		return (uint32_t)__builtin_parityll(line & BOX_BITS);
	return (uint32_t)(line % c->layout.boxes);
}

static enum vpmu_page open_page(const struct vpmu_caches *c, uint32_t package, uint32_t box,
				uint64_t tag)
{
	uint64_t *open = (uint64_t *)(void *)(c->base + c->layout.banks_at);
	uint64_t page = vpmu_placed_line(tag) / c->layout.boxes >> VPMU_BANK_LINES_SHIFT;
	uint64_t row = page / VPMU_BANKS;
	uint64_t *bank = open + (package * c->layout.boxes + box) * VPMU_BANKS +
			 (page ^ row) % VPMU_BANKS;
	uint64_t old = *bank;

	*bank = page + 1;
	if (!old)
		return VPMU_PAGE_EMPTY;
	return old == page + 1 ? VPMU_PAGE_HIT : VPMU_PAGE_MISS;
}

void vpmu_controller_command(const struct vpmu_caches *c, const struct vpmu_runner *r, uint64_t tag,
			     bool write, uint32_t requests)
{
	uint32_t package = vpmu_controller_home_package(c, r, tag),
		 box = vpmu_controller_box(c, tag);
	enum vpmu_page page;

	/* The clock of the home package advances, too, while it serves another package. */
	if (r->clock > c->s->uclk[package])
		vpmu_clock(c->s, package, r->clock);
	vpmu_charge_dram(vpmu_kind_dram(c->layout.boxes, box), requests, write);
	vpmu_dram_at(c->s, package, box, requests, !write, write);
	page = open_page(c, package, box, tag);
	vpmu_charge((write ? VPMU_KIND_MEMORY_WRITE_HIT : VPMU_KIND_MEMORY_READ_HIT) + page, 1);
	vpmu_memory_command(c->s, package, box, write, page, r->clock);
}
