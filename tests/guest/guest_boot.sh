#!/bin/bash
# SPDX-License-Identifier: MIT
# vpmu boot: the program on a booted machine has the caller's streams, status, signals, terminal,
# folder, environment and user; what the machine cannot do ends with a sentence and a status.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../support/guest.sh"
needs python3 stty setpriv
export VPMU_TALLY=$scratch/tally	# the kernel's drivers leave registers changed

boot() { timeout -k 5 $HANG_SECONDS "$vpmu" boot -m skl-1c1t "$@"; }
says() {	# says TEXT: it is in $scratch/err
	grep -qF -- "$1" "$scratch/err" && ok || bad "'$1' is not in: $(tail -n 5 "$scratch/err")"
}
refused() {	# refused STATUS TEXT OPTION...: without booting
	local status=$1 text=$2
	shift 2
	timeout $HANG_SECONDS "$vpmu" boot "$@" >/dev/null 2>"$scratch/err"
	is "boot $*: status" "$status" $?
	says "$text"
}
wait_for() {	# wait_for TEXT FILE PID: that the program has got there
	local i
	for i in {1..1200}; do
		grep -qF -- "$1" "$2" 2>/dev/null && return
		kill -0 "$3" 2>/dev/null || break
		sleep 0.1
	done
	bad "no '$1' came: $(tail -n 5 "$2")"
	return 1
}

# -- what needs no machine
refused 125 '512M' --memory 12 true
refused 125 'belong together' --kernel /nowhere true
refused 127 'no such program' surely-no-such-program
refused 125 'at most 255 CPUs' --no-feed -m skl-128c256t true
refused 125 'not a folder of a kernel' --kernel "$guest/kernel/vmlinux" --modules "$scratch" true
VPMU_LIBDIR=$scratch refused 125 "run 'make guest'" true
refused 125 'it has said nothing' --qemu /bin/true true
ends() {	# ends TEXT NAME=VALUE...: the emulator alone, with one line
	timeout $HANG_SECONDS env "${@:2}" "$guest/qemu-system-x86_64" --version >/dev/null 2>"$scratch/err"
	is "the emulator with ${*:2}: status" 1 $?
	is "the emulator with ${*:2}: lines" 1 "$(wc -l <"$scratch/err")"
	says "$1"
}
ends 'VPMU_SEGMENT names no machine' VPMU_GUEST_MODEL="$STAGE_LIB/ipmu/libvpmu_guest.so"
ends 'undefined symbol: vpmu_guest_open' VPMU_GUEST_MODEL="$STAGE_LIB/libintelpmu.so"

mkdir "$scratch/folder"
cd "$scratch/folder" || exit 1

# -- streams apart, binary, both ways, whole; the program's status
head -c 300000 /dev/urandom >in
head -c 3000000 /dev/urandom >large
# A stream is moved in large pieces: each costs every process on its way a turn of the CPU.
head -c 16000000 /dev/urandom >stream
cat in stream | boot --no-feed -- sh -c 'turns() { sed -n "s/^ctxt //p" /proc/stat; }
	date +%s%N >from
	cat large; head -c 300000 >&2; a=$(turns); sha256sum >sum; echo $(($(turns) - a)) >turns
	date +%s%N >till; exit 42' >out 2>err
