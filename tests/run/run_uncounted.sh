#!/bin/bash
# SPDX-License-Identifier: MIT
# A report is complete only if the machine has executed each program of the run. Programs that run
# natively, that cannot be started or in which the emulator fails make it incomplete, with the reason
# in all its forms, and neither such a base nor such a run is compared.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run python3 "${CC:-cc}"
cd "$scratch" || exit 1
unset VPMU_SEGMENT
PATH=$STAGE/bin:$PATH
count() {	# count ARGUMENT...
	rm -f r.*
	ipmu-run --on skl-4c8t -g MEM -o r "$@" >out 2>err
	status=$?
}
reports() {	# reports WHAT REASON: as the JSON has them; "" is a complete report
	is "$1" "$2" "$(python3 -c 'import json
r = json.load(open("r.json"))
print("" if r["complete"] else r.get("reason", "incomplete without a reason"))')"
}
count sh -c 'true; sh -c "exit 0" & wait'
reports 'programs of a shell' ''
cp r.json whole.json
count sh -c 'exec /nonexistent 2>/dev/null; exec ./out 2>/dev/null; true'
reports 'programs that cannot be executed' ''
ipmu-run --diff whole.json whole.json >out 2>&1
verdict 'a complete report is compared' $?

# ---- the forms of the report, and comparisons

cat >narrow.s <<'END'
	.globl _start
_start:	mov $1, %eax
	xor %ebx, %ebx
	int $0x80
END
if as --32 -o narrow.o narrow.s && ld -m elf_i386 -o narrow narrow.o; then
	count sh -c './narrow; true'
else
	echo 'no 32-bit program can be made here'; exit 77
fi
native='1 program ran outside the machine'
reports 'a 32-bit program' "$native"
is 'a 32-bit program: the status stays the program'\''s' 0 $status
grep -q "^  INCOMPLETE: $native\$" err; verdict 'the text has the reason' $?
grep -q "^info,,complete,all,0,0,,$native\$" r.csv; verdict 'the CSV has the reason' $?
grep -q "Incomplete: $native\\." r.html; verdict 'the page has the reason' $?
cp r.json cut.json
ipmu-run --show cut.json -o r >out 2>&1
reports 'shown again' "$native"
ipmu-run --diff whole.json cut.json >out 2>err
is 'compared as the run: refused' 125 $?
grep -q "not complete: $native" err; verdict 'compared as the run: with the reason' $?
ipmu-run --on skl-4c8t -g MEM --compare cut.json -- sh -c './narrow; true' >out 2>err
is 'compared as the base: refused' 125 $?
grep -q "cut.json are not complete: $native" err; verdict 'compared as the base: with the reason' $?
count sh -c './narrow; ./narrow'
reports 'two of them' '2 programs ran outside the machine'

# ---- other programs that run natively

if echo 'int main(void) { return 0; }' >s.c && ${CC:-cc} -fsanitize=address -o sanitized s.c 2>err; then
	count sh -c './sanitized; true'
	reports 'a sanitizer'\''s program' "$native"
fi
if [ "$(id -u)" = 0 ]; then
	count setpriv --reuid 65534 --clear-groups /bin/true
	reports 'a program that became another user' "$native"
	mkdir cage && cp narrow cage/ && count chroot cage /narrow
	reports 'a program in another root folder' "$native"
fi

# ---- programs that never begin, and an error of the emulator

never='the program was not executed on the machine'
( ulimit -v 100000 && count true; exit $status ); status=$?
[ $status -ne 0 ]; verdict 'no memory for the emulator: the status is not 0' $?
reports 'no memory for the emulator' "$never"
count sh -c '(ulimit -n 3; exec ./narrow); true'
reports 'no descriptor to find out what a program is' "$native"
if cp "$STAGE_LIB/ipmu/qemu-x86_64" emulator 2>err; then
	printf '#!/bin/sh\nexit 1\n' >broken && chmod +x broken
	VPMU_QEMU=$PWD/emulator count sh -c 'mv broken emulator; /bin/true; true'
	reports 'an emulator that cannot start a second program' '1 program could not be started'
fi

# An assertion that fails in the emulator, by a debugger.
if command -v gdb >/dev/null && [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" = 0 ]; then
	ipmu-run --on skl-4c8t -g MEM -o r sh -c 'sleep 1000 & echo $! >pid.new; mv pid.new pid; wait; true' >out 2>err &
	job=$!
	until [ -s pid ] || ! kill -0 $job 2>/dev/null; do sleep 0.05; done
	gdb -q -batch -p "$(cat pid)" -ex 'call (void)abort()' -ex kill >gdb.log 2>&1 </dev/null
	kill -KILL "$(cat pid)" 2>/dev/null
	wait $job
	reports 'the emulator aborts' '1 program died of an error of the emulator'
	grep -q 'an error of the emulator ended 1 process' err; verdict 'vpmu run says so' $?
else
	echo 'not tried: an abort of the emulator needs gdb'
fi
count sh -c 'sh -c "kill -ABRT \$\$"; true'
reports 'a program that aborts itself' ''
finish
