# SPDX-License-Identifier: MIT
#
# Writes the libpfm4 family of client processors of generation g; p is g in lower case. Reads
# kinds.tsv, groups.tsv, events.tsv and processors.tsv of facts/client-uncores. FOLDER, which exists,
# gets
#
#   family                   what add-to-libpfm4 adds; skl_unc/family explains it
#   intel_p_unc_events.h     an array of events for each kind of unit
#   pfmlib_intel_p_unc.c     a PMU for each unit, with the macros of client_unc/
#   goldens_p_unc.tsv        full names and codes, from the fields of the event select
#   p_unc_cbo_EVENT.txt      rows for libpfm4's own C-boxes, which lack unit masks
#
# The column "pmus" of processors.tsv names kinds of PMUs; "*2" are two of a kind. kinds.tsv has for each
# the macro without CLIENT_UNC_ ("-": libpfm4 has the PMU), the array, the unit in events.tsv, and the
# largest threshold: 0 of edges alone, -1 without modifiers. An event stands by itself or is a group with
# a row of events.tsv for each unit mask.

# ---- numbers

function number(text,	i, n)
{
	text = tolower(text)
	for (i = index(text, "0x") + 2; i <= length(text); i++)
		n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n + 0
}

function hex(n,	text)	# at least two digits; the %x of some awks ends at 31 bits
{
	while (n > 0 || length(text) < 2) {
		text = substr("0123456789abcdef", n % 16 + 1, 1) text
		n = int(n / 16)
	}
	return "0x" text
}

# ---- facts: event e of unit u is at[u, 1..events[u]]; unit mask m of it has [e, m]

function new_event(u, event)
{
	event_of[event] = ++n_events
	at[u, ++events[u]] = n_events
	name[n_events] = event
	code[n_events] = number($3)
	counters[n_events] = $5
	if ($5 == "FREE")
		place[n_events] = free_place(event, code[n_events])
	if (event ~ /FREERUN$/)		# Linux numbers them; the controller is bit 16
		code[n_events] = 65536 * (event ~ /MC1/) + 4096 * (1 + place[n_events] % 3) + 255
	words[n_events] = event in meaning_of ? meaning_of[event] : meaning
}

# The place of a counter that always runs: of Intel's names, three for each controller, or of the offset
function free_place(event, offset)
{
	if (event ~ /FREERUN$/)
		return 3 * (event ~ /MC1/) + (event ~ /RDCAS/) + 2 * (event ~ /WRCAS/)
	return (offset - 20544) / 4 - (offset > 20556)	# 0x5040, 44, 48, 50, 54
}

function new_mask(e, mask, bits, threshold, text, other,	m)
{
	m = ++masks[e]
	uname[e, m] = mask
	ucode[e, m] = bits
	uthr[e, m] = threshold
	utext[e, m] = text
	uother[e, m] = other
}

# An earlier name: "Old name of DAT_OCCUPANCY.ALL (deprecated)", or "... (deprecated name)". The new event
# needs the unit mask of the old one too, because libpfm4 replaces the event alone.
function old_name(event, mask,	part)
{
	if ($10 ~ /^Old name of /) {
		split($10, part, /[ .]/)
		equivalent[event] = "UNC_ARB_" part[4]
		if (part[5] != mask) {
			alias[equivalent[event]] = mask
			alias_of[equivalent[event]] = part[5]
			alias_code[equivalent[event]] = number($4)
		}
	} else if ($10 ~ /\(deprecated name\)$/)
		equivalent[event] = "UNC_M_" substr(event, 5)
}

FNR == 1 { files++; next }

files == 1 {
	macro_of[$1] = $2 == "-" ? "" : $2
	table_of[$1] = $3
	unit_of[$1] = $4
	words_of[$1] = $5
	threshold_of[$1] = $6
}

files == 2 { meaning_of[$1] = $2 }

files == 3 && index("," $1 ",", "," g ",") && $8 != "U" && !seen[$2]++ {	# twice: another model's address
	split($2, part, ".")
	part[2] = toupper(part[2])
	u = $5 == "FREE" ? "FREE" : $9
	meaning = $10 ($8 == "K" ? "; not documented by Intel" : "")
	if (!(part[1] in event_of))
		new_event(u, part[1])
	if (part[2] != "")
		new_mask(event_of[part[1]], part[2], number($4), $6 ~ /^THR=/ ? substr($6, 5) : 0, meaning)
	old_name(part[1], part[2])
	row_unit[++n_rows] = u
	row_event[n_rows] = event_of[part[1]]
	row_mask[n_rows] = masks[row_event[n_rows]] + 0
	if ($8 == "K" && $7 ~ /^Linux/)
		beside = $7 ~ /PCM/ ? "Linux and PCM" : "Linux"
}

