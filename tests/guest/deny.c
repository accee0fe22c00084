/* SPDX-License-Identifier: MIT */
/* Preloaded: a container's seccomp filter that lets a program do all but one thing to devices,
 * which DENY names: "open" (to read and write), "pread" or "pwrite" of 8 bytes. It fails with
 * EPERM. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define UNLESS(value, by) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, by)
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)

__attribute__((constructor)) static void deny(void)
{
	const char *what = getenv("DENY");
	unsigned call = !what ? 0 : !strcmp(what, "open") ? SYS_openat :
			!strcmp(what, "pread") ? SYS_pread64 : SYS_pwrite64;
	struct sock_filter f[] = {
		WORD(nr), UNLESS(call, 3),
		WORD(args[2]), UNLESS(call == SYS_openat ? O_RDWR | O_CLOEXEC : 8, 1),
		ANSWER(SECCOMP_RET_ERRNO | EPERM), ANSWER(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(f) / sizeof(f[0]), f };

	if (what && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		     prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)))
		_exit(126);
}
