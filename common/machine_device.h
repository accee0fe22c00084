/* SPDX-License-Identifier: MIT */
/* The virtual machine's own device. Silicon has none, and a booted machine's kernel neither: there
 * the file does not exist.
 *
 * read(): 8 bytes, nanoseconds on the machine's newest clock, at one clock each.
 * write(): the full name of an event that the caller counts; `vpmu` reports at the end if nothing
 * drives it. The length is that of the name, without an end. */
#ifndef IPMU_MACHINE_DEVICE_H
#define IPMU_MACHINE_DEVICE_H

#include <stdint.h>
#include <sys/ioctl.h>

#define MACHINE_DEVICE "/dev/vpmu"
/* The uncore and its clock stand still from stop to go, which one native thread calls. EOPNOTSUPP:
 * the caller is emulated, so that it runs on the machine itself. */
#define MACHINE_STOP _IO('V', 1)
#define MACHINE_GO _IO('V', 2)
/* Makes the caches those of a machine that has just been switched on. EBUSY: a program runs on
 * it. */
#define MACHINE_REFRESH _IO('V', 3)
/* Packages, cores, threads and caches on one line, which ends with a 0. */
struct machine_geometry { char text[512]; };
#define MACHINE_GEOMETRY _IOR('V', 4, struct machine_geometry)
/* How many programs have been counted because VPMU_ONLY or --only named them. */
#define MACHINE_CHOSEN _IOR('V', 5, uint64_t)
/* The number of --seed that programs on the machine have, those that the caller starts too. */
#define MACHINE_SEED _IOR('V', 6, uint64_t)
/* Programs since the machine was made. All of them are counted if `outside` and `aborted` are 0 and
 * `begun` is `executed`. */
struct machine_programs {
	uint64_t executed, begun;	/* under the emulator; begun: their first instruction */
	uint64_t outside;		/* as they are: the machine does not count them */
	uint64_t aborted;		/* processes that an error of the emulator has ended */
};
#define MACHINE_PROGRAMS _IOR('V', 7, struct machine_programs)
/* While it is not 0, profiles of programs on the machine count nothing. */
#define MACHINE_PAUSE _IOW('V', 8, uint32_t)
/* Lets a kind of occurrence occur so often, as if a program had caused it, on the first package,
 * slice and core of its sort. What a kind adds to an event is what the event gains, without what it
 * gains by 0 times. name[]: of the kind, as in `vpmu profile`. EINVAL: the machine has none of the
 * name, or times is beyond 0 (of a core's kinds -64) to 4095. EBUSY: a program runs on the
 * machine. */
struct machine_occurrence { char name[60]; int32_t times; };
#define MACHINE_RAISE _IOW('V', 9, struct machine_occurrence)
/* Named regions (mpi_region.h): the machine sends the messages, and its clock and counters stand
 * still for the caller meanwhile. All answer EOPNOTSUPP if no ipmu-run counts the program.
 * MACHINE_REGIONS: code in this range is not counted any more, nor what it accesses. The arguments
 * of the others are names; ENOENT: the thread is not in that region, ENOSPC: there are too many. */
struct machine_code { uint64_t begin, end; };
#define MACHINE_REGIONS _IOW('V', 10, struct machine_code)
#define MACHINE_REGION_BEGIN _IOW('V', 11, char[128])
#define MACHINE_REGION_END _IOW('V', 12, char[128])
/* The rule of the machine's clock: an enum machine_clock. */
enum machine_clock { MACHINE_CLOCK_INSTRUCTION, MACHINE_CLOCK_ESTIMATE };
#define MACHINE_CLOCK _IOR('V', 13, uint64_t)
/* Variables that `vpmu run` takes for its options --only, --seed and --profile. */
#define MACHINE_PROFILE_ENV "VPMU_PROFILE"
#define MACHINE_DATA_ENV "VPMU_PROFILE_DATA"	/* --data, whatever it is set to */
#define MACHINE_ONLY_ENV "VPMU_ONLY"
#define MACHINE_SEED_ENV "VPMU_SEED"

#endif
