/* SPDX-License-Identifier: MIT */
/* The faults of engine_fault_table.c: where each strikes, and what is to come of it. */
#ifndef ENGINE_FAULT_ROWS_H
#define ENGINE_FAULT_ROWS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

enum step { NEVER, OPEN, START, READ, STOP, FREE, CLOSE };
enum op { ON_OPEN, ON_READ, ON_WRITE, ON_BATCH, ON_PCI, ON_BAR, ON_MEM, ON_MAP, ON_TOPOLOGY };
enum kind { ERROR, ONCE, SHORT, DEAF, VALUE };
enum devices { PLAIN = 1, SAFE = 2, BATCH = 4, ALL = 7 };
enum machine { SKL, KNC };

#define ANY (-1)
#define FIRST_TWO (-2)

struct fault {
	const char *name;
	enum machine machine;
	unsigned devices;	/* tried with each of them */
	enum step step;
	enum op op;
	int cpu;		/* ANY, or of that CPU only */
	unsigned first, last;	/* addresses; 0, 0: all */
	enum kind kind;
	int error;
	uint64_t value;		/* of VALUE */
	/* what is to come of it */
	enum step fails;	/* NEVER: all goes well */
	int rc;
	const char *says, *todo;
	const char *never;	/* advice that would be wrong; NULL: not checked */
	bool lost;		/* counters stay at what was read last: see want() */
};