# ---- the array of a unit

# line(FIELD, VALUE, REMARK) of a struct
function line(field, value, remark)
{
	remark = remark == "" ? "" : " /* " remark " */"
	printf "%s.%-*s = %s,%s\n", outer outer, width, field, value, remark >out
}

function usual_mask(e,	m)
{
	for (m = 1; m <= masks[e]; m++)
		if (uname[e, m] ~ /^(ALL|ANY_MESI)$/)
			return m
	return masks[e] == 1 || uother[e, 2] != ""
}

function write_mask(e, m, flags)
{
	width = 6
	printf "%s{ .uname  = \"%s\",\n", outer, uname[e, m] >out
	line("udesc", "\"" utext[e, m] "\"")
	if (uthr[e, m]) {
		line("ucode", hex(256 * ucode[e, m]) " | (" uthr[e, m] " << INTEL_X86_CMASK_BIT)")
		line("modhw", "_INTEL_X86_ATTR_C")
	} else
		line("ucode", hex(256 * ucode[e, m]))
	if (uother[e, m] != "")
		line("uequiv", "\"" uother[e, m] "\"")
	line("uflags", "INTEL_X86_NCOMBO" flags)
	printf "%s},\n", outer >out
}

function masks_name(e)
{
	return p "_unc" substr(tolower(name[e]), 4)
}

# Each event needs a code of its own in libpfm4: of two events with one code, the code of the longer name
# includes its unit mask.
function shared_with(u, e,	k, other)
{
	if (name[e] in equivalent)
		return shared_with(u, event_of[equivalent[name[e]]])
	for (k = 1; masks[e] && k <= events[u]; k++) {
		other = at[u, k]
		if (code[other] == code[e] && length(name[other]) < length(name[e]) &&
		    !(name[other] in equivalent))
			return other
	}
	return 0
}

function write_counters(e,	list, n, i, mask)
{
	if (counters[e] == "FREE" || counters[e] == "FIXED") {
		line("cntmsk", "1ULL << " 32 + place[e])
		line("flags", "INTEL_X86_FIXED")
		return
	}
	n = split(counters[e], list, ",")
	for (i = 1; i <= n; i++)
		mask += 2 ^ list[i]
	line("cntmsk", sprintf("0x%x", mask), n == 1 ? "counter " list[1] " only" : "")
}

function write_event(u, e, threshold,	other)
{
	width = masks[e] ? 7 : 6
	printf "%s{ .%-*s = \"%s\",\n", outer, width, "name", name[e] >out
	line("desc", "\"" words[e] "\"")
	if (name[e] in equivalent)
		line("equiv", "\"" equivalent[name[e]] "\"")
	other = shared_with(u, e)
	line("code", hex(code[e] + (other ? 256 * ucode[e, 1] : 0)), \
		other ? "with the unit mask: " hex(code[e]) " is " name[other] : "")
	write_counters(e)
	if (threshold >= 0)
		line("modmsk", threshold ? "CLIENT_UNC_ATTRS" : "_INTEL_X86_ATTR_E")
	if (masks[e]) {
		line("ngrp", 1)
		line("numasks", "LIBPFM_ARRAY_SIZE(" masks_name(e) ")")
		line("umasks", masks_name(e))
	}
	printf "%s},\n", outer >out
}

function write_array(kind,	u, e, k, m, usual)
{
	u = unit_of[kind]
	for (k = 1; k <= events[u]; k++) {
		e = at[u, k]
		if (masks[e])
			printf "\nstatic const intel_x86_umask_t %s[]={\n", masks_name(e) >out
		usual = usual_mask(e)
		for (m = 1; m <= masks[e]; m++)
			write_mask(e, m, m == usual ? " | INTEL_X86_DFL" : "")
		if (masks[e])
			print "};" >out
	}
	e = u == "FREE" && name[e] ~ /FREERUN$/ ? "FREERUN" : u
	printf "\n%sstatic const intel_x86_entry_t intel_%s_unc_%s_pe[]={\n", \
		e in remark ? "/* " remark[e] " */\n" : "", p, table_of[kind] >out
	for (k = 1; k <= events[u]; k++)
		write_event(u, at[u, k], threshold_of[kind])
	print "};" >out
}

