/* SPDX-License-Identifier: MIT */
/* Makes vfork() behave as Linux has it, although QEMU forks; see vfork.h. vpmu_vforks_call() and
 * _return() see the program's system calls, vpmu_vforks_wait() is the caller's wait. Both processes
 * share one struct vfork. Its robust mutex is the child's: the kernel releases it when the child
 * executes a program or ends, however that happens. */
#include "vfork.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../emulator/user_calls.h"

#define STACK_BYTES 4096
#define POLL_MICROSECONDS 200

/* Memory that caller and child share. */
struct vfork {
	/* Held by the child. The kernel releases it when the child executes a program or ends. */
	pthread_mutex_t alive;
	bool locked, ended;
	pid_t caller, child;
	uint64_t stack, bytes;
	uint8_t before[STACK_BYTES], after[STACK_BYTES];
};

static const struct vpmu_user_host *host;
static _Thread_local struct vfork *current;	/* NULL: none */

void vpmu_vforks_begin(const struct vpmu_user_host *qemu)
{
	host = qemu;
}

static bool is_vfork(int64_t number, uint64_t flags)
{
	return number == SYS_vfork ||
	       (number == SYS_clone && flags & CLONE_VM && flags & CLONE_VFORK);
}

static void begin(void)
{
	struct vfork *v = mmap(NULL, sizeof(*v), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attributes;
	const void *stack;

	if (v == MAP_FAILED)
		return;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&v->alive, &attributes);
	v->caller = getpid();
	v->stack = host->stack();
	/* As much as there is above the stack pointer. */
	v->bytes = STACK_BYTES;
	while (!(stack = host->memory(v->stack, v->bytes, true)) && v->bytes > 64)
		v->bytes /= 2;
	if (!stack)
		v->bytes = 0;
	else
		memcpy(v->before, stack, v->bytes);
	current = v;
}

static void end(void)
{
	munmap(current, sizeof(*current));
	current = NULL;
}

static void tell_caller(struct vfork *v)
{
	const void *stack = host->memory(v->stack, v->bytes, false);

	if (!stack || v->child != getpid())
		return;
	memcpy(v->after, stack, v->bytes);
	__atomic_store_n(&v->ended, true, __ATOMIC_RELEASE);
}

void vpmu_vforks_call(int64_t number, uint64_t first_argument)
{
	if (current && (number == SYS_exit || number == SYS_exit_group))
		tell_caller(current);
	else if (!current && is_vfork(number, first_argument))
		begin();
}

bool vpmu_vforks_return(int64_t answer)
{
	struct vfork *v = current;

	if (!v)
		return false;
	if (v->caller == getpid()) {
		if (answer <= 0)
			end();
		return answer > 0;
	}
	if (!v->locked) {
		v->child = getpid();
		pthread_mutex_lock(&v->alive);
		__atomic_store_n(&v->locked, true, __ATOMIC_RELEASE);
	}
	return false;
}

/* True while the child exists and has not yet locked its mutex. */
static bool begins(const struct vfork *v, pid_t child)
{
	siginfo_t info = { .si_pid = 0 };

	return !__atomic_load_n(&v->locked, __ATOMIC_ACQUIRE) &&
	       !waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) &&
	       !info.si_pid;
}

/* Copies only what the child changed: other threads may have written to the stack meanwhile. */
static void take_over(const struct vfork *v)
{
	uint8_t *stack = host->memory(v->stack, v->bytes, true);

	for (uint64_t i = 0; stack && i < v->bytes; i++)
		if (v->after[i] != v->before[i])
			stack[i] = v->after[i];
}

void vpmu_vforks_wait(pid_t child)
{
	while (begins(current, child))
		usleep(POLL_MICROSECONDS);
	pthread_mutex_lock(&current->alive);
	if (__atomic_load_n(&current->ended, __ATOMIC_ACQUIRE))
		take_over(current);
	pthread_mutex_unlock(&current->alive);
	end();
}
