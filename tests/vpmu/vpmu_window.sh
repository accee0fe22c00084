#!/bin/bash
# SPDX-License-Identifier: MIT
# A program that maps the memory controller's window to write it: its writes are writes of registers,
# natively and emulated, whatever signals it blocks and handlers it has. VPMU: the vpmu binary.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${VPMU:?set VPMU to the vpmu binary}"
export VPMU_TALLY=$scratch/tally	# rules are broken on purpose

cat >"$scratch/window.c" <<'END'
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
static volatile sig_atomic_t faults;

static volatile uint32_t *word(uint32_t offset) { return (volatile void *)(window + offset); }
static volatile uint64_t *quad(uint32_t offset) { return (volatile void *)(window + offset); }

static void on_fault(int number) { faults++; siglongjmp(back, number); }
static void on_user(int number) { (void)number; *word(0xd9d4) = 0x23; }

static void fault(void)
{
	if (!sigsetjmp(back, 1))
		*(volatile int *)8 = 1;
}

static volatile uint8_t *map(int flags, int protection)
{
	int fd = open("/dev/mem", flags), pci = open("/sys/bus/pci/devices/0000:00:00.0/config", O_RDONLY);
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

/* How often a read of the counters, which is no system call, came too early for the lines before. */
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
	printf("%d fault, selects %x %x, counters %llx above, ", (int)faults, (unsigned)*word(0xd9d0),
	       (unsigned)*word(0xd9d4), (unsigned long long)(*quad(0xd9e8) >> 32));
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
END
${CC:-cc} -O1 -D_GNU_SOURCE -o "$scratch/window" "$scratch/window.c" || exit 1

go() { "$VPMU" run "$@" >"$scratch/out" 2>"$scratch/err"; }
go --no-feed -m adl-8p8e24t "$scratch/window"
is "native: status" 0 $?
is "native: registers" "1 fault, selects 22 0, counters 1 above, read 0 of 0" "$(head -n 1 "$scratch/out")"
is "native: faults" "2 faults" "$(tail -n 1 "$scratch/out")"
is "native: messages" "" "$(cat "$scratch/err")"

go --no-feed -m adl-8p8e24t "$scratch/window" broken
is "broken rules: status" 0 $?
is "broken rules" "  window offset 0xD9D0 (MC0_PERFEVTSEL0): wrote 0xFF000022, of which 0xFF000000 is reserved
  window offset 0xD858 (MC0_DATA_READ): wrote 0x1 to a read-only register
  window offset 0x100 (not a register of this machine): write refused" \
	"$(sed -n 's/^vpmu:  /  /p' "$scratch/err" | sed 's/^   /  /')"
go --no-feed -m skl-4c8t "$scratch/window"
is "nothing there is writable" "0 refused" "$? $(cat "$scratch/out")"

if command -v "${VPMU_QEMU:-qemu-x86_64}" >/dev/null; then
	go -m adl-8p8e24t "$scratch/window"
	is "emulated: status" 0 $?
	is "emulated: messages" "" "$(cat "$scratch/err")"
	is "emulated: registers" "1 fault, selects 22 0, counters 1 above," \
		"$(sed -n '1s/ read.*//p' "$scratch/out")"
	# 32,768 lines, and the few that the program itself needs; both kinds of counters alike.
	read -r programmable free <<<"$(sed -n '1s/.* read \(.*\) of /\1 /p' "$scratch/out")"
	[ "$programmable" -ge 32768 ] && [ "$programmable" -lt 33000 ] && ok ||
		bad "$programmable lines were read"
	is "emulated: reads of counters" "0 rounds early" "$(sed -n 2p "$scratch/out")"
	[ $((free - programmable)) -ge 0 ] && [ $((free - programmable)) -lt 9 ] && ok ||
		bad "$programmable lines by one counter, $free by another"
fi
finish
