#!/bin/bash
# SPDX-License-Identifier: MIT
# component/add-to-papi on a real PAPI tree, or what it reads of one: all is added or nothing, and a
# second time nothing. That what was added builds and counts is for `make check-papi`.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${PAPI_SRC:?a PAPI source tree}" "${SRCDIR:?the source tree}"
add=$SRCDIR/component/add-to-papi

pristine=$scratch/pristine
mkdir -p "$pristine/src/components"
cp "$PAPI_SRC"/src/{papi.h,papi_preset.h,papi_events.csv,configure,configure.in} "$pristine/src/"
cp -R "$PAPI_SRC/src/components/example" "$pristine/src/components/"
tar -C "$PAPI_SRC/src" --exclude='*.[ao]' --exclude='*.so*' -cf - libpfm4/{README,include,lib,docs,tests} | tar -C "$pristine/src" -xf -

tree=$scratch/tree
fresh() {
	rm -rf "$tree" && cp -Rp "$pristine" "$tree"
}

checksum() {
	tar -C "$tree" --sort=name --mtime=@0 -cf - . | cksum
}

refuses() {	# refuses NAME TEXT: status 1, TEXT in what it says, nothing changed
	local before rc
	before=$(checksum)
	"$add" "$tree" >"$scratch/out" 2>&1
	rc=$?
	[ "$rc" = 1 ] && grep -qF "$2" "$scratch/out" && [ "$(checksum)" = "$before" ]
	verdict "$1" $?
}

damaged() {	# damaged FILE SED-PROGRAM
	fresh
	sed -i "$2" "$tree/$1"
}

# -- what it refuses

mkdir "$tree"
refuses 'an empty folder' 'is not a PAPI source tree: src/papi.h is missing'
damaged src/papi.h 's/^\(#define PAPI_VERSION[^0-9]*\)7,/\16,/'
refuses 'an old PAPI' 'PAPI 6.'
damaged src/configure '/check for SDE component to determine/d'
refuses 'a configure without its place' 'src/configure: no line matches'
damaged src/configure.in '/check for component tests/d'
refuses 'a configure.in without its place' 'src/configure.in: no line matches'
damaged src/libpfm4/lib/pfmlib_common.c '/&intel_x86_arch_support,/d'
refuses 'a libpfm4 that is not understood' 'pfmlib_common.c: no line matches'
fresh
echo mine >"$tree/src/components/intel_uncore"
refuses 'a file in the place of a folder' 'nothing was changed'
fresh
mkdir "$tree/src/components/intel_pmu"
echo 'int stranger;' >"$tree/src/components/intel_pmu/stranger.c"
refuses "a file that is not this version's" 'stranger.c is of another version'
fresh
mkdir "$tree/src/components/intel_core"
echo '/* older */' >"$tree/src/components/intel_core/intel_core.c"
refuses 'another version of a file' 'intel_core.c exists and is another version'

# libpfm4 is last: what cannot be written there undoes the rest.
fresh
mkdir "$scratch/edit"
cp -R "$SRCDIR"/{component,facts,pfm_events,hwloc_topo,common,LICENSE} "$scratch/edit/"
printf '#!/bin/sh\ncase "$*" in *--check*) exit 2 ;; esac\necho no space; exit 1\n' \
	>"$scratch/edit/pfm_events/add-to-libpfm4"
add=$scratch/edit/component/add-to-papi
refuses 'tables that cannot be written' 'no space: everything was put back'
add=$SRCDIR/component/add-to-papi

# -- what it does

fresh
"$add" --check "$tree" >"$scratch/out"
[ $? = 2 ] && grep -qx 'components: missing' "$scratch/out" && grep -qx 'skl_unc: missing' "$scratch/out"
verdict 'nothing is there at first' $?
"$add" "$tree" >"$scratch/out" 2>&1
verdict 'it is added' $?
"$add" --check "$tree" >"$scratch/out" && ! grep -v ': present$' "$scratch/out"
verdict 'then all is present' $?
before=$(checksum)
"$add" "$tree" >"$scratch/out" && grep -q 'nothing changed' "$scratch/out" && [ "$(checksum)" = "$before" ]
verdict 'a second run changes nothing' $?

