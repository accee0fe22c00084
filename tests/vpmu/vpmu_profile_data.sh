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

cat >text.py <<'PY'
"""A profile as `vpmu profile` prints it."""
import subprocess
import sys

class Profile:
    def __init__(self, path):
        self.maps, self.notes, self.kinds, self.lost = {}, {}, {}, []
        self.cells, self.objects, self.blocks, self.object_cells = {}, {}, {}, {}
        self.arcs, self.lines, self.others = [], [], []
        for line in open(path):
            word = line.split()
            getattr(self, 'on_' + word[0].replace('-', '_'), lambda word: None)(word)

    def on_map(self, w): self.maps[w[1]] = (int(w[2], 16) - int(w[4], 16), w[6])
    def on_kind(self, w): self.kinds[w[1]] = w[2]
    def on_note(self, w): self.notes[w[1]] = (w[2], int(w[3], 16))
    def on_lost(self, w): self.lost.append(w)
    def on_cell(self, w):
        kind = self.kinds[w[2]]
        self.cells[kind] = self.cells.get(kind, 0) + int(w[3])
    def on_arc(self, w):
        counts = dict(x.split(':') for x in w[4:])
        self.arcs.append((w[1], int(w[2], 16), int(w[3]),
                          {self.kinds[k]: int(n) for k, n in counts.items()}))
    def on_object(self, w): self.objects[w[1]] = w[2:]
    def on_blocks(self, w): self.blocks[w[1]] = (int(w[2]), int(w[3]))
    def on_object_cell(self, w):
        self.object_cells.setdefault(w[1], {})[self.kinds[w[2]]] = int(w[3])
    def on_line(self, w):
        self.lines.append((w[1], w[2], int(w[3]), w[4], w[5], self.kinds[w[6]], int(w[7]),
                           w[8], int(w[9])))
    def on_line_other(self, w):
        self.others.append((w[1], w[2], int(w[3]), w[4], w[5], int(w[6]), w[7], int(w[8])))

    def symbols(self, program):
        """Functions of the program by their addresses."""
        out, base = {}, next(b for b, path in self.maps.values() if path.endswith('/' + program))
        head = subprocess.run(['readelf', '-h', program], capture_output=True, text=True).stdout
        for line in subprocess.run(['nm', program], capture_output=True, text=True).stdout.split('\n'):
            word = line.split()
            if len(word) == 3 and word[1] in 'tTwW':
                out[int(word[0], 16) + (0 if 'EXEC' in head else base)] = word[2]
        return out

    def inclusive(self, program):
        """Instructions of each function and those that it calls, and how often it was called."""
        out, names = {}, self.symbols(program)
        for _, target, calls, counts in self.arcs:
            name = names.get(target)
            if name:
                before = out.get(name, (0, 0))
                out[name] = (before[0] + counts.get('CORE.INSTRUCTIONS', 0), before[1] + calls)
        return out

    def of_objects(self):
        out = {}
        for counts in self.object_cells.values():
            for kind, n in counts.items():
                out[kind] = out.get(kind, 0) + n
        return {k: n for k, n in out.items() if n}

    def heap_of(self, program):
        """Blocks and bytes of objects that the program's own code has allocated, of all chains."""
        out = []
        for number, (sort, _, _, *notes) in self.objects.items():
            if sort == 'heap' and any(self.maps[self.notes[n][0]][1].endswith('/' + program)
                                      for n in notes if n in self.notes):
                out.append(self.blocks.get(number, (0, 0)))
        return out

sys.modules['text'] = sys.modules[__name__]
PY

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
	wrong=$(PYTHONDONTWRITEBYTECODE=1 python3 - 2>&1) && [ -z "$wrong" ] && ok && return
	bad "$1: $wrong"
}

# ---- calls ----

cat >tree.c <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#define KEEP __attribute__((noinline, noclone))
static volatile long sink;
static jmp_buf jump;

KEEP void leaf(long n) { for (long i = 0; i < n; i++) sink += i; }
KEEP void mid(void) { for (int i = 0; i < 100; i++) leaf(30); }
KEEP void tail(void) { sink++; mid(); }
KEEP long fib(long n) { if (n < 2) return n; long a = fib(n - 1), b = fib(n - 2); sink++; return a + b; }
KEEP long odd(long n);
KEEP long even(long n) { if (!n) return 1; long x = odd(n - 1); sink += x; return x; }
KEEP long odd(long n) { if (!n) return 0; leaf(3); long x = even(n - 1); sink += x; return x; }
KEEP void deep(int n) { if (!n) longjmp(jump, 1); deep(n - 1); sink++; }
KEEP void jumps(void) { for (volatile int i = 0; i < 100; i++) if (!setjmp(jump)) deep(10); else leaf(5); }
KEEP void handler(int number) { leaf(number); }
KEEP void signals(void) { signal(SIGUSR1, handler); for (int i = 0; i < 20; i++) { raise(SIGUSR1); leaf(1); } }
KEEP void by(void (*f)(void)) { f(); sink++; }

int main(void)
{
	for (int i = 0; i < 5; i++) { mid(); tail(); by(mid); }
	sink += fib(18) + even(50);
	jumps();
	signals();
	return 0;
}
C
${CC:-cc} -O2 -g -w -fno-inline -Wl,-z,now -o tree tree.c &&
	${CC:-cc} -O2 -g -w -fno-inline -static -o fixed tree.c || exit 1
