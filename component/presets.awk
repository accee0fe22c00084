# SPDX-License-Identifier: MIT
#
# awk -f presets.awk -v want=WHAT -v lists=facts/client-list [-v component=NAME] presets.tsv
#
# PAPI's files of presets, from the table: "defs" is papi_NAME_std_event_defs.h and "table" is
# papi_NAME_presets.h of a component; "rows" are the lines of papi_events.csv for all components.
# Exit status 1, with a sentence on stderr, if the table is wrong.

function die(what)
{
	printf "presets.tsv:%d: %s\n", FNR, what >"/dev/stderr"
	failed = 1
	exit 1
}

function symbol(component, name)
{
	return "PAPI_" toupper(component) "_" name
}

# row(PMU): the line of papi_events.csv for the events of this row
function row(pmu,	events, n, i, line)
{
	line = "PRESET," symbol($2, $3) "," ($5 == "-" ? "NOT_DERIVED" : "DERIVED_POSTFIX," $5)
	n = split($6, events, ",")
	for (i = 1; i <= n; i++)
		line = line "," $2 ":::" pmu "." events[i]
	return line
}

# pmus_of(CELL): pmu[1..n] of the column; "@KIND" are the client generations' PMUs of that kind
function pmus_of(cell,	part, k, i, command)
{
	n = 0
	k = split(cell, part, ",")
	for (i = 1; i <= k; i++) {
		if (part[i] !~ /^@/) {
			pmu[++n] = part[i]
			continue
		}
		command = lists " pmus:" substr(part[i], 2)
		while ((command | getline pmu[n + 1]) > 0)
			n++
		close(command)
	}
}

function print_defs(	i)
{
	printf "#ifndef %s\n#define %s\n\n", symbol(component, "EVENT_DEFS_H"),
		symbol(component, "EVENT_DEFS_H")
	printf "/* Some are free, for those of the user's own papi_events.csv. */\n"
	printf "#define PAPI_MAX_%s_PRESETS %d\n\nenum {\n", component, room
	for (i = 1; i <= presets; i++)
		printf "\t%s_idx%s,\n", symbol(component, names[i]),
			(i > 1 ? "" : " = PAPI_" component "_PRESET_OFFSET")
	print "};\n"
	for (i = 1; i <= presets; i++)
		printf "#define %s (%s_idx | PAPI_PRESET_MASK)\n", symbol(component, names[i]),
			symbol(component, names[i])
	print "\n#endif"
}

function print_table(	i)
{
	printf "#ifndef %s\n#define %s\n\n", symbol(component, "PRESETS_H"), symbol(component, "PRESETS_H")
	printf "hwi_presets_t _%s_presets[PAPI_MAX_%s_PRESETS] = {\n", component, component
	for (i = 1; i <= presets; i++)
		printf "\t{ .symbol = \"%s\", .short_descr = \"%s\",\n\t  .long_descr = \"%s\",\n" \
			"\t  .event_type = PAPI_PRESET_BIT_%s },\n", symbol(component, names[i]), shorts[i],
			longs[i], bits[i]
	print "};\n\n#endif"
}

BEGIN {
	FS = "\t"
	room = 32
}

/^#/ { next }

$1 == "preset" && NF == 6 {
	known[$2, $3] = 1
	if ($2 != component)
		next
	names[++presets] = $3
	bits[presets] = $4
	shorts[presets] = $5
	longs[presets] = $6
	next
}

$1 == "events" && NF == 6 {
	if (!(($2, $3) in known))
		die("no preset " $3 " of " $2 " above")
	pmus_of($4)
	for (i = 1; i <= n; i++) {
		if (!(($2, pmu[i]) in rows))
			order[++blocks] = $2 SUBSEP pmu[i]
		rows[$2, pmu[i]] = rows[$2, pmu[i]] row(pmu[i]) "\n"
	}
	next
}

{ die("neither a preset nor events") }

END {
	if (failed)
		exit 1
	if (want != "rows" && (!presets || presets > room))
		die(presets + 0 " presets of " component ", of " room)
	if (want == "defs")
		print_defs()
	else if (want == "table")
		print_table()
	else
		for (i = 1; i <= blocks; i++) {
			split(order[i], of, SUBSEP)
			printf "%s,%s\n%s", of[1], of[2], rows[order[i]]
		}
}
