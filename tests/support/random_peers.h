/* SPDX-License-Identifier: MIT */
/* Processes that count on one package while they are stopped, killed, forked and disturbed in any
 * order, and what must hold whatever the order is. A test and a fuzz target give the order. */
#ifndef RANDOM_PEERS_H
#define RANDOM_PEERS_H

#include "engine_fixture.h"

#include <stddef.h>

/* cmocka group set-up for a machine skl-4c8t; engine_fixture_close() ends it. */
int random_peers_open(void **state);

/* Plays the steps that the bytes stand for, then ends all processes. Fails the cmocka test with the
 * step's number as soon as one of these does not hold:
 * - registers are as they were found while nobody counts,
 * - the journal names each register that is changed, with what was found, and what is counted,
 * - each count is what has happened since its start or reset, or is reported lost,
 * - a set that nobody stands in the way of starts, and no file is left beside the journal. */
void random_peers_play(const struct engine_fixture *f, const uint8_t *bytes, size_t length);

/* Plays random steps; the same seed means the same steps everywhere. */
void random_peers_play_seed(const struct engine_fixture *f, unsigned long seed, size_t steps);

#endif
