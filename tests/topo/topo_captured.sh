#!/bin/bash
# SPDX-License-Identifier: MIT
# pmutopo on machines written down from public descriptions: tests/data/topo/machines/NAME.machine
# (or NAME.xml) with NAME.expected beside it, and arithmetic on the large ones. The expected texts
# were made from each machine's numbering rule, not by pmutopo; with PMUTOPO_REGENERATE=1 they are
# written anew from what it prints, to be reviewed with git diff.
#
# A .machine file says:  shape, an lstopo description without CPU numbers;  cpus, the CPU numbers
# in the order of packages, cores and threads;  allowed, those of the cgroup (default: all);
# identity, family model stepping;  name.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
machines=${TESTDATA:-$here/data}/topo/machines
pmutopo=${PMUTOPO:-${STAGE:+$STAGE/bin/}pmutopo}
command -v lstopo-no-graphics >/dev/null || {
	echo 'lstopo-no-graphics is not installed (package hwloc-nox)'
	exit 77
}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
unset HWLOC_XMLFILE HWLOC_SYNTHETIC HWLOC_COMPONENTS HWLOC_FSROOT

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $1"; [ $# = 1 ] || sed 's/^/  | /' "$2"; }
is() { if [ "$2" = "$3" ]; then ok; else bad "$1: expected '$2', got '$3'"; fi; }

expand_list() {	# expand_list '0-3 8,9': the numbers, in ${list[@]}
	local range i
	list=()
	for range in ${1//,/ }; do
		for ((i = ${range%-*}; i <= ${range#*-}; i++)); do list+=("$i"); done
	done
}

mask_of() {	# mask_of LIST: hwloc's hexadecimal set, in $mask
	local words=() cpu i word
	expand_list "$1"
	for cpu in "${list[@]}"; do
		words[cpu / 32]=$((${words[cpu / 32]-0} | 1 << cpu % 32))
	done
	mask=
	for ((i = (cpu / 32); i >= 0; i--)); do
		printf -v word '0x%08x' "${words[i]-0}"
		mask+=$word,
	done
	mask=${mask%,}
}

build() {	# build FILE.machine: write the machine as $scratch/NAME.xml
	local name key value cpus='' shape='' infos='' options=() list mask=''
	name=${1##*/} name=${name%.machine}
	info CPUVendor GenuineIntel
	while read -r key value; do
		case $key in
		shape) shape=$value ;;
		cpus)
			expand_list "$value"
			printf -v cpus '%d,' "${list[@]}"
			cpus=${cpus%,}
			;;
		allowed) mask_of "$value" ;;
		identity)
			# shellcheck disable=SC2086
			set -- $value
			info CPUFamilyNumber "$1"
			info CPUModelNumber "$2"
			info CPUStepping "$3"
			;;
		name) info CPUModel "$value" ;;
		esac
	done <"$1"
	[ -z "$mask" ] || options=(--disallowed --allow "$mask")
	lstopo-no-graphics -i "$shape(indexes=$cpus)" "${options[@]}" --of xml - \
		2>"$scratch/lstopo.err" |
		sed "/<object type=\"Package\"/s|\$|$infos|" >"$scratch/$name.xml"
}
info() { infos+="<info name=\"$1\" value=\"$2\"/>"; }

see() { HWLOC_XMLFILE=$scratch/$1.xml "$pmutopo" "${@:2}"; }

# Every row of the CPUs and boxes in JSON as the table has them, without another JSON reader.
json_agrees() {	# json_agrees NAME
	see "$1" --json | tr -d ' \n' | sed 's/{"cpu"/\n&/g; s/{"pmu"/\n&/g; s/],"boxes"/\n&/' |
		sed -n 's/^{"cpu":\([0-9]*\),"package":\([0-9]*\),"core":\([0-9]*\),"thread":\([0-9]*\),"numa_node":\([0-9]*\),"cbo_slice":\([^,]*\),"mboxes":\[\([0-9,]*\)\],"allowed":\([a-z]*\)}.*/\1 \2 \3 \4 \5 \6 m\7 \8/p' |
		sed 's/null/-/; s/ m / - /; s/ m/ /; s/true$/yes/; s/false$/no/' >"$scratch/json.rows"
	sed -n 's/^ *//; s/  */ /g; /^[0-9].* \(yes\|no\)$/p' "$scratch/out" >"$scratch/table.rows"
	cmp -s "$scratch/json.rows" "$scratch/table.rows" && [ -s "$scratch/json.rows" ]
}

