#!/bin/bash
# SPDX-License-Identifier: MIT
# Words of somebody else that a command shows, names of programs and files and what stands in files,
# hold nothing that a terminal obeys: each command is given escape sequences, and none is printed.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
cd "$scratch" || exit 1
export XDG_CONFIG_HOME=$scratch/config
event=skl_unc_clk.UNC_CLOCK:SOCKET
evil=$'a\e]0;x\a\xc2\x9b2Jb\nforged: line' shown='a\\x1B]0;x\\x07\\xC2\\x9B2Jb\\x0Aforged: line'

safe() {	# safe WHAT COMMAND...: shows the words, and nothing of them as they are
	local what=$1
	shift
	timeout 60 "$@" >out 2>&1 </dev/null
	grep -qF -- "$(printf '%b' "${shown//\\\\/\\\\}")" out && ok || { bad "$what: not shown"; cat -v out; }
	LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|^forged' out &&
		{ bad "$what: as it is"; cat -v out; } || ok
}

# -- programs
cp "$(command -v true)" "$evil"
safe 'vpmu: no such program' "$vpmu" run --no-feed "./none$evil"
safe 'vpmu: an option' "$vpmu" run --machine "$evil" true
safe 'vpmu: a segment' "$vpmu" regs -s "$evil"
if command -v ipmu-run >/dev/null; then
	safe 'ipmu-run: no such program' "$vpmu" run --no-feed ipmu-run -e $event "./none$evil"
	safe 'ipmu-run: the report' "$vpmu" run --no-feed ipmu-run -e $event "./$evil"
	safe 'ipmu-run: an event' "$vpmu" run --no-feed ipmu-run -e "$evil" true
	safe 'ipmu-run: a file' "$vpmu" run --no-feed ipmu-run -e $event -o "none/$evil" true
	# Groups: the name of a file, of a folder, and what stands in one.
	mkdir -p config/ipmu/groups/{skl_unc,"$evil"}
	printf 'title: t\nevent: A = %s\ntells: x\nmisleads: y\n' $event |
		tee "config/ipmu/groups/skl_unc/$evil" >"config/ipmu/groups/$evil/MINE"
	safe 'ipmu-run: a group of that name' "$vpmu" run --no-feed ipmu-run --groups
	grep -q 'control characters in its name' out && ok || bad 'a group file of that name is no error'
	rm -r config/ipmu/groups/*
	mkdir config/ipmu/groups/skl_unc
	printf 'title: \xc2\x9b2J\nevent: A = %s\ntells: x\nmisleads: y\n' $event >config/ipmu/groups/skl_unc/MINE
	"$vpmu" run --no-feed ipmu-run -g MINE true >out 2>&1 </dev/null
	is 'a group with U+009B: status' 125 $?
	grep -q 'MINE:1: this is no text' out && ok || bad "a group with U+009B: $(cat -v out)"
fi
# -- files that are read
if command -v pmutopo >/dev/null; then
	printf '%s\n' "${evil%%$'\n'*}" >labels
	shown='a\\x1B]0;x\\x07\\xC2\\x9B2Jb' safe 'pmutopo: a line of labels' \
		env HWLOC_XMLFILE="$SRCDIR/tests/data/topo/skl-4c8t.xml" pmutopo --svg - --labels labels
	sed 's/Test Skylake client/a\xc2\x9b2Jb/' "$SRCDIR/tests/data/topo/skl-4c8t.xml" >machine.xml
	shown='a\\xC2\\x9B2Jb' safe 'pmutopo: the name of a processor' env HWLOC_XMLFILE=machine.xml pmutopo
	safe 'pmutopo: an argument' pmutopo "$evil"
fi
for command in ipmu-allowlist ipmu-restore; do
	! command -v $command >/dev/null || safe "$command: an argument" $command "$evil"
done
finish
