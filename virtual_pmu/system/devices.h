/* SPDX-License-Identifier: MIT */
/* The machine's device files, read and written as the real drivers do it. Sizes are bytes; answers
 * are the kernel's. Each access holds the machine lock. */
#ifndef VPMU_SYSTEM_DEVICES_H
#define VPMU_SYSTEM_DEVICES_H

#include <sys/stat.h>
#include <sys/types.h>

#include "descriptors.h"

#define VPMU_CONFIG_BYTES 256
#define VPMU_CONFIG_BYTES_FOR_ALL 64	/* Linux shows the rest to root only */

/* ---- devices.c ---- */

int64_t vpmu_device_read(struct vpmu_open_file f, void *to, size_t bytes, off_t offset);
int64_t vpmu_device_write(struct vpmu_open_file f, const void *from, size_t bytes, off_t offset);
/* Does the driver move the descriptor's offset on? */
bool vpmu_device_moves(enum vpmu_file file);

/* ---- outside.c: the machine's own device ---- */

int64_t vpmu_outside_read(void *to, size_t bytes);
int64_t vpmu_outside_write(const void *from, size_t bytes);
int64_t vpmu_outside_control(uint64_t request, uint64_t argument);

/* ---- msr_safe.c: by the rules of msr-safe ---- */

/* The caller holds the machine lock. 0 or a negative errno. */
int vpmu_safe_read(uint32_t cpu, uint32_t msr, uint64_t *value);
int vpmu_safe_write(uint32_t cpu, uint32_t msr, uint64_t value);
/* The module's ioctl; its argument is the program's. */
int64_t vpmu_safe_batch(uint64_t request, uint64_t argument, int flags);

/* ---- permission.c ---- */

/* R_OK and W_OK that an opening with these flags needs. */
int vpmu_opening_wants(int flags);
/* May the calling process do that (R_OK, W_OK) with the device? 0 or a negative errno. */
int vpmu_device_permission(enum vpmu_file file, int mode);
/* Does the process run without root's rights, on a machine that checks permissions? */
bool vpmu_unprivileged(void);
/* Fields of its status. */
mode_t vpmu_device_mode(enum vpmu_file file);
dev_t vpmu_device_number(enum vpmu_file file, uint32_t cpu);
/* Which device of registers has this number on the host? VPMU_HOSTS: none. */
enum vpmu_file vpmu_device_numbered(dev_t number, uint32_t *cpu);
uid_t vpmu_device_owner(enum vpmu_file file);
gid_t vpmu_device_group(enum vpmu_file file);

/* ---- fixed.c ---- */
int64_t vpmu_random_read(void *to, uint64_t bytes);

#endif