compare() {	# compare NAME
	if ! see "$1" >"$scratch/out" 2>"$scratch/err"; then
		bad "pmutopo on $1" "$scratch/err"
		return
	fi
	[ "${PMUTOPO_REGENERATE-}" != 1 ] || cp "$scratch/out" "$machines/$1.expected"
	if diff "$machines/$1.expected" "$scratch/out" >"$scratch/diff" 2>&1; then
		ok
	else
		bad "$1 is not as expected" "$scratch/diff"
	fi
	if json_agrees "$1"; then ok; else bad "$1: --json says something else than the table"; fi
}

# The expected text by another way: hwloc-calc says which CPUs are in each package, core and NUMA node,
# in the order of their threads. Slices follow from the package's cores.
# It reads one object a line and answers with one line, so that all of a type take one run.
count_of() { hwloc-calc -i "$scratch/$1.xml" --disallowed -q -N "$2" all; }

members() {	# members NAME TYPE: "CPU index place-among-them" lines for each object of that type
	local i n
	n=$(count_of "$1" "$2")
	for ((i = 0; i < n; i++)); do echo "$2:$i"; done |
		hwloc-calc -i "$scratch/$1.xml" --disallowed --po -q -I pu |
		awk -F, '/^Waiting/ { next } { for (i = 1; i <= NF; i++) print $i, n + 0, i - 1; n++ }'
}

by_calc() {	# by_calc NAME: CPU package core thread NUMA slice, as the table has them
	members "$1" package | sort -n >"$scratch/packages"
	members "$1" core | sort -n >"$scratch/cores"
	members "$1" numa | sort -n >"$scratch/numa"
	local slices=0
	grep -q '^skl_unc_cbo ' "$machines/$1.expected" && slices=1
	paste "$scratch/packages" "$scratch/cores" "$scratch/numa" | awk -v slices=$slices '
		{ package[NR] = $2; core[NR] = $5; cpu[NR] = $1; thread[NR] = $6; numa[NR] = $8
		  if ($1 != $4 || $1 != $7) exit 1
		  if (!($2 in first) || $5 < first[$2]) first[$2] = $5 }
		END { for (i = 1; i <= NR; i++) print cpu[i], package[i], core[i], thread[i], numa[i],
			slices ? core[i] - first[package[i]] : "-" }'
}

confirm() {	# confirm NAME: row by row
	sed -n 's/^ *//; s/  */ /g; /^[0-9].* \(yes\|no\)$/p' "$machines/$1.expected" |
		cut -d' ' -f1-6 >"$scratch/rows"
	by_calc "$1" >"$scratch/calc"
	if diff "$scratch/rows" "$scratch/calc" >"$scratch/diff" && [ -s "$scratch/rows" ]; then
		ok
	else
		bad "$1: its expected text is not what hwloc-calc says" "$scratch/diff"
	fi
}

# ---- whole texts

for machine in "$machines"/*.machine; do
	build "$machine"
	name=${machine##*/} name=${name%.machine}
	compare "$name"
	confirm "$name"
done
for machine in "$machines"/*.xml; do
	cp "$machine" "$scratch"
	name=${machine##*/}
	compare "${name%.xml}"
done
[ "$passed" -ge 56 ] || [ "$failed" -gt 0 ] || bad 'fewer than 19 machines were found'

# ---- arithmetic: rows of a table are CPU package core thread NUMA slice M-Boxes allowed

rows() { see "$1" | grep -E ' (yes|no)$'; }
broken() { rows "$1" | awk "!($2) { n++ } END { print n + 0 }"; }

for cores in 60 61; do
	card=knc-${cores}c$((4 * cores))t
	is "$card: CPUs" $((4 * cores)) "$(rows $card | wc -l)"
	is "$card: four threads a core" "$cores" \
		"$(rows $card | awk '{ n[$3]++ } END { for (c in n) k += n[c] == 4; print k }')"
	is "$card: CPU 1 + 4c + t is thread t of the core c" 0 "$(broken $card \
		"\$1 == 0 || \$1 > $((4 * cores - 4)) || (\$3 == 1 + int((\$1 - 1) / 4) && \
		\$4 == (\$1 - 1) % 4)")"
done
is '8-package Xeon 7500: package' 0 \
	"$(broken xeon7500-8p64c128t '$2 == int($1 % 64 / 8) && $5 == $2 && $7 == "0,1"')"
is '8-package Xeon 7500: M-Boxes' 16 "$(see xeon7500-8p64c128t | grep -c ^nhmex_unc_mbox)"
is 'a cgroup in one package: M-Boxes out of reach' 6 \
	"$(see xeon7500-4p-cgroup | grep -c '^nhmex_unc_mbox.* none$')"
