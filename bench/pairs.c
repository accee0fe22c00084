/* SPDX-License-Identifier: MIT */
/* Pairs of programs, a fast one and a slow one, that do the same work and differ in one effect of
 * processors. A round is up to a million instructions. The clocks of a round come from two runs
 * with different numbers of rounds, so that start and preparation cancel. */
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KERNEL __attribute__((noinline))
/* The compiler has to take the value as changed: it can neither join, move nor vectorise. */
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))
#define OPAQUE_DOUBLE(x) __asm__ volatile("" : "+x"(x))

enum { LINE = 64, PAGE = 4096, SMALL = 1024 };

static unsigned char *memory;		/* filled by a pair's preparation */
static double doubles[SMALL];
static uint32_t words[1 << 16] __attribute__((aligned(LINE)));
static volatile uint64_t sink;
static volatile double sink_double;

static uint64_t random_next(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void *memory_of(size_t bytes)
{
	if (posix_memalign((void **)&memory, PAGE, bytes))
		abort();
	memset(memory, 1, bytes);
	return memory;
}

static void prepare_doubles(void)
{
	for (size_t i = 0; i < SMALL; i++)
		doubles[i] = 1.0 + (double)i / SMALL;
}

/* A cycle through all items in a random order: item i is followed by next[i]. */
static void shuffle_cycle(uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n - 1; i > 0; i--) {
		uint32_t k = (uint32_t)(random_next() % i), kept = order[i];

		order[i] = order[k];
		order[k] = kept;
	}
}

/* ---- chains of dependent instructions ---- */

KERNEL static void sum_one(void)
{
	double s = 0;

	for (int r = 0; r < 100; r++)
		for (size_t i = 0; i < SMALL; i++) {
			s += doubles[i];
			OPAQUE_DOUBLE(s);
		}
	sink_double = s;
}

KERNEL static void sum_four(void)
{
	double s = 0, t = 0, u = 0, v = 0;

	for (int r = 0; r < 100; r++)
		for (size_t i = 0; i < SMALL; i += 4) {
			s += doubles[i];
			t += doubles[i + 1];
			u += doubles[i + 2];
			v += doubles[i + 3];
			OPAQUE_DOUBLE(s);
			OPAQUE_DOUBLE(t);
			OPAQUE_DOUBLE(u);
			OPAQUE_DOUBLE(v);
		}
	sink_double = s + t + u + v;
}

KERNEL static void product_one(void)
{
	uint64_t h = 1;

	for (int r = 0; r < 200000; r++) {
		h = h * 0x100000001b3u + 1;
		OPAQUE(h);
	}
	sink = h;
}

KERNEL static void product_four(void)
{
	uint64_t h = 1, i = 2, j = 3, k = 4;

	for (int r = 0; r < 200000; r += 4) {
		h = h * 0x100000001b3u + 1;
		i = i * 0x100000001b3u + 1;
		j = j * 0x100000001b3u + 1;
		k = k * 0x100000001b3u + 1;
		OPAQUE(h);
		OPAQUE(i);
		OPAQUE(j);
		OPAQUE(k);
	}
	sink = h + i + j + k;
}

/* The same polynomial: 15 steps, each of the result before, or in pairs. */
KERNEL static void horner(void)
{
	double x = 0.5, s = 0;

	for (int r = 0; r < 20000; r++) {
		double p = 1;

		OPAQUE_DOUBLE(x);
		for (int i = 0; i < 15; i++)
			p = p * x + doubles[i];
		s = p;
		x = s * 1e-3;
	}
	sink_double = s;
}

KERNEL static void estrin(void)
{
	double x = 0.5, s = 0;

	for (int r = 0; r < 20000; r++) {
		double x2, x4, x8, p[8], q[4];
		const double *d = doubles;

		OPAQUE_DOUBLE(x);
		x2 = x * x;
		x4 = x2 * x2;
		x8 = x4 * x4;
		for (int i = 0; i < 8; i++)
			p[i] = d[2 * i] + d[2 * i + 1] * x;
		for (int i = 0; i < 4; i++)
			q[i] = p[2 * i] + p[2 * i + 1] * x2;
		s = (q[0] + q[1] * x4) + (q[2] + q[3] * x4) * x8;
		x = s * 1e-3;
	}
	sink_double = s;
}

