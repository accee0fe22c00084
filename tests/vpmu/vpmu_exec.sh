#!/bin/bash
# SPDX-License-Identifier: MIT
# What a program executes stays on the machine, whichever way it does so: a loop of two instructions
# a turn, counted by the first fixed counter of the only CPU that may be used. What cannot stay is
# named.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 python3 make "${CC:-cc}"
turns=2100000	# more than what starts it has instructions
counted=$((2 * turns))

cp "$test_folder/executes.c" "$scratch/probe.c"
compile "$scratch/probe" executes.c -O2 || exit 1
export PROBE=$scratch/probe PATH=$scratch:$PATH

on() {		# on PROGRAM...: one CPU of a machine whose counter runs
	rm -rf "$scratch"/machine*
	timeout $HANG_SECONDS "$vpmu" run -m core2-2c -s "$scratch/machine" --cpus 0 --set MSR_PERF_FIXED_CTR0=0 \
		--set MSR_PERF_FIXED_CTR_CTRL=3 --set MSR_PERF_GLOBAL_CTRL=0x100000000 "${options[@]}" -- \
		"$@" >"$scratch/out" 2>"$scratch/err"
}
options=()
total() { printf '%d\n' "$("$vpmu" regs -s "$scratch/machine" | awk '$1 == "MSR_PERF_FIXED_CTR0" { print $NF }')"; }

# ways NAME COMMAND...: the loop is counted, and what starts it has less than four million instructions
ways() {
	local got status
	on "${@:2}"
	status=$?
	is "$1: status; $(head -c 300 "$scratch/err")" 0 $status
	got=$(total)
	[ "$got" -ge "$counted" ] && [ "$got" -lt $((counted + 4000000)) ] && ok ||
		bad "$1: $got instructions, of which $counted are the loop's"
	[ ! -s "$scratch/err" ] && ok || bad "$1: $(cat "$scratch/err")"
}
printf '#!/bin/sh -e\nprobe loop %d\n' $turns >"$scratch/script"
printf 'probe loop "$1"\n' >"$scratch/text"
printf 'all:\n\t@probe loop %d; exit 0\n' $turns >"$scratch/makefile"
touch -d 2019-01-01 "$scratch/makefile"	# the machine's time is 2020, and make warns of later files
chmod +x "$scratch/script" "$scratch/text"
ways 'the program itself' probe loop $turns
ways env env probe loop $turns
ways 'an empty environment' env -i "$scratch/probe" loop $turns
ways 'the shell goes' bash -c "exec probe loop $turns"
ways 'the shell stays' sh -c "probe loop $turns; exit 0"
ways 'a script that a script starts' sh -c "'$scratch/script'; exit 0"
ways 'a text, as execvp has it' env text $turns
ways make make -s -f "$scratch/makefile"
ways 'vpmu run' sh -c "'$vpmu' run probe loop $turns; exit 0"
for how in posix_spawn posix_spawnp posix_spawn_unnamed vfork execle execv fexecve exec_by_number exec_itself \
		exec_descriptor exec_descriptor_dev exec_descriptor_unnamed system popen; do
	ways $how probe $how $turns
done
ln -s /proc/self/exe "$scratch/itself"
cd "$scratch" || exit 1
for link in exe ../thread-self/exe ../self//exe "$scratch/itself"; do
	ways "itself, $link" ./probe "exec_itself:$link" $turns
done
cd "$OLDPWD" || exit 1
ways 'no arguments' probe exec_alone $turns
loader=$(ldd "$scratch/probe" | awk '/ld-linux/ { print $1 }')
ways 'the loader by hand' "$loader" --preload "$(ldd "$scratch/probe" | awk '/libc.so/ { print $3 }')" \
	"$scratch/probe" loop $turns

# without a loader that could preload anything, and without libc
if compile "$scratch/alone" executes.c -O2 -static 2>/dev/null; then
	for how in loop posix_spawn vfork execle fexecve exec_by_number exec_itself \
			exec_descriptor_unnamed system; do
		ways "static, $how" alone $how $turns
	done
	ways 'static, from a shell' sh -c "alone execv $turns; exit 0"
fi
cat >"$scratch/bare.c" <<'C'
__asm__(".globl _start\n_start: mov (%rsp), %rcx; lea 16(%rsp), %rsi; mov (%rsi), %rdi\n"
	"lea 16(%rsp,%rcx,8), %rdx; mov $59, %eax; syscall\n"
	"mov %eax, %edi; neg %edi; mov $60, %eax; syscall");
C
"${CC:-cc}" -nostdlib -static -o "$scratch/bare" "$scratch/bare.c" || exit 1
ways 'a system call of its own' bare "$scratch/probe" loop $turns
on bare /no/such/file; is 'a system call of its own, no file: ENOENT' 2 $?

# Python takes longer to start than the loop: with a longer loop, and without.
runs='import subprocess, sys; subprocess.run(["probe", "loop", sys.argv[1]], check=True)'
export PYTHONHASHSEED=0
python=/usr/bin/python3		# not a wrapper that looks for one
[ -x $python ] || python=python3
on $python -ISc "$runs" 0
without=$(total)
on $python -ISc "$runs" $((10 * turns))
got=$(($(total) - without))
[ $((got * 10)) -gt $((counted * 98)) ] && [ $((got * 10)) -lt $((counted * 102)) ] && ok ||
	bad "Python's subprocess: $got instructions instead of $((10 * counted))"

# what a caller sees of it
on probe no_file 0; is 'no such file: the errors' 0 $?
on sh -c '/no/such/file; echo $?; /; echo $?; sh -c "kill -TERM \$\$"; echo $?'
is 'the statuses of a shell' '127 126 143' "$(paste -sd' ' "$scratch/out")"
on bash -c '(exec -a zeroth sh -c "echo \$0"); LD_PRELOAD= FOO="a b" env sh -c "echo \$FOO; getconf _NPROCESSORS_ONLN"'
is 'the name, the environment, the CPUs' 'zeroth a b 2' "$(paste -sd' ' "$scratch/out")"

# natively when requested
options=(--no-follow)
on sh -c "probe loop $turns; exit 0"
[ "$(total)" -lt $((counted / 2)) ] && ok || bad "--no-follow: $(total) instructions"
is '--no-follow: nothing to say' '' "$(cat "$scratch/err")"
options=()

# what cannot stay, or not with everything
outside() { sed -n 's/^vpmu: core2-2c: \([0-9]*\) programs* .*: the counts are not of all that ran$/\1/p' "$scratch/err"; }
says() { grep -Eq "$2" "$scratch/err" && ok || bad "$1: '$2' is not in '$(cat "$scratch/err")'"; }
privileged=$(type -P su)
if [ "$(id -u)" = 0 ]; then
	privileged=$scratch/privileged
	cp "$(type -P true)" "$privileged"
	chown 65534 "$privileged"
	chmod 4755 "$privileged"
fi
if [ -u "$privileged" ]; then
	on sh -c "'$privileged' --version >/dev/null; exit 3"
	is 'set-user-id: status' 3 $?
	says 'set-user-id' "warning: $privileged gets rights from its file"
	is 'set-user-id: the summary' 1 "$(outside)"
fi
finish
