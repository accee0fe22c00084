/* SPDX-License-Identifier: MIT */
/* A family of machines, as the generic half of the register model sees it: its registers with their
 * place in its state, its events, and its behaviour. */
#ifndef VPMU_MODEL_TYPE_H
#define VPMU_MODEL_TYPE_H

#include "bits.h"
#include "bulk.h"
#include "core_events.h"
#include "model.h"

enum vpmu_scope { VPMU_PACKAGE, VPMU_THREAD, VPMU_CORE };

/* A row stands for `boxes` x `counters` registers. In the name "_n_" is replaced by the box and
 * a trailing "m" by the counter, as the manuals do. Alternatively, every '#' is replaced by the box
 * and every '@' by the counter. */
struct vpmu_register_row {
	const char *name, *cite;
	enum vpmu_space space;
	enum vpmu_access access;
	enum vpmu_scope scope;
	uint32_t address, width;
	uint32_t first_box, boxes, box_stride;	/* boxes 0: not a box register */
	uint32_t counters, counter_stride;	/* counters 0: a single one */
	uint64_t mask;
	uint64_t ignored;	/* written without effect, and allowed */
	uint64_t unsourced;	/* no document says what they are: they hold what is written */
	bool sign_extended;	/* a write takes bits 31:0 and repeats bit 31 above, up to width */
	bool readable;		/* VPMU_WO, but its document lists it as readable */
	const char *unit;	/* for the scope of a register outside the boxes: "U-Box" */
	/* Name of boxes of another kind than the type's, of which all `boxes` are there. */
	const char *box_name;
	/* Place in the state of the package, core or thread. MMIO rows live in the MMIO page. */
	uint32_t offset, box_bytes, counter_bytes;
};

/* A register of the machine. */
struct vpmu_register {
	const struct vpmu_register_row *row;
	uint32_t box, counter;		/* box counts from 0 over all rows */
};

static inline uint32_t vpmu_register_address(const struct vpmu_register *r)
{
	const struct vpmu_register_row *row = r->row;
	uint32_t box = row->boxes ? r->box - row->first_box : 0;

	return row->address + box * row->box_stride + r->counter * row->counter_stride;
}

/* The PMU of each hardware thread, on a machine whose type above all describes the uncore. Its rows
 * and events follow the type's; the rows are of scope VPMU_THREAD. */
struct vpmu_core_type {
	const struct vpmu_register_row *rows;
	uint32_t row_count;
	/* The nth event; NULL: there are fewer. */
	const struct vpmu_event_info *(*event)(const struct vpmu_machine *m, uint32_t index);
	/* How many counters of the row some CPU has, and whether this one has that register. */
	uint32_t (*counters)(const struct vpmu_machine *m, const struct vpmu_register_row *row);
	bool (*has)(const struct vpmu_machine *m, uint32_t cpu, const struct vpmu_register *r);
	uint64_t (*mask)(const struct vpmu_machine *m, uint32_t cpu,
			 const struct vpmu_register_row *row);
	uint32_t (*rdpmc)(const struct vpmu_machine *m, uint32_t index);
	/* As vpmu_cpuid. */
	bool (*cpuid)(const struct vpmu_machine *m, uint32_t cpu, uint32_t leaf, uint32_t subleaf,
		      uint32_t registers[4]);
	void (*reset)(struct vpmu_segment *s);
	void (*written)(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
			uint64_t value);
	uint64_t (*interrupts)(struct vpmu_segment *s, uint32_t cpu);
	/* MSRs that are not modelled: a read is refused, and breaks no rule. 0 ends the list. */
	const uint32_t *refused;
	const char *(*undriven)(const struct vpmu_machine *m, const struct vpmu_undriven *u);
	void (*core_events)(struct vpmu_segment *s, uint32_t cpu, enum vpmu_ring ring,
			    const uint32_t *counts, uint32_t clocks);
};

struct vpmu_model_type {
	const char *machines;	/* how their names begin: "skl" of skl-4c8t */
	const struct vpmu_register_row *rows;
	uint32_t row_count;
	const struct vpmu_event_info *events;
	uint32_t event_count, event_stride;	/* bytes from one to the next; 0: they are packed */
	uint32_t package_bytes, thread_bytes, core_bytes;	/* of state */
	uint32_t mmio_bytes;			/* per package, whole pages */
	const struct vpmu_core_type *core;	/* NULL: the type has all there is */
	const char *box_name;			/* "CBo", "M-Box" */
	uint32_t boxes;				/* per package; 0: one per LLC slice */

