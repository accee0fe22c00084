/* SPDX-License-Identifier: MIT */
#include "cluster.h"

/* The L1D and the L1I of a core of the cluster. */
struct pair { struct vpmu_l1 of[2]; };

static struct pair pair_of(const struct vpmu_private *p, uint32_t member, uint64_t tag)
{
	const struct vpmu_agent_block *b = p->block;
	unsigned char *at = (unsigned char *)p->core + member * b->member_bytes;

	return (struct pair){ { vpmu_l1_at(at + b->l1d_at, &b->l1d, tag >> 6),
				vpmu_l1_at(at + b->l1i_at, &b->l1i, tag >> 6) } };
}

/* The best state in which an L1 of another core has the line. */
static enum vpmu_word_state others_have(const struct vpmu_private *p, uint64_t tag)
{
	enum vpmu_word_state best = VPMU_WORD_I;

	for (uint32_t i = 0; i < p->block->members; i++) {
		struct pair other = pair_of(p, i, tag);

		for (int k = 0; k < 2 && other.of[0].ways != p->l1d.ways; k++) {
			int way = l1_find(&other.of[k], tag);
			enum vpmu_word_state state = way < 0 ? VPMU_WORD_I :
				set_state(l1_word(&other.of[k], (uint32_t)way));

			best = state > best ? state : best;
		}
	}
	return best;
}

static void ask_others(const struct vpmu_private *p, uint64_t tag, bool store)
{
	enum vpmu_snoop_result unused = VPMU_SNOOP_MISS;

	for (uint32_t i = 0; i < p->block->members; i++) {
		struct pair other = pair_of(p, i, tag);

		for (int k = 0; k < 2 && other.of[0].ways != p->l1d.ways; k++)
			private_snoop_l1(&other.of[k], tag, store, &unused);
	}
}

uint64_t vpmu_cluster_ask(struct vpmu_private *p, uint64_t tag, bool store, bool may_put,
			  bool *done)
{
	enum vpmu_word_state state = others_have(p, tag);
	int way = set_find(&p->l2, tag);
	uint64_t victim = 0;

	*done = state == VPMU_WORD_I || way >= 0 || may_put;
	if (state == VPMU_WORD_I || !*done)
		return 0;
	ask_others(p, tag, store);
	p->shared = !store;
	if (way < 0)
		victim = set_insert(&p->l2, tag | state);
	else if (state == VPMU_WORD_M)
		set_put(&p->l2, (uint32_t)way, tag | VPMU_WORD_M);
	return set_state(victim) == VPMU_WORD_M ? victim : 0;
}

void vpmu_cluster_snoop(const struct vpmu_private *p, uint64_t tag, bool invalidate,
			enum vpmu_snoop_result *result)
{
	for (uint32_t i = 0; i < p->block->members; i++) {
		struct pair one = pair_of(p, i, tag);

		private_snoop_l1(&one.of[0], tag, invalidate, result);
		private_snoop_l1(&one.of[1], tag, invalidate, result);
	}
}

bool vpmu_cluster_has(const struct vpmu_private *p, uint64_t tag)
{
	for (uint32_t i = 0; i < p->block->members; i++) {
		struct pair one = pair_of(p, i, tag);

		if (l1_find(&one.of[0], tag) >= 0 || l1_find(&one.of[1], tag) >= 0)
			return true;
	}
	return false;
}
