#!/bin/bash
# SPDX-License-Identifier: MIT
# Completion as it is staged: what bash, zsh and fish offer for each command are the options that the
# manual page names, the commands of vpmu and the machines of `vpmu machines`. zsh and fish where they
# are installed.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${STAGE:?the staged tree}" "${SRCDIR:?}"
share=$STAGE/share
[ -d "$share/bash-completion" ] || { echo "no completions in $share: another datadir"; exit 77; }

# offered SHELL WORD... : what is offered for the last word, which may be empty
offered_bash() {
	bash -c '. "$1/bash-completion/completions/${2##*/}"
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_ipmu "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}"' - "$share" "$@"
}
offered_zsh() {
	zsh -fc 'compadd() { shift; print -l -- "$@" }
		_files() { print files }
		file=$1/zsh/site-functions/_ipmu
		shift
		complete_it() {
			local -a words=("$@")
			local CURRENT=$#
			source $file
		}
		complete_it "$@"' - "$share" "$@"
}
offered_fish() {
	fish -c 'source $argv[1]; complete -C "$argv[2]"' "$share/fish/vendor_completions.d/$1.fish" "$*" |
		cut -f 1
}
# -- as in the pages' OPTIONS, roff's backslashes taken away
options_of() {
	sed 's/\\//g' "$SRCDIR/man/$1.1" | sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' | grep -E '^\.B[A-Z]* "?-' |
		grep -oE -e '--[a-z][a-z-]*' | sort -u
}
has() {		# has WHAT WORD: a line of $scratch/out
	grep -qxF -e "$2" "$scratch/out"
	verdict "$shell: $1 offers $2" $?
}

for shell in bash zsh fish; do
	command -v $shell >/dev/null || { echo "no $shell here: not tried"; continue; }
	for command in ipmu-check ipmu-config ipmu-restore ipmu-allowlist; do
		offered_$shell $command -- >"$scratch/out" 2>&1
		options=$(options_of $command)
		[ -n "$options" ]
		verdict "the page of $command has options" $?
		for option in $options; do has $command $option; done
	done
	offered_$shell vpmu run -- >"$scratch/out" 2>&1
	for option in --machine --no-feed --seed --llc; do has 'vpmu run' $option; done
	offered_$shell vpmu '' >"$scratch/out" 2>&1
	for word in run boot machines events regs; do has vpmu $word; done
	offered_$shell vpmu run -m skl >"$scratch/out" 2>&1
	has 'vpmu run -m' skl-4c8t
	offered_$shell vpmu run -m skl-4c8t -- -- >"$scratch/out" 2>&1
	! grep -qx -e '--machine' "$scratch/out"
	verdict "$shell: nothing of ours after --" $?
done
finish
