# SPDX-License-Identifier: MIT
#
# Sourced by add-to-libpfm4 and component/add-to-papi: edits of somebody else's
# source tree that are made all or not at all.
#
# A plan lists the edits; edits.awk makes them on copies, all or none, and
# commit() moves the copies into the tree.
#
# Set before: prog, project (what the tree is of: libpfm4, PAPI), tree, edit_dir
# (where edits.awk is). begin_edits makes $work.

die()
{
	printf '%s: %s\n' "$prog" "$*" >&2
	exit 1
}

begin_edits()
{
	umask 022
	work=$(mktemp -d)
	trap end_edits EXIT
	trap 'exit 1' HUP INT TERM
	mkdir "$work/new" "$work/old"
	beside=
	: >"$work/made"
	: >"$work/was"
}

end_edits()
{
	rm -rf "$work" ${beside:+"$beside"}
}

# make_edits: those of the plan on standard input
make_edits()
{
	TREE=$tree WORK=$work PROG=$prog PROJECT=$project awk -f "$edit_dir/edits.awk" || exit 1
	sort -o "$work/changed" "$work/changed"
}

# everything_there: does the report name no group with something missing?
everything_there()
{
	! grep -qv ': present$' "$work/report"
}

# make_folder FOLDER: with those above it, and remember which are new
make_folder()
{
	[ ! -d "$1" ] || return 0
	make_folder "${1%/*}"
	mkdir "$1" || return 1
	printf '%s\n' "$1" >>"$work/made"
}

remove_folders()
{
	sort -r "$work/made" | while read -r folder; do
		rmdir "$folder" || :
	done
}

# restore the old files, remove the new ones
roll_back()
{
	(cd "$tree" && xargs -d '\n' rm -f -- <"$work/changed")
	cp -Rp "$work/old/." "$tree"
	remove_folders
}

# A file that is changed keeps its mode.
prepare()
{
	(cd "$tree" && while read -r file; do
		[ ! -e "$file" ] || printf '%s\n' "$file"
	done <"$work/changed") >"$work/was"
	[ -s "$work/was" ] || return 0
	(cd "$tree" && xargs -d '\n' cp -p --parents -t "$work/old" -- <"$work/was") || return 1
	cp -R --attributes-only --preserve=mode,ownership "$work/old/." "$work/new"
}

# move_in FOLDER: the new files of that folder, at once
move_in()
{
	(cd "$beside/$1" && find . -maxdepth 1 -type f -exec mv -f -t "$tree/$1" -- {} +)
}

# first bring every new file into a folder of the tree, then rename them all
commit()
{
	prepare || die "cannot read all of $tree: nothing was changed"
	sed 's,^[^/]*$,.,; s,/[^/]*$,,' "$work/changed" | sort -u >"$work/folders"
	beside=$tree/.$prog.$$
	cp -Rp "$work/new" "$beside" || die "cannot write $beside: nothing was changed"
	while read -r folder; do
		make_folder "$tree/$folder" || {
			remove_folders
			die "cannot write $tree/$folder: nothing was changed"
		}
	done <"$work/folders"
	trap '' HUP INT TERM
	while read -r folder; do
		move_in "$folder" || {
			roll_back
			die "cannot replace what is in $tree/$folder: everything was put back"
		}
	done <"$work/folders"
}