is 'a cgroup in one package: through its CPUs' 2 \
	"$(see xeon7500-4p-cgroup | grep -c '^nhmex_unc_mbox  *1 .* 1,5,33$')"
for n in 2 4 6 8; do
	for t in 1 2; do
		name=client-${n}c$((n * t))t
		is "$name: the slice is the CPU's number modulo the cores" 0 \
			"$(broken "$name" "\$6 == \$1 % $n && \$4 == int(\$1 / $n)")"
		is "$name: slices" "$n" "$(see "$name" | grep -c ^skl_unc_cbo)"
	done
done

# The largest: 8 packages, 512 CPUs, of which the cgroup has 64 to 127 and 500.
{
	echo 'shape pack:8 [numa] core:16 pu:4'
	echo 'cpus 0-511'
	echo 'allowed 64-127,500'
	echo 'identity 6 47 2'
} >"$scratch/large.machine"
build "$scratch/large.machine"
is '512 CPUs' 512 "$(rows large | wc -l)"
is '512 CPUs: places' 0 \
	"$(broken large '$2 == int($1 / 64) && $3 == int($1 / 4) && $4 == $1 % 4 && $5 == $2')"
is '512 CPUs: allowed' 65 "$(rows large | grep -c ' yes$')"
is '512 CPUs: packages out of reach' 6 "$(see large | grep -c 'out of reach')"
is '512 CPUs: package 7' 'package 7: reached through CPU 500, possible: 500' \
	"$(see large | grep '^package 7')"
is '512 CPUs: M-Boxes' 16 "$(see large | grep -c ^nhmex_unc_mbox)"

# ---- drawings: every box is in it, with its count, and nothing else is left behind

mkdir "$scratch/drawings"
drawing=$scratch/drawings/d.svg
draw() { see "$1" --svg "$drawing" "${@:2}" 2>"$scratch/err"; }
drawn() { grep -c "class='Misc'.*>$1<" "$drawing"; }

draw client-8c16t; is 'drawing' 0 $?
for i in 0 1 2 3 4 5 6 7; do is "slice $i is drawn" 1 "$(drawn "CBo $i")"; done
is 'ARB is drawn' 1 "$(drawn 'ARB 0')"
is 'the same into a pipe' "$(cksum <"$drawing")" "$(see client-8c16t --svg - | cksum)"
printf '%s\n' 'pmu,box,package,count' 'nhmex_unc_mbox,0,3,1234567890123' \
	'nhmex_unc_mbox 1 0 42 # a remark' '' >"$scratch/counts"
draw xeon7500-4p32c64t --counts "$scratch/counts"; is 'drawing with counts' 0 $?
is 'its count is written beside an M-Box' 1 "$(drawn 'M-Box 0: 1234567890123')"
is 'and beside the other one' 1 "$(drawn 'M-Box 1: 42')"
is 'the others were not measured' 6 "$(drawn 'M-Box [01]: not measured')"
echo 'knc 17 0 5' >"$scratch/counts"
draw knc-61c244t --counts "$scratch/counts" && is 'a thread of a card' 1 "$(drawn 'PMU 17: 5')"
draw xeon7500-4p-cgroup
is 'out of reach is said' 6 "$(drawn 'M-Box [01] out of reach')"
is 'its view box has no units' 1 "$(grep -cE "viewBox='[0-9 ]+'" "$drawing")"
tail -n 1 "$drawing" | grep -q '</svg>$'; is 'the drawing is whole' 0 $?
is 'no other file is left' 1 "$(find "$scratch/drawings" -type f | wc -l)"

before=$(cksum <"$drawing")
refused() {	# refused TEXT LINE: counts that are wrong leave the old drawing alone
	printf '%s\n' 'nhmex_unc_mbox 0 0 1' "$2" >"$scratch/counts"
	draw xeon7500-4p32c64t --counts "$scratch/counts"
	is "'$2': status" 1 $?
	grep -qF "counts, line 2: $1" "$scratch/err"; is "'$2' is explained" 0 $?
	is "'$2': drawing" "$before" "$(cksum <"$drawing")"
}
refused 'this machine has no such box' 'nhmex_unc_mbox 2 0 1'
refused 'this machine has no such box' 'nhmex_unc_mbox 0 4 1'
refused 'this machine has no such box' 'skl_unc_cbo 0 0 1'
refused 'a second count' 'nhmex_unc_mbox 0 0 2'
refused 'expected a number' 'nhmex_unc_mbox 0 1 -3'
refused 'expected a number' 'nhmex_unc_mbox 0 1 99999999999999999999'
refused 'expected PMU, box, package and count' 'nhmex_unc_mbox 0 1'
refused 'expected PMU, box, package and count' 'nhmex_unc_mbox 0 1 2 3'
# Lines of text instead of boxes; lstopo itself would take them for markup.
printf '%s\n' 'package=0 pmu=skl_unc_imc: READS 4' 'package=0 pmu=skl_unc_imc: WRITES 2' \
	'package=0 box=2 pmu=skl_unc_cbo: ANY 7' 'cpu=5: here' ': a <b> & "c"' '# no' \
	>"$scratch/labels"
