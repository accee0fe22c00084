// SPDX-License-Identifier: MIT
/* Accesses the memory controller's window by instructions of every kind. */
#include <emmintrin.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define C(i) (0xd9e8 + 8 * (i))		/* MC0_PERFCTR: 64 bits, all of them writable */
#define MC1 0x10000
#define BYTES 0x20000
#define ROUNDS 300

static volatile uint8_t *window;
static int wrong;
static sigjmp_buf back;
static volatile sig_atomic_t faults;
static volatile int stop;
static volatile uint64_t seen, torn;

static uint64_t quad(uint32_t offset) { return *(volatile uint64_t *)(window + offset); }

static void is(const char *what, uint64_t expected, uint64_t found)
{
	if (expected == found)
		return;
	wrong++;
	printf("%s: expected %llx, got %llx\n", what, (unsigned long long)expected,
	       (unsigned long long)found);
}

static void on_fault(int number) { faults++; siglongjmp(back, number); }

static void *map(int mode, int rights)
{
	int fd = open("/dev/mem", mode),
	    pci = open("/sys/bus/pci/devices/0000:00:00.0/config", O_RDONLY);
	uint64_t bar = 0;
	void *p;

	if (fd < 0 || pread(pci, &bar, sizeof(bar), 0x48) != sizeof(bar))
		exit(9);
	p = mmap(NULL, BYTES, rights, MAP_SHARED, fd, (off_t)(bar & 0x7fffff8000));
	if (p == MAP_FAILED)
		exit(8);
	close(fd);
	close(pci);
	return p;
}

static void repeat_movs(void *to, const void *from, uint64_t n)
{
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
	is("RCX", 0, n);
}

static void stores(uint8_t *c)
{
	static const uint64_t from[3] = { 1, 2, 3 };
	uint64_t n = 24, old = 7;
	void *to = c;
	uint8_t carry;

	*(volatile uint64_t *)c = 0x1122334455667788;
	is("8 bytes", 0x1122334455667788, quad(C(0)));
	*(volatile uint8_t *)c = 0xaa;
	is("1 byte", 0x11223344556677aa, quad(C(0)));
	*(volatile uint8_t *)(c + 5) = 0xbb;
	is("byte 5", 0x1122bb44556677aa, quad(C(0)));
	*(volatile uint16_t *)(c + 2) = 0xcccc;
	is("2 bytes", 0x1122bb44cccc77aa, quad(C(0)));
	*(volatile uint32_t *)(c + 4) = 0xdddddddd;
	is("4 bytes", 0xddddddddcccc77aa, quad(C(0)));
	__asm__ volatile("movnti %0, (%1)" : : "r"(UINT64_C(0x55)), "r"(c + 8) : "memory");
	is("movnti", 0x55, quad(C(1)));
	__asm__ volatile("xchg %0, (%1)" : "+r"(old) : "r"(c + 8) : "memory");
	is("xchg: old", 0x55, old);
	is("xchg", 7, quad(C(1)));
	__asm__ volatile("lock orq %0, (%1)" : : "r"(UINT64_C(0x100)), "r"(c + 8) : "memory", "cc");
	is("lock or", 0x107, quad(C(1)));
	__asm__ volatile("lock xaddq %0, (%1)" : "+r"(old) : "r"(c + 8) : "memory", "cc");
	is("lock xadd: old", 0x107, old);
	is("lock xadd", 0x15c, quad(C(1)));
	__asm__ volatile("addq $5, (%0)" : : "r"(c + 8) : "memory", "cc");
	is("add", 0x161, quad(C(1)));
	__asm__ volatile("btsq $3, (%1); setc %0" : "=r"(carry) : "r"(c + 8) : "memory", "cc");
	is("bts: carry", 0, carry);
	is("bts", 0x169, quad(C(1)));
	repeat_movs(c, from, 3);
	for (uint32_t i = 0; i < 3; i++)
		is("rep movs", i + 1, quad(C(i)));
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0x5a) : "memory");
	for (uint32_t i = 0; i < 3; i++)
		is("rep stos", 0x5a5a5a5a5a5a5a5a, quad(C(i)));
	_mm_storeu_si128((__m128i *)(c + 8), _mm_set_epi64x(0x22, 0x11));
	is("16 bytes: low", 0x11, quad(C(1)));
	is("16 bytes: high", 0x22, quad(C(2)));
}

