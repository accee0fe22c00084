#!/bin/bash
# SPDX-License-Identifier: MIT
# What was built: run paths, symbols, one libpfm4, and a stage that works wherever it is moved.
set -u
: "${STAGE:?the staged tree}" "${STAGE_LIB:?its libraries}" "${BUILDDIR:?}"
lib=${STAGE_LIB#"$STAGE"/}
to_lib=$(realpath --relative-to="$STAGE/bin" "$STAGE_LIB")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
unset LD_LIBRARY_PATH

elf_files() {
	local file magic
	while read -r file; do
		IFS= LC_ALL=C read -r -d '' -n 4 magic <"$file"
		[[ $magic != $'\x7fELF' ]] || echo "$file"
	done < <(find "$STAGE/bin" "$STAGE_LIB" -type f \( -perm -100 -o -name '*.so*' \))
}

# -- nothing points into the build tree; two commands may get file capabilities, and so name where libraries
# get installed after the way from where they are
mapfile -t elf < <(elf_files)
[ "${#elf[@]}" -gt 10 ] || fail "${#elf[@]} programs and libraries"
declare -A paths=()
while IFS=$'\t' read -r file path; do
	paths["$file"]=$path
done < <(readelf -d "${elf[@]}" | sed -n -e 's/^File: //; T path; h; d' \
	-e ':path' -e 's/.*R\(UN\|\)PATH).*\[\(.*\)\]/\2/; T; H; x; s/\n/\t/p')
for file in "${elf[@]}"; do
	path=${paths["$file"]-}
	case ${file%/*}:$path in
	*: | "$STAGE/bin:\$ORIGIN/$to_lib" | "$STAGE_LIB":'$ORIGIN') ;;
	"$STAGE/bin:\$ORIGIN/$to_lib:/"*)
		[[ ${file##*/} = ipmu-run || ${file##*/} = ipmu-check ]] && [[ $path != *"$BUILDDIR"* ]] ||
			fail "run path of $file: $path" ;;
	*":\$ORIGIN:\$ORIGIN/$to_lib")
		# PAPI's programs and libraries are linked with the same options; a library searches its
		# own folder first, as other libraries of the same name may be in the programs' path.
		[[ ${file##*/} = papi_* || ${file##*/} = libpapi.so.* || ${file##*/} = libsde.so.* ]] ||
			fail "run path of $file: $path" ;;
	*) fail "run path of $file: $path" ;;
	esac
done
text=$(grep -rlIF "$BUILDDIR" "$STAGE" | grep -v '/share/ipmu/\(env.sh\|modulefile\)$')
[ -z "$text" ] || fail "the build folder is named in: $text"

# -- one libpfm4: libpapi.so takes it from libpfm.so and has none of its own
papi=$STAGE_LIB/libpapi.so
readelf -d "$papi" | grep -q 'NEEDED.*\[libpfm\.so\.4\]' || fail 'libpapi.so does not need libpfm.so.4'
nm -D "$papi" | grep -q ' U pfm_initialize$' || fail 'libpapi.so does not use pfm_initialize'
[ -z "$(nm "$papi" | grep ' [TtDd] pfm_\(initialize\|find_event\|get_version\)$')" ] ||
	fail 'libpapi.so has a copy of libpfm4'
LD_TRACE_LOADED_OBJECTS=1 "$STAGE/bin/papi_avail" >"$scratch/loaded"
[ "$(grep -c 'libpfm' "$scratch/loaded")" = 1 ] || fail 'not exactly one libpfm is loaded'
grep 'libpfm' "$scratch/loaded" | grep -q "$STAGE/" || fail "libpfm is not the stage's"
readelf -d "$papi" | grep -q 'SONAME.*\[libpapi\.so\.7\.[0-9]\]' || fail 'soname of libpapi.so'

# -- the tables that were added are in the library that was built
if [ -d "${SRCDIR:?}/pfm_events" ]; then
	for file in "$STAGE_LIB"/libpfm.{a,so} "$STAGE/bin/showevtinfo"; do
		grep -qa skl_unc_cbo0 "$file" || fail "$file has no Skylake uncore tables"
	done
fi

# -- what documents lead to is installed with them
links=0
while IFS=: read -r document link; do
	links=$((links + 1))
	[ -e "${document%/*}/$link" ] || fail "$document leads to $link, which is not there"
done < <(find "$STAGE" -path '*/doc/*' -name '*.md' -exec grep -oH '](\([^)#]*\)' {} + |
	sed 's/:](/:/' | grep -v ':https\{0,1\}:')
[ "$links" -gt 20 ] || fail "documents have $links links"

# -- scripts find their interpreter
scripts=0
for file in "$STAGE"/bin/*; do
	IFS= LC_ALL=C read -r -d '' -n 2 magic <"$file"
	[ "$magic" = '#!' ] || continue
	scripts=$((scripts + 1))
	"$file" --help >"$scratch/out" 2>&1 || fail "$file --help: $(cat "$scratch/out")"
done
[ "$scripts" -gt 0 ] || fail 'no script in bin'

# -- moved elsewhere it works as before
cp -a "$STAGE" "$scratch/moved"
"$scratch/moved/bin/papi_component_avail" >"$scratch/out" 2>&1 || fail 'moved papi_component_avail'
grep -q '^Name: *perf_event ' "$scratch/out" || fail 'moved papi_component_avail shows nothing'
for component in intel_core intel_uncore; do
	[ ! -f "$SRCDIR/component/$component/Rules.$component" ] ||
		grep -q "^Name: *$component " "$scratch/out" || fail "no component $component"
done
if command -v pkg-config >/dev/null; then
	got=$(PKG_CONFIG_PATH=$scratch/moved/$lib/pkgconfig pkg-config --variable=libdir papi)
	[ "$got" -ef "$scratch/moved/$lib" ] || fail "papi.pc of the moved tree: libdir=$got"
	printf '#include <ipmu.h>\nint main(void) { return ipmu_type_name == 0; }\n' >"$scratch/t.c"
	flags=$(PKG_CONFIG_PATH=$scratch/moved/$lib/pkgconfig pkg-config --cflags --libs ipmu) ||
		fail 'ipmu.pc'
	${CC:-cc} "$scratch/t.c" -o "$scratch/t" $flags && "$scratch/t" ||
		fail "a program does not build and run with ipmu.pc: $flags"
fi
# -- after a change of the engine a unit test needs what it runs, and not PAPI
source=component/engine/pmu/client_window.c
planned() {	# planned TARGET TEST CHANGED-FILE...: what make would do
	local target=$1 test=$2 file changed=()
	shift 2
	for file; do
		changed+=(-W "$file" -W "${SRCDIR:?}/$file")
	done
	"${MAKE:-make}" -C "$BUILDDIR" -n "${changed[@]}" "$target" TESTS="$test" 2>/dev/null |
		sed "/run-tests/d; s,$BUILDDIR,,g; s,$SRCDIR,,g"
}
if [ -x "$BUILDDIR/obj/tests/engine_clients" ]; then
	planned check-unit engine_clients $source >"$scratch/unit"
	for part in client_window ipmu-restore tests/engine_clients; do
		grep -q "$part" "$scratch/unit" || fail "check-unit does not build $part after an edit"
	done
	! grep -qiE 'papi|mpicc' "$scratch/unit" || fail 'check-unit links PAPI after an edit'
	planned check engine_clients $source | grep -qi papi || fail 'check does not link PAPI after an edit'
fi
# -- one test builds no fuzzers, nor MPI programs, unless it runs them
planned check layers mpi_examples/stream.c >"$scratch/one"
! grep -qE 'fuzz-link|-o obj/[a-z]*/mpi_examples' "$scratch/one" || fail 'layers builds what other tests run'
planned check fuzz_short | grep -q fuzz-link || fail 'fuzz_short builds no fuzzers'
if [ -d "$BUILDDIR/obj/${MPICC:+${MPIS%% *}}/mpi_examples" ]; then
	planned check mpi_run mpi_examples/stream.c | grep -q -e '-o obj/[a-z]*/mpi_examples' || fail 'mpi_run builds no MPI programs'
fi
# -- a name of no test is an error, also beside one of a test
"${MAKE:-make}" -C "$BUILDDIR" -n check TESTS='layers lairs' >"$scratch/out" 2>&1 &&
	fail 'make check takes the name of no test'
grep -q 'there is no test lairs;' "$scratch/out" || fail 'make check does not name it'
exit "$failed"
