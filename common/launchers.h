/* SPDX-License-Identifier: MIT */
/* Variables by which launchers pass to a process its place in a job; the first one that is set
 * counts. MPI's own are first, since mpirun may run inside a job of a resource manager. */
#ifndef IPMU_LAUNCHERS_H
#define IPMU_LAUNCHERS_H

/* Slurm numbers the steps of an allocation: both together name a job. */
#define LAUNCHER_SLURM_RANK "SLURM_PROCID"
#define LAUNCHER_SLURM_JOB "SLURM_JOB_ID"
#define LAUNCHER_SLURM_STEP "SLURM_STEP_ID"

/* The process's number in its job. */
#define LAUNCHER_RANKS \
	"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "JSM_NAMESPACE_RANK", \
	"PMIX_RANK", "PALS_RANKID", "FLUX_TASK_RANK", LAUNCHER_SLURM_RANK

/* Its number among those of the job on its node. */
#define LAUNCHER_LOCAL_RANKS \
	"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK", \
	"JSM_NAMESPACE_LOCAL_RANK", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID", \
	"FLUX_TASK_LOCAL_ID", "PMIX_LOCAL_RANK", "SLURM_LOCALID"

/* How many processes its job has, and how many of them are on its node. */
#define LAUNCHER_SIZES \
	"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "JSM_NAMESPACE_SIZE", \
	"PALS_SIZE", "FLUX_JOB_SIZE", "SLURM_STEP_NUM_TASKS"
#define LAUNCHER_LOCAL_SIZES \
	"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE", \
	"JSM_NAMESPACE_LOCAL_SIZE", "PMI_LOCAL_SIZE", "PALS_LOCAL_SIZE"

/* Names of a job, one for each start of a program and the same for all of its processes. */
#define LAUNCHER_JOBS \
	"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PALS_APID", "FLUX_JOB_ID"

/* Names of a resource manager's allocation, in which several programs may start. */
#define LAUNCHER_ALLOCATIONS LAUNCHER_SLURM_JOB, "PBS_JOBID", "LSB_JOBID"

#endif
