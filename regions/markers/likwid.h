/* SPDX-License-Identifier: MIT */
/* In place of LIKWID's header of this name. */
#include "ipmu_markers.h"
