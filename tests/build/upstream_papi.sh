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

# upstream_series applies it with git am. All of its files are new, so it is the same from any tree.
mkdir "$scratch/base" && cp "$PAPI_SRC/src/papi.h" "$scratch/base" &&
	"$SRCDIR/upstream/make-series" papi-uncore "$scratch/base" "$scratch/series" >"$scratch/out" 2>&1
verdict 'the series is made' $?
cp -R "$PAPI_SRC" "$scratch/papi" && cd "$scratch/papi" && git apply "$scratch/series"/*.patch >"$scratch/out" 2>&1
verdict 'the series applies' $?

# PAPI's configure has tested this compiler before. All but the component is compiled without optimization,
# and libpfm4 is the build's.
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
cd src && { CONFIG_SITE=$scratch/site CONFIG_SHELL=$BASH ./configure CC="$scratch/cc" --with-components=intel_uncore --with-tests= \
	--with-pfm-root="${LIBPFM4_BUILD:?}" --with-shlib-tools --with-static-lib=no LDFLAGS="-Wl,-rpath,$PWD:$LIBPFM4_BUILD/lib" &&
	${MAKE:-make} -j2 shared && ${MAKE:-make} -C testlib libtestlib.a && ${MAKE:-make} -C utils papi_native_avail &&
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
