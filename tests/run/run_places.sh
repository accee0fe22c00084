#!/bin/bash
# SPDX-License-Identifier: MIT
# What ipmu-run says where /dev/shm is small, read-only or missing, /proc is empty, or descriptors run
# out: the cause, and a way that works with ipmu-run itself.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run qemu-x86_64
unshare -m true 2>/dev/null || { echo 'no mount namespace can be made here'; exit 77; }
cd "$scratch" || exit 1
run="ipmu-run --on skl-4c8t -g MEM true"
export vpmu

apart() {	# apart MOUNT COMMAND: in a namespace of its own; stderr to err
	unshare -m "${BASH:-bash}" -c "mount $1 && $2" >out 2>err
}
for where in '-t tmpfs -o size=64k none /dev/shm' '-t tmpfs -o ro none /dev/shm' \
		'-t tmpfs -o ro none /dev'; do
	apart "$where" "$run"; is "$where" 125 $?
	says "$where" 'with -s FILE or VPMU_SEGMENT=FILE$'
	apart "$where" "VPMU_SEGMENT=$scratch/segment $run"; is "$where, elsewhere" 0 $?
	rm -rf segment*
done
apart '-t tmpfs none /proc' "$run"; is 'an empty /proc' 125 $?
says 'an empty /proc' '^ipmu-run: cannot read /proc/self/exe: No such file or directory; mount /proc'
apart '-t tmpfs none /proc' '"$vpmu" run -m skl-4c8t true'; is 'vpmu, an empty /proc' 125 $?
says 'vpmu, an empty /proc' '^vpmu: cannot read /proc/self/exe, .*: mount /proc$'
"$vpmu" run -m skl-4c8t '' 2>err; is 'an empty word' 127 $?
says 'an empty word' "^vpmu: '': an empty word names no program$"

# With each limit of descriptors it counts, or has the limit as the cause.
for limit in 6 7 8 9 10 11 12; do
	(ulimit -n $limit; $run) >out 2>err && continue
	says "$limit descriptors" 'Too many open files'
	! grep -E 'CAP_SYS|iomem|IPMU_STATE_DIR' err
	verdict "$limit descriptors: no other advice" $?
done
finish
