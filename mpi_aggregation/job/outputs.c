/* SPDX-License-Identifier: MIT */
#include "outputs.h"

#include <stdio.h>
#include <string.h>

#include "collecting/counter_set.h"
#include "mpi_note.h"

void job_node_path(const struct job *j, const char *ending, char path[OUTPUT_MAX])
{
	snprintf(path, OUTPUT_MAX, "%s.node%d%s", j->prefix, j->m->at.index, ending);
}

void job_unwritten(const char *path, int rc)
{
	fprintf(stderr, "ipmu-mpi-run: cannot write %s: %s\n", path, strerror(-rc));
	job_note(NOTE_UNWRITTEN);
}
