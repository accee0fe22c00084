// SPDX-License-Identifier: MIT
/* Marks one region, loop, as LIKWID does. */
#include <likwid-marker.h>
#include <stdio.h>

int main(void)
{
	double events[4], time;
	int nevents = 4, count;

	LIKWID_MARKER_INIT;
	LIKWID_MARKER_THREADINIT;
	LIKWID_MARKER_REGISTER("loop");
	LIKWID_MARKER_START("loop");
	for (volatile int i = 0; i < 1000; i++)
		;
	LIKWID_MARKER_STOP("loop");
	LIKWID_MARKER_GET("loop", &nevents, events, &time, &count);
	LIKWID_MARKER_SWITCH;
	LIKWID_MARKER_RESET("loop");
	LIKWID_MARKER_CLOSE;
	return nevents;
}
