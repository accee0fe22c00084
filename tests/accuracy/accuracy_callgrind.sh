#!/bin/bash
# SPDX-License-Identifier: MIT
# Profiles of ipmu-run against Valgrind's callgrind with caches of the same geometry: gzip, sort, sqlite3
# and a program in C++. callgrind.py has the limits.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run valgrind python3 gzip sort
ldd "$(command -v ipmu-run)" | grep -q libdw || { echo 'ipmu-run was built without libdw'; exit 77; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$scratch" || exit 1
# skl-4c8t: L1s of 32 KiB with 8 ways, an LLC of 8 MiB with 16.
compare() {	# compare NAME PROGRAM...: with the same input
	local name=$1
	shift
	rm -f P.callgrind.*
	valgrind --tool=callgrind --skip-plt=no --callgrind-out-file=theirs --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 \
		--LL=8388608,16,64 "$@" <input >/dev/null 2>out
	verdict "$name: callgrind" $?
	ipmu-run --on skl-4c8t -g LLC_READ --profile -o P "$@" <input >/dev/null 2>out && ! grep '^  the profile' out
	verdict "$name: ipmu-run" $?
	python3 "$here/callgrind.py" P.callgrind.* theirs >out
	verdict "$name: functions" $?
	echo "$name: $(tail -n 1 out)"
}
export LC_ALL=C
awk 'BEGIN { for (i = 0; i < 30000; i++) printf "%d %x\n", (i * 7919) % 60013, i * 2654435761 }' >input
compare gzip gzip -c
compare sort sort --parallel=1 -S 64M
if ! command -v sqlite3 >/dev/null; then
	echo "no sqlite3 here"
else
	{
		echo 'create table t(a integer, b text); begin;'
		awk 'BEGIN { for (i = 0; i < 2000; i++) printf "insert into t values(%d, \"%x\");\n", (i * 7919) % 4001, i }'
		echo 'commit; create index i on t(a); select count(*), sum(length(b)) from t where a > 17;'
	} >input
	compare sqlite3 sqlite3 :memory:
fi
cxx=$(command -v g++ || command -v clang++)
if [ -n "$cxx" ]; then
	"$cxx" -g -O2 -o tree "$here/tree.cc" && compare C++ ./tree
fi
finish
