#!/bin/bash
# SPDX-License-Identifier: MIT
# The feed's classes of instructions, which it finds by bytes, against classes by the names that
# objdump gives the same bytes: all of the C and mathematics libraries, some more for MMX and
# crypto instructions where they are installed, and every opcode of the SIMD maps. The tables of
# names are here.
# Left out: EVEX, XOP, FMA4, SSE4a, Key Locker, AVX-NE-CONVERT, AVX-VNNI-INT8, 3DNow! and TSX code,
# which no machine executes; what objdump joins into one name though it is FWAIT and another
# instruction; data among the code that objdump has a name for and a processor has not: LOCK before
# what cannot be locked, a move to CS, the 287's FRSTPM.
set -u
filter=${OBJDIR:-${BUILD:-obj}}/tests/feed_classes
least=10000
libraries='libm.so.6 libc.so.6 libpixman-1.so.0 libcrypto.so.3'
skip() {
	echo "skipped: $*"
	exit 77
}
command -v objdump >/dev/null 2>&1 || skip "no objdump here (its names are the other opinion)"
[ -x "$filter" ] || skip "$filter is not built"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

find_library() {	# its path, or nothing
	local path
	path=$(${CC:-cc} -print-file-name="$1" 2>/dev/null)
	[ -f "$path" ] && echo "$path"
}

