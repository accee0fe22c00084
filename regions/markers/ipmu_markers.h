/* SPDX-License-Identifier: MIT */
/* Other tools' marks in a program, as regions of ipmu-run (ipmu_region.h). A program that has them
 * is compiled as it is, with -IPREFIX/include/ipmu/markers in front of the tools' own headers, and
 * linked with -lipmu_region. likwid-marker.h, likwid.h and papi.h of that folder include this.
 *
 * What reads counters in the program gives nothing: the counts are in ipmu-run's report. */
#ifndef IPMU_MARKERS_H
#define IPMU_MARKERS_H

#include "../ipmu_region.h"

/* ---- LIKWID's marker API: with -DLIKWID_PERFMON, as there */

static inline int ipmu_markers_get(const char *name, int *events, double *values, double *time,
				   int *calls)
{
	(void)name, (void)values;
	if (events)
		*events = 0;
	if (time)
		*time = 0;
	if (calls)
		*calls = 0;
	return 0;
}

#define likwid_markerInit() ((void)0)
#define likwid_markerThreadInit() ((void)0)
#define likwid_markerClose() ((void)0)
#define likwid_markerNextGroup() ((void)0)
#define likwid_markerRegisterRegion(name) ((void)(name), 0)
#define likwid_markerResetRegion(name) ((void)(name), 0)
#define likwid_markerStartRegion(name) ipmu_region_begin(name)
#define likwid_markerStopRegion(name) ipmu_region_end(name)
#define likwid_markerGetRegion(name, events, values, time, calls) \
	ipmu_markers_get(name, events, values, time, calls)

#ifdef LIKWID_PERFMON
#define LIKWID_MARKER_INIT likwid_markerInit()
#define LIKWID_MARKER_THREADINIT likwid_markerThreadInit()
#define LIKWID_MARKER_SWITCH likwid_markerNextGroup()
#define LIKWID_MARKER_REGISTER(name) likwid_markerRegisterRegion(name)
#define LIKWID_MARKER_START(name) likwid_markerStartRegion(name)
#define LIKWID_MARKER_STOP(name) likwid_markerStopRegion(name)
#define LIKWID_MARKER_CLOSE likwid_markerClose()
#define LIKWID_MARKER_WRITE_FILE(name) ((void)(name))
#define LIKWID_MARKER_RESET(name) likwid_markerResetRegion(name)
#define LIKWID_MARKER_GET(name, events, values, time, calls) \
	likwid_markerGetRegion(name, events, values, time, calls)
#else
#define LIKWID_MARKER_INIT
#define LIKWID_MARKER_THREADINIT
#define LIKWID_MARKER_SWITCH
#define LIKWID_MARKER_REGISTER(name)
#define LIKWID_MARKER_START(name)
#define LIKWID_MARKER_STOP(name)
#define LIKWID_MARKER_CLOSE
#define LIKWID_MARKER_WRITE_FILE(name)
#define LIKWID_MARKER_RESET(name)
#define LIKWID_MARKER_GET(name, events, values, time, calls)
#endif

#endif
