#!/bin/bash
# SPDX-License-Identifier: MIT
# Each family of PMUs has all that CONTRIBUTING.md requires, and each machine too; and the guide names
# all files that are required. The engine's list and the virtual machine's are walked.
# facts/client-uncores/processors.tsv, of client processors, and tests/data/pmus.tsv have the names by
# which the rest is found. A line "ptl_unc: no row in FILE" reports what is missing, and where.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
root=$(cd "${SRCDIR:-$(dirname "$0")/../..}" && pwd) || exit 1
index=tests/data/pmus.tsv
clients=facts/client-uncores/processors.tsv

# index_rows: "FAMILY FACTS GENERATION NAMES MACHINES GROUPS DOCS" of each family
index_rows() {
	cat $index
	awk -F '\t' 'FNR > 1 {
		unc = tolower($1) "_unc"
		gsub(/-[^ ]*/, "", $7)
		gsub(/ /, ",", $7)
		print unc "\tclient-uncores\t" $1 "\t" unc "\t" $7 "\t" unc "\t" unc
	}' $clients
}

# ---- the lists to walk

engine_families() {	# "VARIABLE NAME" of each family of the engine's list
	awk 'NR == FNR {
			if (match($0, /^FAMILY\([a-z0-9_]*/))
				listed[++n] = "ipmu_" substr($0, RSTART + 7, RLENGTH - 7)
			next
		}
		FNR == 1 { at = -1 }
		/^const struct ipmu_family / { variable = $4; at = FNR }
		FNR <= at + 2 && match($0, /\.name = "[a-z0-9_]+"/) {
			name[variable] = substr($0, RSTART + 9, RLENGTH - 10)
		}
		END {
			for (i = 1; i <= n; i++)
				if (listed[i] in name)
					print listed[i], name[listed[i]]
		}' component/engine/pmu/family_list.h component/engine/pmu/*.c
}
machines() {		# the prefix of each of the virtual machine's
	sed -n '/^const struct vpmu_family_row/,/^}/p' virtual_pmu/machine/families.c |
		awk 'match($0, /(CORES|EIGHT|HYBRID)\("[a-z0-9]+"|\.prefix = "[a-z0-9]+"/) {
			prefix = substr($0, RSTART, RLENGTH)
			gsub(/.*\("|.*= "|"/, "", prefix)
			print prefix
		}'
}

# ---- what each has to have: "FILE<tab>REGULAR EXPRESSION"

needs() { printf '%s\t%s\n' "$1" "$2"; }

family_needs() {	# family_needs VARIABLE FAMILY FACTS GENERATION NAMES GROUPS DOCS
	local row='.' word
	[ "$4" = - ] || row="^([A-Z,]*,)?$4[,	]"
	needs "facts/$3/events.tsv" "$row"
	[ "$3" = skl-core ] || needs "facts/$3/registers.tsv" "$row"
	[ "$5" = libpfm4 ] || needs facts/families "^$5\$"
	# These two are not found by their model alone, and have tests of their own.
	[ "$4" != - ] || [ "$2" = cml_unc ] || [ "$2" = skl_core ] || needs tests/engine/engine_registers.c "&$1\\b"
	needs docs/pmus.md "\`$7(_[a-z]*)?\`"
	if [ "$3" = client-uncores ]; then
		[ -d "ipmu_run/group_files/$6" ] || needs $clients "^$4	.*	[a-z]+_unc[A-Z_ ]*	"
		needs tests/data/clients.tsv "^[^	]*	$4	"
		return
	fi
	needs "ipmu_run/group_files/$6/*" .
	needs docs/program.md "^\\| .*\`$6\`"
	# README.md may name the processor instead, as the engine does.
	word=$(sed -n "/^const struct ipmu_family $1 = {/,/^};/s/.*models_text = \"[^\"(]*(\([A-Z][a-z]*\).*/\1/p" \
		component/engine/pmu/*.c)
	needs README.md "$7${word:+|\\b$word\\b}"
}

machine_needs() {	# machine_needs PREFIX
	index_rows | grep -Eq "	([a-z0-9,]*,)?$1(,[a-z0-9,]*)?	" || { needs $clients "	$1-"; return; }
	if grep -Eq "\b$1-[0-9]" $clients; then
		needs virtual_pmu/model/model.c "&vpmu_$1_client\b"
		needs tests/data/clients.tsv "^$1-"
		return
	fi
	needs docs/virtual-machine.md "\`$1\`"
	needs tests/vpmu/vpmu_machines.sh "\\b$1\\b"
}

box_needs() {	# box_needs PMU: a box beside others of its processor
	local file
	for file in README.md docs/pmus.md docs/program.md pfm_events/README.md tests/claims.tsv \
			tests/topo/topo_boxes.c tests/data/units.tsv; do
		needs $file "\\b$1"
	done
	needs hwloc_topo/boxes.c "\"$1\""
	needs "ipmu_run/group_files/$1/*" "$1\\."
}
xeon_boxes() {	# those of the Xeon 7500 that libpfm4 names
	grep -ho '\.pfm = "nhmex_unc_[a-z]*"' component/engine/pmu/*.c | sed 's/.*"\(.*\)"/\1/' | sort -u
}

# ---- the walk

look() {	# look WHOSE <NEEDS: complains of each that is not there
	local file expression
	while IFS=$'\t' read -r file expression; do
		# shellcheck disable=SC2086 # some are patterns
		grep -Eqs "$expression" $file || echo "$1: no row in $file"
	done
}

walk() {	# walk TREE [PATTERN]: all, or what has such a name
	local only=${2-*} variable name facts generation names groups docs prefix
	cd "$1" || return
	while read -r variable name; do
		# shellcheck disable=SC2053 # it is a pattern
		[[ $name == $only ]] || continue
		IFS=$'\t' read -r facts generation names _ groups docs < <(index_rows | sed -n "s/^$name	//p")
		[ -n "${docs-}" ] || { echo "$name: no row in $clients"; continue; }
		family_needs "$variable" "$name" "$facts" "$generation" "$names" "$groups" "$docs" |
			look "$name"
	done < <(engine_families)
	while read -r name; do
		# shellcheck disable=SC2053
		[[ $name == $only ]] || continue
		box_needs "$name" | look "$name"
	done < <(xeon_boxes)
	while read -r prefix; do
		# shellcheck disable=SC2053
		[[ $prefix == $only ]] || continue
		machine_needs "$prefix" | look "$prefix"
	done < <(machines)
}

(cd "$root" && engine_families) >"$scratch/families"
(cd "$root" && machines) >"$scratch/machines"
is 'families of the engine' "$(grep -c 'const struct ipmu_family ipmu_' < <(cat "$root"/component/engine/pmu/*.c))" \
	"$(wc -l <"$scratch/families")"
is 'machines' "$("$vpmu" machines | grep -c '^[a-z]')" "$(wc -l <"$scratch/machines")"
missing=$(walk "$root")
[ -z "$missing" ] && ok || bad "$missing"

# ---- a family and a machine that have nothing are complained of, file by file
tree=$scratch/tree
mkdir -p "$tree/component/engine" "$tree/virtual_pmu/machine" "$tree/tests/data"
for part in README.md docs man pfm_events hwloc_topo ipmu_run component/commands virtual_pmu/model; do
	ln -s "$root/$part" "$tree/$part"
done
for part in "$root"/tests/*/; do
	[ "${part%/data/}" != "$part" ] || ln -s "$part" "$tree/tests/$(basename "$part")"
done
ln -s "$root"/tests/data/*.tsv "$tree/tests/data/"
ln -s "$root/tests/claims.tsv" "$tree/tests/"
cp -r "$root/component/engine/pmu" "$tree/component/engine/pmu"
cp -r "$root/facts" "$tree/"
sed 's/^FAMILY(knc)/&\nFAMILY(new_uncore)/' "$root/component/engine/pmu/family_list.h" \
	>"$tree/component/engine/pmu/family_list.h"
printf 'const struct ipmu_family %s = {\n\t.name = "new_unc",\n};\n' ipmu_new_uncore \
	>"$tree/component/engine/pmu/new_uncore.c"
sed 's/^const struct vpmu_family_row.*/&\n\tCORES("newer", 1),/' \
	"$root/virtual_pmu/machine/families.c" >"$tree/virtual_pmu/machine/families.c"
is 'a family and a machine without a row' "new_unc: no row in $clients newer: no row in $clients" \
	"$(walk "$tree" "*new*" | paste -sd' ')"
printf 'NEW\tNew Lake\t6\t0x00 New Lake\timc\tNew Lake\tnewer-4c8t\t-\tNEW 1\n' >>"$tree/$clients"
is 'all that a new family needs' "docs/pmus.md facts/client-uncores/events.tsv \
facts/client-uncores/processors.tsv facts/client-uncores/registers.tsv facts/families tests/data/clients.tsv" \
	"$(walk "$tree" "*new*" | sed -n 's/^new_unc: no row in //p' | LC_ALL=C sort -u | paste -sd' ')"
is 'all that a new machine needs' "tests/data/clients.tsv virtual_pmu/model/model.c" \
	"$(walk "$tree" "*new*" | sed -n 's/^newer: no row in //p' | LC_ALL=C sort | paste -sd' ')"
# ... and CONTRIBUTING.md names each of these files.
unnamed=$(walk "$tree" "*new*" | sed -n 's/^new[a-z_]*: no row in //p' | sort -u | while read -r file; do
	grep -qF "\`$file" "$root/CONTRIBUTING.md" ||
		grep -qF "\`${file/client-uncores/NAME}" "$root/CONTRIBUTING.md" || echo "$file"
done)
is 'files that CONTRIBUTING.md does not name' '' "$unnamed"
# ... and a box that has nothing
printf 'static const struct ipmu_pmu_type box = { .pfm = "nhmex_unc_newbox" };\n' \
	>>"$tree/component/engine/pmu/new_uncore.c"
is 'all that a new box needs' "README.md docs/pmus.md docs/program.md hwloc_topo/boxes.c \
ipmu_run/group_files/nhmex_unc_newbox/* pfm_events/README.md tests/claims.tsv tests/data/units.tsv \
tests/topo/topo_boxes.c" "$(walk "$tree" "*new*" | sed -n 's/^nhmex_unc_newbox: no row in //p' | LC_ALL=C sort | paste -sd' ')"
finish