/* ---- divisions and roots ---- */

KERNEL static void divide(void)
{
	double d = 3;

	OPAQUE_DOUBLE(d);
	for (int r = 0; r < 100; r++)
		for (size_t i = 0; i < SMALL; i++) {
			double q = doubles[i] / d;

			OPAQUE_DOUBLE(q);
		}
}

KERNEL static void multiply(void)
{
	double d = 1.0 / 3;

	OPAQUE_DOUBLE(d);
	for (int r = 0; r < 100; r++)
		for (size_t i = 0; i < SMALL; i++) {
			double q = doubles[i] * d;

			OPAQUE_DOUBLE(q);
		}
}

KERNEL static void divide_chain(void)
{
	double d = 1.0000001, s = 1e9;

	OPAQUE_DOUBLE(d);
	for (int r = 0; r < 60000; r++) {
		s /= d;
		OPAQUE_DOUBLE(s);
	}
	sink_double = s;
}

KERNEL static void divide_chains(void)
{
	double d = 1.0000001, s = 1e9, t = 1e9, u = 1e9, v = 1e9;

	OPAQUE_DOUBLE(d);
	for (int r = 0; r < 60000; r += 4) {
		s /= d;
		t /= d;
		u /= d;
		v /= d;
		OPAQUE_DOUBLE(s);
		OPAQUE_DOUBLE(t);
		OPAQUE_DOUBLE(u);
		OPAQUE_DOUBLE(v);
	}
	sink_double = s + t + u + v;
}

KERNEL static void root(void)
{
	for (int r = 0; r < 100; r++)
		for (size_t i = 0; i < SMALL; i++) {
			double q;

			__asm__ volatile("sqrtsd %1, %0" : "=x"(q) : "x"(doubles[i]), "0"(0.0));
		}
}

KERNEL static void modulo(void)
{
	uint32_t n = 1024, s = 0;

	OPAQUE(n);
	for (int r = 0; r < 2; r++)
		for (size_t i = 0; i < 1 << 16; i++) {
			s += words[i] % n;
			OPAQUE(s);
		}
	sink = s;
}

KERNEL static void mask(void)
{
	uint32_t n = 1024, s = 0;

	OPAQUE(n);
	for (int r = 0; r < 2; r++)
		for (size_t i = 0; i < 1 << 16; i++) {
			s += words[i] & (n - 1);
			OPAQUE(s);
		}
	sink = s;
}

static void prepare_words(void)
{
	for (size_t i = 0; i < 1 << 16; i++)
		words[i] = (uint32_t)random_next();
}

/* ---- branches ---- */

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void prepare_sorted(void)
{
	prepare_words();
	qsort(words, 1 << 16, sizeof(words[0]), by_value);
}

KERNEL static void sum_large(void)
{
	uint64_t s = 0;

	for (int r = 0; r < 3; r++)
		for (size_t i = 0; i < 1 << 16; i++) {
			if (words[i] >= 0x80000000u) {
				s += words[i];
				OPAQUE(s);	/* keeps the branch */
			}
		}
	sink = s;
}

#define CALLED(n) KERNEL static uint64_t called_##n(uint64_t x) { return x + n; }
CALLED(1)
CALLED(2)
CALLED(3)
CALLED(4)
static uint64_t (*const called[4])(uint64_t) = { called_1, called_2, called_3, called_4 };

static void prepare_same_calls(void)
{
	memset(words, 0, sizeof(words));
}

KERNEL static void call_by_words(void)
{
	uint64_t s = 0;

	for (size_t i = 0; i < 1 << 16; i++)
		s = called[words[i] & 3](s);
	sink = s;
}

KERNEL static void call_all(void)
{
	uint64_t s = 0;

	for (int i = 0; i < 200000; i++)
		s = called_1(s);
	sink = s;
}

KERNEL static void call_none(void)
{
	uint64_t s = 0;

	for (int i = 0; i < 200000; i++) {
		s += 1;
		OPAQUE(s);
	}
	sink = s;
}

/* How many of 32 sorted numbers are below a value: with a branch for each, and without. */
KERNEL static void rank_branches(void)
{
	uint64_t s = 0;

	for (size_t i = 0; i < 1 << 14; i++) {
		uint32_t low = 0, n = 32;

		while (n > 1) {
			uint32_t half = n / 2;

			if (words[i] >= (low + half) << 27) {
				low += half;
				OPAQUE(low);	/* keeps the branch */
			}
			n -= half;
		}
		s += low;
	}
	sink = s;
}