for program in tree fixed; do
	profile $program ./$program
	judge "$program: calls" <<PY
from text import Profile
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
from text import Profile
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

cat >memory.c <<'C'
#include <stdlib.h>
#include <string.h>

#define BYTES (8 << 20)
static char table[BYTES] __attribute__((aligned(4096)));
static char small[4096] __attribute__((aligned(64)));
static volatile long sum;

__attribute__((noinline)) static void read_all(const volatile char *p, long bytes)
{
	for (long i = 0; i < bytes; i += 64)
		sum += p[i];
}

__attribute__((noinline)) static void write_all(volatile char *p, long bytes)
{
	for (long i = 0; i < bytes; i += 64)
		p[i] = 1;
}

int main(void)
{
	char *block;
	void *aligned;

	read_all(table, BYTES);
	read_all(small, sizeof(small));
	block = malloc(BYTES);		/* mapped memory, inside of malloc() */
	write_all(block, BYTES);
	free(block);
	for (int i = 0; i < 7; i++)
		if (posix_memalign(&aligned, 64, 64 * 1000))
			return 1;
	write_all(aligned, 64 * 1000);
	block = calloc(50, 20);
	block = realloc(block, 3000);
	free(block);
	return 0;
}
C
${CC:-cc} -O2 -g -w -fno-builtin -o memory memory.c && ${CC:-cc} -O2 -g -w -fno-builtin -static -o fixed memory.c || exit 1
for program in memory fixed; do
	profile $program ./$program
	judge "$program: objects" <<PY
from text import Profile
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
from text import Profile
p, q = Profile('naked.text'), Profile('fixed.text')
if any(o[0] in ('heap', 'global') for o in p.objects.values()):
    print(p.objects)
for kind in 'LOOKUP_READ_I', 'CORE.INSTRUCTIONS':
    if p.cells[kind] != q.cells[kind]:
        print(kind, p.cells[kind], q.cells[kind])
PY

cat >objects.cc <<'C'
#include <map>
#include <memory>
#include <vector>
__attribute__((noinline)) static double *make(int n) { return new double[n]; }
int main()
{
	std::map<int, double> map;
	volatile double sum = 0;
	for (int i = 0; i < 100; i++)
		map[i] = i;
	for (int i = 0; i < 5; i++) {
		double *p = make(1000 + i);
		p[i] = i;
		sum += p[i];
		delete[] p;
	}
	try {
		std::vector<char> v(10);
		v.at(20) = 1;
	} catch (const std::exception &) {
		sum += 1;
	}
	return sum < 0;
}
C
cat >arrays.f90 <<'F'
program arrays
  real(8), allocatable :: a(:)
  integer :: i
  do i = 1, 3
    allocate(a(1234))
    a = i
    if (a(7) < 0) stop 1
    deallocate(a)
  end do
end program
F
for language in "objects ${CXX:-g++} objects.cc (100,4800) (5,40080) (1,10)" "arrays gfortran arrays.f90 (3,29616)"; do
	read -r program compiler source blocks <<<"$language"
	command -v "$compiler" >/dev/null || { echo "no $compiler: $source is left out"; continue; }
	for how in '' -static; do
		"$compiler" -O0 -g -w $how -o "$program" "$source" 2>out || { echo "no $compiler $how"; continue; }
		# The first call of a function by a jump to a stub is another chain: it comes through the loader.
		LD_BIND_NOW=1 profile "$program" "./$program"
		judge "$program $how: blocks" <<PY
from text import Profile
heap = Profile('$program.text').heap_of('$program')
for blocks in '$blocks'.split():
    if eval(blocks) not in heap:
        print(blocks, 'not in', heap)
PY
	done
done

# ---- contended lines ----

cat >share.c <<'C'
#include <pthread.h>

#ifdef PADDED
static struct { volatile long reads; char pad[56]; volatile long writes; } stats
#else
static struct { volatile long reads, writes; } stats
#endif
	__attribute__((aligned(64)));

static void *reader(void *unused) { for (long i = 0; i < 100000; i++) stats.reads++; return unused; }
static void *writer(void *unused) { for (long i = 0; i < 100000; i++) stats.writes++; return unused; }

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], 0, reader, 0);
	pthread_create(&t[1], 0, writer, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
C
${CC:-cc} -O1 -g -w -pthread -o share share.c && ${CC:-cc} -O1 -g -w -pthread -DPADDED -o padded share.c || exit 1
profile share ./share
profile padded ./padded
judge "both sides of a false sharing" <<'PY'
from text import Profile
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
from text import Profile
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

cat >forks.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long sum;
__attribute__((noinline)) static void work(long n) { for (long i = 0; i < n; i++) sum += i; }
int main(void)
{
	char *block = malloc(100000);
	work(1000);
	if (!fork()) {
		work(3000);
		for (int i = 0; i < 100000; i += 64)
			block[i] = 1;
		raise(SIGKILL);
	}
	wait(0);
	work(500);
	return 0;
}
C
${CC:-cc} -O1 -g -w -o forks forks.c || exit 1
profile forks ./forks
is "a file of each process" 2 "$(find made -type f | wc -l)"
for file in made/*; do
	"$vpmu" profile "$file" >"$file.text"
done
judge "a child counts from the fork on" <<'PY'
import glob
from text import Profile
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