# Lines "ADDRESS HEX CLASS TEXT" from objdump's; CLASS has blanks as "_". With once=1 the same bytes
# are checked once.
by_name() {	# by_name [once=1]
	LC_ALL=C awk -F '\t' '
	function elements(unit, b, wide) {
		if (unit == "ss" || unit == "sd") return 1
		if (unit == "pd") return wide ? 4 : 2
		if (unit != "move") return wide ? 8 : 4
		if (b ~ /^mov(ss|sd|d|q|lpd|hpd|q2dq|dq2q)$/) return 1
		if (b ~ /^mov(lps|hps|hlps|lhps)$/) return 2
		if (b ~ /^mov(apd|upd|ntpd|ddup)$/) return wide ? 4 : 2
		return wide ? 8 : 4
	}
	function simd(b) {	# the unit of an SSE or MMX instruction, b: without the v of AVX
		if (b ~ /^mov(aps|apd|ups|upd|ss|sd|d|q|dqa|dqu|[lh]p[sd]|hlps|lhps|ddup|s[hl]dup)$/ ||
		    b ~ /^mov(ntps|ntpd|ntdq|ntq|ntdqa|dq2q|q2dq)$/ || b ~ /^(lddqu|maskmov.*)$/ ||
		    b ~ /^p?broadcast/ || b ~ /^pmaskmov/) return "move"
		if (b ~ /^cvt/) {
			sub(/[xylq]$/, "", b)
			if (match(b, /(ps|pd|ss|sd)2/)) return substr(b, RSTART, 2)
			if (b ~ /ph2ps/) return "ps"
			return substr(b, length(b) - 1)
		}
		if (b ~ /^(perm2f128|insertf128|extractf128|permpd)$/) return "pd"
		if (b ~ /^(perm2i128|inserti128|extracti128|perm[dq])$/) return "int"
		if (b ~ /^(p|aes|sha|sm[34]|gf2p8|mpsadbw|emms)/ && b !~ /^permil|^permps/) return "int"
		if (b ~ /(ps|pd|ss|sd)$/) return substr(b, length(b) - 1)
		return ""
	}
	function no_instruction(text) {
		if (text ~ /(^| )lock /)
			return text !~ /lock ([a-z.A-Z0-9]* )?(add|adc|and|bt[crs]|cmpxchg(8b|16b)?|dec|inc|neg|not|or|sbb|sub|xadd|xchg|xor)[bwlq]? .*\)$/ &&
				text !~ /lock ([a-z.A-Z0-9]* )?xchg[bwlq]? .*\(/
		return text ~ /^([a-z.A-Z0-9]+ )*mov .*,%cs( |$)/ || text ~ /frstpm/
	}
	function class_of(text,   w, n, i, m, ops, b, lock, rep, mem, store, c, unit, x87, vec) {
		sub(/ *[#<].*$/, "", text)
		n = split(text, w, " ")
		for (i = 1; i < n; i++) {
			if (w[i] == "lock") lock = 1
			else if (w[i] ~ /^rep/) rep = 1
			else if (w[i] !~ /^(bnd|notrack|data16|addr32|[cdefgs]s|rex.*|xacquire|xrelease)$/)
				break
		}
		m = w[i]
		sub(/,p[nt]$/, "", m)
		for (ops = ""; ++i <= n;) ops = ops w[i]
		gsub(/st\([0-7]\)/, "st", ops)
		mem = ops ~ /\(|%[cdefgs]s:|^0x/ || m == "movabs" && ops !~ /^\$/
		store = ops ~ /\)$/ || ops ~ /%[cdefgs]s:[^,(]*$/ || ops ~ /,0x[0-9a-f]*$/
		c = ""
		if (m ~ /^(j(mp|.?cxz)|ljmp)/ && m !~ /cxz/)
			c = ops ~ /^\*/ || m ~ /^l/ ? " ijump" : " jump"
		else if (m ~ /^(j|loop)/) c = " cond"
		else if (m ~ /^l?call/) c = ops ~ /^\*/ ? " icall" : " call"
		else if (m ~ /^(l|i)?ret/) c = " ret"
		b = m
		if (m ~ /^v/ && m !~ /^v(err|erw|m[a-z]*)$/ || m ~ /^vm(ov|ask|in|ax|ul|psadbw)/)
			b = substr(m, 2)
		x87 = m ~ /^f/ && m !~ /^(fx(save|rstor)|fwait|femms)/
		unit = x87 ? "x87" : ops ~ /%([xy]?mm)/ || m ~ /^emms|^v?cvt/ ? simd(b) : ""
		vec = unit != "" && !x87 && (ops ~ /%[xy]mm/ || b ~ /^cvt/)
		if (unit == "int" && !vec) unit = "mmx"
		if (x87 && m ~ /^(fld[slt]?|fstp?[slt]?|fxch|f(ild|istt?p?)(s|l|ll)?|fbld|fbstp)$/)
			unit = "move"
		if (unit != "") c = c " " unit
		if (m ~ /^prefetch/)
			c = c " " (m ~ /nta/ ? "nta" : m ~ /t2/ ? "t2" : m ~ /t1/ ? "t1" : "t0")
		if (vec) c = c " vector"
		if (lock || m ~ /^xchg/ && mem) c = c " locked"
		if (rep && m ~ /^(mov|cmp|in|out|sto|sca|lod)s[bwlq]?$/ && ops ~ /%[de]s:|\(%r[ds]i\)/) c = c " rep"
		if (mem && !store) {
			if (m ~ /^mov([bwlq]|be|abs|[sz][bwl][wlq]|sxd)?$/ && ops !~ /,%[cdefgs]s$/) c = c " load"
			else if (unit == "move" && (x87 ? m ~ /^f(ld|ild|bld)/ : 1)) c = c " load"
		} else if (x87 && unit == "move" && mem && m ~ /^f(ld|ild|bld)/) c = c " load"
		if (m ~ /^cmps[bwlq]$/ && ops ~ /%es:|\(%rdi\),\(%rsi\)/ || m ~ /gather/) c = c " many"
		if (m ~ /^(i?mul[bwlq]?|mulx)$/ || x87 && m ~ /^fi?mul/ ||
		    vec && b ~ /^(mul|pmul|pmadd|dpp|fn?m(add|sub)|pdp)/ || unit == "mmx" && b ~ /^pm(ul|add)/)
			c = c " mul"
		if (m ~ /^i?div[bwlq]?$/ || x87 && m ~ /^(fi?div|fsqrt)/ || vec && b ~ /^(div|sqrt)/)
			c = c " div"
		if (x87 && m ~ /^f(i?(add|sub|mul|div|com)|ucom|tst|sqrt|prem|rndint|scale|xtract|ptan|patan|sin|cos|2xm1|yl2x)/ ||
		    unit ~ /^[ps][sd]$/ && b !~ /^(and|x?or|shuf|unpck|blend|insert|extract|perm|test|movmsk)/)
			c = c " comp"
		if (vec) c = c " n" elements(unit, b, ops ~ /%ymm/ || m ~ /y$/)
		return c == "" ? "-" : substr(c, 2)
	}
	NF >= 3 && $1 ~ /^ *[0-9a-f]+:$/ {
		if (once && seen[$2]++) next
		hex = $2; gsub(/ /, "", hex)
		if ($3 ~ /\(bad\)|zmm|\{|%k[0-7]|[xy]mm(1[6-9]|[23][0-9])|^(\.|rex)/ || hex ~ /^(67|2e)?62/ ||
		    $3 ~ /^vp(rot|cmov|macs|perm |sh[la])|^vfn?m(add|sub|subadd)[ps]|^pmulhrw|%\?/ ||
		    $3 ~ /^(extrq|insertq|movnts[sd]|aes(enc|dec)[a-z]*(128|256)kl|vpermil2)/ ||
		    $3 ~ /^(vbcstne|vcvtne|vpdpb(ss|su|uu)ds? |x(begin|end|abort|test))/ ||
		    $3 ~ /^rep[nz]* pmovmskb/ ||
		    $3 ~ /rex[.A-Z]*$|lock$/ || hex ~ /^9b/ && length(hex) > 2) next
		if (no_instruction($3)) next
		c = class_of($3); gsub(/ /, "_", c)
		address = $1; gsub(/[ :]/, "", address)
		print address, hex, c, $3
	}' "$@" -
}

# With each prefix and, by VEX, with each length and W; operands are registers, and memory.
every_opcode() {
	awk 'function emit(text,   b, n, i, line) {
		n = split(text, b, " ")
		line = ".byte 0x" b[1]
		for (i = 2; i <= 16; i++) line = line ",0x" (i <= n ? b[i] : "90")
		print line
	}
	BEGIN {
		split("66 f3 f2", prefix, " ")
		for (m = 1; m <= 3; m++) for (o = 0; o < 256; o++) for (r = 0; r < 2; r++) {
			rest = sprintf("%02x %s 00", o, r ? "01" : "c1")
			for (p = 0; p < 4; p++) {
				emit(prefix[p] " 0f " (m == 1 ? "" : m == 2 ? "38 " : "3a ") rest)
				for (third = 120 + p; third < 256; third += third == 124 + p ? 124 : 4)
					emit(sprintf("c4 e%d %02x %s", m, third, rest))
			}
		}
	}' | as -o "$scratch/every.o" -
	objdump -d -M intel64 --insn-width=15 "$scratch/every.o"
}

for library in $libraries; do
	path=$(find_library $library) || continue
	objdump -d -M intel64 --insn-width=15 "$path"
done | by_name once=1 >"$scratch/names"
# Later than AVX2, or a prefix that makes it no instruction.
no_machine=' (a(add|and|x?or)|cmp[a-z]*xadd|tilezero|loadiwkey|data16|rep[nz]*) | c4e1[7f][^8c]77 '
every_opcode | by_name | grep -vE "$no_machine" >"$scratch/every"
[ "$(wc -l <"$scratch/every")" -ge 100000 ] || { echo 'FAILED: not every opcode'; exit 1; }
cat "$scratch/every" >>"$scratch/names"
total=$(wc -l <"$scratch/names")
if ! cut -d' ' -f1,2 <"$scratch/names" | "$filter" - | sed 's/ /\t/; :a; s/\t\(.*\) /\t\1_/; ta' |
		cut -f2 >"$scratch/bytes"; then
	echo "FAILED: $filter does not understand its input"
	exit 1
fi
paste -d ' ' "$scratch/bytes" "$scratch/names" | awk '$1 != $4' >"$scratch/differ"
differ=$(wc -l <"$scratch/differ")
echo "$total instructions, $(cut -d' ' -f3 "$scratch/names" | sort -u | wc -l) classes," \
	"$differ disagreements"
awk '{ printf "%s  by bytes: %s  by name: %s  ", $3, $1, $4
       for (i = 5; i <= NF; i++) printf "%s ", $i; print "" }' "$scratch/differ" |
	sort -u -k4,8 | head -n 40
[ "$total" -ge $least ] && [ "$differ" = 0 ]
