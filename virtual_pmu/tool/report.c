/* SPDX-License-Identifier: MIT */
/* Reports, at the end, a program's requests that the machine could not fulfil. These are
 * violations, events that are not driven, and accesses that were not counted. vpmu_report() takes
 * the machine lock to mark what it reports now, and prints without it. So if several runs share a
 * machine, each record is reported by one of them. With --devices other users may write the
 * segment, so records are copied before they are read, and counts and numbers in them are
 * checked. */
#include <stdio.h>

#include "tool.h"

#define LINES_MAX 8

static const char *register_name(const struct vpmu_machine *m, const struct vpmu_violation *v,
				 struct vpmu_register_info *info)
{
	for (uint32_t i = 0; vpmu_model_register(m, i, info); i++)
		if (info->space == v->space && info->address == v->address)
			return info->name;
	return "not a register of this machine";
}

/* "MSR 0x391 (NAME), CPU 2", and the window's registers are of no CPU. */
static void tell_register(const struct vpmu_machine *m, const struct vpmu_violation *v)
{
	struct vpmu_register_info info;
	const char *name = register_name(m, v, &info);

	if (v->space == VPMU_MMIO)
		fprintf(stderr, "vpmu:   window offset 0x%X (%s): ", v->address, name);
	else
		fprintf(stderr, "vpmu:   MSR 0x%X (%s), CPU %u: ", v->address, name, v->cpu);
}

static void tell_violation(const struct vpmu_machine *m, const struct vpmu_violation *v)
{
	tell_register(m, v);
	switch (v->kind) {
	case VPMU_V_RESERVED_BITS:
		fprintf(stderr, "wrote 0x%llX, of which 0x%llX is reserved\n",
			(unsigned long long)v->value, (unsigned long long)v->bad_bits);
		break;
	case VPMU_V_READ_ONLY:
		fprintf(stderr, "wrote 0x%llX to a read-only register\n",
			(unsigned long long)v->value);
		break;
	case VPMU_V_WRITE_ONLY:
		fputs("read of a write-only register\n", stderr);
		break;
	default:
		fprintf(stderr, "%s\n", v->value ? "write refused" : "access refused");
	}
}

static void tell_violations(struct vpmu_segment *s, uint64_t from, uint64_t to)
{
	uint64_t shown = 0;

	if (from >= to)
		return;
	fprintf(stderr, "vpmu: %s: %llu violation%s of the register rules:\n", s->machine.name,
		(unsigned long long)(to - from), to - from == 1 ? "" : "s");
	for (uint64_t i = from; i < to && i < VPMU_VIOLATIONS_KEPT && shown < LINES_MAX; i++) {
		const struct vpmu_violation v = s->violations[i];

		tell_violation(&s->machine, &v);
		shown++;
	}
	if (shown < to - from)
		fprintf(stderr, "vpmu:   and %llu more\n",
			(unsigned long long)(to - from - shown));
}

static void tell_undriven(struct vpmu_segment *s, uint64_t from, uint64_t to)
{
	char text[256];

	for (uint64_t i = from; i < to && i < VPMU_UNDRIVEN_KEPT; i++) {
		const struct vpmu_undriven u = s->undriven[i];

		vpmu_model_undriven_text(&s->machine, &u, text, sizeof(text));
		fprintf(stderr, "vpmu: %s: %s that this machine does not drive: %s\n",
			s->machine.name, u.select & VPMU_UNDRIVEN_FREE ?
			"a free-running counter was read" : "a counter was enabled on an event",
			text);
	}
}

static void tell_by_kernel(struct vpmu_segment *s, uint64_t count, uint64_t from, uint64_t to)
{
	if (!count)
		return;
	fprintf(stderr, "vpmu: %s: %llu violation%s of the register rules by the kernel's own "
		"drivers, not by programs%s\n", s->machine.name, (unsigned long long)count,
		count == 1 ? "" : "s", from < to ? ", each kind once:" : "; named before");
	for (uint64_t i = from; i < to && i < VPMU_BY_KERNEL_KEPT; i++) {
		const struct vpmu_violation v = s->by_kernel_first[i];

		tell_violation(&s->machine, &v);
	}
}

static void tell_uncounted(const struct vpmu_segment *s, uint64_t left, uint64_t aborted)
{
	if (aborted)
		fprintf(stderr, "vpmu: %s: an error of the emulator ended %llu process%s: the "
			"counts are not of all that ran\n", s->machine.name,
			(unsigned long long)aborted, aborted == 1 ? "" : "es");
	if (left)
		fprintf(stderr, "vpmu: %s: %llu program%s ran outside the machine: the counts are "
			"not of all that ran\n",
			s->machine.name, (unsigned long long)left, left == 1 ? "" : "s");
}

static void tell_profiles(const struct vpmu_segment *s, uint64_t failed)
{
	if (failed)
		fprintf(stderr, "vpmu: %s: %llu process%s: cannot make a profile: the folder, the "
			"disk or a limit of the process refuses the file\n", s->machine.name,
			(unsigned long long)failed, failed == 1 ? "" : "es");
}

static uint64_t untold(uint64_t count, uint64_t *told)
{
	uint64_t more = count - *told;

	*told = count;
	return more;
}

void vpmu_report(struct vpmu_segment *s)
{
	uint64_t violations[2], undriven[2], kernel[2], left, aborted, by_kernel, failed;

	vpmu_lock(s);
	violations[0] = s->violations_told;
	undriven[0] = s->undriven_told;
	violations[1] = s->violations_told = s->violation_count;
	undriven[1] = s->undriven_told = s->undriven_count;
	kernel[0] = s->by_kernel_told;
	kernel[1] = s->by_kernel_told = s->by_kernel_kept;
	by_kernel = s->by_kernel_count;
	s->by_kernel_count = 0;
	left = untold(s->left_count, &s->left_told);
	aborted = untold(s->aborted_count, &s->aborted_told);
	failed = untold(s->profiles_failed, &s->profiles_told);
	vpmu_unlock(s);
	tell_uncounted(s, left, aborted);
	tell_profiles(s, failed);
	tell_undriven(s, undriven[0], undriven[1]);
	tell_violations(s, violations[0], violations[1]);
	tell_by_kernel(s, by_kernel, kernel[0], kernel[1]);
}
