#!/bin/bash
# SPDX-License-Identifier: MIT
# vpmu run --profile: an assembler program of loops whose counts are known says how often each
# instruction has executed and missed, in a file of each process image: of a program that ends, is
# killed, forks or executes another one, with and without symbols, in a library that is gone, in
# code that the program has made, in threads. A pause excludes what is executed meanwhile. Folders
# and limits that permit no file are reported, and end no program.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 "${CC:-cc}" nm
cd "$scratch" || exit 1
export VPMU_TALLY=$scratch/tally
unset VPMU_SEGMENT VPMU_PROFILE

turns=100000 lines=16384
build() {	# build NAME FLAG...
	local name=$1
	shift
	${CC:-cc} -nostdlib -static -Wl,-z,noexecstack -DTURNS=$turns -DLINES=$lines "$@" -o "$name" \
		"$test_folder/profiled.S" ||
		{ echo 'no static program can be linked here'; exit 77; }
}
build app -DKILLED=0
build killed -DKILLED=9
build ended -DKILLED=15
cp app stripped
strip stripped

profiled() {	# profiled PROGRAM ARGUMENT...: its profiles as text in p/
	local file
	rm -rf p
	mkdir p
	timeout $HANG_SECONDS "$vpmu" run -m skl-4c8t --profile p -- "$@" >out 2>&1
	status=$?
	for file in p/*.vpmu-profile; do
		"$vpmu" profile "$file" >"$file.txt" || bad "vpmu profile $file"
	done
}
# count TEXT LABEL OFFSET KIND: of the instruction so many bytes behind the label of app
count() {
	awk -v label="$(nm app | awk -v l="$2" '$3 == l { print $1 }')" -v behind="$3" -v kind="$4" '
		function value(hex,   i, n) {
			for (i = 1; i <= length(hex); i++)
				n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		$1 == "kind" && $3 == kind { number = $2 }
		$1 == "note" && value($4) == value(label) + behind { note = $2 }
		$1 == "cell" && $2 == note && $3 == number { n += $4 }
		END { print n + 0 }' "$1"
}
total() {	# total KIND TEXT...
	awk -v kind="$1" '$1 == "kind" && $3 == kind { number = $2 } $1 == "cell" && $3 == number { n += $4 }
		END { print n + 0 }' "${@:2}"
}
arithmetic() {	# arithmetic WHAT TEXT
	is "$1: turns" $turns "$(count "$2" turn 0 CORE.INSTRUCTIONS)"
	is "$1: jumps" $turns "$(count "$2" turn 2 CORE.INSTRUCTIONS)"
	is "$1: loads" $lines "$(count "$2" load 0 CORE.INSTRUCTIONS)"
	is "$1: loads that missed" $lines "$(count "$2" load 0 LOOKUP_READ_I)"
	is "$1: lines read for loads" $lines "$(count "$2" load 0 DRAM_READS)"
	is "$1: stores that missed" $lines "$(count "$2" store 0 LOOKUP_READ_I)"
	is "$1: repetitions" 2 "$(count "$2" copy 0 CORE.INSTRUCTIONS)"
	is "$1: what was lost" 0 "$(grep -c ^lost "$2")"
	is "$1: the last line" end "$(tail -n 1 "$2")"
}

for program in app stripped killed ended; do
	profiled ./$program
	arithmetic $program "$(echo p/*.txt)"
done
is 'status of a program that SIGTERM ended' 143 $status
# 6 before the loops, between them and behind each, and what the loops and the calls have.
profiled ./app
is 'all instructions' $((2 * turns + 8 * lines + 1 + 2 + 2 + 4 + 1 + 1 + 4 + 7 + 3)) "$(total CORE.INSTRUCTIONS p/*.txt)"
is 'instructions of no mapping' 0 "$(awk '$1 == "note" && $3 == 0' p/*.txt | grep -c .)"

# ---- processes ----
profiled sh -c './app; ./killed; exec ./app'
is 'files of a shell and its programs' 6 "$(ls p/*.txt | wc -l)"
for file in p/*.txt; do
	program=$(sed -n 's|^program .*/||p' "$file")
	case $program in app | killed) arithmetic "$program of a shell" "$file" ;; esac
done
is 'programs of a shell' 'app app killed' "$(sed -n 's|^program .*/||p' p/*.txt | grep -v sh | sort | xargs)"
is 'second images' 3 "$(sed -n 's/^process //p' p/*.txt | sort | awk '$2 == 1' | grep -c .)"

