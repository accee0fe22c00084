#!/bin/bash
# SPDX-License-Identifier: MIT
# What describes the machine in /sys and /proc can be changed as little as on Linux, by root, too:
# what is refused there is refused here, by its path, from the folder that it is in, by a descriptor of
# that folder and by system calls' numbers. Only a CPU's `online` can be written.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs "${CC:-cc}"

compile "$scratch/change" change.c || exit 1
on() { timeout $HANG_SECONDS "$vpmu" run --no-feed -m skl-4c8t -- "$@"; }

# Linux 6.18's answers, the same by every way.
cat >"$scratch/linux" <<'TABLE'
EACCES	open(file, O_WRONLY)
EACCES	open(file, O_RDWR)
EACCES	open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644)
EEXIST	open(file, O_WRONLY | O_CREAT | O_EXCL, 0644)
0	open(file, O_RDONLY | O_TRUNC)
EISDIR	open(folder, O_WRONLY)
ENOENT	open(none, O_WRONLY)
EACCES	open(none, O_WRONLY | O_CREAT, 0644)
EACCES	creat(file, 0644)
EACCES	creat(none, 0644)
EACCES	stream(fopen(file, "w"))
EACCES	stream(fopen(file, "a"))
EACCES	stream(fopen(file, "r+"))
EACCES	stream(fopen(none, "w"))
EACCES	stream(freopen(file, "w", fopen("/dev/null", "r")))
0	truncate(file, 0)
EISDIR	truncate(folder, 0)
ENOENT	truncate(none, 0)
EPERM	unlink(file)
EISDIR	unlink(folder)
ENOENT	unlink(none)
EPERM	remove(file)
ENOTDIR	rmdir(file)
EPERM	rmdir(folder)
EPERM	mkdir(none, 0755)
EEXIST	mkdir(folder, 0755)
EPERM	mkfifo(none, 0644)
EPERM	symlink("/", none)
EEXIST	symlink("/", file)
EPERM	link(file, none)
EXDEV	link(file, "/dev/" NONE)
EPERM	rename(file, none)
ENOENT	rename(none, file)
EXDEV	rename(file, "/dev/" NONE)
0	utime(file, NULL)
ENOENT	utime(none, NULL)
EACCES	openat(at, file, O_WRONLY)
EACCES	openat(at, none, O_WRONLY | O_CREAT, 0644)
EPERM	unlinkat(at, file, 0)
EPERM	unlinkat(at, folder, AT_REMOVEDIR)
EPERM	mkdirat(at, none, 0755)
EPERM	mkfifoat(at, none, 0644)
EPERM	symlinkat("/", at, none)
EPERM	linkat(at, file, at, none, 0)
EPERM	renameat(at, file, at, none)
EPERM	renameat2(at, file, at, none, 0)
0	utimensat(at, file, NULL, 0)
EACCES	syscall(SYS_open, file, O_WRONLY)
EACCES	syscall(SYS_openat, at, file, O_WRONLY)
EACCES	syscall(SYS_openat, at, none, O_WRONLY | O_CREAT, 0644)
EACCES	syscall(SYS_creat, file, 0644)
0	syscall(SYS_truncate, file, 0L)
EPERM	syscall(SYS_unlink, file)
EPERM	syscall(SYS_unlinkat, at, file, 0)
EPERM	syscall(SYS_rmdir, folder)
EPERM	syscall(SYS_mkdir, none, 0755)
EPERM	syscall(SYS_mkdirat, at, none, 0755)
EPERM	syscall(SYS_rename, file, none)
EPERM	syscall(SYS_renameat, at, file, at, none)
EPERM	syscall(SYS_renameat2, at, file, at, none, 0)
EPERM	syscall(SYS_link, file, none)
EPERM	syscall(SYS_linkat, at, file, at, none, 0)
TABLE

# compare WHAT CHANGED COMMAND...: its answers with those where `sed CHANGED` has been at them
compare() {
	local what=$1 changed=$2
	shift 2
	"$@" 2>&1 | sort -u | diff <(sed "$changed" "$scratch/linux" | sort -u) - >"$scratch/out"
	verdict "$what" $?
}

[ "$(id -u)" != 0 ] || compare "root" '' on "$scratch/change"
described='cd "$VPMU_SEGMENT.system" && find . -path ./dev -prune -o -type f -exec md5sum {} + && find . | wc -l'
is "nothing changes" '' "$(on sh -c "($described) >$scratch/before; $scratch/change >/dev/null
	($described) >$scratch/after; diff $scratch/before $scratch/after")"

# One's own mode and owner can be changed on Linux; here a file has many names, and the host's is not
# meant. Its own folder is known by its other name, too.
cat >"$scratch/modes" <<'SH'
cd /sys/devices/system/cpu
chmod 666 kernel_max
chmod 666 /sys/devices/system/cpu/cpu0/topology/core_id
chown 0:0 kernel_max
rm -f "$(realpath kernel_max)"
chmod 666 /dev/cpu/0/msr
rm -f /dev/cpu/0/msr
echo 0 >>/proc/cpuinfo
cat kernel_max
stat -c %a kernel_max cpu1/online
touch kernel_max ../node/online && echo touched
mkdir -p cpu0/topology && echo there
SH
host=$(stat -c %a,%h /sys/devices/system/cpu/kernel_max /sys/devices/system/cpu/cpu0/topology/core_id)
is "modes" "511 444 644 touched there" "$(on bash "$scratch/modes" 2>"$scratch/errors" | paste -sd' ')"
is "they are refused" 6 "$(grep -c 'Operation not permitted' "$scratch/errors")"
is "and cpuinfo" 1 "$(grep -c 'cpuinfo: Permission denied' "$scratch/errors")"
is "the host's are as before" "$host" \
	"$(stat -c %a,%h /sys/devices/system/cpu/kernel_max /sys/devices/system/cpu/cpu0/topology/core_id)"

# A CPU can be switched off, by the name that says so alone.
cat >"$scratch/switch" <<'SH'
cd /sys/devices/system/cpu
echo 0 >cpu3/online && cat cpu3/online cpu1/online
echo 1 >/sys/devices/system/cpu/cpu3/online && cat cpu3/online
$1 /sys/devices/system/cpu/cpu2/online && wc -c <cpu2/online
echo 5 >cpu3/topology/core_id
cat cpu3/topology/core_id cpu3/topology/physical_package_id cpu7/topology/core_id
SH
is "online" "0 1 1 0 3 0 3" "$(on bash "$scratch/switch" "$scratch/change" 2>/dev/null | paste -sd' ')"
finish
