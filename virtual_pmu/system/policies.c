/* SPDX-License-Identifier: MIT */
/* Memory policies: on which node a page is that the program touches. The feed calls
 * vpmu_system_place() at the first touch of each page. A thread's policy (set_mempolicy) is in its
 * slot; those of ranges (mbind) are the process's, and the machine lock guards them. Pages of
 * interleaved memory take turns by their addresses, where Linux counts in order of their first
 * touches. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "system.h"

#define PAGE UINT64_C(4096)
#define RANGES 1024u
#define WORD_BITS 64u

struct range { uint64_t from, to; struct vpmu_policy policy; };
static struct range ranges[RANGES];
static uint32_t range_count;

static uint64_t all_nodes(void)
{
	return (UINT64_C(1) << vpmu_machine_nodes(&vpmu_system.segment->machine)) - 1;
}

static struct range *range_of(uint64_t address)
{
	for (uint32_t i = 0; i < range_count; i++)
		if (ranges[i].from <= address && address < ranges[i].to)
			return &ranges[i];
	return NULL;
}

static struct vpmu_policy policy_of(uint64_t address)
{
	const struct range *r = range_of(address);
	const struct vpmu_thread *t = r ? NULL : vpmu_thread_find(vpmu_system.segment,
								  vpmu_gettid());

	return r ? r->policy : t ? t->policy : (struct vpmu_policy){ 0, MPOL_DEFAULT, 0 };
}

static uint32_t nth_node(uint64_t nodes, uint64_t n)
{
	while (n--)
		nodes &= nodes - 1;
	return (uint32_t)__builtin_ctzll(nodes);
}

uint32_t vpmu_system_place(uint64_t address, uint32_t package)
{
	struct vpmu_policy p = policy_of(address);

	if (!p.nodes)
		return package;
	if (p.mode == MPOL_INTERLEAVE)
		return nth_node(p.nodes, address / PAGE % (uint64_t)__builtin_popcountll(p.nodes));
	return p.nodes >> package & 1 ? package : nth_node(p.nodes, 0);
}

/* ---- ranges ---- */

static void range_add(uint64_t from, uint64_t to, struct vpmu_policy policy)
{
	if (from < to)
		ranges[range_count++] = (struct range){ from, to, policy };
}

/* Removes what the ranges have of these addresses. A range may become two. */
static void ranges_cut(uint64_t from, uint64_t to)
{
	for (uint32_t i = range_count; i--;) {
		struct range r = ranges[i];

		if (r.to <= from || to <= r.from)
			continue;
		ranges[i] = ranges[--range_count];
		range_add(r.from, r.from < from ? from : r.from, r.policy);
		range_add(to < r.to ? to : r.to, r.to, r.policy);
	}
}

static int range_set(uint64_t from, uint64_t to, struct vpmu_policy policy)
{
	int rc;

	vpmu_lock(vpmu_system.segment);
	rc = range_count + 2 > RANGES ? -ENOMEM : 0;
	if (!rc) {
		ranges_cut(from, to);
		if (policy.mode != MPOL_DEFAULT)
			range_add(from, to, policy);
	}
	vpmu_unlock(vpmu_system.segment);
	return rc;
}

void vpmu_policies_unmap(uint64_t at, uint64_t bytes)
{
	if (__atomic_load_n(&range_count, __ATOMIC_RELAXED))
		range_set(at, at + (bytes + PAGE - 1) / PAGE * PAGE,
			  (struct vpmu_policy){ 0, MPOL_DEFAULT, 0 });
}

/* ---- the calls ---- */

/* Words of a mask with one bit less than this. */
static uint64_t words_of(uint64_t maxnode)
{
	return (maxnode - 1 + WORD_BITS - 1) / WORD_BITS;
}

/* Nodes that the machine does not have are left out, as by the kernel. */
static int get_nodes(uint64_t address, uint64_t maxnode, uint64_t *nodes)
{
	const uint64_t *words;

	*nodes = 0;
	if (!address || maxnode < 2)
		return 0;
	if (maxnode > PAGE * 8)
		return -EINVAL;
	words = vpmu_system.memory->memory(address, words_of(maxnode) * sizeof(*words), false);
	if (!words)
		return -EFAULT;
	*nodes = words[0];
	if (maxnode - 1 < WORD_BITS)
		*nodes &= (UINT64_C(1) << (maxnode - 1)) - 1;
	for (uint64_t i = 1; i < words_of(maxnode); i++)
		if (words[i])
			return -EINVAL;
	return 0;
}

static int policy_from(int64_t mode, uint64_t address, uint64_t maxnode, struct vpmu_policy *p)
{
	uint64_t nodes;
	int rc = get_nodes(address, maxnode, &nodes);
	bool any = nodes;

	if (rc)
		return rc;
	mode &= ~(int64_t)(MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES);
	*p = (struct vpmu_policy){ nodes & all_nodes(), (uint32_t)mode, 0 };
	switch (mode) {
	case MPOL_DEFAULT: case MPOL_LOCAL:
		return any ? -EINVAL : 0;
	case MPOL_PREFERRED:
		if (p->nodes)
			p->nodes &= -p->nodes;
		return any && !p->nodes ? -EINVAL : 0;
	case MPOL_BIND: case MPOL_INTERLEAVE: case MPOL_PREFERRED_MANY:
		return p->nodes ? 0 : -EINVAL;
	default:
		return -EINVAL;
	}
}

static int64_t set_policy(const int64_t a[6])
{
	struct vpmu_thread *t = vpmu_cpus_thread(0);
	struct vpmu_policy p;
	int rc = policy_from(a[0], (uint64_t)a[1], (uint64_t)a[2], &p);

	if (!rc && t)
		t->policy = p;
	return rc;
}

