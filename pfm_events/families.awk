# SPDX-License-Identifier: MIT
#
# Writes the plan (edits.awk) that adds the families of facts/families to a libpfm4 tree. A
# family's rows, KIND and columns separated by one tab, are in FAMILY/family below one of the folders
# that the environment calls HERE and MADE.

function emit(file, key, start, anchor, where, last)
{
	printf "insert\t%s\t%s\t%s\t%s\t%s\t%s\n%s", file, key, start, anchor, where, last, block
	block = ""
}

# rows(FAMILY): row[KIND, 1..n[KIND], COLUMN]; here is the folder of its files
function rows(family,	path, line, column, k, i, rc)
{
	split("", n)
	here = ENVIRON["MADE"] "/" family
	path = here "/family"
	if ((getline line < path) < 0)
		here = ENVIRON["HERE"] "/" family
	close(path)
	path = here "/family"
	while ((rc = (getline line < path)) > 0) {
		if (line ~ /^#/ || !(k = split(line, column, "\t")))
			continue
		n[column[1]]++
		for (i = 2; i <= k; i++)
			row[column[1], n[column[1]], i - 1] = column[i]
	}
	close(path)
	if (rc < 0) {
		printf "%s: %s is missing\n", ENVIRON["PROG"], path >"/dev/stderr"
		exit 1
	}
}

function add_pmus(	i)
{
	if (!n["pmu"])
		return
	for (i = 1; i <= n["pmu"]; i++)
		block = block "+\tPFM_PMU_" row["pmu", i, 1] ",\t/* " row["pmu", i, 3] " */\n"
	emit("include/perfmon/pfmlib.h", "PFM_PMU_" row["pmu", 1, 1] ",",
		"^[ \\t]*PFM_PMU_NONE", "^[ \\t]*/\\* MUST ADD NEW PMU MODELS HERE", "before", "^} pfm_pmu_t;")
	for (i = 1; i <= n["pmu"]; i++)
		block = block "+\t&" row["pmu", i, 2] ",\n"
	emit("lib/pfmlib_common.c", "&" row["pmu", 1, 2] ",",
		"^static pfmlib_pmu_t \\*pfmlib_pmus\\[\\]", "^[ \\t]*&intel_x86_arch_support,",
		"before", "^};")
	for (i = 1; i <= n["pmu"]; i++)
		block = block "+extern pfmlib_pmu_t " row["pmu", i, 2] ";\n"
	emit("lib/pfmlib_priv.h", "pfmlib_pmu_t " row["pmu", 1, 2] ";",
		"^extern pfmlib_pmu_t [a-z]", "^extern pfmlib_pmu_t intel_x86_arch_support;",
		"before", "^#endif")
}

# Files of ours, and a line of a makefile for each.
function add_files(kind, folder, makefile, prefix, start, anchor, last,	i, name)
{
	for (i = 1; i <= n[kind]; i++) {
		name = row[kind, i, 1]
		printf "new\t%s/%s\t%s/%s\n", here, name, folder, name
		block = "+" prefix name " \\\n"
		emit(makefile, name, start, anchor, "after", last)
	}
}

# A line of README's list for each processor.
function add_readme(	i)
{
	for (i = 1; i <= n["readme"]; i++) {
		block = "+\t\t" row["readme", i, 1] "\n"
		emit("README", row["readme", i, 1], "^[ \\t]*- For Intel X86:", "^[ \\t]*Intel architectural perfmon",
			"before", "^$")
	}
}

# Rows for the end of a C array that is there; the first one is unique.
function add_arrays(	i, path, line)
{
	for (i = 1; i <= n["array"]; i++) {
		path = here "/" row["array", i, 3]
		while ((getline line < path) > 0)
			block = block "+" line "\n"
		close(path)
		emit(row["array", i, 1], "", "^static .*[ \\t\\*]" row["array", i, 2] "\\[", "^};",
			"before", "^};")
	}
}

# golden(LINE): rows of libpfm4's validator for NAME, codes or an error, and what the full name adds;
# a full name that begins with "::" has NAME's PMU
function golden(line,	column, codes, k, i, full, out)
{
	if (line ~ /^# /)
		return "+\t/* " substr(line, 3) " */\n"
	k = split(line, column, "\t")
	out = "+\t{ SRC_LINE,\n+\t  .name = \"" column[1] "\",\n"
	if (column[2] ~ /^PFM_ERR/)
		return out "+\t  .ret  = " column[2] ",\n+\t},\n"
	k = split(column[2], codes, ",")
	out = out "+\t  .ret  = PFM_SUCCESS,\n+\t  .count = " k ",\n"
	for (i = 1; i <= k; i++)
		out = out "+\t  .codes[" i - 1 "] = " codes[i] ",\n"
	full = column[3]
	if (full == "" || full ~ /^:[^:]/)
		full = column[1] full
	else if (full ~ /^::/)
		full = substr(column[1], 1, index(column[1], "::") - 1) full
	return out "+\t  .fstr = \"" full "\",\n+\t},\n"
}

function add_goldens(	i, path, line)
{
	for (i = 1; i <= n["goldens"]; i++) {
		path = here "/" row["goldens", i, 1]
		while ((getline line < path) > 0)
			block = block golden(line)
		close(path)
		emit("tests/validate_x86.c", "", "^static .*[ \\t\\*]x86_test_events\\[", "^};",
			"before", "^};")
	}
}

# Lines of libpfm4's own rows that differ from the document.
function change_lines(	i, k)
{
	for (i = 1; i <= n["change"]; i++) {
		printf "change"
		for (k = 1; k <= 5; k++)
			printf "\t%s", row["change", i, k]
		print ""
	}
}

/^#/ || /^[ \t]*$/ { next }

{
	family = $1
	print "group\t" family
	rows(family)
	add_pmus()
	add_files("source", "lib", "lib/Makefile", "\t  ", "^INCARCH = \\$\\(INC_X86\\)",
		"[ \\t]pfmlib_intel_skl\\.c[ \\t]*\\\\$", "^CFLAGS \\+= -DCONFIG_PFMLIB_ARCH_X86$")
	add_files("private", "lib", "lib/Makefile", "\t", "^INC_X86=",
		"[ \\t]events/intel_skl_events\\.h[ \\t]*\\\\$", "^$")
	add_files("events", "lib/events", "lib/Makefile", "\tevents/", "^INC_X86=",
		"[ \\t]events/intel_skl_events\\.h[ \\t]*\\\\$", "^$")
	add_files("man", "docs/man3", "docs/Makefile", "\t ",
		"^ifeq \\(\\$\\(CONFIG_PFMLIB_ARCH_X86\\),y\\)",
		"[ \\t]libpfm_intel_skl\\.3[ \\t]*\\\\$", "^$")
	add_arrays()
	add_goldens()
	add_readme()
	change_lines()
}