# ---- goldens: what the library must say of each row of the facts

function golden(pmu, written, value, full)
{
	full = index(full ":", written ":") == 1 ? substr(full, length(written) + 1) : "::" full
	printf "%s::%s\t%s%s\n", pmu, written, value, full == "" ? "" : "\t" full >out
}

# Code of an event on a kind of PMU: enable and interrupt are set, except where nothing is selected
function value(kind, e, m, threshold, others)
{
	return hex(code[e] + 256 * (m ? ucode[e, m] : 0) + 16777216 * threshold + others + \
		(unit_of[kind] ~ /FREE|IMC/ ? 0 : 5242880))
}

function golden_row(kind, pmu, e, m,	to, mask, full)
{
	to = name[e] in equivalent ? equivalent[name[e]] : name[e]
	mask = m ? ":" uname[e, m] : ""
	full = to (to in alias && ":" alias[to] == mask ? ":" alias_of[to] : mask)
	if (threshold_of[kind] >= 0)
		full = full (threshold_of[kind] ? ":e=0:i=0:c=" uthr[e, m] + 0 : ":e=0")
	golden(pmu, name[e] mask, value(kind, e, m, uthr[e, m], 0), full)
	if (m && m == usual_mask(e) && macro_of[kind] != "")
		golden(pmu, name[e], value(kind, e, m, uthr[e, m], 0), full)
}

# The largest threshold, edges and inversion together; a larger threshold is refused
function golden_limits(kind, pmu,	e, m, most, event)
{
	most = threshold_of[kind]
	if (most < 0 || macro_of[kind] == "")
		return
	e = at[unit_of[kind], 1]
	m = masks[e] ? (usual_mask(e) ? usual_mask(e) : 1) : 0
	event = name[e] (m ? ":" uname[e, m] : "")
	golden(pmu, event ":e", value(kind, e, m, 0, 262144), event (most ? ":e=1:i=0:c=0" : ":e=1"))
	if (!most)
		return
	golden(pmu, event ":e:i:c=" most, value(kind, e, m, most, 8650752), event ":e=1:i=1:c=" most)
	printf "%s::%s:c=%d\tPFM_ERR_ATTR_VAL\n", pmu, event, most + 1 >out
}

function write_goldens(	i, row)
{
	out = folder "/goldens_" p "_unc.tsv"
	printf "# %s_unc: each event of the facts, and the limits of modifiers\n", p >out
	for (row = 1; row <= n_rows; row++)
		for (i = 1; i <= n; i += many[i])
			if (unit_of[pmu_kind[i]] == row_unit[row])
				golden_row(pmu_kind[i], pmu_name[i + (row - 1) % many[i]], row_event[row], row_mask[row])
	for (i = 1; i <= n; i += many[i])
		golden_limits(pmu_kind[i], pmu_name[i])
}

# ---- the files of a processor

# list_pmus(): pmu 1..n, its kind, name and number; of a kind there are many[]
function list_pmus(list,	kinds, k, i, part, short, count, one)
{
	for (k = 1; k <= split(list, kinds, " "); k++) {
		count = split(kinds[k], part, "*") > 1 ? part[2] : 1
		one = count == 1
		short = part[1]
		sub(/^(wide|thr|hidden)_|_(rows|there|0)$|64$/, "", short)
		for (i = 0; i < count; i++) {
			pmu_kind[++n] = part[1] (!one && part[1] ~ /^(arb|imc)$/ ? "n" : "")
			pmu_number[n] = one ? "" : i
			pmu_short[n] = short
			pmu_name[n] = p "_unc_" short (short == "imc_free" ? "_running" : "") pmu_number[n]
			many[n] = count
		}
	}
}

function file_head(first)
{
	printf "/* SPDX-License-Identifier: MIT */\n/*\n%s", first >out
	print " * This file is part of libpfm, a performance monitoring support library for" >out
	print " * applications on Linux." >out
}

function write_events(processor,	i, done)
{
	out = folder "/intel_" p "_unc" more "_events.h"
	file_head("")
	printf " *\n * PMU: %s_unc (Intel %s uncore)\n *\n", p, processor >out
	print " * Names, codes, unit masks and counters are those of the event file that Intel" >out
	printf " * publishes for this processor (%s).", source >out
	if (beside != "")
		printf " What that file lacks is known\n * from %s, and says so.", beside >out
	printf "%s\n */\n", more == "" ? "" : "\n * The C-boxes are in intel_snb_unc_events.h." >out
	for (i = 1; i <= n; i++)
		if (macro_of[pmu_kind[i]] != "" && !done[table_of[pmu_kind[i]]]++)
			write_array(pmu_kind[i])
}