static bool is_program(uint64_t address)
{
	return vpmu_system.memory->memory(address, 1, false);
}

/* The node of a page; the page has been touched when this returns. */
static int node_of(uint64_t address)
{
	uint32_t cpu = vpmu_system_cpu();
	int node = vpmu_system.memory->home(address, -1);

	if (node < 0) {
		node = (int)vpmu_system_place(address, vpmu_cpu_package(
						      &vpmu_system.segment->machine, cpu));
		vpmu_system.memory->home(address, node);
	}
	return node;
}

static int64_t put_policy(const int64_t a[6], int mode, uint64_t nodes)
{
	uint64_t bytes = (uint64_t)a[2] ? words_of((uint64_t)a[2] + 1) * 8 : 0;
	uint64_t *mask;

	if (a[0] && vpmu_time_put((uint64_t)a[0], &mode, sizeof(mode)))
		return -EFAULT;
	if (!a[1])
		return 0;
	if ((uint64_t)a[2] < vpmu_machine_nodes(&vpmu_system.segment->machine))
		return -EINVAL;
	mask = vpmu_system.memory->memory((uint64_t)a[1], bytes, true);
	if (!mask)
		return -EFAULT;
	memset(mask, 0, bytes);
	*mask = nodes;
	return 0;
}

static int64_t get_policy(const int64_t a[6])
{
	const struct vpmu_thread *t = vpmu_cpus_thread(0);
	uint64_t address = (uint64_t)a[3], flags = (uint64_t)a[4];
	struct vpmu_policy p = t ? t->policy : (struct vpmu_policy){ 0, MPOL_DEFAULT, 0 };
	const struct range *r;

	if (flags & ~(uint64_t)(MPOL_F_NODE | MPOL_F_ADDR | MPOL_F_MEMS_ALLOWED))
		return -EINVAL;
	if (flags & MPOL_F_MEMS_ALLOWED)
		return flags & (MPOL_F_NODE | MPOL_F_ADDR) ? -EINVAL :
							      put_policy(a, 0, all_nodes());
	if (!(flags & MPOL_F_ADDR)) {
		if (address || (flags & MPOL_F_NODE && p.mode != MPOL_INTERLEAVE))
			return -EINVAL;
		return put_policy(a, flags & MPOL_F_NODE ? (int)nth_node(p.nodes, 0) : (int)p.mode,
				  p.nodes);
	}
	if (!is_program(address))
		return -EFAULT;
	r = range_of(address);
	p = r ? r->policy : p;
	return put_policy(a, flags & MPOL_F_NODE ? node_of(address) : (int)p.mode, p.nodes);
}

static int64_t bind_range(const int64_t a[6])
{
	uint64_t from = (uint64_t)a[0], to = (from + (uint64_t)a[1] + PAGE - 1) / PAGE * PAGE;
	uint64_t flags = (uint64_t)a[5];
	struct vpmu_policy p;
	int rc = policy_from(a[2], (uint64_t)a[3], (uint64_t)a[4], &p);

	if (from % PAGE || flags & ~(uint64_t)MPOL_MF_VALID || to < from)
		return -EINVAL;
	if (!rc && from < to && !vpmu_system.memory->memory(from, to - from, false))
		rc = -EFAULT;
	if (!rc)
		rc = range_set(from, to, p);
	if (rc || !p.nodes || !(flags & MPOL_MF_VALID))
		return rc;
	for (uint64_t at = from; at < to; at += PAGE) {
		int node = vpmu_system.memory->home(at, -1);

		if (node < 0 || p.nodes >> node & 1)
			continue;
		if (!(flags & (MPOL_MF_MOVE | MPOL_MF_MOVE_ALL)))
			return -EIO;
		vpmu_system.memory->home(at, (int)vpmu_system_place(at, (uint32_t)node));
	}
	return 0;
}

static int move_page(uint64_t page, const int32_t *node)
{
	int home = is_program(page) ? vpmu_system.memory->home(page, -1) : -EFAULT;

	return home >= 0 && node ? vpmu_system.memory->home(page, *node) : home;
}

static int64_t move_pages(const int64_t a[6])
{
	uint64_t count = (uint64_t)a[1];
	const uint64_t *pages;
	const int32_t *nodes = NULL;
	int32_t *status;

	if (a[5] & ~(int64_t)(MPOL_MF_MOVE | MPOL_MF_MOVE_ALL))
		return -EINVAL;
	if (a[0] && a[0] != getpid())
		return -EPERM;
	if (!count)
		return 0;
	if (count > INT32_MAX)
		return -E2BIG;
	pages = vpmu_system.memory->memory((uint64_t)a[2], count * sizeof(*pages), false);
	status = vpmu_system.memory->memory((uint64_t)a[4], count * sizeof(*status), true);
	if (a[3])
		nodes = vpmu_system.memory->memory((uint64_t)a[3], count * sizeof(*nodes), false);
	if (!pages || !status || (a[3] && !nodes))
		return -EFAULT;
	for (uint64_t i = 0; i < count; i++) {
		if (nodes && (nodes[i] < 0 || nodes[i] >= 64 || !(all_nodes() >> nodes[i] & 1)))
			return -ENODEV;
		status[i] = move_page(pages[i], nodes ? &nodes[i] : NULL);
	}
	return 0;
}

bool vpmu_policies_before(int64_t number, const int64_t a[6], int64_t *answer)
{
	switch (number) {
	case SYS_set_mempolicy:
		*answer = set_policy(a);
		break;
	case SYS_get_mempolicy:
		*answer = get_policy(a);
		break;
	case SYS_mbind:
		*answer = bind_range(a);
		break;
	default:
		*answer = move_pages(a);
	}
	return true;
}
