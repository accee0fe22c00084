/* SPDX-License-Identifier: MIT */
/* Why a call of PAPI has failed. PAPI's codes cannot carry a sentence; our components leave theirs
 * where PAPI has the reason why a component is disabled. */
#ifndef IPMU_RUN_REASON_H
#define IPMU_RUN_REASON_H

/* The component's sentence or, without one, PAPI's for the code. Ask right after the failure. */
const char *reason_of(int component, int papi);

#endif
