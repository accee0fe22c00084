#!/bin/bash
# SPDX-License-Identifier: MIT
# The commands of docs/where.md, in their order: each does what the page says, and the events of its tables
# are what arithmetic says. The object of the false sharing has both of its sides.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run vpmu python3 cc
ldd "$(command -v ipmu-run)" | grep -q libdw || { echo 'ipmu-run was built without libdw'; exit 77; }
page=${SRCDIR:?}/docs/where.md
cd "$scratch" || exit 1
cp "$SRCDIR"/examples/*.c .
done_=0
while IFS= read -r command; do
	case $command in
	callgrind_annotate*) command -v callgrind_annotate >/dev/null || continue ;;
	esac
	bash -c "$command" >out 2>&1
	verdict "$command" $?
	done_=$((done_ + 1))
	cp out "out.$done_"
	[ ! -f P.json ] || cp P.json "$done_.json"
done < <(sed -n 's/^    \(\(cc\|ipmu-run\|callgrind_annotate\|sed\) .*\)/\1/p' "$page")
has() {	# has WHAT REGEX [FILE]: the output of a command has it
	grep -qE -- "$2" ${3:-out.*}
	verdict "$1" $?
}
has 'the function that misses' '^ +98\.[0-9] % +99\.[0-9] % .*  multiply_ijk, matrix\.c:1[0-9]$'
has 'the line' '  matrix\.c:22  sum \+= a\[i\]\[k\] \* b\[k\]\[j\];$'
has 'the function that changed' '^    multiply_ijk +[0-9]+ +[0-9]+ +\+53\.[0-9]+ %  matrix\.c:1[0-9]$'
for side in 1:0 2:8; do
	has "thread ${side%:*} asked" "^      asked: thread ${side%:*}, store at \\+${side#*:}, count, sharing\\.c:24: near \\+ ${side#*:} "
	has "thread ${side%:*} had it" "^      had it: thread ${side%:*}, store at \\+${side#*:}, count, sharing\\.c:24: near \\+ ${side#*:} "
done
! grep -q 'several threads' "out.$done_"
verdict 'apart: no such line' $?
python3 - "$done_" <<-'CODE' >out 2>&1
	import json, re, sys
	last = int(sys.argv[1])
	near, apart = (json.load(open("%d.json" % n))["profile"] for n in (last - 1, last))
	def count(profile, name):
	    return sum(e["counted"] for e in profile["events"] if e["name"].endswith(name))
	assert all(e["counted"] == e["profiled"] for p in (near, apart) for e in p["events"]
	           if e["counted"] is not None and e["profiled"] is not None), near["events"]
	# A transfer lasts 8 to 10 rounds of the other thread, and is two requests.
	assert 20000 < count(near, "HITM_XCORE") < 25000 and count(apart, "HITM_XCORE") < 500
	assert sum(l["modified"] for l in near["contended"]) == count(near, "HITM_XCORE"), "sum of the lines"
	column = [i for i, e in enumerate(near["events"]) if e["name"].endswith("HITM_XCORE")][0]
	assert max(near["data"], key=lambda d: d["counts"][column])["name"] == "near"
CODE
verdict 'false sharing: sums and data' $?
finish