KERNEL static void rank_moves(void)
{
	uint64_t s = 0;

	for (size_t i = 0; i < 1 << 14; i++) {
		uint32_t low = 0, n = 32;

		while (n > 1) {
			uint32_t half = n / 2, next = low + half;

			__asm__("cmp %2, %1\n\tcmovae %3, %0"
				: "+r"(low) : "r"(words[i]), "r"(next << 27), "r"(next) : "cc");
			n -= half;
		}
		s += low;
	}
	sink = s;
}

/* ---- caches ---- */

enum { NODES = 1 << 15 };	/* of a line: 2 MiB, which is more than an L2 */

struct node { struct node *next; uint64_t value, rest[6]; };

static void prepare_list(void)
{
	struct node *nodes = memory_of(NODES * sizeof(struct node));
	uint32_t *order = malloc(NODES * sizeof(*order));

	if (!order)
		abort();
	shuffle_cycle(order, NODES);
	for (uint32_t i = 0; i < NODES; i++)
		nodes[order[i]].next = &nodes[order[(i + 1) % NODES]];
	free(order);
}

KERNEL static void sum_list(void)
{
	const struct node *n = (const struct node *)memory;
	uint64_t s = 0;

	for (int i = 0; i < NODES; i++) {
		s += n->value;
		n = n->next;
	}
	sink = s;
}

KERNEL static void sum_nodes(void)
{
	const struct node *n = (const struct node *)memory;
	uint64_t s = 0;

	for (int i = 0; i < NODES; i++) {
		s += n[i].value;
		OPAQUE(s);
	}
	sink = s;
}

/* Random lines of 2 MiB: the next one's number in each, or from a list of numbers. */
static void prepare_numbers(void)
{
	struct node *nodes = memory_of(NODES * sizeof(struct node));

	shuffle_cycle(words, NODES);
	for (uint32_t i = 0; i < NODES; i++)
		nodes[words[i]].value = words[(i + 1) % NODES];
}

KERNEL static void follow_numbers(void)
{
	const struct node *n = (const struct node *)memory;
	uint64_t i = words[0];

	for (int k = 0; k < NODES; k++)
		i = n[i].value;
	sink = i;
}

KERNEL static void read_numbers(void)
{
	const struct node *n = (const struct node *)memory;
	uint64_t s = 0;

	for (int k = 0; k < NODES; k++) {
		s += n[words[k]].value;
		OPAQUE(s);
	}
	sink = s;
}

/* A cycle through lines that fit into the L1, the L2 or neither. */
static void prepare_cycle(uint32_t lines)
{
	struct node *nodes = memory_of(lines * sizeof(struct node));
	uint32_t *order = malloc(lines * sizeof(*order));

	if (!order)
		abort();
	shuffle_cycle(order, lines);
	for (uint32_t i = 0; i < lines; i++)
		nodes[order[i]].next = &nodes[order[(i + 1) % lines]];
	free(order);
}

static void prepare_in_l1(void)
{
	prepare_cycle(256);
}

static void prepare_in_l2(void)
{
	prepare_cycle(2048);
}

static void prepare_in_llc(void)
{
	prepare_cycle(1 << 15);
}

static void prepare_in_memory(void)
{
	prepare_cycle(1 << 20);
}

KERNEL static void follow(void)
{
	static const struct node *n;

	if (!n)
		n = (const struct node *)memory;
	for (int i = 0; i < 1 << 15; i++)
		n = n->next;
	sink = (uintptr_t)n;
}

enum { MATRIX = 192 };

static double a[MATRIX][MATRIX], b[MATRIX][MATRIX], c[MATRIX][MATRIX];

static void prepare_matrix(void)
{
	for (int i = 0; i < MATRIX; i++)
		for (int k = 0; k < MATRIX; k++)
			a[i][k] = b[i][k] = 1;
}

KERNEL static void product_ijk(void)
{
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < MATRIX; j++) {
			double s = 0;

			for (int k = 0; k < MATRIX; k++) {
				s += a[i][k] * b[k][j];
				OPAQUE_DOUBLE(s);
			}
			c[i][j] = s;
		}
	sink_double = c[3][4];
}

