# SPDX-License-Identifier: MIT
#
# Sourced by add-to-libpfm4 and component/add-to-papi: edits of somebody else's
# source tree that are made all or not at all.
#
# Every edit is "put these lines next to that line of this part of the file":
# insert() does it on a copy, and only when all copies are ready, and no edit
# was refused, are they moved into the tree by commit().
#
# Set before: prog, project (what the tree is of: libpfm4, PAPI), tree, edit_dir
# (where insert.awk is). begin_edits makes $work; $work/block holds the lines.

die()
{
	printf '%s: %s\n' "$prog" "$*" >&2
	exit 1
}

begin_edits()
{
	work=$(mktemp -d)
	trap end_edits EXIT
	trap 'exit 1' HUP INT TERM
	mkdir "$work/new"
	: >"$work/made"
	: >"$work/moved"
	edits=0
	missing=0
}

end_edits()
{
	[ -z "${suffix-}" ] || remove_new
	rm -rf "$work"
}

# working copy of a file of the tree
stage()
{
	[ ! -f "$work/new/$1" ] || return 0
	[ -f "$tree/$1" ] || die "$tree/$1 is missing: this is not a complete $project source tree"
	mkdir -p "$work/new/$(dirname "$1")"
	cp -p "$tree/$1" "$work/new/$1"
}

# count one edit: 1 if it was still to be made
tally()
{
	edits=$((edits + 1))
	missing=$((missing + $1))
}

# insert FILE KEY START ANCHOR WHERE END: put the lines of $work/block into FILE
# before or after the only line matching ANCHOR between the first START and the
# next END. KEY is a text that only such a block brings into the file.
insert()
{
	stage "$1"
	rc=0
	BLOCK=$work/block KEY=$2 START=$3 ANCHOR=$4 WHERE=$5 END=$6 \
		awk -f "$edit_dir/insert.awk" "$work/new/$1" >"$work/out" || rc=$?
	case $rc in
	0)	cat "$work/out" >"$work/new/$1"
		tally 1 ;;
	3)	tally 0 ;;
	4)	die "$tree/$1 has '$2' already, but not as this version writes it:" \
			"start from a pristine $project tree" ;;
	5)	refuse "$1" "no line matches '$3'" ;;
	6)	refuse "$1" "no line matches '$4' after '$3'" ;;
	7)	refuse "$1" "more than one line matches '$4' after '$3'" ;;
	8)	refuse "$1" "no line matches '$6' after '$3'" ;;
	*)	die "awk failed on $tree/$1" ;;
	esac
}

refuse()
{
	die "$tree/$1: $2: not a $project source tree that this version understands"
}

# new_file SOURCE NAME: a file of ours, new to the tree
new_file()
{
	if [ ! -e "$tree/$2" ]; then
		install -D -m 644 "$1" "$work/new/$2"
		tally 1
	elif cmp -s "$1" "$tree/$2"; then
		tally 0
	else
		die "$tree/$2 exists and is another version: start from a pristine $project tree"
	fi
}

# state: what the edits since the last begin say of the tree
state()
{
	if [ "$missing" -eq 0 ]; then
		echo present
	elif [ "$missing" -eq "$edits" ]; then
		echo missing
	else
		echo "incomplete, $missing of $edits edits missing"
	fi
}

# forget the working copies that came out as they were
drop_unchanged()
{
	(cd "$work/new" && find . -type f) | sed 's,^\./,,' | sort >"$work/all"
	: >"$work/changed"
	while read -r file; do
		[ -e "$tree/$file" ] && cmp -s "$work/new/$file" "$tree/$file" || printf '%s\n' "$file" >>"$work/changed"
	done <"$work/all"
}

remove_new()
{
	while read -r file; do
		rm -f "$tree/$file.$suffix"
	done <"$work/changed"
}

# make_folder FOLDER: with those above it, and remember which are new
make_folder()
{
	[ ! -d "$1" ] || return 0
	make_folder "$(dirname "$1")"
	mkdir "$1" || return 1
	printf '%s\n' "$1" >>"$work/made"
}

# put the old files back, remove what was new
roll_back()
{
	while read -r file; do
		if [ -f "$work/old/$file" ]; then
			cp -p "$work/old/$file" "$tree/$file"
		else
			rm -f "$tree/$file"
		fi
	done <"$work/moved"
	remove_folders
}

remove_folders()
{
	remove_new
	sort -r "$work/made" | while read -r folder; do
		rmdir "$folder" || :
	done
}

# first bring every new file next to its place, then rename them all
commit()
{
	drop_unchanged
	suffix=$prog.$$
	while read -r file; do
		if [ -e "$tree/$file" ]; then
			mkdir -p "$work/old/$(dirname "$file")"
			cp -p "$tree/$file" "$work/old/$file"
		fi
		if ! { make_folder "$tree/${file%/*}" &&
				cp -p "$work/new/$file" "$tree/$file.$suffix"; }; then
			remove_folders
			die "cannot write $tree/$file: nothing was changed"
		fi
	done <"$work/changed"
	trap '' HUP INT TERM
	while read -r file; do
		if ! mv -f "$tree/$file.$suffix" "$tree/$file"; then
			roll_back
			die "cannot replace $tree/$file: everything was put back"
		fi
		printf '%s\n' "$file" >>"$work/moved"
	done <"$work/changed"
}
