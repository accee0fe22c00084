#!/bin/bash
# SPDX-License-Identifier: MIT
# On each family of machines, what instructions have caused adds up to what the machine's counters
# hold, to the digit, and the counters hold what they hold without a profile. The program uses all
# kinds of accesses, threads that share a line, faults and a fork. Which kinds an event counts is
# found by raising one kind after the other on a machine that nothing runs on.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 ipmu-run python3 "${CC:-cc}"
cd "$scratch" || exit 1
unset VPMU_SEGMENT VPMU_PROFILE

compile weights weights.c -I"${STAGE:?}/include" -I"$SRCDIR/common" -L"$STAGE_LIB" -lpapi -lpfm \
	-Wl,-rpath,"$STAGE_LIB" || exit 1

compile mix mix.c -O1 -pthread || exit 1

cat >raise.sh <<'SH'
#!/bin/bash
exec "$vpmu" run --no-feed -m "$1" -- ./weights "${@:2}"
SH
chmod +x raise.sh
export vpmu

counted() {	# counted MACHINE GROUPS PROGRAM ARGUMENT...: in out.json
	ipmu-run --on "$1" -g "$2" -q -o out -- "${@:3}" 2>err || { bad "$1 $2: $(tail -n 3 err)"; return 1; }
}
sums() {	# sums MACHINE GROUPS [child]: with it without a profile and with a child, too
	local machine=$1 groups=$2 file
	unset VPMU_PROFILE
	if [ $# = 3 ]; then
		counted "$machine" "$groups" ./mix || return
		grep '"value"' out.json >plain
	fi
	rm -rf p && mkdir p
	export VPMU_PROFILE=$scratch/p
	counted "$machine" "$groups" ./mix || return
	[ $# != 3 ] || { grep '"value"' out.json | cmp -s - plain && ok; } ||
		bad "$machine $groups: other counts with a profile"
	compare "$machine $groups" "$machine" 1
	[ $# = 3 ] || return
	rm -rf p && mkdir p
	counted "$machine" "$groups" ./mix child || return
	compare "$machine $groups, with a child" "$machine" 2
}
compare() {	# compare WHAT MACHINE FILES
	local file
	for file in p/*.vpmu-profile; do
		"$vpmu" profile "$file" >"$file.txt"
	done
	is "$1: files" "$3" "$(ls p/*.txt | wc -l)"
	python3 "$test_folder/profile_sums.py" out.json "$2" p/*.txt >compared 2>&1
	[ $? = 0 ] && grep -q ^ok compared && ! grep -qv ^ok compared && ok || { bad "$1"; cat compared; }
}

while read -r machine groups; do
	child=child
	for group in $groups; do
		sums "$machine" "$group" $child
		child=
	done
done <<'END'
skl-4c8t LLC_READ,CPI ARB SNOOP,L1 TLB L2 FLOPS BRANCH
hsw-4c8t LLC_READ,MEM
adl-4p4e12t MEM,CPI LLC BRANCH
mtl-6p8e2lp22t MEM,LLC CPI
nhmex-2p16c32t LLC PAGES MEM
knc-4c16t L1 L2 TLB CPI
core2-2c L1 L2 TLB VECTOR
p4-1c2t BRANCH L2 TLB
END
finish