KERNEL static void product_ikj(void)
{
	for (int i = 0; i < 8; i++)
		for (int k = 0; k < MATRIX; k++) {
			double x = a[i][k];

			for (int j = 0; j < MATRIX; j++) {
				double y = c[i][j] + x * b[k][j];

				OPAQUE_DOUBLE(y);
				c[i][j] = y;
			}
		}
	sink_double = c[3][4];
}

enum { SIDE = 512 };	/* of 32-bit words: a row is 2 KiB, and the table 1 MiB */

static void prepare_square(void)
{
	memory_of(2 * SIDE * SIDE * sizeof(uint32_t));
}

KERNEL static void transpose(void)
{
	const uint32_t *from = (const uint32_t *)memory;
	uint32_t *to = (uint32_t *)memory + SIDE * SIDE;

	for (size_t i = 0; i < SIDE; i++)
		for (size_t j = 0; j < SIDE; j++) {
			uint32_t x = from[j * SIDE + i];

			OPAQUE(x);
			to[i * SIDE + j] = x;
		}
	sink = to[7];
}

KERNEL static void transpose_blocks(void)
{
	const uint32_t *from = (const uint32_t *)memory;
	uint32_t *to = (uint32_t *)memory + SIDE * SIDE;

	for (size_t ii = 0; ii < SIDE; ii += 16)
		for (size_t jj = 0; jj < SIDE; jj += 16)
			for (size_t i = ii; i < ii + 16; i++)
				for (size_t j = jj; j < jj + 16; j++) {
					uint32_t x = from[j * SIDE + i];

					OPAQUE(x);
					to[i * SIDE + j] = x;
				}
	sink = to[7];
}

KERNEL static void sum_columns(void)
{
	const uint32_t *from = (const uint32_t *)memory;
	uint64_t s = 0;

	for (size_t i = 0; i < SIDE; i++)
		for (size_t j = 0; j < SIDE; j++) {
			s += from[j * SIDE + i];
			OPAQUE(s);
		}
	sink = s;
}

KERNEL static void sum_rows(void)
{
	const uint32_t *from = (const uint32_t *)memory;
	uint64_t s = 0;

	for (size_t i = 0; i < SIDE; i++)
		for (size_t j = 0; j < SIDE; j++) {
			s += from[i * SIDE + j];
			OPAQUE(s);
		}
	sink = s;
}

/* 24 lines again and again: all in one set of an L1 of 8 ways, or in sets of their own. */
static void prepare_lines(void)
{
	memory_of(64 * (PAGE + LINE));
}

static inline __attribute__((always_inline)) void read_lines(size_t apart)
{
	uint64_t s = 0;

	for (int r = 0; r < 8000; r++)
		for (size_t i = 0; i < 24; i++) {
			s += *(const uint64_t *)(memory + i * apart);
			OPAQUE(s);
		}
	sink = s;
}

KERNEL static void read_one_set(void)
{
	read_lines(PAGE);
}

KERNEL static void read_sets(void)
{
	read_lines(PAGE + LINE);
}

/* A field of structures of a line each, or an array of the fields. */
enum { ITEMS = 1 << 14 };

static void prepare_items(void)
{
	memory_of(ITEMS * LINE);
}

KERNEL static void sum_fields(void)
{
	uint64_t s = 0;

	for (int r = 0; r < 8; r++)
		for (size_t i = 0; i < ITEMS; i++) {
			s += *(const uint32_t *)(memory + i * LINE);
			OPAQUE(s);
		}
	sink = s;
}

KERNEL static void sum_array(void)
{
	uint64_t s = 0;

	for (int r = 0; r < 8; r++)
		for (size_t i = 0; i < ITEMS; i++) {
			s += *(const uint32_t *)(memory + i * 4);
			OPAQUE(s);
		}
	sink = s;
}

/* A cycle through 4096 lines: each in a page of its own, or 64 in a page. */
enum { LINES = 4096 };

static void prepare_apart(size_t apart)
{
	shuffle_cycle(words, LINES);
	memory_of(LINES * apart + PAGE);
	for (uint32_t i = 0; i < LINES; i++)
		*(void **)(memory + words[i] * apart) = memory + words[(i + 1) % LINES] * apart;
}

