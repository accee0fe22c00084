#!/bin/bash
# SPDX-License-Identifier: MIT
# On each family of machines, what instructions have caused adds up to what the machine's counters
# hold, to the digit, and the counters hold what they hold without a profile. The program uses all
# kinds of accesses, threads that share a line, faults and a fork. Which kinds an event counts is
# found by raising one kind after the other on a machine that nothing runs on.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 ipmu-run python3 "${CC:-cc}"
cd "$scratch" || exit 1
unset VPMU_SEGMENT VPMU_PROFILE

cat >weights.c <<'C'
/* weights EVENT... <KINDS: a line "EVENT KIND WEIGHT" for each kind that the event counts. */
#include <errno.h>
#include <fcntl.h>
#include <papi.h>
#include <stdio.h>
#include <string.h>
#include "machine_device.h"

#define TIMES 4

static long long gain(int set, int device, const char *kind, int times)
{
	struct machine_occurrence what = { .times = times };
	long long value = 0;

	snprintf(what.name, sizeof(what.name), "%s", kind);
	PAPI_start(set);
	if (ioctl(device, MACHINE_RAISE, &what) && errno != EINVAL)	/* of other machines */
		fprintf(stderr, "%s: %s\n", kind, strerror(errno));
	PAPI_stop(set, &value);
	return value;
}

int main(int argc, char **argv)
{
	static char kinds[400][64];
	int count = 0, device = open(MACHINE_DEVICE, O_RDWR);

	while (count < 400 && scanf("%63s", kinds[count]) == 1)
		count++;
	PAPI_library_init(PAPI_VER_CURRENT);
	for (int e = 1; e < argc; e++) {
		int set = PAPI_NULL, rc;

		PAPI_create_eventset(&set);
		rc = PAPI_add_named_event(set, argv[e]);
		if (rc)
			fprintf(stderr, "%s: %s\n", argv[e], PAPI_strerror(rc));
		for (int k = 0; !rc && k < count; k++) {
			long long n = gain(set, device, kinds[k], TIMES) - gain(set, device, kinds[k], 0);

			if (n)
				printf("%s %s %g\n", argv[e], kinds[k], (double)n / TIMES);
		}
		PAPI_cleanup_eventset(set);
		PAPI_destroy_eventset(&set);
	}
	return 0;
}
C
${CC:-cc} -w -I"${STAGE:?}/include" -I"$SRCDIR/common" -o weights weights.c -L"$STAGE_LIB" -lpapi -lpfm \
	-Wl,-rpath,"$STAGE_LIB" || exit 1

cat >mix.c <<'C'
#include <emmintrin.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (1 << 18)

static char a[BYTES], b[BYTES];
static struct { volatile long x, y; } both __attribute__((aligned(64)));
static double d[10000];
static float f[10000];
static sigjmp_buf back;

static void *first(void *unused)
{
	for (int i = 0; i < 5000; i++)
		both.x++;
	return unused;
}

static void *second(void *unused)
{
	for (int i = 0; i < 5000; i++)
		both.y++;
	__atomic_fetch_add(&both.x, 1, __ATOMIC_SEQ_CST);
	return unused;
}

static void copy(void *to, const void *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) :: "memory");
}

static void faulted(int number)
{
	siglongjmp(back, number);
}

static void fault(void)
{
	signal(SIGSEGV, faulted);
	for (volatile int i = 0; i < 3; i++)
		if (!sigsetjmp(back, 1))
			a[1] += a[2] + *(volatile char *)8;
}

