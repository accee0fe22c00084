# SPDX-License-Identifier: MIT
# Completion in bash for the project's commands: their options, as --help lists them, the commands of
# vpmu, and names of machines. What follows a program's name, or --, is completed as ever.

_ipmu_options() {	# _ipmu_options COMMAND [SUBCOMMAND]
	"$@" --help 2>/dev/null | grep -E '^ {1,8}-' |
		grep -oE -e '(^ *|, *)--?[A-Za-z][A-Za-z0-9-]*' | tr -d ' ,'
}

_ipmu_commands() {	# _ipmu_commands COMMAND: those of vpmu
	"$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

_ipmu_machines() {
	if [ "$1" = ipmu-allowlist ]; then
		ipmu-allowlist --list 2>/dev/null
	else
		vpmu machines 2>/dev/null | grep -oE '\b[a-z]+[0-9]?-[0-9]+[a-z][a-z0-9]*'
	fi
}

_ipmu() {
	local command=$1 current=$2 before=$3 said=("$1") words= i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		[ "${COMP_WORDS[i]}" != -- ] || return
	done
	if [ "${command##*/}" = vpmu ]; then
		if [ "$COMP_CWORD" = 1 ]; then
			words=$(_ipmu_commands "$command")
		else
			said+=("${COMP_WORDS[1]}")
		fi
	fi
	case $before:$current in
	-m:* | --machine:* | --on:*) words=$(_ipmu_machines "${command##*/}") ;;
	*:-*) words="$words $(_ipmu_options "${said[@]}")" ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _ipmu ipmu-allowlist ipmu-check ipmu-config ipmu-mpi-run ipmu-restore ipmu-run pmutopo vpmu