static void prepare_pages(void)
{
	prepare_apart(PAGE + LINE);
}

static void prepare_dense(void)
{
	prepare_apart(LINE);
}

KERNEL static void follow_pointers(void)
{
	static void **p;

	if (!p)
		p = (void **)memory;
	for (int i = 0; i < 1 << 16; i++)
		p = *p;
	sink = (uintptr_t)p;
}

/* ---- width of accesses ---- */

static void prepare_bytes(void)
{
	memory_of(16384);
}

KERNEL static void copy_bytes(void)
{
	for (int r = 0; r < 16; r++)
		for (size_t i = 0; i < 8192; i++) {
			unsigned char x = memory[i];

			OPAQUE(x);
			memory[8192 + i] = x;
		}
}

KERNEL static void copy_words(void)
{
	for (int r = 0; r < 16; r++)
		for (size_t i = 0; i < 8192; i += 8) {
			uint64_t x = *(uint64_t *)(memory + i);

			OPAQUE(x);
			*(uint64_t *)(memory + 8192 + i) = x;
		}
}

/* In four sums, so that no addition waits for the one before. */
KERNEL static void add_scalars(void)
{
	uint32_t s = 0, t = 0, u = 0, v = 0;

	for (int r = 0; r < 100; r++)
		for (size_t i = 0; i < SMALL; i += 4) {
			s += words[i];
			t += words[i + 1];
			u += words[i + 2];
			v += words[i + 3];
			OPAQUE(s);
			OPAQUE(t);
			OPAQUE(u);
			OPAQUE(v);
		}
	sink = s + t + u + v;
}

KERNEL static void add_vectors(void)
{
	typedef uint32_t four __attribute__((vector_size(16)));
	four s = { 0 }, t = { 0 }, u = { 0 }, v = { 0 };

	for (int r = 0; r < 100; r++)
		for (size_t i = 0; i < SMALL; i += 16) {
			s += *(const four *)&words[i];
			t += *(const four *)&words[i + 4];
			u += *(const four *)&words[i + 8];
			v += *(const four *)&words[i + 12];
			OPAQUE_DOUBLE(s);
			OPAQUE_DOUBLE(t);
			OPAQUE_DOUBLE(u);
			OPAQUE_DOUBLE(v);
		}
	s += t + u + v;
	sink = s[0];
}

/* ---- locked operations, another thread ---- */

static uint64_t counter[16];

KERNEL static void count_locked(void)
{
	for (int i = 0; i < 100000; i++)
		__asm__ volatile("lock incq %0" : "+m"(counter[0]) : : "cc");
}

KERNEL static void count_unlocked(void)
{
	for (int i = 0; i < 100000; i++)
		__asm__ volatile("incq %0" : "+m"(counter[0]) : : "cc");
}

static uint64_t shared[2 * LINE] __attribute__((aligned(LINE)));

static void *count_shared(void *at)
{
	for (int i = 0; i < 100000; i++)
		__asm__ volatile("lock incq %0" : "+m"(*(uint64_t *)at) : : "cc");
	return NULL;
}

static void count_two(uint64_t *first, uint64_t *second)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, count_shared, first))
		abort();
	count_shared(second);
	pthread_join(thread, NULL);
}

KERNEL static void one_line(void)
{
	count_two(&shared[0], &shared[1]);
}

KERNEL static void two_lines(void)
{
	count_two(&shared[0], &shared[LINE]);
}

/* ---- */

struct side { void (*prepare)(void); void (*round)(void); };

