#!/bin/bash
# SPDX-License-Identifier: MIT
# build-aux/check-papi and the release that build-aux/deps takes, with an apt-get that is ours.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"

mkdir "$scratch/bin" "$scratch/build" "$scratch/etc" "$scratch/etc/parts"
cat >"$scratch/etc/parts/a.sources" <<-END
	Types: deb
	URIs: http://other.example/node
	Suites: nodistro
	Components: main
END
cat >"$scratch/etc/parts/b.sources" <<-END
	Types: deb
	URIs: http://mirror.example/debian
	Suites: bookworm
	Components: main contrib
END
cat >"$scratch/bin/apt-config" <<-END
	#!/bin/sh
	echo "LIST=/none PARTS=$scratch/etc/parts"
END
# It keeps the sources that it is given. MODE: nothing can be had, or the original archive only, or that
# of Debian 13 only.
cat >"$scratch/bin/apt-get" <<-END
	#!/bin/sh
	for word; do
		case \$word in
		Dir::Etc::sourceparts=*) cat "\${word#*=}"/* >"$scratch/sources" ;;
		esac
	done
	case "\$MODE \$*" in
	'elsewhere '*--tar-only*) grep -q trixie "$scratch/sources" || exit 100 ;;
	esac
	case "\$MODE \$*" in
	*' update') ;;
	'original '*--tar-only* | 'elsewhere '*--tar-only*) cp "$scratch/papi_9.8.7.orig.tar.gz" . ;;
	*) echo "E: no network" >&2; exit 100 ;;
	esac
END
chmod +x "$scratch/bin/apt-get" "$scratch/bin/apt-config"
mkdir -p "$scratch/papi-orig/src"
echo '#define PAPI_VERSION PAPI_VERSION_NUMBER(9,8,7,0)' >"$scratch/papi-orig/src/papi.h"
tar -C "$scratch" -czf "$scratch/papi_9.8.7.orig.tar.gz" papi-orig

deps() {	# deps MODE ARGUMENT...
	MODE=$1 PATH=$scratch/bin:$PATH sh "$SRCDIR/build-aux/deps" "${@:2}" >"$scratch/out" 2>&1
}

deps original sources -r trixie "$scratch/got" papi
verdict 'the original archive is enough' $?
grep -q '(9,8,7,0)' "$scratch/got/papi-9.8.7/src/papi.h"
verdict 'and is unpacked under the name of its version' $?
cp "$scratch/sources" "$scratch/out"
[ "$(grep -v '^Signed-By' "$scratch/sources")" = "Types: deb-src
URIs: http://mirror.example/debian
Suites: trixie
Components: main" ]
verdict "the release comes from the system's own Debian mirror" $?
deps original sources "$scratch/same" papi && grep -q '^Suites: bookworm' "$scratch/sources" &&
	! grep -q trixie "$scratch/sources"
verdict "without a release: the system's" $?
deps elsewhere sources "$scratch/elsewhere" papi && [ -f "$scratch/elsewhere/papi-9.8.7/src/papi.h" ] &&
	grep -qx "deps: papi: not to be had from this system's release: it is Debian trixie's" "$scratch/out"
verdict 'another release that has it is named' $?
deps nothing sources -r sid "$scratch/none" papi
[ $? = 1 ] && grep -q 'could not fetch the sources' "$scratch/out"
verdict 'nothing to be had is an error' $?

check_papi() {	# check_papi TREES
	(cd "$scratch/build" && MODE=nothing PATH=$scratch/bin:$PATH PAPI_TREES=$1 JOBS=1 MAKE=make \
		CC="${CC:-cc}" "$SRCDIR/build-aux/check-papi") >"$scratch/out" 2>&1
}

check_papi ''
[ $? = 0 ] && [ "$(grep -c '^SKIP: PAPI of Debian .*no network' "$scratch/out")" = 2 ] &&
	[ "$(tail -n 1 "$scratch/out")" = '0 passed, 0 failed, 2 skipped' ]
verdict 'without a network: skipped, with the reason' $?
check_papi "$scratch/papi-orig"
[ $? = 1 ] && grep -q '^FAIL: it does not build' "$scratch/out" &&
	[ "$(tail -n 1 "$scratch/out")" = '0 passed, 1 failed, 0 skipped' ]
verdict 'a tree that does not build is a failure' $?
finish
