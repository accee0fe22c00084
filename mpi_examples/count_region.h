/* SPDX-License-Identifier: MIT */
/* The counted part of an example as a region of a tool that reads PAPI; docs/tools.md has the
 * commands. The tool is chosen by -DUSE_TAU, -DUSE_SCOREP, -DUSE_CALIPER, -DUSE_GPTL or
 * -DUSE_PAPI_HL; -DUSE_IPMU_REGION is for ipmu-run itself. The events are in the tool's variable,
 * those of GPTL in PAPI_EVENTS as PAPI's high level has them.
 *
 * Barriers on both sides of begin and end make the region the same time for all ranks: one of them
 * reads the counters of its node. */
#ifndef COUNT_REGION_H
#define COUNT_REGION_H

#include <mpi.h>

#if defined(USE_TAU)
#include <TAU.h>
#define REGION_BEGIN(name) TAU_START(name)
#define REGION_END(name) TAU_STOP(name)
#elif defined(USE_SCOREP)
#include <scorep/SCOREP_User.h>
#define REGION_BEGIN(name) \
	SCOREP_USER_REGION_BY_NAME_BEGIN(name, SCOREP_USER_REGION_TYPE_COMMON)
#define REGION_END(name) SCOREP_USER_REGION_BY_NAME_END(name)
#elif defined(USE_CALIPER)
#include <caliper/cali.h>
#define REGION_BEGIN(name) CALI_MARK_BEGIN(name)
#define REGION_END(name) CALI_MARK_END(name)
#elif defined(USE_GPTL)
#include <gptl.h>
#include <gptlmpi.h>
#include <stdlib.h>
#include <string.h>
#define REGION_BEGIN(name) GPTLstart(name)
#define REGION_END(name) GPTLstop(name)
#elif defined(USE_IPMU_REGION)
#include <ipmu/ipmu_region.h>
#define REGION_BEGIN(name) ipmu_region_begin(name)
#define REGION_END(name) ipmu_region_end(name)
#else
#include <papi.h>
#define REGION_BEGIN(name) PAPI_hl_region_begin(name)
#define REGION_END(name) PAPI_hl_region_end(name)
#endif

static MPI_Comm region_comm;

/* GPTL has no variable for events: a program chooses them before GPTLinitialize. */
static void region_open(void)
{
#ifdef USE_GPTL
	char *events = getenv("PAPI_EVENTS"), *rest;
	int code;

	events = strdup(events ? events : "");
	for (char *name = strtok_r(events, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		if (!GPTLevent_name_to_code(name, &code))
			GPTLsetoption(code, 1);
	free(events);
	GPTLinitialize();
#endif
}

static void region_close(void)
{
#ifdef USE_GPTL
	int rank;

	MPI_Comm_rank(region_comm, &rank);
	GPTLpr(rank);			/* timing.RANK */
	GPTLpr_summary(region_comm);	/* timing.summary */
	GPTLfinalize();
#endif
}

static void region_begin(const char *name)
{
	MPI_Barrier(region_comm);
	REGION_BEGIN(name);
	MPI_Barrier(region_comm);
}

static void region_end(const char *name)
{
	MPI_Barrier(region_comm);
	REGION_END(name);
	MPI_Barrier(region_comm);
}

/* A tool may start PAPI at its first region, which changes what is in the caches. */
static void count_open(MPI_Comm comm)
{
	region_comm = comm;
	region_open();
	region_begin("opened");
	region_end("opened");
}

static void count_begin(void)
{
	region_begin("counted");
}

static void count_end(void)
{
	region_end("counted");
	region_close();
}

#endif
