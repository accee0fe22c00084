/* SPDX-License-Identifier: MIT */
/* The machine as the engine and the components see it: plain data, no hwloc types.
 *
 * Three index spaces, told apart by name: os_cpu is the kernel's CPU number; core_idx and pkg_idx
 * count from 0 over the whole machine, in hwloc's logical order; smt_idx counts from 0 within a
 * core. "Allowed" means that this process may use the CPU (cgroups, cpusets, and whatever
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

#define IPMU_WHY_MAX 512	/* bytes of a buffer for an error sentence, NUL included */

struct ipmu_cpu {
	int os_cpu;
	int core_idx;		/* machine-wide; one per CPU where hwloc knows no cores */
	int smt_idx;		/* hardware thread within its core */
	int pkg_idx;
	int numa_os;		/* kernel's number of its lowest NUMA node, -1: none */
	bool allowed;
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
	struct ipmu_cpu *cpus;		/* ncpus of them, sorted by os_cpu (may have gaps) */
	struct ipmu_package *packages;	/* npackages of them, sorted by pkg_idx */
};

/* Read the machine from hwloc, honouring its environment (HWLOC_XMLFILE, HWLOC_SYNTHETIC,
 * HWLOC_FSROOT, ...). Offline CPUs are left out. A topology without Package objects is one
 * package; one without Core objects has one core per CPU.
 * Returns 0 and a topology that the caller gives to ipmu_topology_free(). Otherwise returns
 * -ENOMEM, -EINVAL (environment names a topology that hwloc cannot read), -ENODEV (no CPU in it)
 * or another negative errno of hwloc's, leaves *out alone and writes one sentence to why. */
int ipmu_topology_load(struct ipmu_topology **out, char why[IPMU_WHY_MAX]);

/* Free what ipmu_topology_load() gave. NULL is fine. */
void ipmu_topology_free(struct ipmu_topology *t);

/* The CPU with this number, or NULL if the machine has none. Owned by the topology. */
const struct ipmu_cpu *ipmu_topology_cpu(const struct ipmu_topology *t, int os_cpu);

/* The CPU through which to reach a package: prefer_os_cpu (-1: no preference) if it is in that
 * package and allowed, else the package's lowest allowed CPU. Returns its os_cpu, -EINVAL if the
 * machine has no such package, -ENODEV if no CPU of it is allowed. */
int ipmu_topology_reach(const struct ipmu_topology *t, int pkg_idx, int prefer_os_cpu);

/* The LLC slice that sits with a CPU's core on parts with one slice per core (Skylake client):
 * the core's index within its package. Which model has such slices is the caller's knowledge.
 * A core that is wholly offline is not counted, so that those after it get too low a number.
 * Returns the index, or -EINVAL if the machine has no such CPU. */
int ipmu_topology_slice(const struct ipmu_topology *t, int os_cpu);

#ifdef __cplusplus
}
#endif

#endif
