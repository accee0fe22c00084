#!/bin/bash
# SPDX-License-Identifier: MIT
# Regions by name on a virtual machine: their counts are those of arithmetic, and the calls themselves
# are not counted. Threads, children, names and programs that do it wrong; other tools' marks; nothing
# but regions.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run python3 qemu-x86_64 "${CC:-cc}"
: "${STAGE:?the staged tree}" "${STAGE_LIB:?}"
cd "$scratch" || exit 1
unset VPMU_SEGMENT
build() {	# build NAME SOURCE FLAG...
	local name=$1
	shift
	${CC:-cc} -O1 -pthread -I"$STAGE/include/ipmu" -o "$name" "$@" >out 2>&1
	verdict "$name is built" $?
}
# The loader would resolve a function at its first call, with some hundred instructions.
link=(-L"$STAGE_LIB" -lipmu_region -Wl,-z,now,-rpath,"$STAGE_LIB")
build regions "$test_folder/regions.c" "${link[@]}"
instructions=ix86arch.INSTRUCTION_RETIRED
of() {		# of ARGUMENT...: counted on the machine; out, err, r.csv, r.json, r.html
	rm -f r.*
	ipmu-run --on skl-4c8t -o r "$@" >out 2>err
	status=$?
}
row() {		# row REGION NAME [FILE]: the value in the table; REGION '': of the whole
	python3 - "$@" <<'END'
import csv, sys
for r in csv.DictReader(open(sys.argv[3] if len(sys.argv) > 3 else "r.csv")):
    if r.get("region", "") == sys.argv[1] and r["name"] == sys.argv[2] and r["part"] == "all":
        print(float(r["value"]).__format__(".15g"))
        break
END
}
about() {	# about WHAT EXPECTED GOT: not less, and 100 more at most
	[ -n "$3" ] && [ "$3" -ge "$2" ] && [ "$3" -le $(($2 + 100)) ] && ok && return
	bad "$1: expected $2, got $3"
}

# -- arithmetic, in each form
of -e $instructions ./regions nested
is 'nested: status' 0 $status
about 'the inner region' 6000000 "$(row inner $instructions)"
about 'the outer region' 10000000 "$(row outer $instructions)"
[ "$(row '' $instructions)" -gt 20000000 ]; verdict 'the whole has all' $?
is 'one call' 1 "$(row outer calls)"
says 'the text has the region' '^  region inner: 1 call, 0\.0030[0-9]* s$'
is 'JSON' "['outer', 'inner'] 1 $(row inner $instructions)" "$(python3 -c 'import json
r = json.load(open("r.json"))["regions"]
print([x["name"] for x in r], r[1]["calls"], r[1]["groups"][0]["events"][0]["value"])')"
grep -q '<h2>Region inner</h2>' r.html; verdict 'the page' $?
first=$(grep region r.csv)
of -e $instructions ./regions nested
is 'the same digits once more' "$first" "$(grep region r.csv)"
ipmu-run --show r.json -o shown >/dev/null 2>&1
is '--show has them' "$first" "$(grep region shown.csv)"
of -g MEM ./regions sweep
about 'lines that are read' $((32 << 14)) "$(row sweep skl_unc_imc.DRAM_DATA_READS)"
of -r 2 -e $instructions ./regions nested
about 'two runs: the mean' 6000000 "$(row inner $instructions)"
is 'two runs: calls of one' 1 "$(row inner calls)"

# -- the calls are not counted: 10 of each event for a region at most, beside its loop
n=10000
groups=CPI,BRANCH,L1,L2,TLB,MEM,LLC
for which in none empty; do
	of --passes -g $groups ./regions $which $n
	is "$which: status" 0 $status
	mv r.csv $which.csv
done
python3 - $n >verdicts <<'END'
import csv, sys
n = int(sys.argv[1])
def counts(file):
    return {r["name"]: float(r["value"]) for r in csv.DictReader(open(file)) if r["kind"] == "event" and r["part"] == "all"}
