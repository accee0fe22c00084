/* SPDX-License-Identifier: MIT */
/* Ends, and the emulator's ear. */
#include <cpuid.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "init.h"

#define BELL 0x40005650		/* CPUID leaf: the emulator's own */

static int control = -1;

void init_switch_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

void init_fail_to(int port)
{
	control = port;
}

void init_fail(const char *format, ...)
{
	char text[512];
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (control < 0)
		fprintf(stderr, "vpmu: %s\n", text);
	else
		vpmu_frame_write(control, VPMU_FAILED, text,
				 n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
	init_switch_off();
}

bool init_ring(enum init_bell which)
{
	unsigned int a, b, c, d;

	__cpuid_count(BELL, which, a, b, c, d);
	return a == 1;
}
