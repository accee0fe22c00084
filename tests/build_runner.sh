#!/bin/bash
# SPDX-License-Identifier: MIT
# run-tests itself: verdicts, counts, status, logs; and nothing run is not a success.
set -u
runner=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}/tests/run-tests
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "FAILED: $*"; sed 's/^/  > /' "$scratch/out"; failed=1; }

plant() {	# plant NAME: a script from standard input
	cat >"$scratch/$1"
	chmod +x "$scratch/$1"
}
plant good.sh <<<'echo fine'
plant bad.sh <<<'echo because; exit 3'
plant skip.sh <<<'echo noise; echo no such device; exit 77'
plant hang.sh <<<'sleep 100'
plant killed.sh <<<'kill -SEGV $$'
plant unit <<<'#!/bin/sh
echo "[  FAILED  ] 77 test(s)"; exit 77'
plant partly <<<'#!/bin/sh
echo "[  SKIPPED ] 2 test(s), listed below:"'

plant clean.sh <<'T'
printf '1\tm\t0\t4\t X\n1\tm\t0\t0\t\n2\tm\t0\t0\t\n' >>"$VPMU_TALLY"
T
plant dirty.sh <<'T'
printf '1\tm\t0\t0\t\n1\tm\t0\t2\t X Y\n2\tm\t3\t0\t\n' >>"$VPMU_TALLY"
T

run() {		# run WANTED-STATUS LAST-LINE TEST...
	local want=$1 last=$2
	shift 2
	TEST_TIMEOUT=1 bash "$runner" "$scratch/logs" "${@/#/$scratch/}" >"$scratch/out" 2>&1
	[ $? = "$want" ] || fail "status is not $want: $*"
	[ "$(tail -n 1 "$scratch/out")" = "$last" ] || fail "last line is not '$last': $*"
}
says() { grep -qxF "$1" "$scratch/out" || fail "no line '$1'"; }

run 0 '1 passed, 0 failed, 0 skipped' good.sh
says 'PASS: good'
run 1 '1 passed, 1 failed, 1 skipped' good.sh bad.sh skip.sh
says 'FAIL: bad: status 3'
says '  | because'
says 'SKIP: skip: no such device'
grep -qx because "$scratch/logs/bad.log" || fail 'no log'
run 1 '0 passed, 1 failed, 0 skipped' hang.sh
run 1 '0 passed, 1 failed, 0 skipped' killed.sh
says 'FAIL: killed: signal 11'
run 1 '0 passed, 1 failed, 0 skipped' unit
run 0 '1 passed, 0 failed, 0 skipped' partly
grep -q '^PASS: partly (2 cases skipped' "$scratch/out" || fail 'skipped cases are not told'
run 0 '1 passed, 0 failed, 0 skipped' clean.sh
says '2 virtual machines: 0 violations of the register rules, 0 registers left changed'
run 1 '1 passed, 1 failed, 0 skipped' dirty.sh clean.sh
says '4 virtual machines: 3 violations of the register rules, 2 registers left changed'
says 'FAIL: dirty: its virtual machines were not left as they were found'
run 1 '0 passed, 0 failed, 1 skipped' skip.sh
# Two that wait for each other end only at the same time; one that tests/alone names never sees another.
plant first.sh <<'T'
touch here.first; for i in {1..8}; do [ ! -e here.second ] || exit 0; sleep 0.1; done; exit 1
T
plant second.sh <<'T'
touch here.second; for i in {1..8}; do [ ! -e here.first ] || exit 0; sleep 0.1; done; exit 1
T
plant mpi_one.sh <<<'touch here.one; sleep 0.2; rm here.one'
plant mpi_two.sh <<<'[ ! -e here.one ]'
cd "$scratch" || exit 1
TEST_JOBS=2 run 0 '4 passed, 0 failed, 0 skipped' first.sh mpi_one.sh second.sh mpi_two.sh
rm -f here.*
TEST_JOBS=1 run 1 '1 passed, 1 failed, 0 skipped' first.sh second.sh
run 1 '0 passed, 0 failed, 0 skipped'
exit "$failed"