static void work(void)
{
	pthread_t t[2];

	copy(a, b, 5000);
	copy(a + 7, b + 3, 0);
	memset(a, 1, BYTES);
	for (int i = 0; i < BYTES; i += 16)
		_mm_stream_si128((void *)(b + i), _mm_set1_epi8(3));
	_mm_stream_si128((void *)b, _mm_set1_epi8(3));	/* a part of a line */
	_mm_sfence();
	for (int i = 0; i < BYTES; i += 256) {
		_mm_prefetch(a + i, _MM_HINT_T0);
		_mm_prefetch(b + i, _MM_HINT_T2);
	}
	for (int i = 1; i < 10000; i++)
		d[i] = d[i - 1] * 1.5 + a[i * 7 % 4096] / 3.0;
	for (int i = 1; i < 10000; i++)
		f[i] = f[i] * 1.5f + b[i];
	*(long *)(a + 61) += 3;			/* in two lines */
	fault();
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

int main(int argc, char **argv)
{
	work();
	if (argc > 1 && !fork()) {
		work();
		_exit(0);
	}
	wait(NULL);
	return 0;
}
C
${CC:-cc} -O1 -w -pthread -o mix mix.c || exit 1

cat >compare.py <<'PY'
import json, subprocess, sys
out, machine, profiles = sys.argv[1], sys.argv[2], sys.argv[3:]
counts = {}
for group in json.load(open(out))['groups']:
    for event in group['events']:
        counts[event['name']] = event['value']
sums = {}
for profile in profiles:
    names = {}
    for line in open(profile):
        word = line.split()
        if word[0] == 'kind':
            names[word[1]] = word[2]
        elif word[0] == 'cell':
            sums[names[word[2]]] = sums.get(names[word[2]], 0) + int(word[3])
        elif word[0] == 'lost':
            print('lost:', line)
weights = subprocess.run([sys.argv[0].replace('compare.py', 'raise.sh'), machine] + list(counts),
                         input='\n'.join(sums), text=True, capture_output=True)
if weights.stderr:
    print(weights.stderr)
total = dict.fromkeys(counts, 0)
for line in weights.stdout.splitlines():
    event, kind, weight = line.split()
    total[event] += float(weight) * sums[kind]
for event in counts:
    # Clocks of the uncore are caused by no instruction, and clocks of entries that have not ended
    # are in no counter.
    if 'CLOCK:' in event or 'CYCLES' in event:
        total[event] = counts[event]
    late = total[event] - counts[event]
    if 'OCCUPANCY' in event and 0 <= late < 64 * 200:
        total[event] = counts[event]
    print('ok' if total[event] == counts[event] and max(counts.values()) > 1000 else 'WRONG', event, counts[event], total[event])
PY
cat >raise.sh <<'SH'
#!/bin/bash
exec "$vpmu" run --no-feed -m "$1" -- ./weights "${@:2}"
SH
chmod +x raise.sh
export vpmu

counted() {	# counted MACHINE GROUPS PROGRAM ARGUMENT...: in out.json
	ipmu-run --on "$1" -g "$2" -q -o out -- "${@:3}" 2>err || { bad "$1 $2: $(tail -n 3 err)"; return 1; }
}
sums() {	# sums MACHINE GROUPS [child]: with it without a profile and with a child, too
	local machine=$1 groups=$2 file
	unset VPMU_PROFILE
	if [ $# = 3 ]; then
		counted "$machine" "$groups" ./mix || return
		grep '"value"' out.json >plain
	fi
	rm -rf p && mkdir p
	export VPMU_PROFILE=$scratch/p
	counted "$machine" "$groups" ./mix || return
	[ $# != 3 ] || { grep '"value"' out.json | cmp -s - plain && ok; } ||
		bad "$machine $groups: other counts with a profile"
	compare "$machine $groups" "$machine" 1
	[ $# = 3 ] || return
	rm -rf p && mkdir p
	counted "$machine" "$groups" ./mix child || return
	compare "$machine $groups, with a child" "$machine" 2
}
compare() {	# compare WHAT MACHINE FILES
	local file
	for file in p/*.vpmu-profile; do
		"$vpmu" profile "$file" >"$file.txt"
	done
	is "$1: files" "$3" "$(ls p/*.txt | wc -l)"
	./compare.py out.json "$2" p/*.txt >compared 2>&1
	[ $? = 0 ] && grep -q ^ok compared && ! grep -qv ^ok compared && ok || { bad "$1"; cat compared; }
}
sed -i '1i #!/usr/bin/env python3' compare.py
chmod +x compare.py

while read -r machine groups; do
	child=child
	for group in $groups; do
		sums "$machine" "$group" $child
		child=
	done
done <<'END'
skl-4c8t LLC_READ,CPI ARB SNOOP,L1 TLB L2 FLOPS BRANCH
hsw-4c8t LLC_READ,MEM
adl-4p4e12t MEM,CPI LLC BRANCH
mtl-6p8e2lp22t MEM,LLC CPI
nhmex-2p16c32t LLC PAGES MEM
knc-4c16t L1 L2 TLB CPI
core2-2c L1 L2 TLB VECTOR
p4-1c2t BRANCH L2 TLB
END
finish