for narrow in '' --narrow; do
	draw client-8c16t --labels "$scratch/labels" $narrow; is "labels $narrow" 0 $?
	is "labels $narrow: a frame for each PMU and box" '1 1' "$(drawn skl_unc_imc) $(drawn 'CBo 2')"
	is "labels $narrow: its lines" '1 1 1' "$(drawn 'READS 4') $(drawn 'WRITES 2') $(drawn 'ANY 7')"
	is "labels $narrow: no markup" 1 "$(drawn 'a &lt;b&gt; &amp; &quot;c&quot;')"
	is "labels $narrow: no other boxes" 7 "$(grep -c "rect.*class='Misc'" "$drawing")"
done
width() { sed -n "s/.*<svg.* width='\([0-9]*\)px.*/\1/p" "$drawing"; }
[ "$(width)" -lt 300 ]; is 'narrow' 0 $?
before=$(cksum <"$drawing")
bad_label() {	# bad_label TEXT LINE
	printf '%s\n' ': fine' "$2" >"$scratch/labels"
	draw client-8c16t --labels "$scratch/labels"; is "'$2': status" 1 $?
	grep -qF "labels, line 2: $1" "$scratch/err"; is "'$2' is explained" 0 $?
	is "'$2': drawing" "$before" "$(cksum <"$drawing")"
}
bad_label 'this machine has no such place' 'package=1: x'
bad_label 'this machine has no such place' 'cpu=99: x'
bad_label 'this machine has no such place' 'package=0 box=8 pmu=skl_unc_cbo: x'
bad_label 'expected a number' 'package=: x'
bad_label 'expected a number' 'cpu=-1: x'
bad_label 'expected package=' 'core=1: x'
bad_label 'no colon' 'package=0 x'
draw client-4c4t --counts "$scratch/none"; is 'no file of counts: status' 1 $?
draw client-4c4t --counts "$scratch"; is 'a folder of counts: status' 1 $?
grep -q 'Is a directory' "$scratch/err"; is 'a folder of counts is explained' 0 $?
mkdir "$scratch/empty"
PATH=$scratch/empty HWLOC_XMLFILE=$scratch/client-4c4t.xml "$(command -v "$pmutopo")" \
	--svg "$drawing" 2>"$scratch/err"
is 'no lstopo: status' 1 $?
grep -q 'no lstopo (install hwloc-nox or hwloc)' "$scratch/err"; is 'no lstopo is explained' 0 $?
is 'no lstopo: drawing' "$before" "$(cksum <"$drawing")"
is 'still no other file' 1 "$(find "$scratch/drawings" -type f | wc -l)"
printf '#!/bin/sh\necho "<svg>"\n' >"$scratch/empty/lstopo-no-graphics"
chmod +x "$scratch/empty/lstopo-no-graphics"
PATH=$scratch/empty:$PATH draw client-4c4t
is 'half a drawing: status' 1 $?
is 'half a drawing: the old one stays' "$before" "$(cksum <"$drawing")"

# ---- this machine: what must hold anywhere

"$pmutopo" >"$scratch/out"; is 'this machine' 0 $?
is 'this machine: its CPUs' "$(lstopo-no-graphics --disallowed --only pu | wc -l)" \
	"$(grep -cE ' (yes|no)$' "$scratch/out")"
is 'this machine: its packages' "$(lstopo-no-graphics --disallowed --only package | wc -l)" \
	"$(grep -c '^package [0-9]*: ' "$scratch/out")"
"$pmutopo" --json | tr -d ' \n' | grep -q '^{.*"cpus":\[{"cpu":.*}$'
is 'this machine as JSON' 0 $?
# Looking for devices would take most of the time of loading; lstopo does it, to compare with.
devices_read() {	# devices_read COMMAND...: how many of the devices' files it opens
	strace -f -o "$scratch/trace" -e trace=openat,open "$@" >/dev/null 2>&1
	grep -c '/sys/bus/pci\|/sys/class/\(net\|block\|dma\)' "$scratch/trace"
}
if command -v strace >/dev/null && [ "$(devices_read lstopo-no-graphics --whole-io)" -gt 0 ]; then
	is 'no device is looked at' 0 "$(devices_read "$pmutopo")"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
