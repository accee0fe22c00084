/* SPDX-License-Identifier: MIT */
/* libintelpmu: counts events of the documented Intel PMUs on this machine's registers.
 *
 * Has no code for PAPI or for virtual machines: it opens the msr device, PCI configuration space
 * and the memory controller's window, and uses the registers behind them.
 *
 * Conventions. Functions return 0 or a negative errno. `why` is a caller's buffer of IPMU_WHY_MAX
 * bytes; on failure it holds one sentence: what failed, on which object, what to do about it.
 * Objects made by *_open / *_new belong to the caller and end with *_close / *_free.
 * Threads: every function may be called from any thread, also for the same session at the same
 * time, as long as nobody frees what another one uses. ipmu_session_read and ipmu_session_reset are
 * async-signal-safe: they neither allocate nor wait.
 * Counts are 64-bit, across wraps too, and do not decrease from a start or a reset to the next. A
 * counter whose count is not known any more is lost, and stays at its last good value: it could not
 * be read (the CPU went offline), it was set back from outside (-ESTALE), or the machine was
 * suspended, which resets registers (-ESHUTDOWN).
 * Cancellation (pthread_cancel) waits until the thread is outside of these functions.
 * While something is counted that could wrap unread, a thread of the library's reads it in time.
 * Fork: the child opens the machine afresh to count. In what it inherited, start, set and read
 * return -ECHILD, and nothing that it stops or frees changes a register. A read returns the counts
 * that the parent had read last before the fork.
 * A signal handler that leaves a read by siglongjmp is not supported: the session can be stopped
 * and freed, but no longer set or started (-ETIMEDOUT). */
#ifndef IPMU_H
#define IPMU_H

#include "ipmu_topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef IPMU_HIDDEN	/* compiled into another library, which has its own interface */
#pragma GCC visibility push(hidden)
#else
#pragma GCC visibility push(default)
#endif

#define IPMU_NAME_MAX 106	/* longest event name, with the final NUL */
#define IPMU_ALL (-1)		/* every package, every box */

#define IPMU_EXTRA_MAX 4
#define IPMU_CHOICES_MAX 8

struct ipmu_system;
struct ipmu_session;
struct ipmu_pmu_type;
struct ipmu_reg;

/* Scope of a system: PMUs of packages (uncore), or of CPUs (core). */
enum ipmu_scope { IPMU_SCOPE_PACKAGE, IPMU_SCOPE_CPU };

/* How a counter moves. Counted down are events; up and down is a balance, which may be negative:
 * then the count is so in two's complement, and it may decrease. */
enum ipmu_direction { IPMU_UP, IPMU_DOWN, IPMU_UP_DOWN };

/* An extra register: bits beside the select that counters share, and the value that they must have
 * while an event counts. */
struct ipmu_extra_reg {
	const struct ipmu_reg *reg;
	int index;		/* which one, where the register is an array */
	uint64_t mask, value;
};

/* A way to count an event. */
struct ipmu_choice {
	uint64_t counters;	/* bit i: counter i of a box can do it */
	uint64_t select;	/* its control register; 0 where the counter is the event */
	uint64_t companions;	/* counters of which one must be enabled alongside; 0: none */
	uint64_t companion_select;
	/* ... unless one of these is enabled already, whatever it counts; 0: it has to be one that
	 * companion_select has programmed */
	uint64_t any_companion;
	bool preset;		/* counters start from a value: not shared, set up at each start */
	uint64_t preset_value;	/* ... which ops->preset writes, where the PMU has that */
	uint8_t direction;	/* enum ipmu_direction */
	bool clear;		/* extra registers with effects beyond the event: 0 after use */
	int nextra;
	struct ipmu_extra_reg extra[IPMU_EXTRA_MAX];
};

/* An event with its qualifiers, in the form of the registers. Plain data: copy it freely. */
struct ipmu_event {
	const struct ipmu_pmu_type *type;
	int nchoices;
	struct ipmu_choice choices[IPMU_CHOICES_MAX];
	/* Index of the package (or, with IPMU_SCOPE_CPU, number of the CPU), or IPMU_ALL: every
	 * package; the CPUs that the starting thread may run on. */
	int place;
	int box;		/* index in the package, or IPMU_ALL */
	bool interrupts;	/* its counter sends interrupts; see IPMU_ALLOW_PMI */
	char name[IPMU_NAME_MAX];	/* canonical: pmu.EVENT:UMASK:qualifiers */
	const char *units;	/* as in ipmu_event_info, with its qualifiers */
};

