#!/bin/bash
# SPDX-License-Identifier: MIT
# Spack's recipe, without Spack: evaluated by a stand-in for its directives, for every choice of
# variants. Its options are configure's, its dependencies those that build-aux/deps has.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${SRCDIR:?the source tree}" "${VERSION:?}" "${PAPI_SRC:?}" "${LIBPFM4_SRC:?}"
needs python3
"$SRCDIR/configure" --help >"$scratch/help" && sh "$SRCDIR/build-aux/deps" table >"$scratch/table"
verdict "configure's options and the packages" $?

# All but what only tests and the build of QEMU's system emulation use: one line each, Debian's
# package, Spack's, and the variant that it belongs to.
cat >"$scratch/names" <<-'END'
	gcc c
	libc6-dev -
	make gmake
	pkg-config pkgconfig
	libhwloc-dev hwloc
	libjson-c-dev json-c
	libzydis-dev zydis
	libmuparser-dev muparser
	libdw-dev elfutils
	libopenmpi-dev mpi mpi
	ninja-build ninja vpmu
	python3-venv python vpmu
	libglib2.0-dev glib vpmu
END
python3 "$SRCDIR/tests/support/spack_recipe.py" "$SRCDIR/spack" "$scratch" "$VERSION" >"$scratch/out" 2>&1
verdict 'the recipe' $?
cat "$scratch/out"
finish
