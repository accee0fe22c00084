#!/bin/bash
# SPDX-License-Identifier: MIT
# EasyBuild's recipes, without EasyBuild: evaluated as the Python that they are. Archives and dependencies are
# those of Spack's recipe, the options configure's.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${SRCDIR:?the source tree}" "${VERSION:?}"
needs python3
"$SRCDIR/configure" --help >"$scratch/help"
verdict "configure's options" $?
python3 "$SRCDIR/tests/support/easyconfig.py" "$SRCDIR" "$VERSION" "$scratch/help" >"$scratch/out" 2>&1
verdict 'the recipes' $?
cat "$scratch/out"
finish