	/* RDPMC's index: the MSR of the counter; 0: there is none. */
	uint32_t (*rdpmc)(const struct vpmu_machine *m, uint32_t index);
	uint32_t perfmon[4];		/* CPUID leaf 0AH */
	/* Those that a family does not need are NULL, except reset and advance. */
	/* Differences between its CPU models: whether the row exists, its writable bits. */
	bool (*present)(const struct vpmu_machine *m, const struct vpmu_register_row *row);
	uint64_t (*mask)(const struct vpmu_machine *m, const struct vpmu_register_row *row);
	void (*reset)(struct vpmu_segment *s);	/* all state is zero */
	void (*init)(struct vpmu_segment *s);	/* the INIT signal; NULL: changes nothing */
	uint64_t (*interrupts)(struct vpmu_segment *s, uint32_t cpu);
	/* The instruction SPFLT, which sets the user's preference; NULL: there is none. */
	void (*spflt)(struct vpmu_segment *s, uint32_t cpu, bool on);
	/* Bring the package up to its newest published clock, before a register is read. */
	void (*advance)(struct vpmu_segment *s, uint32_t package);
	/* Put into the registers what has been counted but is kept elsewhere. NULL: nothing is. */
	void (*gather)(struct vpmu_segment *s, uint32_t package);
	/* The register holds its new value (a write-only one: what was written, until this returns,
	 * when it becomes 0). value: what was written, reserved bits and all. */
	void (*written)(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
			uint64_t value);
	int (*pci_read)(struct vpmu_segment *s, uint32_t offset, void *buf, uint32_t bytes);
	void (*mmio_window)(const struct vpmu_segment *s, uint64_t *base, uint64_t *bytes);
	const char *(*undriven)(const struct vpmu_undriven *u);	/* why it is */
	/* Its name, or NULL: then bits 7:0 of `select` are the code, 15:8 the unit mask. */
	const char *(*undriven_event)(const struct vpmu_undriven *u);

	void (*llc_lookup)(struct vpmu_segment *s, uint32_t package, uint32_t slice,
			   enum vpmu_request request, enum vpmu_mesi found, uint64_t clock);
	void (*snoop)(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		      enum vpmu_snoop_cause cause, enum vpmu_snoop_result result, uint64_t clock);
	void (*tracker)(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
			bool coherent, uint64_t start, uint64_t end);
	void (*away_request)(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
			     uint64_t clock);
	void (*away_tracker)(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
			     bool coherent, uint64_t start, uint64_t end);
	void (*dram)(struct vpmu_segment *s, uint32_t package, uint32_t box, uint32_t requests,
		     uint32_t read_cas, uint32_t write_cas);	/* box: or VPMU_IN_TURN */
	/* For speed, and NULL where nothing is to be gained. */
	void (*bulk)(struct vpmu_segment *s, uint32_t package, struct vpmu_bulk *out);
	void (*clock)(struct vpmu_segment *s, uint32_t package, uint64_t clock);
	/* core_events.h */
	void (*core_events)(struct vpmu_segment *s, uint32_t cpu, enum vpmu_ring ring,
			    const uint32_t *counts, uint32_t clocks);
	void (*memory_command)(struct vpmu_segment *s, uint32_t package, uint32_t box, bool write,
			       enum vpmu_page page, uint64_t clock);
};

extern const struct vpmu_model_type vpmu_skl_client, vpmu_cml_client, vpmu_snb_client,
				    vpmu_ivb_client, vpmu_hsw_client, vpmu_bdw_client,
				    vpmu_icl_client, vpmu_tgl_client, vpmu_tglh_client,
				    vpmu_rkl_client, vpmu_adl_client, vpmu_rpl_client,
				    vpmu_adln_client, vpmu_mtl_client, vpmu_arl_client,
				    vpmu_lnl_client, vpmu_ptl_client, vpmu_wcl_client,
				    vpmu_nvl_client,
				    vpmu_knc, vpmu_core2, vpmu_nhmex, vpmu_netburst;
extern const struct vpmu_core_type vpmu_arch_core, vpmu_skl_core;

const struct vpmu_model_type *vpmu_model_type(const struct vpmu_machine *m);	/* or NULL */
/* The core type that this row is of, or NULL. */
const struct vpmu_core_type *vpmu_core_type_of(const struct vpmu_machine *m,
					       const struct vpmu_register_row *row);

/* record.c */
void vpmu_record_violation(struct vpmu_segment *s, enum vpmu_violation_kind kind, uint32_t cpu,
			   uint32_t address, uint64_t value, uint64_t bad_bits);
void vpmu_record_violation_in(struct vpmu_segment *s, const struct vpmu_violation *v);
/* Remember a counter enabled on something that is not driven; once per `select`. */
void vpmu_record_undriven(struct vpmu_segment *s, enum vpmu_space space, uint32_t address,
			  uint64_t select);

/* registers.c */
bool vpmu_register_at(const struct vpmu_machine *m, enum vpmu_space space, uint32_t address,
		      struct vpmu_register *out);
bool vpmu_register_number(const struct vpmu_machine *m, uint32_t index, struct vpmu_register *out);
/* The same of a CPU, which on a hybrid machine has not all that others have. */
bool vpmu_register_on(const struct vpmu_machine *m, uint32_t cpu, enum vpmu_space space,
		      uint32_t address, struct vpmu_register *out);
/* Documented writable bits of this CPU's register, without the unsourced ones. */
uint64_t vpmu_register_mask(const struct vpmu_machine *m, uint32_t cpu,
			    const struct vpmu_register_row *row);
/* The place of the value in the segment; 32 bits for MMIO, 64 for the rest. */
void *vpmu_register_value(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r);
void vpmu_register_describe(const struct vpmu_machine *m, const struct vpmu_register *r,
			    struct vpmu_register_info *out);
/* access.c: passes the write to the family, then clears a write-only register. */
void vpmu_register_written(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
			   uint64_t value);
/* touched.c: called before a program's access; and when a tool has set the value. */
void vpmu_register_note(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
			bool writes);
/* Loads from the window are not seen: what a program has found there is what it held at the first
 * store to any of it. */
void vpmu_window_note(struct vpmu_segment *s, uint32_t cpu);
void vpmu_register_note_poke(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r);

#endif