count() {	# count FOLDER...: C files
	find "$@" -name pmutopo -prune -o -name tests -prune -o -name '*.c' -print | wc -l
}
[ "$(count "$tree"/src/components/intel_{pmu,core,uncore})" = "$(cd "$SRCDIR" &&
	count component/{engine,papi_glue,intel_core,intel_uncore} hwloc_topo)" ]
verdict 'engine, topology and both components are there' $?
! grep -rn 'papi_glue\|PAPI_GLUE_' "$tree/src/components" | grep -v '_PAPI_GLUE\|define PAPI_GLUE\|ifndef PAPI_GLUE'
verdict 'no word of the folder that has another name there' $?
bash -n "$tree/src/configure"
verdict 'configure is a shell script still' $?
for file in configure configure.in; do
	diff "$pristine/src/$file" "$tree/src/$file" | sed -n 's/^> //p' >"$scratch/$file"
	[ "$(wc -l <"$scratch/$file")" = 9 ] && [ "$(grep -c '^<' <(diff "$pristine/src/$file" \
		"$tree/src/$file"))" = 0 ]
	verdict "$file has nine lines more and none less" $?
done
# -- presets: what PAPI 7.2 has of components, whichever PAPI this is

rows() {
	grep -c '^PRESET,PAPI_INTEL_' "$tree/src/papi_events.csv"
}
fresh
sed -i '/_papi_load_preset_table_component/d' "$tree/src/papi_preset.h"
"$add" "$tree" >"$scratch/out" 2>&1 && cmp "$pristine/src/papi_events.csv" "$tree/src/papi_events.csv" &&
	! ls "$tree"/src/components/*/papi_*_presets.h 2>/dev/null
verdict 'an older PAPI gets no presets' $?
fresh
grep -q _papi_load_preset_table_component "$tree/src/papi_preset.h" ||
	echo 'int _papi_load_preset_table_component( char *comp_str, char *name, int cidx );' >>"$tree/src/papi_preset.h"
"$add" "$tree" >"$scratch/out" 2>&1 && [ "$(rows)" -gt 60 ]
verdict 'a newer one has their rows' $?
sed '/^CPU,/q' "$tree/src/papi_events.csv" | grep -q '^intel_core,core_fixed$' &&
	diff "$pristine/src/papi_events.csv" "$tree/src/papi_events.csv" >"$scratch/rows"
[ $? = 1 ] && ! grep -q '^<' "$scratch/rows"
verdict 'before those of CPUs, which are as they were' $?
for name in intel_core intel_uncore; do
	folder=$tree/src/components/$name
	! diff <(sed -n 's/^#define \(PAPI_[A-Z_]*\) (.*/\1/p' "$folder/papi_${name}_std_event_defs.h" | sort) \
		<(sed -n "s/^PRESET,\(PAPI_${name^^}_[^,]*\),.*/\1/p" "$tree/src/papi_events.csv" | sort -u) |
		grep .
	verdict "each preset of $name counts something, and nothing else is counted" $?
	printf '%s\n' '#include <stddef.h>' '#define PAPI_PRESET_MASK ((int)0x80000000)' \
		'#define PAPI_PRESET_BIT_INS 1' '#define PAPI_PRESET_BIT_MSC 1' '#define PAPI_PRESET_BIT_BR 1' \
		'#define PAPI_PRESET_BIT_CACH 1' '#define PAPI_PRESET_BIT_MEM 1' \
		"#define PAPI_${name}_PRESET_OFFSET 128" \
		'typedef struct { char *symbol, *short_descr, *long_descr; int event_type; } hwi_presets_t;' \
		"#include \"papi_${name}_std_event_defs.h\"" "#include \"papi_${name}_presets.h\"" >"$scratch/presets.c"
	${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$folder" -c -o "$scratch/presets.o" \
		"$scratch/presets.c" >"$scratch/out" 2>&1
	verdict "its headers compile" $?
done
sed -i 's/^PRESET,PAPI_INTEL_UNCORE_MEM_BYTES/&_OLD/' "$tree/src/papi_events.csv"
refuses 'rows of another version' "has 'PAPI_INTEL_UNCORE_' already"
finish