static const struct fault faults[] = {
	/* the device */
	{ "no msr driver", SKL, PLAIN, OPEN, ON_OPEN, ANY, .error = ENOENT, .fails = OPEN,
	  .rc = -ENOENT, .says = "/dev/cpu/0/msr", .todo = "modprobe msr" },
	{ "no permission", SKL, PLAIN, OPEN, ON_OPEN, ANY, .error = EACCES, .fails = OPEN,
	  .rc = -EACCES, .says = "/dev/cpu/0/msr", .todo = "to a group" },
	{ "no capability, or lockdown", SKL, PLAIN, OPEN, ON_OPEN, ANY, .error = EPERM,
	  .fails = OPEN, .rc = -EPERM, .says = "lockdown", .todo = "CAP_SYS_RAWIO" },
	{ "CPU offline at open", SKL, PLAIN, OPEN, ON_OPEN, ANY, .error = ENXIO, .fails = OPEN,
	  .rc = -ENXIO, .says = "CPU 0 is offline", .todo = "offline" },
	{ "driver unloaded", SKL, PLAIN, OPEN, ON_OPEN, ANY, .error = ENODEV, .fails = OPEN,
	  .rc = -ENODEV, .says = "/dev/cpu/0/msr", .todo = "No such device" },
	{ "too many files", SKL, PLAIN, OPEN, ON_OPEN, ANY, .error = EMFILE, .fails = OPEN,
	  .rc = -EMFILE, .says = "/dev/cpu/0/msr", .todo = "Too many open files" },
	{ "no allowed CPU", SKL, ALL, OPEN, ON_TOPOLOGY, ANY, .fails = OPEN, .rc = -ENODEV,
	  .says = "package 0 has no CPU", .todo = "widen its cpuset" },
	/* finding the boxes */
	{ "config: EIO", SKL, ALL, OPEN, ON_READ, ANY, 0x396, 0x396, .error = EIO, .fails = OPEN,
	  .rc = -ENXIO, .says = "MSR_UNC_CBO_CONFIG", .todo = "hypervisor" },
	{ "config: short read", SKL, ALL, OPEN, ON_READ, ANY, 0x396, 0x396,
	  .kind = SHORT, .fails = OPEN,
	  .rc = -ENXIO, .says = "MSR_UNC_CBO_CONFIG", .todo = "hypervisor" },
	{ "config: not allowed", SKL, SAFE | BATCH, OPEN, ON_READ, ANY, 0x396, 0x396,
	  .error = EACCES,
	  .fails = OPEN, .rc = -EACCES, .says = "MSR_UNC_CBO_CONFIG",
	  .todo = "add the line '0x00000396 0x0000000000000000" },
	{ "EINTR while finding", SKL, ALL, OPEN, ON_READ, ANY, 0x396, 0x396,
	  .kind = ONCE, .error = EINTR },
	{ "EINTR in a write", SKL, ALL, OPEN, ON_WRITE, ANY, 0, 0, .kind = ONCE, .error = EINTR },
	{ "writes filtered", SKL, PLAIN, OPEN, ON_WRITE, ANY, 0, 0, .error = EPERM, .fails = OPEN,
	  .rc = -EPERM, .says = "MSR_UNC_ARB_PERFCTR1", .todo = "msr.allow_writes=on" },
	{ "probe: EIO", SKL, ALL, OPEN, ON_WRITE, ANY, 0, 0, .error = EIO, .fails = OPEN,
	  .rc = -ENXIO, .says = "MSR_UNC_ARB_PERFCTR1", .todo = "hypervisor" },
	{ "probe: short write", SKL, ALL, OPEN, ON_WRITE, ANY, 0, 0, .kind = SHORT, .fails = OPEN,
	  .rc = -ENXIO, .says = "MSR_UNC_ARB_PERFCTR1", .todo = "hypervisor" },
	{ "probe: no read", SKL, PLAIN, OPEN, ON_READ, ANY, 0x3B3, 0x3B3, .error = EPERM,
	  .fails = OPEN, .rc = -EPERM, .says = "MSR_UNC_ARB_PERFEVTSEL1 (0x3B3)",
	  .todo = "seccomp" },
	{ "probe: device vanished", SKL, PLAIN | SAFE, OPEN, ON_READ, ANY, 0x3B3, 0x3B3,
	  .error = ENODEV, .fails = OPEN, .rc = -ENXIO, .says = "MSR_UNC_ARB_PERFCTR1",
	  .todo = "No such device" },
	{ "counters ignore writes", SKL, ALL, OPEN, ON_WRITE, ANY, 0, 0,
	  .kind = DEAF, .fails = OPEN,
	  .rc = -ENXIO, .says = "does not hold what is written", .todo = "hypervisor" },
	{ "counters ignore writes", KNC, ALL, OPEN, ON_WRITE, ANY, 0, 0,
	  .kind = DEAF, .fails = OPEN,
	  .rc = -ENXIO, .says = "does not hold what is written", .todo = "hypervisor" },
	/* the memory controller: out alone */
	{ "no PCI device", SKL, ALL, OPEN, ON_PCI, ANY, .error = ENOENT, .says = "0000:00:00.0",
	  .todo = "cannot be found" },
	{ "PCI: no permission", SKL, ALL, OPEN, ON_PCI, ANY, .error = EACCES,
	  .says = "0000:00:00.0", .todo = "Permission denied" },
	{ "PCI: 64 bytes only", SKL, ALL, OPEN, ON_BAR, ANY, .kind = SHORT, .says = "0x48",
	  .todo = "CAP_SYS_ADMIN" },
	{ "BAR disabled", SKL, ALL, OPEN, ON_BAR, ANY, .kind = VALUE, .value = 0xFED10000,
	  .says = "switched off", .todo = "firmware" },
	{ "BAR zero", SKL, ALL, OPEN, ON_BAR, ANY, .kind = VALUE, .value = 1,
	  .says = "switched off", .todo = "firmware" },
	{ "BAR reads as ones", SKL, ALL, OPEN, ON_BAR, ANY, .kind = VALUE, .value = ~0ull,
	  .says = "does not answer", .todo = "firmware" },
	{ "/dev/mem: lockdown", SKL, ALL, OPEN, ON_MEM, ANY, .error = EPERM, .says = "/dev/mem",
	  .todo = "CAP_SYS_RAWIO" },
	{ "/dev/mem: no permission", SKL, ALL, OPEN, ON_MEM, ANY, .error = EACCES,
	  .says = "/dev/mem", .todo = "CAP_SYS_RAWIO" },
	{ "/dev/mem: strict", SKL, ALL, OPEN, ON_MAP, ANY, .error = EPERM,
	  .says = "/dev/mem at 0xFED15000", .todo = "iomem=relaxed" },
	/* limits, which no right and no driver removes */
	{ "PCI: too many files", SKL, ALL, OPEN, ON_PCI, ANY, .error = EMFILE,
	  .fails = OPEN, .rc = -EMFILE, .says = "0000:00:00.0",
	  .todo = "(ulimit -n)", .never = "CAP_" },
	{ "/dev/mem: too many files", SKL, ALL, OPEN, ON_MEM, ANY, .error = EMFILE,
	  .fails = OPEN, .rc = -EMFILE, .says = "/dev/mem",
	  .todo = "(ulimit -n)", .never = "CAP_" },
	{ "/dev/mem: mapping, too many files", SKL, ALL, OPEN, ON_MAP, ANY, .error = EMFILE,
	  .fails = OPEN, .rc = -EMFILE, .says = "/dev/mem at 0xFED15000",
	  .todo = "(ulimit -n)", .never = "iomem" },
	{ "/dev/mem: no memory", SKL, ALL, OPEN, ON_MAP, ANY, .error = ENOMEM,
	  .fails = OPEN, .rc = -ENOMEM, .says = "/dev/mem at 0xFED15000",
	  .todo = "(ulimit -v)", .never = "iomem" },
	{ "/dev/mem: system full of files", SKL, ALL, OPEN, ON_MEM, ANY, .error = ENFILE,
	  .fails = OPEN, .rc = -ENFILE, .says = "/dev/mem",
	  .todo = "fs.file-max", .never = "CAP_" },
	/* saving */
	{ "save: EIO", SKL, ALL, START, ON_READ, ANY, 0x700, 0x700, .error = EIO, .fails = START,
	  .rc = -EIO, .says = "MSR_UNC_CBO_0_PERFEVTSEL0", .todo = "hypervisor" },
	{ "save: not allowed", SKL, SAFE | BATCH, START, ON_READ, ANY, 0x700, 0x700,
	  .error = EACCES,
	  .fails = START, .rc = -EACCES, .says = "read MSR_UNC_CBO_0_PERFEVTSEL0",
	  .todo = "add the line '0x00000700 0x000000001FD4FFFF" },
	{ "save: EINTR", SKL, PLAIN | SAFE, START, ON_READ, ANY, 0, 0,
	  .kind = ONCE, .error = EINTR },
	{ "save: all CPUs offline", SKL, ALL, START, ON_READ, ANY, 0, 0, .error = ENXIO,
	  .fails = START, .rc = -ENXIO, .says = "offline", .todo = "bring it back" },
	{ "save: CPUs 0 and 1 offline", SKL, ALL, START, ON_READ, FIRST_TWO, .error = ENXIO },
	{ "save: CPU 0 offline", SKL, ALL, START, ON_READ, 0, 0, 0, .error = ENXIO },
	/* programming */
	{ "program: EIO", SKL, ALL, START, ON_WRITE, ANY, 0x710, 0x710,
	  .error = EIO, .fails = START,
	  .rc = -EIO, .says = "MSR_UNC_CBO_1_PERFEVTSEL0", .todo = "hypervisor" },
	{ "program: filtered", SKL, PLAIN, START, ON_WRITE, ANY, 0x710, 0x710, .error = EPERM,
	  .fails = START, .rc = -EPERM, .says = "MSR_UNC_CBO_1_PERFEVTSEL0",
	  .todo = "msr.allow_writes=on" },
	{ "program: not allowed", SKL, SAFE | BATCH, START, ON_WRITE, ANY, 0x710, 0x710,
	  .error = EACCES, .fails = START, .rc = -EACCES, .says = "write MSR_UNC_CBO_1_PERFEVTSEL0",
	  .todo = "add the line '0x00000710 0x000000001FD4FFFF" },
	{ "program: CPU 0 offline", SKL, ALL, START, ON_WRITE, 0, 0, 0, .error = ENXIO },
	{ "program: short write", SKL, PLAIN, START, ON_WRITE, ANY, 0x710, 0x710, .kind = SHORT,
	  .fails = START, .rc = -EIO, .says = "MSR_UNC_CBO_1_PERFEVTSEL0", .todo = "hypervisor" },
	/* baselines, switching on */
	{ "baseline: EIO", SKL, PLAIN, START, ON_READ, ANY, 0x716, 0x716, .error = EIO,
	  .fails = START, .rc = -EIO, .says = "cannot be", .todo = "Input/output error" },
	{ "control: EIO", SKL, ALL, START, ON_WRITE, ANY, 0xE01, 0xE01, .error = EIO,
	  .fails = START, .rc = -EIO, .says = "MSR_UNC_PERF_GLOBAL_CTRL", .todo = "hypervisor" },
	{ "control: filtered", SKL, PLAIN, START, ON_WRITE, ANY, 0xE01, 0xE01, .error = EPERM,
	  .fails = START, .rc = -EPERM, .says = "MSR_UNC_PERF_GLOBAL_CTRL",
	  .todo = "msr.allow_writes=on" },
	{ "control: EINTR", SKL, PLAIN | SAFE, START, ON_WRITE, ANY, 0xE01, 0xE01,
	  .kind = ONCE, .error = EINTR },
	{ "CPU 5 offline at start", KNC, ALL, START, ON_OPEN, 5, .error = ENXIO, .fails = START,
	  .rc = -ENXIO, .says = "CPU 5 is offline", .todo = "offline" },
	{ "CPU 5: program: EIO", KNC, ALL, START, ON_WRITE, 5, 0x28, 0x28, .error = EIO,
	  .fails = START, .rc = -EIO, .says = "PerfEvtSel0", .todo = "hypervisor" },
	/* reading: what cannot be read is lost, the other counts go on */
	{ "read: EIO", SKL, ALL, READ, ON_READ, ANY, 0x706, 0x706, .error = EIO, .fails = STOP,
	  .rc = -EIO, .says = "1 of 5 counters", .todo = "last values", .lost = true },
	{ "read: short", SKL, PLAIN | SAFE, READ, ON_READ, ANY, 0x706, 0x706,
	  .kind = SHORT, .fails = STOP,
	  .rc = -EIO, .says = "1 of 5 counters", .todo = "last values", .lost = true },
	{ "read: EINTR", SKL, PLAIN | SAFE, READ, ON_READ, ANY, 0, 0,
	  .kind = ONCE, .error = EINTR },
	{ "read: allowlist changed", SKL, SAFE | BATCH, READ, ON_READ, ANY, 0x706, 0x706,
	  .error = EACCES, .fails = STOP, .rc = -EACCES, .says = "1 of 5 counters",
	  .todo = "last values",
	  .lost = true },
	{ "read: lockdown", SKL, PLAIN, READ, ON_READ, ANY, 0x706, 0x706, .error = EPERM,
	  .fails = STOP, .rc = -EPERM, .says = "1 of 5 counters", .todo = "last values",
	  .lost = true },
	{ "read: CPU 0 offline", SKL, ALL, READ, ON_READ, 0, 0, 0, .error = ENXIO },
	{ "read: device vanished", SKL, PLAIN | SAFE, READ, ON_READ, ANY, 0x706, 0x706,
	  .error = ENODEV, .fails = STOP, .rc = -ENODEV, .says = "No such device",
	  .todo = "last values",
	  .lost = true },
	{ "read: CPU 5 offline", KNC, ALL, READ, ON_READ, 5, 0, 0, .error = ENXIO, .fails = STOP,
	  .rc = -ENXIO, .says = "CPU went offline", .todo = "last values", .lost = true },
	/* msr-safe's batch device */
	{ "no batch device", SKL, SAFE, NEVER, ON_BATCH, ANY, .error = 0 },
	{ "another batch interface", SKL, BATCH, START, ON_BATCH, ANY, .error = ENOTTY },
	{ "another batch version", SKL, BATCH, START, ON_BATCH, ANY, .error = EINVAL },
	{ "batch: no memory", SKL, BATCH, START, ON_BATCH, ANY, .error = ENOMEM },
	{ "batch: too big", SKL, BATCH, READ, ON_BATCH, ANY, .error = E2BIG },
	{ "batch: EINTR", SKL, BATCH, READ, ON_BATCH, ANY, .kind = ONCE, .error = EINTR },
	{ "batch: module gone", SKL, BATCH, STOP, ON_BATCH, ANY, .error = ENODEV },
	/* stopping */
	{ "stop: EIO", SKL, ALL, STOP, ON_WRITE, ANY, 0xE01, 0xE01, .error = EIO, .fails = STOP,
	  .rc = -EIO, .says = "MSR_UNC_PERF_GLOBAL_CTRL", .todo = "hypervisor" },
	{ "stop: lockdown", SKL, PLAIN, STOP, ON_WRITE, ANY, 0xE01, 0xE01, .error = EPERM,
	  .fails = STOP, .rc = -EPERM, .says = "MSR_UNC_PERF_GLOBAL_CTRL", .todo = "lockdown" },
	{ "stop: CPU 0 offline", SKL, ALL, STOP, ON_WRITE, 0, 0, 0, .error = ENXIO },
	{ "stop: CPU 5 offline", KNC, ALL, STOP, ON_WRITE, 5, 0, 0, .error = ENXIO, .fails = STOP,
	  .rc = -ENXIO, .says = "CPU 5 is offline", .todo = "bring it back" },
	/* putting back: what failed is tried once more at the end */
	{ "restore: EIO", SKL, ALL, FREE, ON_WRITE, ANY, 0x700, 0x700, .error = EIO },
	{ "restore: EINTR", SKL, PLAIN | SAFE, FREE, ON_WRITE, ANY, 0, 0,
	  .kind = ONCE, .error = EINTR },
	{ "restore: CPU 0 offline", SKL, ALL, FREE, ON_WRITE, 0, 0, 0, .error = ENXIO },
	{ "restore: batch gone", SKL, BATCH, FREE, ON_BATCH, ANY, .error = ENODEV },
	{ "restore: lockdown", SKL, PLAIN, FREE, ON_WRITE, ANY, 0, 0, .error = EPERM },
	{ "restore: CPU 5 offline", KNC, ALL, FREE, ON_WRITE, 5, 0, 0, .error = ENXIO },
};
#define FAULTS (sizeof(faults) / sizeof(faults[0]))

#endif
