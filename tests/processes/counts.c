/* SPDX-License-Identifier: MIT */
/* counts EVENT...: counts with PAPI and does what its input says, a word a line:
 *   work N   touch N lines of 64 bytes that were not touched before
 *   loop N   two instructions N times, one of them a branch
 *   call N   the system call getppid N times, with four instructions around each
 *   read     print the counts
 *   stop, start, reset
 *   die N    raise signal N
 *   exit     with neither stop nor shutdown, as at the input's end
 *   try WORD what fails is printed with the component's reason, and does not end the program
 * Says "ready" when it counts. What fails is printed with PAPI's name for it and the component's
 * reason, and ends with 3. */
#include <papi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define EVENTS_MAX 16

static int set = PAPI_NULL, n;
static bool trying;
static const char *first = "";
static long long values[EVENTS_MAX];

/* The reason why the first event's component is disabled. */
static const char *reason(void)
{
	const PAPI_component_info_t *c;
	char name[32] = "";

	sscanf(first, "%31[^:]", name);
	c = PAPI_get_component_info(PAPI_get_component_index(name));
	return c ? c->disabled_reason : "";
}

static void must(const char *what, int rc)
{
	if (rc == PAPI_OK)
		return;
	if (trying) {
		printf("%s: %s: %s;", what, PAPI_strerror(rc), reason());
		return;
	}
	printf("%s: %s\n%s\n", what, rc == PAPI_ECNFLCT ? "PAPI_ECNFLCT" : PAPI_strerror(rc),
	       reason());
	exit(3);
}

static void say(const char *word)
{
	printf("%s", word);
	for (int i = 0; i < n; i++)
		printf(" %lld", values[i]);
	puts("");
	fflush(stdout);
}

static void work(size_t lines)
{
	volatile char *area = mmap(NULL, lines * 64, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; area != MAP_FAILED && i < lines; i++)
		area[i * 64] = 1;
}

static void loop(long rounds)
{
	__asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(rounds));
}

/* Four instructions a round outside of the kernel. */
static void call(long rounds)
{
	__asm__ volatile("1: mov %1, %%eax\n\tsyscall\n\tsub $1, %0\n\tjnz 1b"
			 : "+r"(rounds)
			 : "i"(SYS_getppid)
			 : "rax", "rcx", "r11", "memory");
}

static void obey(const char *word, int number)
{
	if (strcmp(word, "work") == 0)
		work((size_t)number);
	else if (strcmp(word, "loop") == 0)
		loop(number);
	else if (strcmp(word, "call") == 0)
		call(number);
	else if (strcmp(word, "read") == 0)
		must(word, PAPI_read(set, values));
	else if (strcmp(word, "stop") == 0)
		must(word, PAPI_stop(set, values));
	else if (strcmp(word, "start") == 0)
		must(word, PAPI_start(set));
	else if (strcmp(word, "reset") == 0)
		must(word, PAPI_reset(set));
	else if (strcmp(word, "die") == 0)
		raise(number);
	else if (strcmp(word, "exit") == 0)
		exit(0);
	say(word);
}

int main(int argc, char **argv)
{
	char line[64], word[32];
	int number;

	first = argc > 1 ? argv[1] : "";
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 2;
	PAPI_set_debug(PAPI_VERB_ECONT);
	must("create", PAPI_create_eventset(&set));
	for (n = 0; n + 1 < argc && n < EVENTS_MAX; n++)
		must(argv[n + 1], PAPI_add_named_event(set, argv[n + 1]));
	must("start", PAPI_start(set));
	say("ready");
	while (fgets(line, sizeof(line), stdin)) {
		number = 0;
		trying = strncmp(line, "try ", 4) == 0;
		if (sscanf(line + (trying ? 4 : 0), "%31s %d", word, &number) >= 1)
			obey(word, number);
	}
	return 0;
}
