/* SPDX-License-Identifier: MIT */
/* Uncore counters are a resource of the node, and nothing in Linux hands them out. A process that
 * counts holds a lock on a file in /run, and writes into the file what each register held before
 * it changed it. If the process is killed, the lock is free and the file is not empty: the next one
 * restores these registers before it begins. /run is empty after a boot, as the registers are. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "papi.h"
#include "uncore_lease.h"
#include "uncore_msr.h"

#define JOURNAL "/run/papi_intel_uncore"
#define MAGIC "PAPIunc1"
#define SAVED_MAX 64

static struct journal {
	char magic[8];
	uint64_t n;
	struct saved {
		uint64_t msr, value;
	} saved[SAVED_MAX];
} journal;

static int journal_fd = -1;
static uint64_t (*journal_known)(uint32_t msr);

static int write_journal(void)
{
	ssize_t size = journal.n ? (ssize_t) sizeof(journal) : 0;

	memcpy(journal.magic, MAGIC, sizeof(journal.magic));
	if (size == 0)
		return ftruncate(journal_fd, 0) == 0 ? PAPI_OK : PAPI_ESYS;
	return pwrite(journal_fd, &journal, sizeof(journal), 0) == size ? PAPI_OK : PAPI_ESYS;
}

/* The register that was saved first starts and stops all counters: it is cleared before the others
 * are written, and restored after them. A failure does not keep the others from being restored. */
static int restore(void)
{
	uint32_t control = (uint32_t) journal.saved[0].msr;
	int first = journal.n ? uncore_msr_write(control, journal_known(control), 0) : PAPI_OK;

	for (uint64_t i = journal.n; i-- > 0;) {
		uint32_t msr = (uint32_t) journal.saved[i].msr;
		int rc = uncore_msr_write(msr, journal_known(msr), journal.saved[i].value);

		if (first == PAPI_OK)
			first = rc;
	}
	if (first != PAPI_OK)
		return first;
	journal.n = 0;
	return write_journal();
}

/* Only registers that the component writes: nobody may have others written by its journal. */
static bool is_sound(ssize_t size)
{
	if (size != (ssize_t) sizeof(journal) || journal.n > SAVED_MAX ||
	    memcmp(journal.magic, MAGIC, sizeof(journal.magic)) != 0)
		return false;
	for (uint64_t i = 0; i < journal.n; i++)
		if (journal.saved[i].msr > UINT32_MAX ||
		    journal_known((uint32_t) journal.saved[i].msr) == 0)
			return false;
	return true;
}

static int recover(char *reason)
{
	ssize_t size = pread(journal_fd, &journal, sizeof(journal), 0);
	int rc;

	if (size == 0) {
		journal.n = 0;
		return PAPI_OK;
	}
	if (!is_sound(size)) {
		journal.n = 0;
		snprintf(reason, UNCORE_REASON_MAX, JOURNAL " is damaged: remove it");
		return PAPI_ESYS;
	}
	rc = restore();
	if (rc != PAPI_OK)
		snprintf(reason, UNCORE_REASON_MAX, "registers of a process that was killed cannot "
			 "be restored: %s", strerror(errno));
	return rc;
}

/* A regular file of root or of this user that nobody else may write, unless root let a group. */
static bool is_trusted(void)
{
	struct stat st;

	return fstat(journal_fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	       (st.st_uid == 0 || st.st_uid == geteuid()) && !(st.st_mode & S_IWOTH);
}

static void close_journal(void)
{
	close(journal_fd);
	journal_fd = -1;
}

int uncore_lease_take(uint64_t (*known)(uint32_t msr), char *reason)
{
	int rc = PAPI_OK;

	journal_known = known;
	journal_fd = open(JOURNAL, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (journal_fd < 0) {
		snprintf(reason, UNCORE_REASON_MAX, JOURNAL ": %s: root can create it for a group "
			 "with 'install -m 660 -g GROUP /dev/null " JOURNAL "'", strerror(errno));
		return PAPI_EPERM;
	}
	if (!is_trusted()) {
		snprintf(reason, UNCORE_REASON_MAX, JOURNAL " belongs to somebody else: remove it");
		rc = PAPI_EPERM;
	} else if (flock(journal_fd, LOCK_EX | LOCK_NB) != 0) {
		snprintf(reason, UNCORE_REASON_MAX, "another process counts with this component");
		rc = PAPI_ECNFLCT;
	} else {
		rc = recover(reason);
	}
	if (rc != PAPI_OK)
		close_journal();
	return rc;
}

int uncore_lease_save(uint32_t msr)
{
	uint64_t value;
	int rc;

	for (uint64_t i = 0; i < journal.n; i++)
		if (journal.saved[i].msr == msr)
			return PAPI_OK;
	if (journal.n == SAVED_MAX)
		return PAPI_EBUG;
	rc = uncore_msr_read(msr, &value);
	if (rc != PAPI_OK)
		return rc;
	journal.saved[journal.n++] = (struct saved) { .msr = msr, .value = value };
	return write_journal();
}

int uncore_lease_give_up(void)
{
	int rc = restore();

	close_journal();	/* this releases the lock */
	return rc;
}
