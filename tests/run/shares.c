// SPDX-License-Identifier: MIT
/* Functions whose shares of the lines are known: shares [killed | ARGUMENT ARGUMENT]. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define LINES 262144
static volatile char *a;
__attribute__((noinline)) static void one(void)
{
    for (long i = 0; i < LINES; i++) (void)a[64 * i];
}
__attribute__((noinline)) static void two(void)
{
    for (long i = 0; i < 2 * LINES; i++) (void)a[64 * i];
}
__attribute__((noinline)) static void writes(void)
{
    for (long i = 0; i < LINES; i++) a[64 * i] = 1;
}
int main(int argc, char **argv)
{
    pid_t child = 0;
    (void)argv;
    a = calloc(2 * LINES, 64);
    one();
    one();
    if (argc > 2) child = fork();
    two();
    if (argc == 2) raise(SIGKILL);
    writes();
    if (child) wait(NULL);
    return 0;
}
