#!/bin/bash
# SPDX-License-Identifier: MIT
# What CONTRIBUTING.md agrees on and a machine can see: licence lines, width, size.
set -u
cd "${SRCDIR:-$(dirname "$0")/../..}" || exit 1
rooms=(common hwloc_topo component upstream virtual_pmu mpi_aggregation mpi_examples regions examples measure ipmu_run demo bench tests)
failed=0
fail() { echo "FAILED: $*"; failed=1; }

mapfile -t sources < <(find "${rooms[@]}" -name '*.[ch]' 2>/dev/null | LC_ALL=C sort)
mapfile -t scripts < <(find "${rooms[@]}" build-aux pfm_events tools .ci -type f \
	! -name '*.log' ! -name '*.tally' -exec grep -lIm1 '^#!/bin/' {} + 2>/dev/null | LC_ALL=C sort)
[ "${#sources[@]}" -gt 0 ] && [ "${#scripts[@]}" -gt 0 ] || fail 'no sources'
# Tables may be long, code may not.
LC_ALL=C awk '
	function columns(line,   n, at) {
		for (n = 0; at = index(line, "\t"); line = substr(line, at + 1))
			n = n + at - 1 + 8 - (n + at - 1) % 8
		return n + length(line)
	}
	function fail(what) { print "FAILED: " what; bad = 1 }
	FNR <= 3 && /SPDX-License-Identifier: MIT/ { licensed[FILENAME] = 1 }
	FILENAME !~ /\.[ch]$/ { next }
	columns($0) > 100 { fail(FILENAME ":" FNR ": " columns($0) " columns") }
	/[ \t\r]$/ { fail(FILENAME ":" FNR ": blank at the end") }
	/[;}]$/ && ++code[FILENAME] == 501 { fail(FILENAME ": more than 500 lines of code") }
	END {
		for (i = 1; i < ARGC; i++)
			if (!licensed[ARGV[i]]) fail(ARGV[i] ": no licence line")
		exit bad
	}' "${sources[@]}" "${scripts[@]}" || failed=1
# Names of production code: in files above 200 lines a static function that has the name of others
# carries its object, and a tag stands for one type.
names() {	# names FILE...
	LC_ALL=C awk '
	function fail(what) { print "FAILED: " what; bad = 1 }
	function defined(tag) {
		if (tag in home && home[tag] != FILENAME)
			fail(FILENAME ":" FNR ": " tag " is another type in " home[tag])
		home[tag] = FILENAME
	}
	FNR == 1 { comment = 0 }
	{
		lines[FILENAME] = FNR
		if (comment ? !sub(/^.*\*\//, "") : 0) next
		comment = 0
		gsub(/\/\*([^*]|\*[^\/])*\*\//, "")
		if (sub(/\/\*.*/, "")) comment = 1
		for (rest = $0; match(rest, /(struct|enum|union) +[a-z_0-9]+ *\{/);
				rest = substr(rest, RSTART + RLENGTH)) {
			split(substr(rest, RSTART, RLENGTH), word, / +/)
			defined(word[2])
		}
	}
	/^[A-Z_]*[ ]?(__attribute__.*\)[ ])?static / && !/;$/ {
		gsub(/__attribute__\(\(([^()]|\([^()]*\))*\)\)/, "")
		if (match($0, /^[^(={;]*\(/)) {
			name = substr($0, 1, RLENGTH - 1)
			sub(/.*[^a-zA-Z_0-9]/, "", name)
			if (!((name, FILENAME) in has)) { has[name, FILENAME]; files[name]++ }
		}
	}
	END {
		for (pair in has) {
			split(pair, part, SUBSEP)
			if (files[part[1]] >= 3 && lines[part[2]] > 200)
				fail(part[2] ": the static function " part[1] "() has the name of others" \
				     " in " files[part[1]] - 1 " files: name its object as well")
		}
		exit bad
	}' "$@"
}
mapfile -t production < <(printf '%s\n' "${sources[@]}" |
	grep -E '^(common|hwloc_topo|component|virtual_pmu|mpi_aggregation|ipmu_run)/' | grep -v /tests/)
names "${production[@]}" || failed=1
planted=$(mktemp -d) || exit 1
trap 'rm -rf "$planted"' EXIT
for file in a b; do
	echo 'static int take(void)' >"$planted/$file.c"
done
{ echo 'struct one {'; echo '/* struct two { */'; yes '' | head -n 200; } >"$planted/c.c"
names "$planted"/*.c || fail 'what agrees with the rules of names was found'
echo 'static void *take(int one,' >>"$planted/c.c"
echo '	enum one { A };' >>"$planted/b.c"
[ "$(names "$planted"/*.c | grep -c '/c.c: .* take()\|/c.c:1: one ')" = 2 ] || fail 'planted names were not found'
for file in "${scripts[@]}"; do
	"$(sed -n '1s/^#!//p' "$file")" -n "$file" || fail "$file: syntax"
done
# Libraries are in the folder that was given to configure.
grep -rnE '\$\{?STAGE\}?"?/lib' tests --include='*.sh' --include=environment.sh --include=run |
	grep -v build_style.sh && fail 'it is $STAGE_LIB that these mean'
exit "$failed"
