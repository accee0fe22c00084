/* SPDX-License-Identifier: MIT */
#include "kin.h"

#include <sys/mman.h>
#include <unistd.h>

#define BYTES (IPMU_KIN_WORDS * sizeof(uint32_t))

void ipmu_kin_open(struct ipmu_kin *kin)
{
	void *words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	kin->words = words == MAP_FAILED ? NULL : words;
}

void ipmu_kin_close(struct ipmu_kin *kin)
{
	if (kin->words)
		munmap((void *)kin->words, BYTES);
	kin->words = NULL;
}

int ipmu_kin_take(struct ipmu_kin *kin)
{
	for (int i = 1; kin->words && i < IPMU_KIN_WORDS; i++)
		if (!kin->used[i]) {
			kin->used[i] = true;
			return i;
		}
	return 0;
}

void ipmu_kin_drop(struct ipmu_kin *kin, int word)
{
	kin->used[word] = false;
}

uint32_t ipmu_kin_turn(struct ipmu_kin *kin, int word)
{
	return atomic_fetch_add(&kin->words[word], 1) + 1;
}

void ipmu_kin_part(struct ipmu_kin *kin)
{
	if (kin->words)
		atomic_store(&kin->words[0], 1);
}

/* The child's own copy of `run` is that of the fork. A parent that was killed has told nobody. */
bool ipmu_kin_counts(const struct ipmu_kin *kin, int word, uint32_t run, pid_t parent)
{
	return word && getppid() == parent && !atomic_load(&kin->words[0]) &&
	       atomic_load(&kin->words[word]) == run;
}