static const struct pair {
	const char *name;
	struct side fast, slow;
	const char *effect;
} pairs[] = {
	{ "sum", { prepare_doubles, sum_four }, { prepare_doubles, sum_one },
	  "one sum, or four of a quarter" },
	{ "product", { NULL, product_four }, { NULL, product_one }, "one product, or four" },
	{ "polynomial", { prepare_doubles, estrin }, { prepare_doubles, horner },
	  "Horner's rule, or products in pairs" },
	{ "divide", { prepare_doubles, multiply }, { prepare_doubles, divide },
	  "divisions, or products with the reciprocal" },
	{ "quotients", { NULL, divide_chains }, { NULL, divide_chain },
	  "divisions one after the other, or four at a time" },
	{ "root", { prepare_doubles, multiply }, { prepare_doubles, root },
	  "square roots, or products" },
	{ "modulo", { prepare_words, mask }, { prepare_words, modulo },
	  "modulo by a variable, or a mask" },
	{ "branch", { prepare_sorted, sum_large }, { prepare_words, sum_large },
	  "a branch on random numbers, or on sorted ones" },
	{ "rank", { prepare_words, rank_moves }, { prepare_words, rank_branches },
	  "a search by branches, or by conditional moves" },
	{ "calls", { prepare_same_calls, call_by_words }, { prepare_words, call_by_words },
	  "indirect calls of random functions, or of one" },
	{ "inline", { NULL, call_none }, { NULL, call_all }, "calls, or none" },
	{ "list", { prepare_list, sum_nodes }, { prepare_list, sum_list },
	  "a list in random order, or an array" },
	{ "chase", { prepare_numbers, read_numbers }, { prepare_numbers, follow_numbers },
	  "each address from the line before, or from a list" },
	{ "l2", { prepare_in_l1, follow }, { prepare_in_l2, follow },
	  "pointers in 128 KiB, or in 16 KiB" },
	{ "llc", { prepare_in_l1, follow }, { prepare_in_llc, follow },
	  "pointers in 2 MiB, or in 16 KiB" },
	{ "memory", { prepare_in_llc, follow }, { prepare_in_memory, follow },
	  "pointers in 64 MiB, or in 2 MiB" },
	{ "matrix", { prepare_matrix, product_ikj }, { prepare_matrix, product_ijk },
	  "a product's inner loop down columns, or along rows" },
	{ "transpose", { prepare_square, transpose_blocks }, { prepare_square, transpose },
	  "a transposition by rows, or by blocks" },
	{ "columns", { prepare_square, sum_rows }, { prepare_square, sum_columns },
	  "a sum by columns, or by rows" },
	{ "conflict", { prepare_lines, read_sets }, { prepare_lines, read_one_set },
	  "lines of one set of the L1, or of all" },
	{ "fields", { prepare_items, sum_array }, { prepare_items, sum_fields },
	  "an array of structures, or of numbers" },
	{ "pages", { prepare_dense, follow_pointers }, { prepare_pages, follow_pointers },
	  "pointers to a line of each page, or to all of fewer" },
	{ "bytes", { prepare_bytes, copy_words }, { prepare_bytes, copy_bytes },
	  "a copy by bytes, or by eight of them" },
	{ "vector", { prepare_words, add_vectors }, { prepare_words, add_scalars },
	  "additions one by one, or by four" },
	{ "locked", { NULL, count_unlocked }, { NULL, count_locked },
	  "locked increments, or others" },
	{ "shared", { NULL, two_lines }, { NULL, one_line },
	  "two threads that write one line, or two" },
};

enum { PAIRS = sizeof(pairs) / sizeof(pairs[0]) };

static int usage(void)
{
	fputs("Usage: pairs                          print names and effects of the pairs\n"
	      "       pairs NAME fast|slow ROUNDS     run one\n"
	      "       pairs NAME fast|slow time       print nanoseconds of the fastest round\n",
	      stderr);
	return 2;
}

static uint64_t nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The fastest round in 0.6 seconds: other programs may disturb many of them. */
static void print_time(const struct side *s)
{
	uint64_t begin = nanoseconds(), start, end, best = UINT64_MAX;

	do {
		start = nanoseconds();
		s->round();
		end = nanoseconds();
		best = end - start < best ? end - start : best;
	} while (end - begin < 600000000);
	printf("%" PRIu64 "\n", best);
}

int main(int argc, char **argv)
{
	const struct pair *p = pairs;
	const struct side *s;

	if (argc == 1) {
		for (; p < pairs + PAIRS; p++)
			printf("%s %s\n", p->name, p->effect);
		return 0;
	}
	while (p < pairs + PAIRS && strcmp(p->name, argv[1]) != 0)
		p++;
	if (argc != 4 || p == pairs + PAIRS)
		return usage();
	s = strcmp(argv[2], "fast") == 0 ? &p->fast : &p->slow;
	if (s->prepare)
		s->prepare();
	if (strcmp(argv[3], "time") == 0)
		print_time(s);
	else
		for (unsigned long r = strtoul(argv[3], NULL, 10); r > 0; r--)
			s->round();
	return 0;
}
