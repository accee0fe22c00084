/* SPDX-License-Identifier: MIT */
/* Sessions, as the system that they belong to handles them; ipmu.h has what users call. */
#ifndef IPMU_SESSION_H
#define IPMU_SESSION_H

#include "system.h"

/* The system is closing: its remaining sessions stop counting, and their owners free them. */
void ipmu_sessions_orphan(struct ipmu_system *sys);
/* In a forked child, forget the readers: they were threads of the parent. */
void ipmu_sessions_forked(struct ipmu_system *sys);

#endif
