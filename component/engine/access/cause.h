/* SPDX-License-Identifier: MIT */
/* Causes of a refusal in the kernel or a container. Checked only for a message, after something has
 * failed. */
#ifndef IPMU_CAUSE_H
#define IPMU_CAUSE_H

#include <stdbool.h>

bool ipmu_cause_offline(int os_cpu);
/* Kernel lockdown is on; its mode, as the kernel calls it. */
bool ipmu_cause_lockdown(char mode[32]);
/* The msr driver lets no program write (msr.allow_writes=off). */
bool ipmu_cause_filter(void);
/* The msr driver is there, whether or not its files can be seen from here. */
bool ipmu_cause_driver(void);
/* This process has the rights of a user namespace, which mean nothing to the driver. */
bool ipmu_cause_namespace(void);
/* This process has CAP_SYS_RAWIO, so that is not the cause. */
bool ipmu_cause_capable(void);

#endif
