#!/bin/bash
# SPDX-License-Identifier: MIT
# vpmu run --profile --data: calls, allocations, variables and contended lines. Calls and inclusive
# instructions are callgrind's; blocks, lines that are missed and sides of a false sharing are known
# from the programs. What objects, lines and the first calls have adds up to all there is.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 "${CC:-cc}" python3 nm
cd "$scratch" || exit 1
export VPMU_TALLY=$scratch/tally
unset VPMU_SEGMENT VPMU_PROFILE VPMU_PROFILE_DATA

profile() {	# profile NAME PROGRAM...: runs it with --data and leaves the text of its last process
	local name=$1 file
	shift
	rm -rf made
	mkdir made
	"$vpmu" run -m skl-4c8t --profile made --data "$@" >out 2>&1
	verdict "$name: status" $?
	for file in made/*; do
		"$vpmu" profile "$file" >"$name.text" || bad "$name: vpmu profile $file"
	done
}

judge() {	# judge WHAT: a program in Python that prints what is wrong
	local wrong
	wrong=$(PYTHONPATH=$test_folder PYTHONDONTWRITEBYTECODE=1 python3 - 2>&1) && [ -z "$wrong" ] && ok && return
	bad "$1: $wrong"
}

# ---- calls ----

compile tree tree.c -O2 -g -fno-inline -Wl,-z,now && compile fixed tree.c -O2 -g -fno-inline -static || exit 1
for program in tree fixed; do
	profile $program ./$program
	judge "$program: calls" <<PY
from profile_text import Profile
p = Profile('$program.text')
calls = {name: n for name, (_, n) in p.inclusive('$program').items()}
# fib(18) makes 8361 calls; odd is called 25 times with more than 0.
expected = {'main': 1, 'mid': 15, 'tail': 5, 'by': 5, 'leaf': 1500 + 25 + 100 + 20 + 20, 'fib': 8361,
            'even': 26, 'odd': 25, 'deep': 1100, 'jumps': 1, 'signals': 1, 'handler': 20}
for name, n in expected.items():
    if calls.get(name) != n:
        print(f'{name}: {calls.get(name)} calls, not {n}')
if p.lost:
    print(p.lost)
# The first function's is all there is.
first = max(c.get('CORE.INSTRUCTIONS', 0) for call, _, _, c in p.arcs if call == '0')
if first != p.cells['CORE.INSTRUCTIONS']:
    print(f"{first} of {p.cells['CORE.INSTRUCTIONS']} instructions")
PY
done

if command -v valgrind >/dev/null; then
	valgrind --tool=callgrind --callgrind-out-file=callgrind.out ./tree >out 2>&1
	callgrind_annotate --inclusive=yes --threshold=100 callgrind.out >callgrind.text 2>>out
	verdict "callgrind" $?
	judge "inclusive instructions" <<'PY'
import re
from profile_text import Profile
theirs = {}
for line in open('callgrind.text'):
    found = re.match(r'\s*([\d,]+) \([ \d.]+%\)\s+\S*tree\.c:(\w+) \[', line)
    if found:
        theirs[found[2]] = int(found[1].replace(',', ''))
ours = Profile('tree.text').inclusive('tree')
for name in 'leaf', 'mid', 'tail', 'by', 'fib', 'even', 'odd', 'deep', 'jumps':
    if name not in theirs or ours[name][0] != theirs[name]:
        print(f'{name}: {ours[name][0]}, callgrind {theirs.get(name)}')
PY
else
	echo "without valgrind: inclusive instructions are not compared"
fi

# ---- memory ----

compile memory memory.c -O2 -g -fno-builtin && compile fixed memory.c -O2 -g -fno-builtin -static || exit 1
for program in memory fixed; do
	profile $program ./$program
	judge "$program: objects" <<PY
from profile_text import Profile
p = Profile('$program.text')
by_name = {o[3]: n for n, o in p.objects.items() if o[0] == 'global'}
missed = lambda number: p.object_cells.get(number, {}).get('LOOKUP_READ_I', 0)
if missed(by_name.get('table')) != 131072:
    print('table:', missed(by_name.get('table')))
if missed(by_name.get('small')) != 64:
    print('small:', missed(by_name.get('small')))
heap = sorted(p.heap_of('$program'))
for blocks in (1, 8 << 20), (7, 7 * 64000), (1, 1000), (1, 3000):
    if blocks not in heap:
        print(blocks, 'not in', heap)
big = next(n for n, b in p.blocks.items() if b == (1, 8 << 20) and p.objects[n][0] == 'heap')
if not 131071 <= missed(big) <= 131073:	# malloc() writes before it, in a line of its own or not
    print('8 MiB:', missed(big))
total = {k: n for k, n in p.cells.items() if n}
if p.of_objects() != total:
    print('objects have', p.of_objects(), 'of', total)
PY
done
strip -o naked fixed	# a name as long
profile naked ./naked
judge "a static program without symbols has no blocks, and the same misses" <<'PY'
from profile_text import Profile
p, q = Profile('naked.text'), Profile('fixed.text')
if any(o[0] in ('heap', 'global') for o in p.objects.values()):
    print(p.objects)
for kind in 'LOOKUP_READ_I', 'CORE.INSTRUCTIONS':
    if p.cells[kind] != q.cells[kind]:
        print(kind, p.cells[kind], q.cells[kind])
PY

for language in "objects ${CXX:-g++} objects.cc (100,4800) (5,40080) (1,10)" "arrays gfortran arrays.f90 (3,29616)"; do
	read -r program compiler source blocks <<<"$language"
	command -v "$compiler" >/dev/null || { echo "no $compiler: $source is left out"; continue; }
	for how in '' -static; do
		"$compiler" -O0 -g -w $how -o "$program" "$test_folder/$source" 2>out || { echo "no $compiler $how"; continue; }
		# The first call of a function by a jump to a stub is another chain: it comes through the loader.
		LD_BIND_NOW=1 profile "$program" "./$program"
		judge "$program $how: blocks" <<PY
from profile_text import Profile
heap = Profile('$program.text').heap_of('$program')
for blocks in '$blocks'.split():
    if eval(blocks) not in heap:
        print(blocks, 'not in', heap)
PY
	done
done

# ---- contended lines ----

compile share false_sharing.c -O1 -g -pthread && compile padded false_sharing.c -O1 -g -pthread -DPADDED || exit 1
profile share ./share
profile padded ./padded
judge "both sides of a false sharing" <<'PY'
from profile_text import Profile
p, q = Profile('share.text'), Profile('padded.text')
stats = next(n for n, o in p.objects.items() if o[0] == 'global' and o[3] == 'stats')
sides = {}
for _, _, _, _, thread, kind, n, number, offset in p.lines:
    if number == stats and kind == 'SNOOP_XCORE_HITM':
        sides[offset, thread] = sides.get((offset, thread), 0) + n
others = {}
for _, _, _, _, thread, times, number, offset in p.others:
    if number == stats:
        others[offset, thread] = others.get((offset, thread), 0) + times
# The reader is thread 1 with bytes 0 to 7, the writer thread 2 with 8 to 15.
for seen in sides, others:
    if not set(seen) <= {(0, '1'), (8, '2')}:
        print(seen)
if set(sides) | set(others) != {(0, '1'), (8, '2')} or sum(sides.values()) < 2000:
    print(sides, others)
if sum(n for *_, kind, n, _, _ in p.lines if kind == 'SNOOP_XCORE_HITM') != p.cells['SNOOP_XCORE_HITM']:
    print('lines do not add up')
stats = {n for n, o in q.objects.items() if o[0] == 'global' and o[3] == 'stats'}
for line in q.lines:
    if line[7] in stats and line[6] > 10:
        print(line)
PY

# ---- the same counts ----

"$vpmu" run -m skl-4c8t --profile . ./tree >out 2>&1
verdict "without --data: status" $?
"$vpmu" profile ./*.vpmu-profile >alone.text
judge "counts with --data and without are the same" <<'PY'
from profile_text import Profile
p, q = Profile('alone.text'), Profile('tree.text')
if p.cells != q.cells:
    print(p.cells, q.cells)
if p.arcs or p.objects or not q.arcs:
    print('arcs')
PY
"$vpmu" run --data true >out 2>&1
is "--data without --profile" 125 $?
grep -q 'give --profile FOLDER' out
verdict "--data without --profile: message" $?

# ---- processes ----

compile forks profile_forks.c -O1 -g || exit 1
profile forks ./forks
is "a file of each process" 2 "$(find made -type f | wc -l)"
for file in made/*; do
	"$vpmu" profile "$file" >"$file.text"
done
judge "a child counts from the fork on" <<'PY'
import glob
from profile_text import Profile
calls = []
for path in glob.glob('made/*.text'):
    p = Profile(path)
    calls.append(p.inclusive('forks').get('work', (0, 0))[1])
    total = {k: n for k, n in p.cells.items() if n}
    if p.of_objects() != total:
        print('objects have', p.of_objects(), 'of', total)
if sorted(calls) != [1, 2]:
    print('calls of work:', calls)
PY
finish
