#!/bin/bash
# SPDX-License-Identifier: MIT
# The page of missing system calls is true: each call that it lists is ENOSYS under `vpmu run`, a user
# namespace is EINVAL, and other calls are there.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 "${CC:-cc}"
page=$(dirname "${BASH_SOURCE[0]}")/../../docs/trouble.md
mapfile -t missing < <(sed -n '/^## System calls that are missing/,/^`perf_event_open`/p' "$page" |
	grep '^|' | grep -o '`[a-z0-9_]*`' | tr -d '`')
present=(getpid sched_yield mremap getxattr setxattr listxattr get_mempolicy set_mempolicy mbind move_pages
	copy_file_range statx openat2 memfd_create signalfd4 timerfd_create epoll_pwait eventfd2
	rt_sigqueueinfo)
[ ${#missing[@]} -ge 40 ]
verdict "the page lists ${#missing[@]} calls" $?

# Arguments that no call takes for something to do. A call that this host's headers do not know is 0.
{
	printf '#include <errno.h>\n#include <stdio.h>\n#include <sched.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n'
	printf '#define TRY(n) (errno = 0, syscall(n, -1L, -1L, -1L, -1L, -1L, -1L), errno)\n'
	printf '#define SAY(name, n) printf("%%s %%d\\n", name, TRY(n) == ENOSYS)\n'
	echo 'int main(void) {'
	for name in "${missing[@]}" "${present[@]}"; do
		printf '#ifdef SYS_%s\n\tSAY("%s", SYS_%s);\n#endif\n' "$name" "$name" "$name"
	done
	# shellcheck disable=SC2016
	echo 'printf("namespace %d\n", syscall(SYS_unshare, 0x10000000L) ? errno : 0); return 0; }'
} >"$scratch/calls.c"
${CC:-cc} -O1 -w -D_GNU_SOURCE "$scratch/calls.c" -o "$scratch/calls" || exit 1
"$vpmu" run -m skl-4c8t "$scratch/calls" >"$scratch/out" 2>&1
verdict 'runs' $?
tried=0
for name in "${missing[@]}"; do
	answer=$(awk -v n="$name" '$1 == n { print $2 }' "$scratch/out")
	[ -n "$answer" ] || continue
	tried=$((tried + 1))
	is "$name is missing" 1 "$answer"
done
[ $tried -ge 40 ]
verdict "$tried calls were tried" $?
for name in "${present[@]}"; do
	is "$name is there" 0 "$(awk -v n="$name" '$1 == n { print $2 }' "$scratch/out")"
done
is 'a user namespace' 22 "$(awk '$1 == "namespace" { print $2 }' "$scratch/out")"
finish