# Rows for the end of an array of libpfm4, in the layout of its file
function write_rows(	k, e, m)
{
	outer = "   "
	for (k = 1; k <= events["CBO"]; k++) {
		e = at["CBO", k]
		out = folder "/" masks_name(e) ".txt"
		printf "%s/* whole unit masks, by the names of Intel's event files, of %s */\n", outer, name[e] >out
		for (m = 1; m <= masks[e]; m++)
			write_mask(e, m, " | INTEL_X86_EXCL_GRP_GT")
	}
}

function write_source(processor, family, models,	i, part, short)
{
	out = "pfmlib_intel_" p "_unc" more ".c"
	short = " * " out " : Intel " processor " uncore PMUs"
	out = folder "/" out
	file_head(short (more == "" ? "" : " beside the C-boxes") "\n *\n")
	printf " */\n/* private headers */\n#include \"pfmlib_priv.h\"\n" >out
	if (family != 6)
		printf "#define CLIENT_UNC_CPU_FAMILY	%d\n", family >out
	printf "#include \"pfmlib_intel_client_unc_priv.h\"\n" >out
	printf "#include \"events/intel_%s_unc%s_events.h\"\n\n", p, more >out
	printf "static const int %s_unc_models[] = {\n", p >out
	for (i = 1; i <= split(models, part, "; "); i++)
		printf "\t%s, /* %s */\n", substr(part[i], 1, 4), substr(part[i], 6) >out
	printf "\t0\n};\n\n" >out
	for (i = 1; i <= n; i++) {
		short = pmu_short[i]
		if (macro_of[pmu_kind[i]] == "NCU")
			printf "CLIENT_UNC_NCU(%s, %s, \"%s %s\", %s, \"uncore_%s\", %s);\n", p, g, processor, \
				words_of[pmu_kind[i]], short, pmu_kind[i], toupper(short) >out
		else if (macro_of[pmu_kind[i]] != "")
			printf "CLIENT_UNC_%s(%s, %s, \"%s\"%s);\n", macro_of[pmu_kind[i]], p, g, processor, \
				pmu_number[i] == "" ? "" : ", " pmu_number[i] >out
	}
}

function write_family(processor, listed,	i, k, short)
{
	out = folder "/family"
	for (i = 1; i <= n; i++) {
		short = pmu_short[i]
		if (macro_of[pmu_kind[i]] != "")
			printf "pmu\tINTEL_%s_UNC_%s%s\tintel_%s_unc_%s%s_support\tIntel %s %s%s uncore\n", g, \
				short == "cbo" ? "CB" : toupper(short), pmu_number[i], p, short, pmu_number[i], \
				processor, words_of[pmu_kind[i]], (pmu_number[i] == "" ? "" : " ") pmu_number[i] >out
	}
	printf "source\tpfmlib_intel_%s_unc%s.c\nevents\tintel_%s_unc%s_events.h\n", p, more, p, more >out
	for (k = 1; pmu_kind[1] == "cbo_rows" && k <= events["CBO"]; k++)
		printf "array\tlib/events/intel_%s_unc_events.h\t%s\t%s.txt\n", p, masks_name(at["CBO", k]), \
			masks_name(at["CBO", k]) >out
	printf "goldens\tgoldens_%s_unc.tsv\nreadme\tIntel %s\n", p, listed >out
}

BEGIN {
	remark["FIXED"] = "code and unit mask are a label; the counter has no event select"
	remark["IMC"] = "the select has no enable bit and no unit mask"
	remark["FREE"] = "free-running, nothing to select: the code is the counter's offset from the BAR"
	remark["FREERUN"] = "free-running: the code is the kernel's number, and bit 16 the controller"
}

files == 4 && $1 == g {
	folder = ENVIRON["FOLDER"]
	list_pmus($5)
	more = pmu_kind[1] ~ /^cbo_/ ? "_more" : ""	# beside libpfm4's own files
	write_goldens()
	for (event in alias)
		new_mask(event_of[event], alias[event], alias_code[event], 0, "Other name of " alias_of[event], \
			alias_of[event])
	if (pmu_kind[1] == "cbo_rows")
		write_rows()
	outer = "  "
	source = "perfmon " $9
	write_events($2)
	write_source($2, $3, $4)
	write_family($2, $6)
}
