/* SPDX-License-Identifier: MIT */
/* vpmu: runs programs on a virtual machine whose PMU counts what they execute. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "boot/host/host.h"
#include "tool/tool.h"

static const struct command {
	const char *name, *help;
	int (*main)(int argc, char **argv);
} commands[] = {
	{ "run", "run a program on a virtual machine", vpmu_command_run },
	{ "boot", "boot Linux on one, and run a program or a shell there", vpmu_command_boot },
	{ "machines", "list the machines there are", vpmu_command_machines },
	{ "events", "list the documented events and whether a machine drives them",
	  vpmu_command_events },
	{ "regs", "list a machine's registers, or show those of a segment", vpmu_command_regs },
	{ "profile", "print which instruction of a run has caused what", vpmu_command_profile },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *to)
{
	fputs("Usage: vpmu COMMAND [OPTIONS]\n\nCommands:\n", to);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
	fputs("\n'vpmu COMMAND --help' explains the options, 'vpmu --version' tells the version.\n"
	      "A virtual machine counts what a program executes under a stated model; its\n"
	      "numbers are not those of silicon.\n",
	      to);
}

static int work(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return VPMU_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("vpmu " IPMU_VERSION);
		return 0;
	}
	for (size_t i = 0; i < COMMANDS; i++) {
		char called[32];

		if (strcmp(argv[1], commands[i].name))
			continue;
		snprintf(called, sizeof(called), "vpmu %s", argv[1]);
		argv[1] = called;	/* getopt's complaints begin with it */
		return commands[i].main(argc - 1, argv + 1);
	}
	vpmu_complain("unknown command '%s'; try 'vpmu --help'", argv[1]);
	return VPMU_EXIT_USAGE;
}

static void nothing(int number)
{
	(void)number;
}

/* Turns a write beyond `ulimit -f` into an error, EFBIG, rather than our end. A handler does this,
 * because programs would inherit an ignored signal. */
static void survive_file_limit(void)
{
	struct sigaction old, action = { .sa_handler = nothing, .sa_flags = SA_RESTART };

	if (!sigaction(SIGXFSZ, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
}

/* The kernel ends a process that reads a page behind the end of a file. */
static void segment_is_gone(int number)
{
	static const char text[] =
		"vpmu: the segment was truncated while it was in use: what ran on it is lost. "
		"Others can do that with --devices, which lets them write the file\n";

	const ssize_t told = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)number, (void)told;
	_exit(VPMU_EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	survive_file_limit();
	sigaction(SIGBUS, &(struct sigaction){ .sa_handler = segment_is_gone }, NULL);
	return vpmu_complain_unwritten(work(argc, argv));
}