is 'the status' 42 $?
is 'the rest of stdin' "$(sha256sum <stream)" "$(cat sum)"
# Page after page of 4 KiB there would be 8,192 of them, to and from the reader.
[ "$(cat turns)" -lt 4000 ] && ok || bad "$(cat turns) turns of the CPU for 16 MB"
# Its clock beside the host's, by which the files were written: it is no multiple, at any load.
inside=$((($(cat till) - $(cat from)) / 1000000))
outside=$(stat -c %.3Y from till | tr -d . | xargs | { read -r a b; echo $((b - a)); })
off=$((inside - outside))
[ ${off#-} -lt $((outside / 4 + 150)) ] && ok || bad "$inside ms inside were $outside ms outside"
cmp -s large out && ok || bad "stdout: $(wc -c <out) bytes of 3000000 arrived, or others"
cmp -s in err && ok || bad "stdin to stderr: $(wc -c <err) bytes of 300000 arrived, or others"

# -- the folder, the environment, the user; all else is memory; a signal's status
echo outside >read
cat >look <<'SCRIPT'
#!/bin/sh
id -u
pwd
cat read
echo "$EMPTY,$WORDS"
umask
echo inside >written
echo gone >/etc/vpmu-guest-test && cat /etc/vpmu-guest-test
nproc
cat /proc/1/comm
wc -c </dev/stdin
echo mem >/sys/power/state
[ -t 0 ] || [ -t 1 ] || echo 'no terminal'
(sleep 1000 &)
kill -SEGV $$
SCRIPT
chmod +x look
(umask 027; EMPTY='' WORDS='two  words' boot -m skl-2c2t -- ./look </dev/null) >out 2>err
is "a signal's status" 139 $?
printf '%s\n' 0 "$PWD" outside ',two  words' 0027 gone 2 init 0 'no terminal' | diff - out >diff &&
	ok || bad "what the program saw: $(cat diff err)"
is 'what was written in the folder' inside "$(cat written)"
cp err "$scratch/err"
says '/sys/power/state: Read-only file system'	# nothing would wake it
is 'its mode' 640 "$(stat -c %a written)"
[ ! -e /etc/vpmu-guest-test ] && ok || bad 'a file outside of the folder was written'

# -- the host's /tmp and /run: what the command and PATH name there, written in memory; nothing else
other=$(mktemp /tmp/vpmu-guest.XXXXXX) named=$(mktemp -d /tmp/vpmu-guest.XXXXXX)
running=$(mktemp -d /run/vpmu-guest.XXXXXX 2>/dev/null) || running=$(mktemp -d /tmp/vpmu-guest.XXXXXX)
trap 'rm -rf "$scratch" "$other" "$named" "$running"' EXIT
mkdir "$named/bin" "$named/data"
echo read >"$named/data/read"
printf '#!/bin/sh\ncat "$1"\necho lost >%s/data/written && cat %s/data/written\n[ -e "$2" ]\n' \
	"$named" "$named" >"$named/bin/tool"
cp "$named/bin/tool" "$running/tool"
chmod -R a+rX "$named" "$running" && chmod a+x "$named/bin/tool" "$running/tool"
for command in tool "$running/tool" "sh $running/tool"; do
	(cd / && PATH=$PATH:$named/bin boot --no-feed -- $command "$named/data/read" "${other#/}") \
		>out 2>err </dev/null
	is "the status of $command" 1 $?
	is "the output of $command" 'read lost' "$(xargs <out)$(cat err)"
done
is 'what the machine wrote in /tmp' read "$(ls "$named/data")"

# -- signals; a reader that goes
boot -- sh -c 'trap "echo caught; exit 9" TERM; echo ready; while :; do sleep 0.1; done' \
	>out 2>err </dev/null &
if wait_for ready out $!; then
	kill -TERM "$(pgrep -P "$(pgrep -P $!)")"	# vpmu, below timeout
fi
wait $!
is 'the status after SIGTERM' 9 $?
is 'its output' 'ready caught' "$(xargs <out)"
boot -- sh -c 'trap "" PIPE; while echo y 2>/dev/null; do :; done; exit 5' 2>err </dev/null |
	head -n 1 >out
is 'the status of who wrote to nobody' 5 "${PIPESTATUS[0]}"

# -- a terminal: its size, Ctrl-C for the program, and as it was at the end
python3 "$SRCDIR/tests/guest/session.py" "stty -g >before; timeout --foreground -k 5 $HANG_SECONDS '$vpmu' boot -m skl-1c1t -- sh -c '
		stty size; tty <&2; trap \"echo caught; exit 4\" INT
		echo ready; while :; do sleep 0.2; done'
	echo status \$?; stty -g >after" >lines 2>&1
for text in '33 77' /dev/pts/0 '^C' 'caught' 'status 4'; do
	grep -qF -- "$text" lines && ok || bad "no '$text' on the terminal: $(cat lines)"
done
cmp -s before after && ok || bad 'the terminal is not as it was'

# -- ends that are not the program's
boot -- sh -c 'echo before; echo c >/proc/sysrq-trigger; sleep 100' >out 2>err </dev/null
is 'the status after a panic' 125 $?
cp err "$scratch/err"
says 'sysrq triggered crash'
says 'ended before the program did'
is 'output before a panic' before "$(cat out)"
boot -- sh -c 'echo ready; sleep 100' >out 2>err </dev/null &
if wait_for ready out $!; then
	kill -KILL "$(pgrep -P "$(pgrep -P "$(pgrep -P $!)")")"	# below timeout and vpmu
fi
wait $!
is 'the status when the emulator is killed' 125 $?
cp err "$scratch/err"
says 'Killed'

# -- another user, without a home or a folder to write in; a program of no format
if [ "$(id -u)" = 0 ]; then
	lib=${STAGE_LIB#"$STAGE"/}/ipmu
	open_to_users "bin/vpmu" "$lib/vpmu-init" "$lib/libvpmu_guest.so" "$lib/guest"
	printf 'no program' >"$scratch/text"; chmod 755 "$scratch/text"
	cd / && HOME=/nonexistent timeout -k 5 $HANG_SECONDS setpriv --reuid=65534 --regid=65534 \
		--groups=1234 "$scratch/stage/bin/vpmu" boot -m skl-1c1t --user -- \
		sh -c "id -u; id -g; id -G; pwd; $scratch/text; echo \$?" >"$scratch/out" \
		2>"$scratch/err" </dev/null
	is 'the status of a user' 0 $?
	is 'the user inside' '65534 65534 65534 1234 / 127' "$(xargs <"$scratch/out")"
fi
finish
