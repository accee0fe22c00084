/* SPDX-License-Identifier: MIT */
#ifndef ON_MACHINE_H
#define ON_MACHINE_H

struct vpmu_segment;

/* Run this test program on the virtual machine `name`, natively and without the execution feed, so
 * that the test itself makes things happen there: starts $VPMU with this program again and returns
 * in that one. Exits with 77 and a reason where there is no $VPMU. */
void on_machine(char **argv, const char *name);

/* The same with the module msr-safe, and what `ipmu-allowlist -m processor` allows. */
void on_safe_machine(char **argv, const char *name, const char *processor);

/* The name of the machine if this is a booted one, whose own device files are used; NULL: it is
 * `vpmu run`'s. $BOOTED_MACHINE. The working folder must be one's own then. */
const char *on_machine_booted(void);

/* The machine's segment, for making things happen. Of a booted machine it only says which registers
 * there are. */
struct vpmu_segment *on_machine_segment(void);

/* Skip the whole program under the thread sanitizer, which cannot do what it does. */
void not_under_tsan(const char *why);

#endif
