#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-run's status line, on terminals of tmux: there after two seconds, within the width, gone at the
# end, and what the program writes stays as it is. Runs at the same time, as they mostly wait.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run tmux flock
cd "$scratch" || exit 1
# Programs wait for this lock, which starts no processes meanwhile. The terminals' server must not have it.
exec 9>go
flock 9
mux() { tmux -S "$scratch/tmux" -f /dev/null "$@" 9>&-; }
trap 'mux kill-server 2>/dev/null; rm -rf "$scratch"' EXIT
export TERM=xterm LC_ALL=C.UTF-8

cat >program <<-'END'
	for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done
	printf 'part '
	flock -s go true
	echo end
END
window() {	# window NAME COLUMNS ROWS COMMAND
	mux new-session -d -s "$1" -x "$2" -y "$3" "cd '$scratch'; PATH='$PATH'; $4; touch '$1.end'; sleep 300"
}
screen() { mux capture-pane -p -t "$1"; }
shows() {	# shows NAME REGEX: within 100 s a line of the screen does; else there is no use in going on
	local i
	for i in $(seq 30000); do
		screen "$1" 2>/dev/null | grep -qE -- "$2" && ok && return
		sleep 0.2
	done
	bad "$1: no '$2'"
	screen "$1" 2>/dev/null | sed 's/^/  | /'
	finish
	exit 1
}
drawn() {	# drawn NAME: the seconds that its line has
	screen "$1" | sed -n 's/^ ipmu-run  \([0-9]*\) s .*/\1/p' | tail -n 1
}
ended() {	# ended NAME
	local i
	for i in $(seq 30000); do [ -e "$1.end" ] && return; sleep 0.1; done
	bad "$1 does not end"
}
machine="'$vpmu' run --no-feed -m skl-4c8t"
event=skl_unc_clk.UNC_CLOCK:SOCKET
waits="sh -c 'flock -s go true'"

window plain 90 8 "$machine -- ipmu-run -e $event sh program"
window tall 60 30 "$machine -- ipmu-run -e $event sh program"
window narrow 20 10 "$machine -- ipmu-run -e $event $waits"
window small 60 3 "$machine -- ipmu-run -e $event $waits"
window quiet 60 10 "$machine -- ipmu-run -q -e $event $waits"
window dumb 60 10 "TERM=dumb $machine -- ipmu-run -e $event $waits"
window file 60 10 "$machine -- ipmu-run -e $event $waits 2>file.err"
window keys 60 10 "$machine -- ipmu-run -e $event sh -c 'stty -icanon; flock -s go true
	stty icanon'"
window resized 60 10 "$machine -- ipmu-run -e $event sh program"
window quick 60 10 "until [ -e quick.piped ]; do sleep 0.1; done; began=\$(date +%s%N)
	$machine -- ipmu-run -e $event sleep 1; echo \$(((\$(date +%s%N) - began) / 1000000)) >quick.ms"
mux pipe-pane -t quick 'cat >quick.written'
touch quick.piped
mux new-session -d -s shell -x 60 -y 10 "PS1='>' bash --norc --noprofile -i"
mux send-keys -t shell "cd '$scratch'; PATH='$PATH'; clear; $machine -- ipmu-run -e $event $waits" Enter
if command -v qemu-x86_64 >/dev/null; then
	window metric 60 10 "ipmu-run --on skl-4c8t -g MEM sh -c 'flock -s go true'"
	shows metric '^ ipmu-run  [0-9]+ s  memory bandwidth ([0-9.]+ GB/s, peak [0-9.]+|-)$'
fi

later='([2-9]|[1-9][0-9]+)'
shows plain "^ ipmu-run  $later s  $event -$"
is 'the last row is its' 8 "$(screen plain | grep -n ' ipmu-run ' | cut -d: -f1)"
is 'what was written' 'line 4 line 5 line 6 line 7 line 8 line 9 part' \
	"$(screen plain | sed '/ipmu-run/,$d' | paste -sd' ' | sed 's/ *$//')"
shows tall "^ ipmu-run  $later s  "
is 'a screen that is not full' 'line 1 line 9 part' \
	"$(screen tall | sed -n '1p;9p;10p' | paste -sd' ' | sed 's/ *$//')"
shows narrow "^ ipmu-run  $later s  s"
is 'its width' 19 "$(screen narrow | grep ' ipmu-run ' | tr -d '\n' | wc -c)"
mux resize-window -t resized -x 50 -y 7
size_at=$(drawn resized)
size_at=${size_at:-2}
shows shell "^ ipmu-run  $later s  "
mux send-keys -t shell C-z
shows shell '^>$'
is 'stopped: no line' '' "$(screen shell | grep ' ipmu-run  ')"
mux send-keys -t shell fg Enter
shows shell '^ ipmu-run  [0-9]+ s  '
for i in $(seq 30000); do	# drawn again since it has that size
	now=$(drawn resized)
	[ "${now:-0}" -lt $((size_at + 2)) ] || break
	sleep 0.2
done
is 'another size: one line, the last' 7 "$(screen resized | grep -n ' ipmu-run ' | cut -d: -f1 | paste -sd' ')"
for name in small quiet dumb keys file; do
	is "$name: no line" '' "$(screen $name | grep ' ipmu-run  ')"
done
flock -u 9
for name in plain tall narrow resized file quick; do ended $name; done
shows plain "^    $event +0$"
is 'the line that was begun' 'part end' "$(screen plain | grep '^part')"
is 'the line is gone' '' "$(screen plain | grep ' ipmu-run  ')"
is 'the line is gone from a screen that is not full' '' "$(screen tall | grep ' ipmu-run  ')"
is 'the report follows' 'part end' "$(screen tall | grep -B 1 '^ipmu-run: ' | head -n 1)"
for i in $(seq 30000); do grep -qsa 'ipmu-run: sleep' quick.written && break; sleep 0.2; done
is 'a quick one: the report' 1 "$(grep -ca 'ipmu-run: sleep' quick.written)"
# All that it has written, if it was not held up.
[ "$(cat quick.ms)" -ge 2000 ] || is 'a quick one' '' "$(grep -a ' ipmu-run  ' quick.written)"
is 'no terminal: no marks' 0 "$(grep -c $'\033' file.err)"
is 'no terminal: the report' 1 "$(grep -c '^ipmu-run: sh' file.err)"
# The whole screen scrolls again.
mux respawn-pane -k -t plain "seq 20; sleep 300"
shows plain '^20$'
finish
