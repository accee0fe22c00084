#!/bin/bash
# SPDX-License-Identifier: MIT
# The first of PAPI's series in PAPI's tree: it builds without a warning, and its component's tests
# pass on a virtual machine. The component that the stage has counts the same there.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs git gcc
: "${PAPI_SRC:?a PAPI source tree}" "${SRCDIR:?the source tree}" "${STAGE_LIB:?the staged libraries}"
unset MAKEFLAGS MFLAGS MAKELEVEL IPMU_INCLUDES IPMU_LIBS CFLAGS CPPFLAGS LDFLAGS LIBS
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
own=components/intel_uncore

"$SRCDIR/upstream/make-series" papi "$PAPI_SRC" "$scratch/series" >"$scratch/out" 2>&1
verdict 'the series are made' $?
cp -R "$PAPI_SRC" "$scratch/papi" && cd "$scratch/papi" && git init -q && git config user.name tester &&
	git config user.email tester@localhost && git add -A -f && git commit -q -m base &&
	git am -q "$scratch/series/uncore"/*.patch >"$scratch/out" 2>&1
verdict 'the series applies' $?

# Debian's PAPI is changed so that it leaves libpfm4 out of libpapi; then programs look for both.
options=()
cd src && { grep -q '^MISCOBJS = \$(PFM_OBJS)' Rules.pfm4_pe || options=(--with-shlib-tools --with-static-lib=no \
	LDFLAGS="-Wl,-rpath,$PWD:$PWD/libpfm4/lib"); }
# PAPI's configure has asked this compiler the same before. All but the component is compiled in haste.
sed -n '/^ac_cv_\(c\|f77\|file__\(dev\|proc\|sys\)\|func\|header\|path\|prog\|safe\)_/p' \
	"${PAPI_BUILD:?}/src/config.log" >"$scratch/site"
[ "$(wc -l <"$scratch/site")" -gt 30 ]
verdict 'answers in the config.log of PAPI' $?
cat >"$scratch/cc" <<-'END'
	#!/bin/sh
	case "$*" in *intel_uncore*) exec gcc "$@" ;; esac
	exec gcc "$@" -O0 -g0
END
chmod +x "$scratch/cc"
{ CONFIG_SITE=$scratch/site ./configure CC="$scratch/cc" --with-components=intel_uncore --with-tests= "${options[@]}" && ${MAKE:-make} -j2 &&
	${MAKE:-make} -C $own/tests; } >"$scratch/out" 2>&1
verdict 'it builds' $?
grep "$own.*warning:" "$scratch/out" >"$scratch/warnings"
is 'warnings' '' "$(cat "$scratch/warnings")"

machine() { timeout 600 "$vpmu" run --strict -m skl-4c8t -- "$@"; }
for test in events triad sets; do
	machine $own/tests/intel_uncore_$test >"$scratch/out" 2>&1 && grep -q '^PASSED' "$scratch/out"
	verdict "on a virtual machine: $test" $?
	[ $test != triad ] || sed -n 's/^sum: \([0-9]*\),.*/\1/p' "$scratch/out" >"$scratch/small"
done
"$vpmu" run --no-feed --strict -m skl-4c8t -- utils/papi_native_avail -i intel_uncore >"$scratch/out" 2>&1
is 'listed events' "$(grep -c '^{' $own/skl_events.h)" "$(grep -c '^| intel_uncore:::' "$scratch/out")"

# The engine's component: the same test, linked with the staged library.
gcc -O2 -Itestlib -I. -Ivalidation_tests -o "$scratch/triad" $own/tests/intel_uncore_triad.c testlib/libtestlib.a \
	-L"$STAGE_LIB" -lpapi -Wl,-rpath,"$STAGE_LIB" >"$scratch/out" 2>&1 &&
	machine "$scratch/triad" >"$scratch/out" 2>&1
verdict 'the engine: triad' $?
engine=$(sed -n 's/^sum: \([0-9]*\),.*/\1/p' "$scratch/out")
awk -v a="$(cat "$scratch/small")" -v b="${engine:-0}" \
	'BEGIN { exit !(a > 1000000 && a <= b * 1.005 && b <= a * 1.005) }'
verdict "both count the same: $(cat "$scratch/small") and $engine" $?
finish
