/* SPDX-License-Identifier: MIT */
/* Regions of a program by name, for the reports of ipmu-run:
 *
 *	ipmu_region_begin("solve");
 *	solve();
 *	ipmu_region_end("solve");
 *
 * Link with -lipmu_region. Without ipmu-run a call takes eight instructions. Under ipmu-run it
 * takes a message and a reading of the counters, about 40 microseconds of CPU time.
 *
 * Each thread enters and leaves for itself. Regions may be nested, may overlap, and may be entered
 * again by a thread that is inside. A region that a thread does not leave ends with its
 * process. A forked child is in no region. Do not call these functions in handlers of signals.
 *
 * Names have 1 to 127 bytes; the rest of a longer one is cut off. Bytes that are not UTF-8, and
 * control characters, are question marks in reports. */
#ifndef IPMU_REGION_H
#define IPMU_REGION_H

#ifdef __cplusplus
extern "C" {
#endif

/* 0, also without ipmu-run; or a negative errno, which may be ignored because the report has it,
 * too. EINVAL: there is no name. ENOSPC: a node has 1000 names already. ENOENT: this thread is not
 * in the region that it ends. */
int ipmu_region_begin(const char *name);
int ipmu_region_end(const char *name);

#ifdef __cplusplus
}
#endif

#endif