none, empty = counts("none.csv"), counts("empty.csv")
print(len(none) > 10, max((empty[e] - none[e]) / n for e in none), max(empty[e] / n for e in none))
END
read -r several most all <verdicts
is 'there are many events' True "$several"
python3 -c "import sys; sys.exit(not ($most <= 10 and $all > 7))"; verdict "an empty region: $most of an event" $?
echo "an empty region: $most of an event at most"
is 'all calls are there' $n "$(row empty calls empty.csv)"

# -- threads, each for itself; the third does not leave
of -e $instructions ./regions threads
is 'threads: calls' 3 "$(row threads calls)"
says 'threads: one has not left' '^    INCOMPLETE: 1 call had no end: counted until the process ended$'
one=$(grep region r.csv)
of -e $instructions ./regions threads
is 'threads: the same digits' "$one" "$(grep region r.csv)"

# -- what is wrong is said, and returned
of -e $instructions ./regions wrong
is 'returned' '-2 0 -2 0 -22 -22 0 0' "$(cat out)"
says 'ends without a begin' "^  regions: 2 ends without a begin ignored; the first: 'never'\$"
is 'the region is counted all the same' 1 "$(row one calls)"
is 'a long name' 1 "$(row "$(printf 'x%.0s' {1..127})" calls)"
grep -q '^info,,regions ignored,all,1,0,,2 ends without a begin' r.csv; verdict 'ends without a begin in the table' $?
is 'and in JSON' "2 ends without a begin ignored; the first: 'never'" "$(python3 -c 'import json
print(json.load(open("r.json"))["regions_ignored"])')"
names=('a b' 'x,y' '"q"' "it's" '<b>&amp;' '=1+1' $'tab\t' $'\e[31m' 'größe' $'\xff' '%s%n' '../x')
printf '%s\n' "${names[@]}" >names
of -e $instructions ./regions names <names
is 'names in JSON' '["a b", "x,y", "\"q\"", "it'"'"'s", "<b>&amp;", "=1+1", "tab?", "?[31m", "größe", "?", "%s%n", "../x"]' \
	"$(python3 -c 'import json
print(json.dumps([r["name"] for r in json.load(open("r.json"))["regions"]], ensure_ascii=False))')"
for name in 'a b' 'x,y' '"q"' "it's" '<b>&amp;' "'=1+1" 'tab?' '?[31m' 'größe' '?' '%s%n'; do
	is "name in the table: $name" 1 "$(row "$name" calls)"
done
grep -q '<h2>Region &lt;b&gt;&amp;amp;</h2>' r.html; verdict 'names on the page' $?
of -e $instructions ./regions many 1010
is 'many: both calls of the last ten' 20 "$(cat out)"
says 'many' "^  regions: 10 calls of more than 1000 names ignored; the first: 'region 1000'\$"
is 'many: the last of those that are kept' 1 "$(row 'region 999' calls)"
of -e $instructions ./regions fork
is 'a child is in no region' 0 "$(cat out)"
about 'but has its own' 2000000 "$(row child $instructions)"
[ "$(row parent $instructions)" -gt 2000000 ]; verdict "and is inside its parent's" $?
of -e $instructions ./regions killed
is 'killed: status' 137 $status
about 'killed: counted until then' 2000000 "$(row killed $instructions)"
is 'killed: no end' 1 "$(row killed 'calls without an end')"
of -e $instructions ./regions closes
is 'descriptors closed: the region has ended, and the next one counts' '-2 0 0' "$(cat out)"
about 'descriptors closed: counts' 2000000 "$(row again $instructions)"
is 'descriptors closed: no end' 1 "$(row closes 'calls without an end')"

# -- without ipmu-run: nothing happens
is 'alone: returned' '0 0 0 0 0 0 0 0' "$(./regions wrong)"
if command -v strace >/dev/null && strace -o trace ./regions empty 100 2>/dev/null; then
	grep -qE 'socket|ioctl' trace; is 'alone: calls of the kernel' 1 $?
