#!/bin/bash
# SPDX-License-Identifier: MIT
# build-aux/papi-suite's comparison, on two builds that are made up.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
cd "$scratch" || exit 1
mkdir -p papi-suite/{stock,ours}/src/{ctests,ftests,validation_tests,components/x/tests}
touch -d tomorrow papi-suite/{libpfm4,stock,ours}.built
for build in stock ours; do
	echo ctests/burn >papi-suite/$build/src/run_tests_exclude.txt
done

# What tests print, as in run_tests.sh and by themselves. A component's verdict is on the next
# line.
say() {		# say BUILD TEST VERDICT [VERDICT-IF-TRIED-AGAIN]
	printf 'echo "Running ctests/%s:   %s"\n' "$2" "$3" >>"papi-suite/$1/src/run_tests.sh"
	printf '#!/bin/sh\necho "%s"\n' "${4:-$3}" >"papi-suite/$1/src/ctests/$2"
	chmod +x "papi-suite/$1/src/ctests/$2"
}

suite() {	# status and output of the comparison
	SUITE_MACHINES='' PAPI_SRC=none LIBPFM4_SRC=none PFM=none OURS='' VPMU=none MAKE=make JOBS=1 \
		CC=cc bash "$SRCDIR/build-aux/papi-suite" >out 2>&1
}

for build in stock ours; do
	say $build same PASSED
	say $build noted 'PASSED with WARNING'
	say $build silent ''
	printf 'echo "Running components/x/tests/y:"\necho "     SKIPPED"\n' \
		>>papi-suite/$build/src/run_tests.sh
done
say stock better 'FAILED!!!'
say ours better SKIPPED
suite
verdict 'what is no worse passes' $?
tr -s ' ' <out | grep -A 2 '^host tests pass skip fail' >table &&
	grep -qx ' stock 5 2 1 1 0 0' table && grep -qx ' stock: 1 without a verdict' table
verdict 'verdicts are counted' $?
grep -qx '  host ctests/better: fail, with our components skip' out &&
	[ "$(tail -n 1 out)" = '5 passed, 0 failed, 0 skipped' ]
verdict 'and differences told' $?

say stock flaky PASSED
say ours flaky 'FAILED!!!' PASSED
suite
verdict 'a test that fails once only is no worse' $?

say stock worse PASSED
say ours worse SKIPPED
say stock gone PASSED
suite
[ $? = 1 ] && grep -qx 'FAIL: host ctests/worse: pass without our components, skip with them' out &&
	[ "$(tail -n 1 out)" = '6 passed, 2 failed, 0 skipped' ]
verdict 'a pass that is skipped, or missing, is a failure' $?

for build in stock ours; do
	printf 'echo "Running ctests/slow:"\nvalgrind -q ./ctests/slow\n' >>papi-suite/$build/src/run_tests.sh
	printf '#!/bin/sh\nsleep 90\necho PASSED\n' >papi-suite/$build/src/ctests/slow
	chmod +x papi-suite/$build/src/ctests/slow
done
for build in stock ours; do
	say $build wants 'FAILED!!! Event does not exist'
done
SUITE_LIMIT=3 suite
tr -s ' ' <out | grep -qx ' ours 9 2 3 2 1 0'
verdict 'a test has a limit' $?
grep -qx '  host ctests/wants: fail in both: PAPI has no such event on this machine' out &&
	grep -qx '  host ctests/slow: long in both: no reason is stated' out
verdict 'what is missing in both is told' $?
SUITE_LIMIT=3 SUITE_TESTS=ctests/same suite
excluded=papi-suite/ours/src/run_tests_exclude.txt
grep -qx ctests/burn $excluded && grep -qx ctests/slow $excluded && ! grep -qx ctests/same $excluded
verdict 'what is not chosen is among what PAPI leaves out' $?
SUITE_LIMIT=3 suite
[ "$(cat $excluded)" = ctests/burn ]
verdict 'and is chosen again' $?
finish
