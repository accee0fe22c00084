/* SPDX-License-Identifier: MIT */
/* Variables by which launchers tell a process its place in a job. The first one that is set counts.
 * MPI's own come first, since mpirun may run inside a job of a resource manager. */
#ifndef VPMU_LAUNCHERS_H
#define VPMU_LAUNCHERS_H

/* The process's number among those of the job on its node. */
#define VPMU_LOCAL_RANKS \
	"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK", \
	"JSM_NAMESPACE_LOCAL_RANK", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID", \
	"FLUX_TASK_LOCAL_ID", "PMIX_LOCAL_RANK", "SLURM_LOCALID"

/* The job's number or name, the same for all processes of one start of a program. */
#define VPMU_JOBS \
	"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PALS_APID", "FLUX_JOB_ID"

#endif
