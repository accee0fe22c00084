/* SPDX-License-Identifier: MIT */
/* The machine as the engine and the components see it: plain data, no hwloc types.
 *
 * Three index spaces, distinguished by name: os_cpu is the kernel's CPU number; core_idx and
 * pkg_idx count from 0 over the whole machine, in hwloc's logical order; smt_idx counts from 0
 * within a core. "Allowed" means that this process may use the CPU (cgroups, cpusets, and whatever
 * restriction the hwloc environment describes), not that the calling thread is bound to it.
 *
 * A loaded topology never changes: any number of threads may read it at the same time. Loading
 * reads the environment (HWLOC_XMLFILE and its kin), so do not call setenv() meanwhile.
 * None of these functions may be called from a signal handler, except the three readers. */
#ifndef IPMU_TOPOLOGY_H
#define IPMU_TOPOLOGY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef IPMU_HIDDEN	/* compiled into another library, which has its own interface */
#pragma GCC visibility push(hidden)
#else
#pragma GCC visibility push(default)
#endif

#define IPMU_WHY_MAX 512	/* bytes of a buffer for an error sentence, NUL included */

struct ipmu_cpu {
	int os_cpu;
	int core_idx;		/* machine-wide; one per CPU where hwloc has no cores */
	int smt_idx;		/* hardware thread within its core */
	int pkg_idx;
	int numa_os;		/* kernel's number of its lowest NUMA node, -1: none */
	bool allowed;
	int core_os;		/* the kernel's number of its core in the package, -1: not known */
	/* The number, from 1, of the cores that share its core's L2 cache; 0: its core has one of
	 * its own; -1: its core is outside of the last-level cache. */
	int cluster;
	char kind[16];		/* of its core, where there are several: "IntelAtom"; "": none */
};

struct ipmu_package {
	int pkg_idx;
	int os_index;		/* the kernel's physical package number, -1: not known */
	int ncores, ncpus;	/* disallowed ones included */
	int reach_cpu;		/* lowest allowed os_cpu, -1: none */
};

struct ipmu_topology {
	char vendor[16];		/* CPUID vendor string; "" if unknown */
	int family, model, stepping;	/* displayed family and model; -1: unknown */
	char cpu_model[96];		/* brand string; "" if unknown */
	int ncpus, ncores, npackages;
	int noffline;			/* CPUs that are there but offline; they are in no table */
	struct ipmu_cpu *cpus;		/* ncpus of them, sorted by os_cpu (may have gaps) */
	struct ipmu_package *packages;	/* npackages of them, sorted by pkg_idx */
};

/* Read the machine from hwloc, honouring its environment (HWLOC_XMLFILE, HWLOC_SYNTHETIC,
 * HWLOC_FSROOT, ...). Offline CPUs are left out. A topology without Package objects is one
 * package; one without Core objects has one core per CPU.
 * Returns 0 and a topology that the caller frees with ipmu_topology_free(). Otherwise returns
 * -ENOMEM, -EINVAL (environment names a topology that hwloc cannot read), -ENODEV (no CPU in it)
 * or another negative errno of hwloc's, leaves *out alone and writes one sentence to why. */
int ipmu_topology_load(struct ipmu_topology **out, char why[IPMU_WHY_MAX]);

/* Free what ipmu_topology_load() returned. NULL is fine. */
void ipmu_topology_free(struct ipmu_topology *t);

/* The process's own copy: the first call loads it, later ones get the same one, until as many
 * calls of ipmu_topology_release() have freed it. Any thread may call them. Returns what
 * ipmu_topology_load() does; only a success needs a release. */
int ipmu_topology_acquire(const struct ipmu_topology **out, char why[IPMU_WHY_MAX]);
void ipmu_topology_release(void);

/* The CPU with this number, or NULL if the machine has none. Owned by the topology. */
const struct ipmu_cpu *ipmu_topology_cpu(const struct ipmu_topology *t, int os_cpu);

/* The CPU through which to reach a package: prefer_os_cpu (-1: no preference) if it is in that
 * package and allowed, else the package's lowest allowed CPU. Returns its os_cpu, -EINVAL if the
 * machine has no such package, -ENODEV if no CPU of it is allowed. */
int ipmu_topology_reach(const struct ipmu_topology *t, int pkg_idx, int prefer_os_cpu);

/* The LLC slice that sits with a CPU's core on parts with one slice per core (Skylake client): the
 * core's index within its package, or, where CPUs are offline, the kernel's number of the core if
 * it has distinct ones, so that a core that is wholly offline leaves a gap. Which model has such
 * slices is not checked here: see ipmu_topology_kinds(). Returns the index, -ENODEV if the core has
 * none, or -EINVAL if the machine has no such CPU. */
int ipmu_topology_slice(const struct ipmu_topology *t, int os_cpu);

/* Boxes: sets of counters that count for a place. Their number follows from the identity of the CPU
 * and the topology; no register is read. A part with cores fused off may have more slices than are
 * listed here. PMUs that any CPU may have, such as the architectural fixed counters, are left
 * out. */
enum ipmu_box_place {
	IPMU_BOX_PACKAGE,	/* `each` of them in every package */
	IPMU_BOX_SLICE,		/* one beside every core, or cluster of cores with one L2 cache,
				 * counting for the package */
	IPMU_BOX_CORE,		/* one in every core, shared by its threads */
	IPMU_BOX_CPU,		/* one in every hardware thread */
};

struct ipmu_box_kind {
	const char *pmu;	/* as in event names: "skl_unc_cbo" */
	const char *label;	/* the manual's word for one: "CBo" */
	enum ipmu_box_place place;
	int each;
};

struct ipmu_topology_box {
	const struct ipmu_box_kind *kind;
	int pkg_idx;
	int box_idx;	/* in its package; IPMU_BOX_CORE and _CPU: lowest os_cpu that it counts */
	int core_idx;	/* the core that it sits with; -1: none, or an offline one */
	int reach_cpu;	/* lowest allowed os_cpu that reaches it, -1: none */
};

/* Kinds of boxes of this machine's packages and cores, up to one with pmu NULL. Static data. */
const struct ipmu_box_kind *ipmu_topology_kinds(const struct ipmu_topology *t);

/* How many boxes of a kind a package has, or -EINVAL if the machine has no such package. */
int ipmu_topology_nboxes(const struct ipmu_topology *t, const struct ipmu_box_kind *kind,
			 int pkg_idx);

/* All boxes, by kind, package and box_idx, in *out, which the caller passes to free(); NULL if
 * there are none. Returns their number, or -ENOMEM. */
int ipmu_topology_boxes(const struct ipmu_topology *t, struct ipmu_topology_box **out);

/* Can the box's registers be read through this CPU? False too for a CPU that is not allowed. */
bool ipmu_topology_box_reached(const struct ipmu_topology *t, const struct ipmu_topology_box *box,
			       int os_cpu);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
