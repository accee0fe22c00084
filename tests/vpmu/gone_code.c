// SPDX-License-Identifier: MIT
/* Executes code of a library that is unloaded, code that it makes, and code in threads and in
 * children. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned char made[] = {
	0xb9, 0x10, 0x27, 0, 0,		/* mov $10000, %ecx */
	0xff, 0xc9,			/* dec %ecx */
	0x75, 0xfc,			/* jnz */
	0xc3,
};

__attribute__((noinline)) void in_threads(int n)
{
	while (n--)
		__asm__ volatile("nop");
}

static void *thread(void *unused)
{
	in_threads(1000);
	return unused;
}

int main(void)
{
	void *library = dlopen("./library.so", RTLD_NOW), *code;
	int (*add)(int) = NULL;
	void (*call)(void);
	pthread_t t[4];
	int status;

	if (library)
		*(void **)&add = dlsym(library, "add");
	if (!add)
		return 1;
	add(1000);
	dlclose(library);
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	memcpy(code, made, sizeof(made));
	memcpy(&call, &code, sizeof(call));
	call();
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	if (!fork()) {		/* counts what it executes itself, from 0 */
		call();
		_exit(0);
	}
	wait(&status);
	if (!vfork())
		_exit(0);
	wait(&status);
	munmap(code, 4096);
	return status;
}
