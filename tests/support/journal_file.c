/* SPDX-License-Identifier: MIT */
#include "journal_file.h"

#include "lease/state.h"
#include "registers/allow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void journal_file_init(struct ipmu_journal *j, const struct ipmu_family *family, int place)
{
	char boot[40];

	memset(j, 0, sizeof(*j));
	ipmu_state_boot(boot);
	ipmu_journal_init(&j->header, family, place, boot);
}

void journal_file_add(struct ipmu_journal *j, const struct ipmu_family *family, uint32_t addr,
		      uint64_t found, uint64_t now)
{
	int box, ctr;
	const struct ipmu_reg *reg = ipmu_reg_at(family->registers, addr, &box, &ctr);

	assert_non_null(reg);
	j->saved[j->header.nsaved++] = (struct ipmu_journal_entry){
		.addr = addr, .found = found, .now = now, .writable = ipmu_reg_writable(reg) };
}

void journal_file_path(const struct ipmu_journal *j, const struct ipmu_family *family,
		       char path[4096])
{
	char name[64];

	ipmu_state_name(family, j->header.place, name);
	snprintf(path, 4096, "%s/%s", getenv("IPMU_STATE_DIR"), name);
}

void journal_file_put(const struct ipmu_journal *j, const struct ipmu_family *family)
{
	char path[4096];
	int fd;

	journal_file_path(j, family, path);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, j, sizeof(*j)), sizeof(*j));
	close(fd);
}
