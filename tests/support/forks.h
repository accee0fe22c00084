/* SPDX-License-Identifier: MIT */
#ifndef FORKS_H
#define FORKS_H

/* From now on fork() waits until all other threads of the process sleep, under the address
 * sanitizer only: its allocator takes its locks along into the child, where one that another
 * thread held (that begins, say) stays locked for ever. Handlers of pthread_atfork() that are
 * registered later run before the wait. For programs whose threads all sleep now and then. */
void forks_wait_for_threads(void);

#endif
