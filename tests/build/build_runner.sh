#!/bin/bash
# SPDX-License-Identifier: MIT
# run-tests itself: verdicts, counts, status, logs; and nothing run is not a success.
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# With lists of its own of those that run alone, and first.
runner=$scratch/runner/run-tests
mkdir "$scratch/runner"
cp "${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/run-tests" "$runner" || exit 1
printf '# patterns\nlone_*\twhy\n' >"$scratch/runner/alone"
printf '# patterns\nlong_b*\t9\nlong_*\t8\n' >"$scratch/runner/long"
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
plant interrupted.sh <<<'kill -INT $$'
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
	TEST_TIMEOUT=${limit:-1500} bash "$runner" "$scratch/logs" "${@/#/$scratch/}" >"$scratch/out" 2>&1
	[ $? = "$want" ] || fail "status is not $want: $*"
	[ "$(tail -n 1 "$scratch/out")" = "$last" ] || fail "last line is not '$last': $*"
}
says() { grep -qxF "$1" "$scratch/out" || fail "no line '$1'"; }

run 0 '1 passed, 0 failed, 0 skipped' good.sh
says 'PASS: good'
# Whatever the caller has set: times have commas in German, and nothing can be preloaded from "a b".
plant plain.sh <<<'echo "$LC_ALL ${LANGUAGE-} ${TMPDIR-}"; umask; exit 1'
mkdir "$scratch/a b"
(umask 077; LC_ALL=de_DE.UTF-8 LANGUAGE=de TMPDIR="$scratch/a b" run 1 '0 passed, 1 failed, 0 skipped' plain.sh)
says '  | C  /tmp'
says '  | 0022'
# A tree of ours that is loaded is not what tests run with; what else is there stays.
mkdir -p "$scratch/tree/lib/pkgconfig" "$scratch/tree/python/ipmu" "$scratch/other"
touch "$scratch/tree/lib/libintelpmu.so.0" "$scratch/tree/lib/pkgconfig/ipmu.pc"
plant loaded.sh <<<'echo "${LD_LIBRARY_PATH-none} ${PKG_CONFIG_PATH-none} ${PYTHONPATH-none}"; exit 1'
loaded() {	# loaded FOLDERS: what a test has, of these behind those of a tree
	LD_LIBRARY_PATH=$scratch/tree/lib$1 PKG_CONFIG_PATH=$scratch/tree/lib/pkgconfig$1 \
		PYTHONPATH=$scratch/tree/python$1 run 1 '0 passed, 1 failed, 0 skipped' loaded.sh
}
loaded ''
says '  | none none none'
loaded ":$scratch/other:/a b"
says "  | $scratch/other:/a b $scratch/other:/a b $scratch/other:/a b"
# A script in python3's place is passed by: it is in none of the processes that tests start.
if python=$(python3 -I -S -c 'import sys; print(sys.executable)' 2>/dev/null); then
	mkdir "$scratch/shims"
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >"$scratch/shims/python3"
	chmod +x "$scratch/shims/python3"
	plant interpreter.sh <<<'[ "$(type -P python3)" -ef "$PYTHON" ]'
	PYTHON=$python PATH=$scratch/shims:$PATH run 0 '1 passed, 0 failed, 0 skipped' interpreter.sh
fi
run 1 '1 passed, 1 failed, 1 skipped' good.sh bad.sh skip.sh
says 'FAIL: bad: status 3'
says '  | because'
says 'SKIP: skip: no such device'
grep -qx because "$scratch/logs/bad.log" || fail 'no log'
limit=1 run 1 '0 passed, 1 failed, 0 skipped' hang.sh
says 'FAIL: hang: no end after 1 s, or killed'
run 1 '0 passed, 1 failed, 0 skipped' killed.sh
says 'FAIL: killed: signal 11'
# As for a command that a shell has put into the background.
(trap '' INT; run 1 '0 passed, 1 failed, 0 skipped' interrupted.sh)
says 'FAIL: interrupted: signal 2'
run 1 '0 passed, 1 failed, 0 skipped' unit
run 0 '1 passed, 0 failed, 0 skipped' partly
grep -q '^PASS: partly (2 cases skipped' "$scratch/out" || fail 'skipped cases are not told'
run 0 '1 passed, 0 failed, 0 skipped' clean.sh
says '2 virtual machines: 0 violations of the register rules, 0 registers left changed'
run 1 '1 passed, 1 failed, 0 skipped' dirty.sh clean.sh
says '4 virtual machines: 3 violations of the register rules, 2 registers left changed'
says 'FAIL: dirty: its virtual machines were not left as they were found'
run 1 '0 passed, 0 failed, 1 skipped' skip.sh
# Two that wait for each other end only at the same time; one that has to be alone never sees another.
plant first.sh <<'T'
touch here.first; for ((i = 0; i < $TURNS; i++)); do [ ! -e here.second ] || exit 0; sleep 0.1; done; exit 1
T
plant second.sh <<'T'
touch here.second; for ((i = 0; i < $TURNS; i++)); do [ ! -e here.first ] || exit 0; sleep 0.1; done; exit 1
T
plant lone_one.sh <<<'touch here.one; sleep 0.2; rm here.one'
plant lone_two.sh <<<'[ ! -e here.one ]'
cd "$scratch" || exit 1
TURNS=500 TEST_JOBS=2 run 0 '4 passed, 0 failed, 0 skipped' first.sh lone_one.sh second.sh lone_two.sh
rm -f here.*
TURNS=5 TEST_JOBS=1 run 1 '1 passed, 1 failed, 0 skipped' first.sh second.sh
# Long ones first, in the order of their list; lone ones last.
for name in long_a long_b; do cp good.sh $name.sh; done
TEST_JOBS=1 run 0 '5 passed, 0 failed, 0 skipped' lone_two.sh good.sh long_a.sh partly long_b.sh
[ "$(sed -n 's/^PASS: \([a-z_]*\).*/\1/p' out | xargs)" = 'long_b long_a good partly lone_two' ] ||
	fail 'not in the order of the lists'
# The time of each, and nothing of it left when the runner is ended.
plant busy.sh <<<'echo $BASHPID >busy.pid; for ((i = 0; i < 100000; i++)); do :; done; sleep 1500'
TEST_JOBS=1 run 0 '1 passed, 0 failed, 0 skipped' good.sh
grep -qE "^good$(printf '\t')[0-9]+$(printf '\t')[0-9.]+\$" logs/times.log || fail 'no time of a test'
bash "$runner" logs ./busy.sh >out 2>&1 &
for ((i = 0; i < 15000; i++)); do [ ! -s busy.pid ] || break; sleep 0.1; done
kill $!
wait $!
[ $? = 1 ] || fail 'ended, and no failure'
for ((i = 0; i < 15000; i++)); do kill -0 "$(cat busy.pid)" 2>/dev/null || break; sleep 0.1; done
[ $i -lt 300 ] || fail 'a test outlives the runner'
run 1 '0 passed, 0 failed, 0 skipped'
exit "$failed"
