# SPDX-License-Identifier: MIT
#
# Reads a plan of edits and makes them on copies. tree.sh says who writes the plan. Columns are
# separated by one tab:
#
#   group NAME              the edits that follow are counted together
#   new SOURCE NAME         a file of ours, new to the tree
#   insert FILE KEY START ANCHOR WHERE END
#   change FILE START ANCHOR OLD NEW
#                           the line OLD, without its indentation, between the first ANCHOR after
#                           the first START and the end of that row of a C array, becomes NEW
#   +LINE                   lines of the block that "insert" puts into FILE, before or after the only
#                           line that matches ANCHOR between the first START and the next END; KEY is
#                           a text that only such a block brings into the file, or empty for its
#                           first line
#
# The environment has TREE, WORK, PROG and PROJECT. Writes WORK/new/FILE for each file that changes,
# WORK/changed with their names, WORK/report with "NAME: state" for each group. Exit status 1, with a
# sentence on stderr: an edit was refused, and WORK/new is not to be used.

function die(what)
{
	printf "%s: %s\n", ENVIRON["PROG"], what >"/dev/stderr"
	failed = 1
	exit 1
}

function refuse(file, what)
{
	die(tree "/" file ": " what ": not a " project " source tree that this version understands")
}

function tally(made)
{
	edits++
	missing += made
}

# read_file(PATH): its lines, each with its newline, as one text; or "-" if there is none
function read_file(path,	all, rc)
{
	RS = "\001"
	rc = (getline all < path)
	RS = "\n"
	close(path)
	if (rc < 0)
		return "-"
	return rc && all !~ /\n$/ ? all "\n" : all
}

# body[FILE] is searched for what is there, text[FILE, 1..count[FILE]] for a place. An inserted block is
# appended to body, whose order means nothing.
function load(file,	line, i)
{
	if (file in count)
		return
	if (!(file in body))
		body[file] = read_file(tree "/" file)
	if (body[file] == "-")
		die(tree "/" file " is missing: this is not a complete " project " source tree")
	count[file] = split(body[file], line, "\n")
	if (count[file])
		count[file]--
	for (i = 1; i <= count[file]; i++)
		text[file, i] = line[i]
	body[file] = "\n" body[file]
}

function new_file(source, name,	there)
{
	body[name] = read_file(source)
	if (body[name] == "-")
		die(source " is missing: what is to be added is incomplete")
	there = read_file(tree "/" name)
	if (there == "-")
		changed[name] = 1
	else if (body[name] != there)
		die(tree "/" name " exists and is another version: start from a pristine " project " tree")
	tally(there == "-")
}

# The line behind which the block belongs.
function find_place(file,	i, at, anchors)
{
	if (last_place[file] == places())
		return place[file]
	for (i = 1; i <= count[file] && text[file, i] !~ start; i++)
		;
	if (i > count[file])
		refuse(file, "no line matches '" start "'")
	for (i++; i <= count[file]; i++) {
		if (text[file, i] ~ anchor) {
			at = i
			anchors++
		}
		if (text[file, i] ~ last)
			break
	}
	if (i > count[file])
		refuse(file, "no line matches '" last "' after '" start "'")
	if (!anchors)
		refuse(file, "no line matches '" anchor "' after '" start "'")
	if (anchors > 1)
		refuse(file, "more than one line matches '" anchor "' after '" start "'")
	return where == "before" ? at - 1 : at
}

function places() { return start SUBSEP anchor SUBSEP where SUBSEP last }

# Many blocks in turn have the same place in a file: it moves with those put before its anchor.
function put_block(file, at,	i)
{
	last_place[file] = places()
	for (i = count[file]; i > at; i--)
		text[file, i + nblock] = text[file, i]
	for (i = 1; i <= nblock; i++) {
		text[file, at + i] = block[i]
		if (block[i] ~ anchor || block[i] ~ last)
			delete last_place[file]
	}
	place[file] = where == "before" ? at + nblock : at
	count[file] += nblock
	body[file] = body[file] whole
	changed[file] = 1
}

# Makes the edit whose block is complete now.
function insert()
{
	if (!file)
		return
	load(file)
	if (key == "")
		key = block[1]
	if (!nblock)
		die("nothing is to be put into " file ": what is to be added is incomplete")
	if (index(body[file], "\n" whole)) {
		tally(0)
	} else {
		if (index(body[file], key))
			die(tree "/" file " has '" key "' already, but not as this version " \
				"writes it: start from a pristine " project " tree")
		put_block(file, find_place(file))
		tally(1)
	}
	file = whole = ""
	nblock = 0
}

function bare(line)
{
	sub(/^[ \t]+/, "", line)
	return line
}

function change(name, first, row, old, new,	i, indent)
{
	load(name)
	for (i = 1; i <= count[name] && text[name, i] !~ first; i++)
		;
	for (; i <= count[name] && text[name, i] !~ row; i++)
		;
	for (; i <= count[name] && text[name, i] !~ /^[ \t]*},/; i++) {
		if (bare(text[name, i]) == new) {
			tally(0)
			return
		}
		if (bare(text[name, i]) != old)
			continue
		indent = text[name, i]
		sub(/[^ \t].*/, "", indent)
		text[name, i] = indent new
		body[name] = body[name] text[name, i] "\n"
		changed[name] = 1
		tally(1)
		return
	}
	refuse(name, "no line '" old "' in the row '" row "' after '" first "'")
}

function end_group()
{
	if (group)
		print group ": " (!missing ? "present" : missing == edits ? "missing" : \
			"incomplete, " missing " of " edits " edits missing") >(work "/report")
	edits = missing = 0
}

function write(file,	i, to)
{
	to = work "/new/" file
	printf "" >to
	if (!(file in count) && body[file] != "")
		print substr(body[file], 1, length(body[file]) - 1) >to
	for (i = 1; i <= count[file]; i++)
		print text[file, i] >to
	close(to)
	print file >(work "/changed")
}

BEGIN {
	FS = "\t"
	tree = ENVIRON["TREE"]
	work = ENVIRON["WORK"]
	project = ENVIRON["PROJECT"]
	printf "" >(work "/report")
	printf "" >(work "/changed")
}

/^\+/ {
	block[++nblock] = substr($0, 2)
	whole = whole block[nblock] "\n"
	next
}

{ insert() }

$1 == "group" {
	end_group()
	group = $2
}

$1 == "new" { new_file($2, $3) }

$1 == "change" { change($2, $3, $4, $5, $6) }

$1 == "insert" {
	file = $2
	key = $3
	start = $4
	anchor = $5
	where = $6
	last = $7
}

END {
	if (failed)
		exit 1
	insert()
	if (failed)
		exit 1
	end_group()
	for (file in changed) {
		folder = file
		if (sub(/\/[^\/]*$/, "", folder) && !(folder in folders))
			make = make " " folder
		folders[folder] = 1
	}
	if (make && system("cd \"$WORK/new\" && mkdir -p" make) != 0)
		die("no folder can be made in " work)
	for (file in changed)
		write(file)
}
