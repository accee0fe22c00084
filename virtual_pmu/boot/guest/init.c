/* SPDX-License-Identifier: MIT */
/* Process 1: sets the machine up, starts the program, reports its end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

static int ports[VPMU_PORTS] = { -1, -1, -1, -1, -1 };

/* ---- messages of the host ---- */

/* The device appears when its driver has exchanged messages with the host. */
static void open_ports(void)
{
	char path[32];

	for (int i = VPMU_PORT_CONTROL; i < VPMU_PORTS; i++) {
		snprintf(path, sizeof(path), "/dev/vport0p%d", i);
		for (int tries = 0; ports[i] < 0 && tries < 10000; tries++) {
			ports[i] = open(path, O_RDWR | O_CLOEXEC |
					(i >= VPMU_PORT_STREAM ? O_NONBLOCK : 0));
			if (ports[i] < 0)
				usleep(1000);
		}
		if (ports[i] < 0)
			init_fail("%s: %s", path, strerror(errno));
		if (i == VPMU_PORT_CONTROL)
			init_fail_to(ports[i]);
	}
}

static void end_others(void)
{
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

int main(void)
{
	struct init_order order;
	struct vpmu_ended ended = { .bytes = { 0 } };

	init_first_folders();
	init_modules();
	open_ports();
	init_receive(ports[VPMU_PORT_CONTROL], &order);
	init_file_system(&order);
	init_names(&order);
	ended.status = init_life_run(&order, ports);
	ended.rung = init_ring(INIT_BELL_END);
	end_others();
	init_life_drain(&ended);
	init_file_system_end(&order);
	vpmu_frame_write(ports[VPMU_PORT_CONTROL], VPMU_ENDED, &ended, sizeof(ended));
	init_switch_off();
}
