/* SPDX-License-Identifier: MIT */
/* libipmu_region: sends the messages of named regions (mpi_region.h) to the node's ipmu-run.
 * ipmu_region_begin() and ipmu_region_end() test one variable if there is none.
 *
 * On a virtual machine nothing of this is counted. The machine's device takes the name and sends
 * the message itself. The code on the way to it is in a section of its own, which begin() has
 * excluded from counting, and calls nothing outside of that section. Each function leaves it for
 * its last instruction: a return that is counted goes with the call that the program has made. */
#include "ipmu_region.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "machine_device.h"
#include "region_socket.h"

#define QUIET __attribute__((section("ipmu_region_text"), noinline, used, \
			     no_sanitize("address", "thread", "undefined")))

enum { OFF, SOCKET, MACHINE };

/* The linker's names for the section's ends. */
extern const char __start_ipmu_region_text[] __attribute__((visibility("hidden")));
extern const char __stop_ipmu_region_text[] __attribute__((visibility("hidden")));

int ipmu_region_mode __attribute__((visibility("hidden"))) = OFF;

/* ---- by the machine's device ---- */

static int device = -1;		/* of the machine */

static inline __attribute__((always_inline)) long kernel(long number, long a, long b, long c)
{
	long answer;

	__asm__ volatile("syscall" : "=a"(answer) : "0"(number), "D"(a), "S"(b), "d"(c) :
			 "rcx", "r11", "memory");
	return answer;
}

/* The program may have closed the descriptor, or use its number for something else. */
static inline __attribute__((always_inline)) int machine_tell(unsigned long what, const char *name)
{
	static const char path[] = MACHINE_DEVICE;
	long rc = kernel(SYS_ioctl, device, (long)what, (long)name);

	if (rc == -EBADF || rc == -ENOTTY) {
		device = (int)kernel(SYS_open, (long)path, O_RDWR | O_CLOEXEC, 0);
		rc = kernel(SYS_ioctl, device, (long)what, (long)name);
	}
	return (int)rc;
}

/* True: programs on this machine are counted by an ipmu-run. */
static int machine_begin(void)
{
	const struct machine_code code = {
		.begin = (uint64_t)(uintptr_t)__start_ipmu_region_text,
		.end = (uint64_t)(uintptr_t)__stop_ipmu_region_text,
	};
	long fd = kernel(SYS_open, (long)MACHINE_DEVICE, O_RDWR | O_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	device = descriptor_move_up((int)fd);
	if (!kernel(SYS_ioctl, device, (long)MACHINE_REGIONS, (long)&code))
		return 1;
	kernel(SYS_close, device, 0, 0);
	return 0;
}

/* ---- by a socket ---- */

/* The process has one connection, used by one thread at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sockaddr_un address;
static int rank, connection = -1;
static uint64_t identity;

/* The connection of a forked child is its parent's. */
static void forked(void)
{
	pthread_mutex_init(&lock, NULL);
	descriptor_close(connection, identity);
	connection = -1;
}

static int socket_ask(const struct region_message *m)
{
	int answer;

	if (!descriptor_is(connection, identity))
		connection = region_connect(&address, &identity);
	answer = connection < 0 ? -EPIPE : region_ask(connection, identity, m);
	if (answer < 0)
		ipmu_region_mode = OFF;		/* nobody counts any more */
	return answer;
}

static int socket_tell(enum region_what what, const char *name)
{
	struct region_message m = { .head = REGION_HEAD, .what = (int)what, .rank = rank,
				    .process = (int)getpid() };
	int answer, saved = errno;

	m.thread = (int)syscall(SYS_gettid);
	strncpy(m.name, name, sizeof(m.name) - 1);
	pthread_mutex_lock(&lock);
	answer = socket_ask(&m);
	pthread_mutex_unlock(&lock);
	errno = saved;
	return answer == REGION_UNKNOWN ? -ENOENT : answer == REGION_FULL ? -ENOSPC : 0;
}

static int socket_begin(void)
{
	const char *text = secure_getenv(REGION_NAMED_ENV);
	size_t only = strlen(REGION_ONLY);

	if (text && !strncmp(text, REGION_ONLY, only))
		text += only;
	return region_address(text, &address, &rank) && !pthread_atfork(NULL, NULL, forked);
}

/* ---- both ---- */

QUIET static int region_begin(const char *name) __asm__("ipmu_region_begin_told");
QUIET static int region_end(const char *name) __asm__("ipmu_region_end_told");

static int region_begin(const char *name)
{
	if (!name || !*name)
		return -EINVAL;
	return ipmu_region_mode == MACHINE ? machine_tell(MACHINE_REGION_BEGIN, name) :
	       socket_tell(REGION_ENTERED, name);
}

static int region_end(const char *name)
{
	if (!name || !*name)
		return -EINVAL;
	return ipmu_region_mode == MACHINE ? machine_tell(MACHINE_REGION_END, name) :
	       socket_tell(REGION_LEFT, name);
}

/* A function's instructions, in the section, without its return, which is outside. */
#define ENTRY(name) \
	__asm__(".pushsection ipmu_region_text, \"ax\", @progbits\n" \
		".globl " name "\n" \
		".type " name ", @function\n" \
		name ":\n" \
		"	.cfi_startproc\n" \
		"	endbr64\n" \
		"	xorl %eax, %eax\n" \
		"	cmpl $0, ipmu_region_mode(%rip)\n" \
		"	je 1f\n" \
		"	subq $8, %rsp\n" \
		"	.cfi_adjust_cfa_offset 8\n" \
		"	call " name "_told\n" \
		"	addq $8, %rsp\n" \
		"	.cfi_adjust_cfa_offset -8\n" \
		"1:	jmp ipmu_region_return\n" \
		"	.cfi_endproc\n" \
		".size " name ", . - " name "\n" \
		".popsection\n")
ENTRY("ipmu_region_begin");
ENTRY("ipmu_region_end");
__asm__(".pushsection .text\n"
	"ipmu_region_return:\n"
	"	.cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".popsection\n");

static void __attribute__((constructor)) begin(void)
{
	int saved = errno;

	ipmu_region_mode = machine_begin() ? MACHINE : socket_begin() ? SOCKET : OFF;
	errno = saved;
}
