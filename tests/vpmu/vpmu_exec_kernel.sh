#!/bin/bash
# SPDX-License-Identifier: MIT
# A program that executes others gets on the machine what the kernel gives it: the same errors, and
# programs with the same arguments, variables and descriptors. Each case runs natively first, and its
# output is what is expected.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 "${CC:-cc}"

compile "$scratch/dynamic" exec_cases.c -O2 || exit 1
printf '#include <stdio.h>\n__attribute__((constructor)) static void say(void) { puts("preloaded"); }\n' >"$scratch/library.c"
"${CC:-cc}" -shared -fPIC -o "$scratch/preloaded.so" "$scratch/library.c" || exit 1
compile "$scratch/unloaded" exec_cases.c -O2 -Wl,--dynamic-linker=/not/there || exit 1
cd "$scratch" || exit 1
cp "$test_folder/exec_cases.c" probe.c
script() { printf '%b' "$2" >"$1" && chmod +x "$1"; }
script script '#!./probe show  one argument \n'
script nested '#!./script second\n'
script circle '#!./circle\n'
script lost '#!/not/there\n'
script return '#!/bin/sh\r\n'
script of-text '#!./text\n'
script of-file '#!./probe.c\n'
script nothing '#! \n'
script text 'echo "$0" "$@"\n'
export A=1 MARKS=$scratch/marks PATH=$PATH:$scratch
ln -s probe link

compare() {	# compare NAME: the cases of ./probe
	cp probe show && cp probe written
	rm -f marks
	timeout $HANG_SECONDS ./probe cases >native 2>native-err </dev/null
	is "$1, native: status" 0 $?
	says=$(wc -l <marks)
	rm -f marks
	timeout $HANG_SECONDS "$vpmu" run -- ./probe cases >emulated 2>err </dev/null
	is "$1: status" 0 $?
	same=$(diff native emulated) && ok || bad "$1: $same"
	is "$1: nothing to say" '' "$(cat err)"
	is "$1: all on the machine" "$says VirtualPMU" "$(sort marks | uniq -c | sed 's/^ *//')"
	[ "$says" -gt 25 ] && ok || bad "$1: $says programs were executed"
}
cp dynamic probe
compare dynamic
compile probe exec_cases.c -O2 -static 2>/dev/null && compare static

# What QEMU heeds is the program's from the start.
is 'a variable of QEMU' 1 "$(QEMU_STRACE=1 "$vpmu" run -- sh -c 'echo $QEMU_STRACE' 2>err)"
is 'a variable of QEMU: it does not heed it' '' "$(cat err)"
finish
