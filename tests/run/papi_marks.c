// SPDX-License-Identifier: MIT
/* Marks one region, loop, as PAPI's high level does. */
#include <papi.h>
#include <stdio.h>

int main(void)
{
	if (PAPI_hl_region_begin("loop") != PAPI_OK)
		return 1;
	for (volatile int i = 0; i < 1000; i++)
		;
	PAPI_hl_read("loop");
	if (PAPI_hl_region_end("loop") != PAPI_OK)
		return 1;
	PAPI_hl_stop();
	return 0;
}