/* C(1) and C(2) hold 0x11 and 0x22. */
static void loads(uint8_t *c)
{
	uint64_t to[2] = { 0 };
	__m128i x = _mm_loadu_si128((__m128i *)(c + 8));

	is("16 bytes: low", 0x11, (uint64_t)_mm_cvtsi128_si64(x));
	is("16 bytes: high", 0x22, (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(x, x)));
	*(volatile uint64_t *)c = 0x8877665544332211;
	is("1 byte", 0x22, *(volatile uint8_t *)(c + 1));
	is("2 bytes", 0x4433, *(volatile uint16_t *)(c + 2));
	is("4 bytes", 0x88776655, *(volatile uint32_t *)(c + 4));
	repeat_movs(to, c, 2);
	is("rep movs", 0x8877665544332211, to[0]);
	is("rep movs", 0x11, to[1]);
	repeat_movs(c + MC1, c, 1);
	is("movs inside", 0x8877665544332211, quad(C(0) + MC1));
	__asm__ volatile("pushq (%0); popq 24(%0)" : : "r"(c) : "memory");
	is("push, pop", 0x8877665544332211, quad(C(3)));
}

static void refusals(uint8_t *c)
{
	uint8_t *readable = map(O_RDONLY, PROT_READ), *r = readable + C(0);

	is("a load there", 0x8877665544332211, *(volatile uint64_t *)r);
	if (!sigsetjmp(back, 1))
		*(volatile uint32_t *)r = 1;
	if (!sigsetjmp(back, 1))
		*(volatile uint32_t *)r |= 1;
	is("stores that may not be", 2, (uint64_t)faults);
	if (!sigsetjmp(back, 1))
		repeat_movs((void *)16, c, 1);
	is("a store elsewhere", 3, (uint64_t)faults);
	is("write(2)", UINT64_MAX, (uint64_t)write(STDOUT_FILENO, c, 8));
	is("write(2)", EFAULT, (uint64_t)errno);
	is("less rights", 0, (uint64_t)mprotect((void *)window, BYTES, PROT_READ));
	if (!sigsetjmp(back, 1))
		*(volatile uint32_t *)c = 1;
	is("a store without them", 4, (uint64_t)faults);
	is("more rights", 0, (uint64_t)mprotect((void *)window, BYTES, PROT_READ | PROT_WRITE));
	is("too many", UINT64_MAX, (uint64_t)mprotect(readable, BYTES, PROT_READ | PROT_WRITE));
	*(volatile uint32_t *)((uint8_t *)map(O_RDWR, PROT_WRITE) + C(4)) = 0x44;
	is("a right to write alone", 0x44, quad(C(4)));
	munmap((void *)(window + 0x1000), 0x1000);
	if (!sigsetjmp(back, 1))
		(void)window[0x1008];
	is("a page that is unmapped", 5, (uint64_t)faults);
	is("the others", 0x8877665544332211, quad(C(0)));
}

static void *read_both_halves(void *unused)
{
	while (!stop) {
		uint64_t value = quad(C(4));

		torn += value >> 32 != (value & UINT32_MAX);
		seen++;
	}
	return unused;
}

/* Two threads add to a register, and a third one reads another that this one writes. */
static void *add_locked(void *at)
{
	for (int i = 0; i < ROUNDS; i++)
		__asm__ volatile("lock incq (%0)" : : "r"(at) : "memory", "cc");
	return NULL;
}

static void threads(uint8_t *c)
{
	pthread_t reader, adders[2];

	*(volatile uint64_t *)(c + 24) = 0;
	*(volatile uint64_t *)(c + 32) = 0;
	pthread_create(&reader, NULL, read_both_halves, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&adders[i], NULL, add_locked, c + 24);
	for (uint64_t i = 0; i < ROUNDS || seen < 100; i++)
		*(volatile uint64_t *)(c + 32) = i | i << 32;
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(adders[i], NULL);
	pthread_join(reader, NULL);
	is("values in pieces", 0, torn);
	is("two that add", 2 * ROUNDS, quad(C(3)));
}

int main(void)
{
	uint8_t *c;

	window = map(O_RDWR, PROT_READ | PROT_WRITE);
	signal(SIGSEGV, on_fault);
	c = (uint8_t *)window + C(0);
	stores(c);
	loads(c);
	refusals(c);
	threads(c);
	if (!fork()) {			/* a child's accesses are the machine's, too */
		*(volatile uint64_t *)c = 0x77;
		_exit(0);
	}
	while (quad(C(0)) != 0x77)
		;
	printf("%d wrong\n", wrong);
	return 0;
}
