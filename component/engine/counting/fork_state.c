/* SPDX-License-Identifier: MIT */
#include "fork_state.h"

#include <sys/mman.h>
#include <unistd.h>

#define BYTES (IPMU_FORK_WORDS * sizeof(uint32_t))

void ipmu_fork_state_open(struct ipmu_fork_state *f)
{
	void *words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	f->words = words == MAP_FAILED ? NULL : words;
}

void ipmu_fork_state_close(struct ipmu_fork_state *f)
{
	if (f->words)
		munmap((void *)f->words, BYTES);
	f->words = NULL;
}

int ipmu_fork_state_take(struct ipmu_fork_state *f)
{
	for (int i = 1; f->words && i < IPMU_FORK_WORDS; i++)
		if (!f->used[i]) {
			f->used[i] = true;
			return i;
		}
	return 0;
}

void ipmu_fork_state_drop(struct ipmu_fork_state *f, int word)
{
	f->used[word] = false;
}

uint32_t ipmu_fork_state_advance(struct ipmu_fork_state *f, int word)
{
	return atomic_fetch_add(&f->words[word], 1) + 1;
}

void ipmu_fork_state_end(struct ipmu_fork_state *f)
{
	if (f->words)
		atomic_store(&f->words[0], 1);
}

/* The child's own copy of `run` is that of the fork. A parent that was killed has changed no word,
 * but it is not the child's parent any more. */
bool ipmu_fork_state_counts(const struct ipmu_fork_state *f, int word, uint32_t run,
			    pid_t parent)
{
	return word && getppid() == parent && !atomic_load(&f->words[0]) &&
	       atomic_load(&f->words[word]) == run;
}