/* A listing's entry for a documented event or for one of its unit masks. */
struct ipmu_event_info {
	const struct ipmu_pmu_type *type;
	char name[IPMU_NAME_MAX];
	char desc[512];		/* of the event */
	char umask_desc[512];	/* of the unit mask, "" for an event without one */
	/* "events", "clocks" (of what is counted), "bus clocks", "reference clocks", "clocks modulo
	 * 65536", "entries x clocks" (a sum over clocks), "instructions", "micro-ops", "elements",
	 * "requests", "64-byte transfers", "32-byte transfers"; a threshold makes it
	 * "clocks", edges "occurrences". */
	const char *units;
};

/* Form of an event's name: what may follow the event. */
struct ipmu_event_form {
	char qualifiers[512];	/* "package=0, box=0-3, e, i, c=0-31": those with what they take */
	bool needs_umask;	/* it is refused without a unit mask */
	char umask[128];	/* what it counts without one; "": it has none, or needs one */
};

/* ---- the process ---- */

/* Start libpfm4 in the mode that this library needs. Call it before anything else in the process
 * uses libpfm4, if there is such; ipmu_system_open does it otherwise. Not thread-safe. */
int ipmu_names_open(char *why);

/* libpfm4's names of all PMUs of that scope that this library can drive somewhere
 * ("skl_unc_cbo", "skl_unc_cbo0", ...), this processor's first: from the one numbered `first` on,
 * at most `max`. Returns how many it has written to `names`; 0 past the end. */
int ipmu_names_pmus(enum ipmu_scope scope, int first, char (*names)[32], int max);

/* False: the name has no PMU, and no PMU of that scope has such an event on any machine. */
bool ipmu_names_event(enum ipmu_scope scope, const char *name);

/* Those of ipmu_names_pmus on this machine, its boxes only. */
const char *ipmu_system_pmu(const struct ipmu_system *sys, int i, char name[32]);

/* ---- the machine ---- */

/* Find the documented PMUs of that scope on the machine that `topo` describes, and open their
 * registers (those of a CPU when they are first used). The topology must outlive the system.
 * Nothing is changed in any register for good: counters are tried once with a pattern and restored.
 * Registers that a killed process left changed are restored first. -ENODEV: no supported PMU on
 * this CPU. -ENOENT: no msr device. -EACCES, -EPERM: not permitted. -ENXIO: the counters do not
 * answer (a hypervisor). -EBADMSG: a file of the state directory is damaged. Environment, ignored
 * in privileged processes: IPMU_STATE_DIR, IPMU_TAKE_BUSY, IPMU_TRY_FAMILY, IPMU_ALLOW_PMI,
 * IPMU_SIGNALS, and IPMU_DEBUG, with which register accesses are reported on stderr;
 * docs/processes.md describes each. */
int ipmu_system_open(const struct ipmu_topology *topo, enum ipmu_scope scope,
		     struct ipmu_system **out, char *why);

/* Restore every register, and free. Sessions that are left count no more: they can be freed, and
 * return -ENODEV otherwise. -ESTALE: some registers belong to somebody else by now, see
 * ipmu_system_left. Another negative errno: some could not be restored; the next process that
 * counts there, or ipmu-restore, tries again. */
int ipmu_system_close(struct ipmu_system *sys);

/* Types of this CPU's family, i = 0, 1, ...; NULL past the end. */
const struct ipmu_pmu_type *ipmu_system_type(const struct ipmu_system *sys, int i);
/* Boxes of that type in a place (a package, or a CPU by its number); 0 where it cannot be used,
 * with the reason in `why` (may be NULL). */
int ipmu_system_boxes(const struct ipmu_system *sys, const struct ipmu_pmu_type *type, int place,
		      char *why);
/* A remark on what was found ("" if none), such as a slice count that differs from the cores. */
const char *ipmu_system_note(const struct ipmu_system *sys);
/* Has a register been left alone since the last call? A register that does not hold what was
 * written into it last belongs to somebody else by now, and is not restored. If so, `why` names it,
 * else it is "". */
bool ipmu_system_left(struct ipmu_system *sys, char *why);

const char *ipmu_type_name(const struct ipmu_pmu_type *type);

/* ---- names ---- */

