// SPDX-License-Identifier: MIT
/* Writes code through one mapping of a file and executes it through another one. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define PAGES 4

typedef int function(void);

static int file;
static const unsigned char mov_ret[] = { 0xb8, 0, 0, 0, 0, 0xc3 };	/* mov $0, %eax; ret */

static unsigned char *map(int rights, int page, int pages)
{
	void *at = mmap(NULL, (size_t)pages * PAGE, rights, MAP_SHARED, file, (off_t)page * PAGE);

	if (at == MAP_FAILED)
		exit(9);
	return at;
}

static void write_code(unsigned char *at, int value)
{
	memcpy(at, mov_ret, sizeof(mov_ret));
	memcpy(at + 1, &value, sizeof(value));
}

static int call(const unsigned char *at)
{
	function *f;

	memcpy(&f, &at, sizeof(f));
	return f();
}

static int bad(const char *what, int expected, int got)
{
	if (got == expected)
		return 0;
	printf("%s: %d, and not %d\n", what, got, expected);
	return 1;
}

/* Many functions in each page, of which one is written while others are known. */
static int both_stay(void)
{
	unsigned char *w = map(PROT_READ | PROT_WRITE, 0, PAGES),
		      *x = map(PROT_READ | PROT_EXEC, 0, PAGES);
	int wrong = 0, values[PAGES * 64] = { 0 };

	for (int i = 0; i < PAGES * 64; i++)
		write_code(w + i * 64, values[i] = i);
	for (int round = 0; round < 5; round++)
		for (int i = 0; i < PAGES * 64; i += 1 + round) {
			write_code(w + i * 64, values[i] = i + 1000 * round);
			for (int j = i % 7; j < PAGES * 64; j += 29)
				wrong += bad("both stay", values[j], call(x + j * 64));
			wrong += bad("both stay", values[i], call(x + i * 64));
		}
	munmap(w, PAGES * PAGE);
	munmap(x, PAGES * PAGE);
	return wrong;
}

/* The mapping that is written comes when the code is known, at another offset, and goes. */
static int writer_comes(void)
{
	unsigned char *x = map(PROT_READ | PROT_EXEC, 0, PAGES),
		      *w = map(PROT_READ | PROT_WRITE, 2, 1);
	int wrong = 0;

	write_code(w, 1);
	munmap(w, PAGE);
	for (int i = 2; i < 6; i++) {
		wrong += bad("known", i - 1, call(x + 2 * PAGE));
		w = map(PROT_READ | PROT_WRITE, 2, 2);
		write_code(w, i);
		munmap(w, 2 * PAGE);
		wrong += bad("written while mapped", i, call(x + 2 * PAGE));
	}
	munmap(x, PAGES * PAGE);
	return wrong;
}

/* Rights change, and the mapping that is written moves. */
static int rights_change(void)
{
	unsigned char *x = map(PROT_READ, 0, PAGES), *w = map(PROT_READ, 0, PAGES), *to;
	int wrong = 0;

	mprotect(x, PAGES * PAGE, PROT_READ | PROT_EXEC);
	for (int i = 1; i < 5; i++) {
		mprotect(w + PAGE, PAGE, PROT_READ | PROT_WRITE);
		write_code(w + PAGE, i);
		wrong += bad("rights to write", i, call(x + PAGE));
		write_code(w + PAGE, -i);
		wrong += bad("rights to write stay", -i, call(x + PAGE));
		mprotect(w + PAGE, PAGE, PROT_READ);
		wrong += bad("rights to read", -i, call(x + PAGE));
	}
	mprotect(w, PAGES * PAGE, PROT_READ | PROT_WRITE);
	to = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	w = mremap(w, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	for (int i = 1; i < 5; i++) {
		write_code(w + PAGE, i);
		wrong += bad("moved", i, call(x + PAGE));
	}
	munmap(w, PAGES * PAGE);
	munmap(x, PAGES * PAGE);
	return wrong;
}

/* Code writes to its own page: movb $2, 5(%rdi), by the other mapping's address; mov $1, %eax, of
 * which that is a byte; ret. The processor may have fetched the mov already. */
static int writes_itself(void)
{
	static const unsigned char code[] = { 0xc6, 0x47, 5, 2, 0xb8, 1, 0, 0, 0, 0xc3 };
	unsigned char *w = map(PROT_READ | PROT_WRITE, 0, 1), *x = map(PROT_READ | PROT_EXEC, 0, 1);
	int (*f)(void *), first, second;

	memcpy(w, code, sizeof(code));
	memcpy(&f, &x, sizeof(f));
	first = f(w);
	w[5] = 1;
	second = f(w);
	munmap(w, PAGE);
	munmap(x, PAGE);
	return (first != 1 && first != 2) + (second != 1 && second != 2);
}

static unsigned char *thread_writes;
static int thread_calls;

static void *write_and_count(void *unused)
{
	for (int i = 1; i <= 200; i++) {
		write_code(thread_writes, i);
		__atomic_store_n(&thread_calls, i, __ATOMIC_RELEASE);
		while (__atomic_load_n(&thread_calls, __ATOMIC_ACQUIRE) == i)
			usleep(1);
	}
	return unused;
}

static int another_thread(void)
{
	unsigned char *x = map(PROT_READ | PROT_EXEC, 0, 1);
	pthread_t t;
	int wrong = 0;

	thread_writes = map(PROT_READ | PROT_WRITE, 0, 1);
	if (pthread_create(&t, NULL, write_and_count, NULL))
		return 1;
	for (int i = 1; i <= 200; i++) {
		while (__atomic_load_n(&thread_calls, __ATOMIC_ACQUIRE) != i)
			usleep(1);
		wrong += bad("another thread", i, call(x));
		__atomic_store_n(&thread_calls, 0, __ATOMIC_RELEASE);
	}
	pthread_join(t, NULL);
	return wrong;
}

/* Both rights in one mapping, or in two: rounds of seven instructions, two of them in the file. */
static void rounds(int two, unsigned long n)
{
	unsigned char *w = map(PROT_READ | PROT_WRITE | (two ? 0 : PROT_EXEC), 0, 1);
	unsigned char *x = two ? map(PROT_READ | PROT_EXEC, 0, 1) : w;

	write_code(w, 0);
	__asm__ volatile(
		"1: add $3, %%rdx\n\tmov %%cl, 1(%%rdi)\n\tcall *%%rsi\n\tdec %%rcx\n\tjnz 1b"
		: "+c"(n)
		: "D"(w), "S"(x)
		: "rax", "rdx", "memory", "cc");
}

int main(int argc, char **argv)
{
	file = memfd_create("code", 0);
	if (file < 0 || ftruncate(file, PAGES * PAGE))
		return 9;
	if (argc > 2) {
		rounds(!strcmp(argv[1], "two"), strtoul(argv[2], NULL, 10));
		return 0;
	}
	return !!(both_stay() + writer_comes() + rights_change() + writes_itself() +
		  another_thread());
}
