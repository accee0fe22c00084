#!/bin/bash
# SPDX-License-Identifier: MIT
# Which programs load this libpapi: docs/installing.md has the table of releases that configure reads; configure,
# env.sh and the modulefile name the soname; and ipmu-config reports what a program loads.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${STAGE:?the staged tree}" "${STAGE_LIB:?its libraries}" "${SRCDIR:?}" "${LIBPFM4_SRC:?a libpfm4 source tree}"
cd "$scratch" || exit 1
unset LD_LIBRARY_PATH IPMU_PREFIX CC CFLAGS MAKEFLAGS
table=$SRCDIR/build-aux/papi-releases

is 'the table of docs/installing.md' \
	"$(awk -F '\t' '!/^#/ { printf "| %s | %s | `%s` | %s |\n", $2, $3, $4, $5 }' "$table")" \
	"$(grep '^| Debian [1-9s]' "$SRCDIR/docs/installing.md")"
is 'sonames have the first two numbers of a version' '' \
	"$(awk -F '\t' '!/^#/ { v = $3; sub(/\.[0-9]*$/, "", v); if ($4 != "libpapi.so." v) print }' "$table")"

soname=$(readelf -d "$STAGE_LIB/libpapi.so" | sed -n 's/.*SONAME).*\[\(.*\)\]/\1/p')
for file in env.sh modulefile; do
	grep -qF " $soname " "$STAGE/share/ipmu/$file"
	verdict "$file names $soname" $?
done

# -- configure compares the version with the release's own
mkdir -p tree/component/engine papi/src build
cp -r "$SRCDIR"/{configure,Makefile.in,build-aux} tree && cp "$SRCDIR/component/engine/ipmu.h" tree/component/engine
says() {	# says VERSION SENTENCE
	echo "#define PAPI_VERSION  PAPI_VERSION_NUMBER(${1//./,},0)" >papi/src/papi.h
	(cd build && ../tree/configure --with-papi-src=../papi --with-libpfm4-src="$LIBPFM4_SRC" --without-mpi \
		--without-qemu) >out 2>&1
	verdict "configure with PAPI $1" $?
	grep -qF "Programs load it as libpapi.so.${1%.*}. $2" out
	verdict "with PAPI $1: $2" $?
}
own=$(. /etc/os-release && awk -F '\t' -v name="${VERSION_CODENAME-}" '$1 == name' "$table")
if [ -n "$own" ]; then
	IFS=$'\t' read -r _ release version stock _ <<<"$own"
	says "$version" "Those that were built with $release's PAPI load it, too."
	says 7.3.0 "Those that were built with $release's PAPI load $stock instead: build them again."
else
	says 7.3.0 'The PAPI of this system is not known to configure.'
fi

# -- ipmu-config
check() {	# check WHAT STATUS TEXT COMMAND...: the text is somewhere in the output
	local what=$1 status=$2 text=$3
	shift 3
	"$@" >out 2>&1
	is "$what: the status" "$status" $?
	grep -qF "$text" out
	verdict "$what: '$text'" $?
}
config=$STAGE/bin/ipmu-config
with_env() { (. "$STAGE/share/ipmu/env.sh" && "$@"); }
echo 'int PAPI_is_initialized(void); int main(void) { return PAPI_is_initialized(); }' >program.c
echo 'int PAPI_is_initialized(void) { return 0; }' >other.c
echo 'int main(void) { return 0; }' >none.c
cc=${CC:-cc}
$cc program.c -o program -L"$STAGE_LIB" -lpapi -Wl,-rpath-link,"$STAGE_LIB" &&
	mkdir other && $cc -shared -fPIC -Wl,-soname,libpapi.so.5.9 other.c -o other/libpapi.so.5.9 &&
	$cc program.c -o old other/libpapi.so.5.9 -Wl,-rpath,"$scratch/other" &&
	mkdir same && $cc -shared -fPIC -Wl,-soname,"$soname" other.c -o "same/$soname" &&
	$cc -static none.c -o static && $cc none.c -o none
verdict 'programs' $?
check 'after env.sh' 0 "$soname: $STAGE_LIB/$soname: this installation's" with_env "$config" --check ./program
check 'its libpfm' 0 "libpfm.so.4: $STAGE_LIB/libpfm.so.4: this installation's" with_env "$config" --check ./program
check 'our own command' 0 "this installation's" "$config" --check "$STAGE/bin/papi_avail"
check 'without a program' 0 "$STAGE/bin/papi_component_avail" with_env "$config" --check
check 'another PAPI of this soname' 1 "without our components: run '. $(realpath "$STAGE")/share/ipmu/env.sh' first" \
	env LD_LIBRARY_PATH="$scratch/same" "$config" --check ./program
check 'another soname' 1 "libpapi.so.5.9: $scratch/other/libpapi.so.5.9: another PAPI than this installation's $soname" \
	with_env "$config" --check ./old
check 'no PAPI' 1 'libpapi: none' "$config" --check ./none
check 'a static program' 1 'static' "$config" --check ./static
check 'a script' 1 'no dynamic program' "$config" --check "$config"
check 'no program' 2 'there is no program ./nothing' "$config" --check ./nothing
check 'no option' 2 "unknown option ''" "$config"
check 'an unknown option' 2 "unknown option '--cheque'" "$config" --cheque
check 'two programs' 2 'one program at a time' "$config" --check ./none ./old
finish
