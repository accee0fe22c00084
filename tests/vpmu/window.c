// SPDX-License-Identifier: MIT
/* Writes registers of the memory controller's window, with signals blocked and in handlers. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINES 32768
#define ROUND 512

static volatile uint8_t *window;
static volatile uint64_t array[LINES][8], scattered[LINES][8];
static sigjmp_buf back;
static volatile int *volatile nowhere = (int *)8;
static volatile sig_atomic_t faults;

static volatile uint32_t *word(uint32_t offset) { return (volatile void *)(window + offset); }
static volatile uint64_t *quad(uint32_t offset) { return (volatile void *)(window + offset); }

static void on_fault(int number) { faults++; siglongjmp(back, number); }
static void on_user(int number) { (void)number; *word(0xd9d4) = 0x23; }

static void fault(void)
{
	if (!sigsetjmp(back, 1))
		*nowhere = 1;
}

static volatile uint8_t *map(int flags, int protection)
{
	int fd = open("/dev/mem", flags),
	    pci = open("/sys/bus/pci/devices/0000:00:00.0/config", O_RDONLY);
	uint64_t bar = 0;
	void *p;

	if (fd < 0 || pread(pci, &bar, sizeof(bar), 0x48) != sizeof(bar))
		exit(9);
	p = mmap(NULL, 0x20000, protection, MAP_SHARED, fd, (off_t)(bar & 0x7fffff8000));
	close(fd);
	close(pci);
	return p == MAP_FAILED ? NULL : p;
}

static uint64_t lines_read(void)
{
	return *quad(0xd858) + *quad(0x1d858);
}

/* Counts how often a read of the counters, which is no system call, was too early for the lines
 * before. */
static int early(void)
{
	int n = 0;

	for (unsigned int from = 0; from < LINES; from += ROUND) {
		uint64_t before = lines_read();

		for (unsigned int i = 0; i < ROUND; i++)
			scattered[from + i * 37 % ROUND][0] = 1;
		n += lines_read() - before < ROUND;
	}
	return n;
}

int main(int argc, char **argv)
{
	struct sigaction full = { .sa_handler = on_user }, now;
	uint64_t reads;
	sigset_t all;

	(void)argv;
	if (map(O_RDONLY, PROT_READ | PROT_WRITE))
		return 8;
	signal(SIGSEGV, on_fault);
	window = map(O_RDWR, PROT_READ | PROT_WRITE);
	if (!window)
		return puts("refused") < 0;
	fault();
	sigaction(SIGSEGV, NULL, &now);
	if (now.sa_handler != on_fault)
		return 7;
	sigfillset(&full.sa_mask);
	sigaction(SIGUSR1, &full, NULL);
	raise(SIGUSR1);			/* writes in a handler with everything blocked */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	*word(0x1d9c0) = 2;
	for (uint32_t mc = 0; mc < 0x20000; mc += 0x10000) {
		*word(mc + 0xd9c4) = 1;
		*word(mc + 0xd9d0) = 0x22;
		*quad(mc + 0xd9e8) = UINT64_C(0x100000000);
	}
	reads = lines_read();
	*word(0xd9c4) &= ~1u;
	*word(0x1d9c4) = 0;
	for (int i = 0; i < LINES; i++)
		array[i][0] = 1;
	*word(0xd9c4) |= 1;
	*word(0x1d9c4) = 1;
	reads = lines_read() - reads;
	printf("%d fault, selects %x %x, counters %llx above, ", (int)faults,
	       (unsigned)*word(0xd9d0), (unsigned)*word(0xd9d4),
	       (unsigned long long)(*quad(0xd9e8) >> 32));
	printf("read %llu of %llu\n",
	       (unsigned long long)((*quad(0xd9e8) & 0xffffffff) + (*quad(0x1d9e8) & 0xffffffff)),
	       (unsigned long long)reads);
	printf("%d rounds early\n", early());
	if (argc > 1) {
		*word(0xd9d0) = 0xff000022;
		*word(0xd858) = 1;
		*quad(0x100) = 1;
		munmap((void *)window, 0x20000);
	}
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	fault();
	printf("%d faults\n", (int)faults);
	if (argc > 2)
		window[0xd9d0] = 1;	/* a byte */
	return 0;
}
