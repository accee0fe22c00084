/* SPDX-License-Identifier: MIT */
/* CPUID of a given CPU: on hybrid parts it differs between kinds of cores. */
#ifndef IPMU_ACCESS_CPUID_H
#define IPMU_ACCESS_CPUID_H

#include <stdbool.h>
#include <stdint.h>

enum { IPMU_EAX, IPMU_EBX, IPMU_ECX, IPMU_EDX };

/* Reads a leaf through /dev/cpu/N/cpuid. If that cannot be read, the instruction answers, for the
 * CPU on which the thread runs. False: the CPU does not have the leaf. */
bool ipmu_cpuid_leaf(int os_cpu, uint32_t leaf, uint32_t registers[4]);

#endif