# ---- code that comes and goes ----
cat >library.c <<'C'
__attribute__((noinline)) int add(int n) { int sum = 0; while (n--) { sum += n; __asm__ volatile("" : "+r"(sum)); } return sum; }
C
${CC:-cc} -O1 -w -shared -fPIC -o library.so library.c && compile code gone_code.c -O1 -pthread -ldl || exit 1
profiled ./code
is 'status of code' 0 $status
is 'files of code, its child and what vfork made' 3 "$(ls p/*.txt | wc -l)"
parent=p/$(ls p | sed -n 's/^\([0-9]*\)[.]0[.].*/\1/p' | sort -n | head -n 1).0.vpmu-profile.txt
child=p/$(ls p | sed -n 's/^\([0-9]*\)[.]0[.].*/\1/p' | sort -nu | sed -n 2p).0.vpmu-profile.txt
of_map() {	# of_map TEXT PATTERN: instructions of the mapping that the pattern finds
	awk -v pattern="$2" '$1 == "map" && $0 ~ pattern { map[$2] = 1 } $1 == "kind" && $3 == "CORE.INSTRUCTIONS" { k = $2 }
		$1 == "note" { inside = $3 in map } $1 == "cell" && inside && $3 == k { n += $4 } END { print n + 0 }' "$1"
}
is 'code that the program made' 20002 "$(of_map "$parent" '\[anonymous\]$')"
is 'that code is gone' 1 "$(awk '$1 == "map" && $7 == "[anonymous]" { print $6 }' "$parent" | sort -u)"
is 'code of the child' 20002 "$(of_map "$child" '\[anonymous\]$')"
is 'the library is gone' 1 "$(awk '$1 == "map" && /library.so$/ { print $6 }' "$parent")"
least=$(of_map "$parent" 'library.so$')
[ "$least" -ge 3000 ] && ok || bad "the library has $least instructions"
nop=$(objdump -d code 2>/dev/null | awk '/<in_threads>:/ { inside = 1 } inside && $NF == "nop" { sub(":", "", $1); print $1; exit }')
if [ "$nop" ]; then
	is 'one instruction in four threads' 4000 "$(awk -v nop="$nop" '$1 == "map" && /\/code$/ { start = $3 }
		$1 == "kind" && $3 == "CORE.INSTRUCTIONS" { k = $2 } $1 == "note" { n = substr($4, length($4) - length(nop) + 1) == nop }
		$1 == "cell" && n && $3 == k && !done { print $4; done = 1 }' "$parent")"
fi

# ---- a pause ----
${CC:-cc} -nostdlib -static -Wl,-z,noexecstack -o pause "$test_folder/pause.S"
profiled ./pause
is 'status of a pause' 0 $status
cp pause app	# for its labels
is 'turns outside the pauses' 500 "$(count "$(echo p/*.txt)" loop 0 CORE.INSTRUCTIONS)"
build app -DKILLED=0

# ---- what is refused, and what is lost ----
refused() {	# refused WHAT REGEX OPTION...
	"$vpmu" run "${@:3}" -- ./app >out 2>&1
	is "$1: status" 125 $?
	grep -qE -- "$2" out && ok || { bad "$1: no '$2'"; cat out; }
}
refused 'no folder' 'profile p/none: cannot use the folder: No such file or directory; make it first' --profile p/none
refused 'a file' 'profile app: is no folder' --profile app
refused 'an empty name' 'give the name of a folder' --profile ''
for file in app /dev/null p/none; do
	"$vpmu" profile $file >out 2>&1
	is "vpmu profile $file" 125 $?
done
profiled sh -c 'ulimit -f 128; ./app'		# KiB: the program's blocks find room, many more would not
is 'status with a limit of files' 0 $status
arithmetic 'a limit of files' "$(grep -l '/app$' p/*.txt)"
profiled sh -c 'ulimit -f 8; ./app'
is 'status without room for a file' 0 $status
grep -q 'vpmu: skl-4c8t: 1 process: cannot make a profile' out && ok || { bad 'no word of the missing profile'; cat out; }
# A file cut anywhere, or with any word of it changed, is printed or refused.
profiled ./app
one=$(echo p/*.vpmu-profile)
for cut in 1 100 200 500 1000 4000 9000; do
	head -c $cut "$one" >cut
	timeout $HANG_SECONDS "$vpmu" profile cut >out 2>&1
	status=$?
	[ $status = 0 ] || [ $status = 125 ] && ok || bad "a file cut at $cut: status $status"
done
for at in $(seq 8 36 2500); do
	head -c 20000 "$one" >damaged
	printf '\377\377\377\177' | dd of=damaged bs=1 seek="$at" conv=notrunc status=none
	timeout $HANG_SECONDS "$vpmu" profile damaged >out 2>&1
	status=$?
	[ $status = 0 ] || [ $status = 125 ] && ok || bad "a file damaged at $at: status $status"
done

finish
