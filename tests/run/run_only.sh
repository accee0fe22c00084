#!/bin/bash
# SPDX-License-Identifier: MIT
# --only NAME counts processes of one program, whatever starts it: a loop of two instructions a turn
# and a sweep over 1 MiB, alone, under a shell, and beside another program. What is left out moves
# no counter, no cache and no clock. A name that nothing has is an error.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run python3 "${CC:-cc}"
cd "$scratch" || exit 1
unset VPMU_SEGMENT

turns=1000000 sweeps=3
make_app() {	# make_app NAME FLAG...
	local name=$1
	shift
	${CC:-cc} -nostdlib -static -Wl,-z,noexecstack -DLINES=16384 "$@" -o "$name" "$test_folder/sweep.S" ||
		{ echo 'no static program can be linked here'; exit 77; }
}
make_app app -DTURNS=$turns -DSWEEPS=$sweeps
make_app other -DTURNS=777777 -DSWEEPS=7
instructions=$((1 + 2 * turns + 1 + sweeps * (2 + 4 * 16384 + 2) + 3))
reads=$((sweeps * 16384))
# The code's lines are looked up as well, two or three of them.
events=ix86arch.INSTRUCTION_RETIRED,skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_MESI
counts() {	# counts ARGUMENT...: of ipmu-run; its counts, instructions and lookups
	ipmu-run --on skl-4c8t -e $events "$@" >out 2>err
	status=$?
	awk '/^    (ix86arch|skl_unc)/ { printf "%s ", $2 }' err
}
alone=$(counts --only app ./app)
is 'without the option: the same' "$alone" "$(counts ./app)"
read -r n lookups <<<"$alone"
is 'instructions' $instructions "$n"
[ "$lookups" -ge $reads ] && [ "$lookups" -le $((reads + 3)) ]; verdict "lookups: $lookups of $reads" $?

case_is() {	# case_is WHAT EXPECTED ARGUMENT...
	local what=$1 expected=$2
	shift 2
	is "$what" "$expected" "$(counts "$@")"
}
twice="$((2 * n)) $((2 * lookups)) "
case_is 'under a shell' "$alone" --only app sh -c './app; exit 0'
case_is 'and others' "$alone" --only app sh -c './other; ./app; ./other'
case_is 'executed in its place' "$alone" --only app sh -c 'exec ./app'
case_is 'twice' "$twice" --only app sh -c './app; ./other; ./app'
case_is 'by vfork' "$alone" --only app python3 -I -S -c 'import os
os.waitpid(os.posix_spawn("./app", ["a name"], {}), 0)
os.waitpid(os.posix_spawn("./other", ["app"], {}), 0)
try: os.posix_spawn("./none", ["app"], {})
except FileNotFoundError: pass'
case_is 'a path' "$alone" --only ./app sh -c 'cd / && "$OLDPWD"/app; "$OLDPWD"/other'
mkdir folder && cp app folder
case_is 'a path: not the file of that name elsewhere' "$alone" --only "$scratch/app" sh -c './app; folder/app'
case_is 'a name is that of both' "$twice" --only app sh -c './app; folder/app'
ln -s app link
case_is "a link's name" "$alone" --only link sh -c './link; ./app'
case_is "a link's file" "$twice" --only app sh -c './link; ./app'
cp app 'a,b c=d'
case_is 'a comma' "$alone" --only 'a,b c=d' sh -c "'./a,b c=d'; ./other"
printf '#!%s\n' "$scratch/app" >script; chmod 755 script
case_is 'a script' "$alone" --only script sh -c './script; ./app'
case_is "a script's interpreter" "$twice" --only app sh -c './script; ./app'

# A child that executes nothing is of its parent's program.
counts --only python3 python3 -I -S -c 'pass' >/dev/null
is 'forks: status' 0 $status
cat >forks.py <<'END'
import os, sys
def work():
    sum(range(200000))
if sys.argv[1] == "child":
    pid = os.fork()
    if not pid:
        work()
        os._exit(0)
    os.waitpid(pid, 0)
END
read -r without _ <<<"$(counts --only python3 sh -c 'python3 -I -S forks.py none')"
read -r with _ <<<"$(counts --only python3 sh -c 'python3 -I -S forks.py child')"
[ "$with" -gt $((without + 200000)) ]; verdict "a child of the program counts: $without, $with" $?

# -- nothing of that name
counts --only nobody -o none sh -c ./app >/dev/null
is 'no such program: status' 125 $status
says 'no such program' '^ipmu-run: --only nobody: no program of that name was executed: nothing was counted'
is 'no such program: incomplete' False "$(python3 -c 'import json; print(json.load(open("none.json"))["complete"])')"
counts --only nobody sh -c 'exit 3' >/dev/null
is "no such program: the shell's status" 3 $status
says "no such program: the shell's" '^ipmu-run: --only nobody: no program'
counts -r 2 --only app sh -c '[ -e ran ] || ./app; >ran' >/dev/null
is 'not in each run: status' 125 $status
"$vpmu" run --only nobody -m skl-4c8t -- sh -c ./app >out 2>err; is 'vpmu run: status' 125 $?
says 'vpmu run' '^vpmu: --only nobody: no program of that name was executed'
"$vpmu" run --only nobody -m skl-4c8t -- sh -c 'exit 3' >out 2>err; is "vpmu run: the shell's status" 3 $?
"$vpmu" run --only '' -m skl-4c8t -- true >out 2>err; is 'vpmu run: no name' 125 $?

# -- the rest of the machine, which ipmu-run reads on it: its registers, its mapped window
"$vpmu" run --strict --only app -m skl-4c8t -- ipmu-run -e $events -g MEM -o on -- sh -c './other; ./app' >out 2>err
is 'ipmu-run on the machine: status' 0 $?
is 'ipmu-run on the machine' "$alone" "$(awk '/^    (ix86arch|skl_unc_cbo)/ { printf "%s ", $2 }' err)"
"$vpmu" run --only app -m skl-4c8t -- ipmu-run --only app -e $events ./app >out 2>err; is 'both: status' 125 $?
says 'both' "ipmu-run runs on the virtual machine itself: give the option to 'vpmu run'"
is 'CPUs of what is left out' 1 "$("$vpmu" run --cpus 2 --only app -m skl-4c8t -- sh -c 'nproc; ./app')"
is 'CPUs behind it' 1 "$("$vpmu" run --cpus 2 --only nproc -m skl-4c8t -- sh -c '(true; nproc); true')"
is 'no variable' '' "$(VPMU_ONLY=app "$vpmu" run -m skl-4c8t -- sh -c './app; echo $VPMU_ONLY')"
now=$("$vpmu" run --only app --time model -m skl-4c8t -- sh -c './app; date -u +%s%N; ./other')
clocks=$((now - 1577836800000000000))
# At most four instructions a clock.
[ $clocks -ge $((instructions / 4)) ] && [ $clocks -lt $((2 * instructions)) ]
verdict "time of what is left out: $clocks" $?

# -- a comparison
ipmu-run --on skl-4c8t -e $events --only app -o base -- sh -c './app; ./other' 2>/dev/null
ipmu-run --on skl-4c8t -e $events --only app --compare base.json --limit 0% -- sh -c './app; ./other' >out 2>err
is 'compared: status' 0 $?
ipmu-run --on skl-4c8t -e $events --compare base.json --limit 0% -- sh -c './app; ./other' >out 2>err
is 'compared with all: status' 125 $?
says 'compared with all' "the program that is counted differs: 'app' in base.json, '' in this run"

finish