/* Accepted: pmu.EVENT:UMASK, pmu::EVENT:UMASK and EVENT.UMASK, then libpfm4's modifiers and
 * package=N, box=N (or cpu=N) in any order. -ENOENT: no such PMU or event. -EINVAL: bad qualifier.
 * -ENODEV: the PMU is known but cannot be used here. -EPERM: its counter would send interrupts,
 * which nobody handles, and IPMU_ALLOW_PMI=1 has not been set. */
int ipmu_event_parse(const struct ipmu_system *sys, const char *name, struct ipmu_event *out,
		     char *why);

/* Defaults for names that do not say otherwise. */
struct ipmu_frame {
	int place;		/* a package, or a CPU; or IPMU_ALL */
	bool user, kernel;	/* core PMUs: levels for a name with neither u nor k; none: both */
};

/* The same within a frame. -EINVAL also for a name with another place than the frame. */
int ipmu_event_parse_in(const struct ipmu_system *sys, const char *name,
			const struct ipmu_frame *frame, struct ipmu_event *out, char *why);

/* Contents of a name, whatever machine it is for. Plain data. */
struct ipmu_name {
	char event[IPMU_NAME_MAX];	/* "EVENT:UMASK:c=1", without its PMU and where it counts */
	int package, cpu;		/* of package=N or cpu=N; IPMU_ALL: neither is there */
	int box;			/* of box=N, or the number at the end of its PMU's name */
};

/* Read a name of any spelling that ipmu_event_parse accepts. No machine is needed: whether there is
 * such an event or place is not checked. -EINVAL: it is no name of that form, a number is missing
 * or two name different boxes; then *out is as it was. Needs no other call before it and allocates
 * nothing; any thread may call it at any time. */
int ipmu_name_read(const char *name, struct ipmu_name *out, char *why);

/* Documented events of this machine: event 0, 1, ... and their unit masks 0, 1, ... (umask -1: the
 * event itself). -ENOENT past the end. */
int ipmu_event_list(const struct ipmu_system *sys, int event, int umask,
		    struct ipmu_event_info *out);

/* The form of an event, named "pmu.EVENT" (a colon ends the name). -ENOENT: there is none. */
int ipmu_event_form(const struct ipmu_system *sys, const char *name, struct ipmu_event_form *out);

/* ---- counting ---- */

int ipmu_session_new(struct ipmu_system *sys, struct ipmu_session **out, char *why);
void ipmu_session_free(struct ipmu_session *s);	/* stops it and restores its registers */

/* Replace the events of a stopped session (n may be 0). The same event may stand in it twice and
 * in several sessions. -ENOSPC: the events collide; `why` names them. On failure the session keeps
 * the events it had. -EBUSY: it is running. */
int ipmu_session_set(struct ipmu_session *s, const struct ipmu_event *events, int n, char *why);

/* Counts are 0 at the start. -EBUSY: counters are taken by other sessions' events, here or in
 * another process, or by a program that does not use this library; `why` names them. -ECHILD: in a
 * forked child, which has to open a system of its own. -ETIMEDOUT: a read of this session never
 * ended. On failure nothing is left enabled. While registers are changed, the signals that end a
 * process by default are handled where the process has no handler, unless IPMU_SIGNALS=0. */
int ipmu_session_start(struct ipmu_session *s, char *why);

/* If a counter was lost while it ran, this returns what it met, -ENXIO or -ESTALE say, with a
 * sentence, and has stopped all the same. -ETIMEDOUT: so it has, and gave up a read that never
 * ended.
 * values (may be NULL): where to put the final counts, read after the counters stand still. With
 * NULL the session keeps the counts of its last read, which saves one register read a counter.
 * Of a session that does not run: those it has. */
int ipmu_session_stop(struct ipmu_session *s, uint64_t *values, char *why);

/* Cost: a register read for each counter, however many events share it, and one more each time that
 * another reader of that counter was in between. With msr-safe's batch device it is one system call
 * for every 64 of them. After a good start it fails only if a counter was lost, until the next
 * start: values are set all the same, and those of the other events are right. While another thread
 * is just starting the session or changing its events, values are 0. */
int ipmu_session_read(struct ipmu_session *s, uint64_t *values);

/* Counts continue from 0; moves this session's baselines, writes no register. Fails as a read. */
int ipmu_session_reset(struct ipmu_session *s);
/* The same; values (may be NULL): what a running session had counted until then. */
int ipmu_session_take(struct ipmu_session *s, uint64_t *values);

/* How many counters of the session were lost since its start; `why` (may be NULL): a sentence about
 * the first of them. Async-signal-safe. */
int ipmu_session_lost(struct ipmu_session *s, char *why);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
