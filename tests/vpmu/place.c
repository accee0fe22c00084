// SPDX-License-Identifier: MIT
/* For each CPU: what CPUID says by the instruction and by the device, and IA32_TSC_AUX. */
#include <cpuid.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPUS_MAX 512

static int wrong, cpus, has_0b;
static struct place {
	long package;
	char threads[256];
	unsigned int apic, low, high;
} places[CPUS_MAX];

static void is(int cpu, const char *what, unsigned int expected, unsigned int found)
{
	if (expected == found)
		return;
	wrong++;
	printf("CPU %d: %s: expected %x, got %x\n", cpu, what, expected, found);
}

static void text_of(int cpu, const char *name, char *text, int bytes)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, name);
	f = fopen(path, "r");
	if (!f || !fgets(text, bytes, f))
		exit(9);
	fclose(f);
}

static void is_devices(int cpu, unsigned int leaf, unsigned int subleaf, const unsigned int own[4])
{
	unsigned int device[4];
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/cpuid", cpu);
	fd = open(path, O_RDONLY);
	if (pread(fd, device, 16, (off_t)((uint64_t)subleaf << 32 | leaf)) != 16)
		exit(8);
	close(fd);
	for (int i = 0; i < 4; i++)
		is(cpu, "the device's", own[i], device[i]);
}

static void look_at(int cpu, int aux)
{
	struct place *p = &places[cpu];
	unsigned int r[4], most, thread;
	char package[32];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		exit(7);
	text_of(cpu, "physical_package_id", package, sizeof(package));
	text_of(cpu, "thread_siblings", p->threads, sizeof(p->threads));
	p->package = atol(package);
	__cpuid(0, most, r[1], r[2], r[3]);
	if (aux == 3)			/* a hybrid machine: kinds of cores, levels of them */
		is(cpu, "the last leaf", 0x1f, most);
	__cpuid(1, r[0], r[1], r[2], r[3]);
	is_devices(cpu, 1, 0, r);
	p->apic = r[1] >> 24;
	has_0b = most >= 0xb;
	if (has_0b) {
		__cpuid_count(0xb, 0, r[0], r[1], r[2], r[3]);
		is_devices(cpu, 0xb, 0, r);
		is(cpu, "leaf 0BH's APIC", p->apic, r[3]);
		p->low = r[0] & 31;
		__cpuid_count(0xb, 1, r[0], r[1], r[2], r[3]);
		is(cpu, "leaf 0BH's APIC, level 1", p->apic, r[3]);
		p->high = r[0] & 31;
	}
	if (aux) {		/* 1: RDTSCP; 2 and 3: RDPID too */
		__asm__ volatile("rdtscp" : "=c"(thread) : : "rax", "rdx");
		is(cpu, "RDTSCP", (unsigned int)cpu | (unsigned int)p->package << 12, thread);
	}
	if (aux >= 2) {
		uint64_t wide;

		__asm__ volatile(".byte 0xf3, 0x0f, 0xc7, 0xf8" : "=a"(wide));
		is(cpu, "RDPID", (unsigned int)cpu, (unsigned int)wide);
	}
}

static void compare(int a, int b)
{
	const struct place *p = &places[a], *q = &places[b];

	is(a, "another CPU's APIC", 0, p->apic == q->apic);
	if (!has_0b)
		return;
	is(a, "the same core", !strcmp(p->threads, q->threads),
	   p->apic >> p->low == q->apic >> q->low);
	is(a, "the same package", p->package == q->package,
	   p->apic >> p->high == q->apic >> q->high);
}

/* Linux's names of features: leaf, subleaf, register (EBX, ECX, EDX: 1 to 3), bit.
 * SDM volume 2, CPUID. */
static const struct { unsigned int leaf, sub, reg, bit; const char *name;
} features[] = {
	{ 1, 0, 2, 0, "pni" },
	{ 1, 0, 2, 1, "pclmulqdq" },
	{ 1, 0, 2, 9, "ssse3" },
	{ 1, 0, 2, 12, "fma" },
	{ 1, 0, 2, 13, "cx16" },
	{ 1, 0, 2, 19, "sse4_1" },
	{ 1, 0, 2, 20, "sse4_2" },
	{ 1, 0, 2, 22, "movbe" },
	{ 1, 0, 2, 23, "popcnt" },
	{ 1, 0, 2, 25, "aes" },
	{ 1, 0, 2, 26, "xsave" },
	{ 1, 0, 2, 28, "avx" },
	{ 1, 0, 2, 29, "f16c" },
	{ 1, 0, 2, 30, "rdrand" },
	{ 1, 0, 2, 31, "hypervisor" },
	{ 1, 0, 3, 26, "sse2" },
	{ 7, 0, 1, 0, "fsgsbase" },
	{ 7, 0, 1, 3, "bmi1" },
	{ 7, 0, 1, 4, "hle" },
	{ 7, 0, 1, 5, "avx2" },
	{ 7, 0, 1, 7, "smep" },
	{ 7, 0, 1, 8, "bmi2" },
	{ 7, 0, 1, 9, "erms" },
	{ 7, 0, 1, 11, "rtm" },
	{ 7, 0, 1, 16, "avx512f" },
	{ 7, 0, 1, 18, "rdseed" },
	{ 7, 0, 1, 19, "adx" },
	{ 7, 0, 1, 20, "smap" },
	{ 7, 0, 1, 23, "clflushopt" },
	{ 7, 0, 1, 29, "sha_ni" },
	{ 7, 0, 2, 22, "rdpid" },
	{ 0xD, 1, 0, 0, "xsaveopt" },
	{ 0xD, 1, 0, 1, "xsavec" },
	{ 0xD, 1, 0, 2, "xgetbv1" },
	{ 0x80000001, 0, 2, 0, "lahf_lm" },
	{ 0x80000001, 0, 2, 5, "abm" },
	{ 0x80000001, 0, 2, 8, "3dnowprefetch" },
	{ 0x80000001, 0, 3, 20, "nx" },
	{ 0x80000001, 0, 3, 27, "rdtscp" },
	{ 0x80000001, 0, 3, 29, "lm" },
};

static void compare_features(int cpu, const char *line)
{
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		unsigned int r[4] = { 0 };
		char word[32];

		snprintf(word, sizeof(word), " %s ", features[i].name);
		__get_cpuid_count(features[i].leaf, features[i].sub, &r[0], &r[1], &r[2], &r[3]);
		is(cpu, features[i].name, r[features[i].reg] >> features[i].bit & 1,
		   strstr(line, word) != NULL);
	}
}

static void compare_cpuinfo(void)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[1024];
	int cpu = -1;
	unsigned int apic;

	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "processor : %d", &cpu);
		if (sscanf(line, "initial apicid : %u", &apic) == 1)
			is(cpu, "cpuinfo", places[cpu].apic, apic);
		if (strncmp(line, "flags", 5) == 0) {
			line[strcspn(line, "\n")] = ' ';
			compare_features(cpu, line);
		}
	}
}

int main(int argc, char **argv)
{
	cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	for (int cpu = 0; cpu < cpus; cpu++)
		look_at(cpu, argc > 1 ? atoi(argv[1]) : 0);
	for (int a = 0; a < cpus; a++)
		for (int b = 0; b < a; b++)
			compare(a, b);
	compare_cpuinfo();
	printf("%d CPUs, %d wrong\n", cpus, wrong);
	return 0;
}