fi
"$vpmu" run -m skl-4c8t -- ./regions wrong >out; is 'vpmu run alone' '0 0 0 0 0 0 0 0' "$(cat out)"
is 'no variable' '' "$(ipmu-run --on skl-4c8t -e $instructions sh -c 'env | grep IPMU_RUN' 2>/dev/null)"

# -- ipmu-run on the machine itself: the messages go by a socket, and are counted
"$vpmu" run -m skl-4c8t -- ipmu-run -e $instructions -o r ./regions nested >out 2>err
is 'emulated ipmu-run: status' 0 $?
[ "$(row inner $instructions)" -ge 6000000 ] && [ "$(row inner $instructions)" -lt 6100000 ]
verdict "emulated ipmu-run: $(row inner $instructions)" $?

# -- nothing but regions
of --only-regions -e $instructions ./regions nested
is 'only: status' 0 $status
about 'only: the outer region is all' 10000000 "$(row '' $instructions)"
is 'only: its time, too' "$(row outer time)" "$(row '' time)"
says 'only: said' '^  in its regions alone$'
of --only-regions -g MEM ./regions sweep
about 'only: lines that are read' $((32 << 14)) "$(row '' skl_unc_imc.DRAM_DATA_READS)"
of --only-regions -e $instructions ./regions threads
is 'only, threads: calls' 3 "$(row threads calls)"
of --only-regions -e $instructions ./regions none
is 'only: no region: status' 125 $status
says 'only: no region' '^ipmu-run: --only-regions: the program entered no region: nothing was counted'
ipmu-run --on skl-4c8t -e $instructions --base base.json ./regions nested 2>/dev/null
grep -q '"regions' base.json; is 'a base has no regions' 1 $?
ipmu-run --on skl-4c8t -e $instructions --compare base.json --only-regions ./regions nested >out 2>err
is 'only, compared with all: status' 125 $?
says 'only, compared with all' 'the counting of regions alone differs'
ipmu-run --only-regions --from-mpi-init -e $instructions true >out 2>err
is 'only, from MPI_Init: status' 125 $?
ipmu-run --only-regions --interval 5 -e $instructions true >out 2>err
is 'only, intervals: status' 125 $?
says 'only, intervals' 'leave these out'

# -- other tools' marks: these programs know nothing of ours
marked() {	# marked NAME FLAG...: NAME.c has one region, loop
	local name=$1
	shift
	build "$name" "$test_folder/$name.c" -I"$STAGE/include/ipmu/markers" -Wall -Wextra -Werror -Wno-unused "$@"
	of -e $instructions "./$name"
	is "$name: status" 0 $status
	is "$name: calls" 1 "$(row loop calls)"
	[ "$(row loop $instructions)" -ge 3000 ]; verdict "$name: $(row loop $instructions) instructions" $?
}
marked likwid_marks -DLIKWID_PERFMON "${link[@]}"
marked papi_marks "${link[@]}"				# PAPI's header need not be there
marked papi_marks -isystem "$STAGE/include" "${link[@]}"	# and may be
build off "$test_folder/likwid_marks.c" -I"$STAGE/include/ipmu/markers" -Wno-unused
if ${CXX:-c++} --version >/dev/null 2>&1; then
	CC=${CXX:-c++} marked likwid_marks -x c++ -std=gnu++17 -DLIKWID_PERFMON "${link[@]}"
fi
printf 'int main(void) { return 0; }\n' >t.c
if ${CC:-cc} -static -o t t.c 2>/dev/null; then
	build static "$test_folder/regions.c" -static "$STAGE_LIB/libipmu_region.a"
	of -e $instructions ./static nested
	about 'a static program' 6000000 "$(row inner $instructions)"
fi
if command -v gfortran >/dev/null; then
	gfortran -std=f2008 -Wall -o f "$STAGE/include/ipmu/ipmu_region.f90" \
		"$test_folder/regions.f90" "${link[@]}" >out 2>&1
	verdict 'Fortran is built' $?
	of -e $instructions ./f
	is 'Fortran: status' 0 $status
	is 'Fortran: calls' '1 1' "$(row padded calls) $(row literal calls)"
fi
finish
