#!/bin/bash
# SPDX-License-Identifier: MIT
# The numbers on docs/pmus.md: processors are those of hwloc_topo/boxes.c, names those that
# papi_native_avail lists on each machine, and shares of driven rows those of `vpmu events`.
# `pmus_page.sh --print` prints the table of numbers as it has to stand there.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
root=$(cd "${SRCDIR:-$(dirname "$0")/../..}" && pwd) || exit 1
page=$root/docs/pmus.md

machines="skl-4c8t $("$root/facts/client-list" machines | sed 's/.*, "//; s/".*//' | paste -sd' ')
	nhmex-1p8c16t core2-4c knc-4c16t p4-1c2t"

names() {	# names MACHINE: "PMU NUMBER, ..."; an event without unit masks is one name; RAW is none
	"$vpmu" run --no-feed -m "$1" -- papi_native_avail 2>/dev/null | awk '
		function flush() { if (event != "" && !masks) print event; event = "" }
		index($2, "intel_") == 1 { flush(); event = $2; masks = 0; next }
		/^\|     :/ && event != "" { print event $2; masks = 1 }
		/^ Native Events in Component:/ { flush() }
		END { flush() }' | sed 's/.*::://' | grep -v '\.RAW' | LC_ALL=C sort -u |
		cut -d. -f1 | uniq -c | awk '{ printf "%s`%s` %d", (NR > 1 ? ", " : ""), $2, $1 }'
}
shares() { "$vpmu" events -m "$1" | sed -n 's/^rows that are driven: //p'; }
table() {
	local m
	for m in $machines; do
		echo "| \`$m\` | $(names "$m" </dev/null) | $(shares "$m") |"
	done
}
if [ "${1-}" = --print ]; then
	table
	exit
fi

table >"$scratch/table"
is 'machines' "$(grep -c '^| `[a-z0-9]*-[a-z0-9]*` | `[a-z0-9_]*` [0-9]' "$page")" "$(wc -l <"$scratch/table")"
while read -r row; do
	grep -qxF -e "$row" "$page" && ok || bad "not on the page: $row"
done <"$scratch/table"

# Sums in the text: PMU, machine, units, as in "27 of 167 rows"
while read -r pmu machine units; do
	sum=$(shares "$machine" | tr ',' '\n' | awk -v units="$units" '
		$1 ~ units { yes += $2; n += $4 }
		END { print yes " of " n " rows" }')
	grep "^| .*\`$pmu\`.* | .*$sum" "$page" >/dev/null && ok || bad "$pmu: the page does not say '$sum'"
done <<'END'
knc knc-4c16t ^(P54C|CRI|VPU)$
skl skl-4c8t ^PMC$
core core2-4c ^PMC$
netburst p4-1c2t ^[A-Z][A-Z0-9]*$
nhmex_unc_mbox nhmex-1p8c16t ^MBOX$
nhmex_unc_cbox nhmex-1p8c16t ^CBOX$
END

# Processors: "FAMILY MODEL" of each
{ sed -n '/^} identities/,/^};/p' "$root/hwloc_topo/boxes.c"
  "$root/facts/client-list" boxes; } | sed -E 's/0x0([0-9]),/\1,/g; s/(0x[0-9A-Fa-f]+)/\U\1/g; s/0X/0x/g' |
	awk -F'[{}]' 'NF > 3 { family = $2; gsub(/[^0-9]/, "", family); n = split($3, m, ",")
		for (i = 1; i <= n; i++) {
			gsub(/ /, "", m[i])
			if (m[i] ~ /^(0x)?[0-9A-F]+$/) print family, m[i] ~ /^0x/ ? m[i] : m[i] + 0
		} }' | LC_ALL=C sort >"$scratch/boxes"
sed -n '/^## Processors$/,$p' "$page" | awk -F' [|] ' '/^[|] [A-Z]/ && $2 ~ /^[0-9]+$/ {
		sub(/ [|]$/, "", $3)
		gsub(/0 to 4/, "0, 1, 2, 3, 4", $3)
		n = split($3, m, ", ")
		for (i = 1; i <= n; i++)
			print $2, m[i]
	}' | LC_ALL=C sort >"$scratch/page"
[ "$(wc -l <"$scratch/page")" -ge 40 ]
verdict 'processors are on the page' $?
is 'processors' "$(<"$scratch/boxes")" "$(<"$scratch/page")"
finish
