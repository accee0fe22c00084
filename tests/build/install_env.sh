#!/bin/bash
# SPDX-License-Identifier: MIT
# env.sh and the modulefile: what they set, twice over, in several shells, and in a moved tree.
set -u
: "${STAGE:?the staged tree}" "${STAGE_LIB:?its libraries}"
lib=${STAGE_LIB#"$STAGE"/}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
here=$STAGE

source_in() {	# source_in SHELL TIMES NAME=VALUE...: the variables afterwards, one a line
	local shell=$1 times=$2
	shift 2
	env -i PATH=/usr/bin:/bin "$@" "$shell" -euc '
		i=0
		while [ $i -lt '"$times"' ]; do . "$0/share/ipmu/env.sh"; i=$((i + 1)); done
		printf "%s\n" "PATH=$PATH" "LD=$LD_LIBRARY_PATH" "MAN=$MANPATH" "PC=$PKG_CONFIG_PATH" \
			"PYTHON=$PYTHONPATH"
		env | grep -c "^\(PATH\|LD_LIBRARY_PATH\|MANPATH\|PKG_CONFIG_PATH\|PYTHONPATH\)="
		set | grep "^ipmu" || :
	' "$here"
}
wanted() {	# wanted LD MAN
	printf '%s\n' "PATH=$here/bin:/usr/bin:/bin" "LD=$here/$lib$1" "MAN=$here/share/man:$2" \
		"PC=$here/$lib/pkgconfig" "PYTHON=$here/share/ipmu/python" 5
}
for shell in dash bash ksh zsh; do
	command -v "$shell" >/dev/null || continue
	for times in 1 2 3; do
		diff <(wanted '' '') <(source_in "$shell" $times) || fail "$shell, $times times"
	done
	diff <(wanted :/x/lib /x/man) <(source_in "$shell" 2 LD_LIBRARY_PATH=/x/lib MANPATH=/x/man) ||
		fail "$shell, variables set before"
done

# -- a moved tree: bash detects it, other shells need the path
cp -a "$STAGE" "$scratch/moved dir" 2>/dev/null
here="$scratch/moved dir"
diff <(wanted '' '') <(source_in bash 2) || fail 'bash, moved'
diff <(wanted '' '') <(source_in dash 2 IPMU_PREFIX="$here") || fail 'dash, moved'

# -- stock programs that need libpapi's soname get this one
here=$STAGE
stock=$(find /usr/bin -name papi_native_avail 2>/dev/null)
soname=$(readelf -d "$STAGE_LIB/libpapi.so" | sed -n 's/.*SONAME).*\[\(.*\)\]/\1/p')
if [ -n "$stock" ] && readelf -d "$stock" | grep -qF "[$soname]"; then
	. "$STAGE/share/ipmu/env.sh"
	ldd "$stock" | grep -q "$STAGE_LIB/libpapi" || fail "$stock does not take the stage's libpapi"
	"$VPMU" run -m skl-4c8t -- "$stock" -i skl_unc_imc >"$scratch/stock" 2>&1
	grep -q 'intel_uncore:::skl_unc_imc.DRAM_DATA_READS' "$scratch/stock" ||
		fail "$stock does not list our events"
else
	echo 'not tried: no stock papi_native_avail of the same soname here'
fi

# -- the modulefile is Tcl and sets the same variables
if command -v tclsh >/dev/null; then
	tclsh >"$scratch/module" <<-END || fail 'the modulefile is no Tcl'
	proc module-whatis {args} {}
	proc conflict {args} {}
	proc prepend-path {name value} { puts "\$name=\$value" }
	proc append-path {name value} { puts "\$name+=\$value" }
	source $STAGE/share/ipmu/modulefile
	END
	diff "$scratch/module" - <<-END || fail 'what the modulefile sets'
	PATH=$STAGE/bin
	LD_LIBRARY_PATH=$STAGE_LIB
	MANPATH=$STAGE/share/man
	MANPATH+=
	PKG_CONFIG_PATH=$STAGE_LIB/pkgconfig
	PYTHONPATH=$STAGE/share/ipmu/python
	END
fi
exit "$failed"
