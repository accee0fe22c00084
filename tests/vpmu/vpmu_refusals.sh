#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that the machine's processor or the emulator cannot run: each is named, with what helps.
# Which processor has which extension is the instruction manual's; what the program ends with, the
# kernel's.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
cd "$scratch" || exit 1
export scratch

compile lacks lacks.c -O0 || exit 1

on() {	# on MACHINE COMMAND...: its status; what it says, without QEMU's own line, is in out
	"$vpmu" run -m "$1" -- "${@:2}" 2>err
	local status=$?
	grep '^vpmu:' err >out
	return $status
}

# MACHINE, argument, instruction, extension, function, -march, a newer machine
while read -r machine argument instruction extension function march newer; do
	on "$machine" ./lacks $argument
	is "$machine $argument: status" $((128 + 4)) $?
	is "$machine $argument" "vpmu: illegal instruction $instruction ($extension) in $function of $PWD/lacks: $machine does not \
have it; compile with -march=$march$([ "$newer" = none ] && echo '; no machine has it' ||
		echo ", or use a newer machine ($newer-...)")" "$(cat out)"
done <<-END
	core2-4c a vxorps AVX needs_avx core2 snb
	snb-4c8t f vfmadd231pd FMA needs_fma sandybridge hsw
	ivb-4c8t m movbe MOVBE needs_movbe ivybridge hsw
	skl-4c8t x vpxord AVX-512 needs_avx512 skylake none
END
on hsw-4c8t ./lacks f
is 'a machine that has it' 0 $?
on skl-4c8t ./lacks u
is 'an instruction that no processor has: status' $((128 + 4)) $?
is 'an instruction that no processor has: nothing about machines' '' "$(cat out)"
# A program that handles the signal: WAY, its status, whether it is explained.
while read -r way status explained; do
	on snb-4c8t ./lacks f "$way"
	is "handled: $way: status" "$status" $?
	is "handled: $way: explained" "$explained" "$(grep -c 'illegal instruction vfmadd231pd (FMA) in needs_fma' out)"
done <<-END
	default $((128 + 4)) 1
	raises $((128 + 4)) 1
	aborts $((128 + 6)) 1
	exits 4 1
	succeeds 0 0
	continues 3 0
END
on snb-4c8t sh -c './lacks f; exit 3'
is 'a child: status' 3 $?
grep -q 'in needs_fma of .*/lacks: snb-4c8t' out
verdict 'a child is named' $?
strip -o stripped lacks
on core2-4c ./stripped a
grep -qE "\(AVX\) in $PWD/stripped\+0x[0-9a-f]+: core2-4c" out
verdict 'without symbols: the place in the file' $?

# The runtimes that keep a shadow of all memory, and the one that keeps none.
echo 'int main(void) { return 0; }' >empty.c
for kind in address leak thread; do
	${CC:-cc} -fsanitize=$kind -o "$kind" empty.c 2>out || { echo "no runtime of -fsanitize=$kind here"; continue; }
	on skl-4c8t "./$kind"
	verdict "$kind: refused" $((! $?))
	grep -qE "^vpmu: ./$kind: has a sanitizer's runtime \(.*\), .* build it without -fsanitize" out
	verdict "$kind: named" $?
	on skl-4c8t sh -c "exec ./$kind"
	grep -q "^vpmu: warning: ./$kind has a sanitizer's runtime" out
	verdict "$kind, executed by another program: named" $?
done
if ${CC:-cc} -fsanitize=undefined -o undefined empty.c 2>out; then
	on skl-4c8t ./undefined
	is 'undefined: runs' 0 $?
fi
finish
