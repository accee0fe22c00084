#!/bin/bash
# SPDX-License-Identifier: MIT
# Every command of README.md, docs/ and tools/debugging.md is run here, or named here with the test that runs it; one that is
# neither fails. Event names in it are counted.
set -u
documents=("${SRCDIR:?}/README.md" "$SRCDIR"/docs/*.md "$SRCDIR/tools/debugging.md")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
prefix=$STAGE
cp /bin/true "$scratch/app"
cd "$scratch" || exit 1
mkdir bench && echo 'one: -- ./app' >bench/suite.txt

ok() {	# ok COMMAND STATUS
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $1"
		tail -n 15 out | sed 's/^/  | /'
	fi
}

counted() {	# counted NAME: PAPI can count it; natively, which takes a tenth of the time
	"$VPMU" run --no-feed --strict -m skl-4c8t -- papi_command_line "$1" >out 2>&1 &&
		grep -Fq "Successfully added: $1" out
}

debugger() {	# debugger COMMAND: reaches its breakpoint, or prints a value
	local command=${1//gdb /gdb -batch }
	[ "$command" != 'gdb -batch --args obj/tests/engine_netburst' ] || return 0
	# What gdb kills restores no register.
	VPMU_TALLY=$scratch/tally bash -c "${command/#tools/$SRCDIR/tools}" >out 2>&1
	grep -qE '^(Thread|Breakpoint).* (hit Breakpoint|ipmu_session_read)|^\$3 = ' out
}

run() {		# run COMMAND
	local command=$1 word=${1%% *}
	case $command in
	'./configure --install-deps && make '* | './configure --install-deps=check && make '*)	# .ci/run does it; here: make knows the target
		"$MAKE" -C "$BUILDDIR" -n "${command##*make }" >out 2>&1 ;;
	intel_core:::* | intel_uncore:::*) counted "$word" ;;
	'./configure --prefix=/opt/ipmu')	# tests/build/install_layout.sh does it; here: it knows the options
		"$SRCDIR/configure" --help >out 2>&1 && grep -q -- '--libdir=DIR' out ;;
	'make install && make installcheck')	# so does that
		"$MAKE" -C "$BUILDDIR" -n install-built installcheck >out 2>&1 ;;
	'vpmu boot '*)	# tests/guest/guest_boot.sh does it, after make guest; here: the command is there
		"$VPMU" boot --help >out 2>&1 && grep -q '^Usage: vpmu boot' out ;;
	'unshare --pid --fork '*) ;;	# tests/run/run_processes.sh
	*examples/count.* | *'-- ./count '*) ;;	# tests/build/examples.sh does these ...
	'with ipmu.region('* | 'cc app.c $(pkg-config --cflags --libs ipmu-region) -o app') ;;	# python_module, installcheck
	'ipmu-run --on '*' --only-regions '*) ;;	# tests/run/run_regions.sh
	'make check-unit TESTS='* | 'make check TESTS='* | 'env SHELLOPTS=xtrace make check TESTS='*)
		command=${command##*TESTS=}	# here: there is such a test
		compgen -G "$SRCDIR/tests/*/$command.*" >out ;;
	"ONE_CASE='*escr*' obj/tests/engine_netburst")	# one of ten cases
		[ ! -x "$OBJDIR/tests/engine_netburst" ] ||
			(cd "$SRCDIR" && ONE_CASE='*escr*' "$OBJDIR/tests/engine_netburst") >out 2>&1 &&
			! grep -q '^\[=*\] ' out || grep -q '^\[=*\] 1 test(s) run' out ;;
	*'gdb '* | 'tools/segment '*) if type -P gdb >/dev/null; then debugger "$command"; fi ;;
	'IPMU_DEBUG=registers '*) bash -c "$command" >out 2>&1 && grep -q '(read)$' out ;;
	'cp -r $prefix/share/ipmu/examples lesson && cd lesson') ;;	# tests/run/run_lesson.sh does docs/caches.md
	'cc -O1 '*.c* | *' ./matrix '* | *' ./sharing '* | *' ./stores '* | *' ./sizes '*) ;;
	'callgrind_annotate P.callgrind.*' | "sed -i 's/define N "*) ;;	# tests/run/run_where_page.sh does docs/where.md
	*examples/sample.* | 'vpmu run '*'-- ./sample '*) ;;	# ... and these
	'python3 -m venv venv' | 'venv/bin/pip install $prefix/share/ipmu/python') ;;	# tests/python/python_module.sh
	'export IPMU_NODE_SUM=first') ;;	# with the next, tests/mpi/mpi_clients.sh does it ...
	'export TAU_METRICS='* | 'export SCOREP_METRIC_'* | 'export CALI_PAPI_'*) ;;
	'cp $prefix/share/ipmu/mpi_examples/'* | mpicc*USE_PAPI_HL* | 'export PAPI_EVENTS='* | 'jq '* | \
		'mpirun --hostfile '*) ;;	# ... and tests/papi/tools_page.sh these
	reads=intel_uncore:::* | writes=intel_uncore:::*) counted "${command#*=}" ;;
	'PAPI_VERBOSE=1 papi_command_line EVENT EVENT')	# both need counter 0
		PAPI_VERBOSE=1 "$VPMU" run --no-feed --strict -m skl-4c8t -- papi_command_line \
			intel_uncore:::skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL \
			intel_uncore:::skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL:c=2 >out 2>&1
		grep -q 'intel_uncore: .*collides with' out ;;
	'. stage/share/ipmu/env.sh' | '. $prefix/share/ipmu/env.sh') (. "$prefix/share/ipmu/env.sh") >out 2>&1 ;;
	'pfm_events/add-to-libpfm4 TREE') "$SRCDIR"/pfm_events/add-to-libpfm4 --check \
		"$LIBPFM4_BUILD" >out 2>&1 ;;
	'component/add-to-papi TREE')	# tests/build/build_add_to_papi.sh does it; here: what it would add
		"$SRCDIR/component/add-to-papi" --check "$PAPI_SRC" >out 2>&1
		grep -qx 'components: missing' out ;;
	'cd TREE/src && ./configure --with-components='*)	# make check-papi does it
		for word in intel_core intel_uncore; do
			[[ $command == *$word* ]] && [ -f "$SRCDIR/component/$word/Rules.$word" ] || return 1
		done ;;
	'make deb')	# make check-deb does it; here: all that it takes is there
		"$MAKE" -C "$BUILDDIR" -n deb >out 2>&1 && [ -x "$SRCDIR/debian/rules" ] ;;
	'make dist-qemu')	# tests/build/build_deb.sh does it
		"$MAKE" -C "$BUILDDIR" -n dist-qemu >out 2>&1 ;;
	'. /usr/share/ipmu/ipmu/env.sh') grep -q "${command#. }" "$SRCDIR/debian/tests/demo" ;;
	'eb --robot=TREE/easybuild: '*)	# tests/build/build_easybuild.sh, as far as it can
		[ -f "$SRCDIR/${command##*TREE/}" ] ;;
	'spack repo add TREE/spack && spack install ipmu')	# tests/build/build_spack.sh, as far as it can
		[ -f "$SRCDIR/spack/repo.yaml" ] && [ -f "$SRCDIR/spack/packages/ipmu/package.py" ] ;;
	papi_*) "$VPMU" run --no-feed --strict -m skl-4c8t -- bash -c "$command" >out 2>&1 ;;
	mpirun*ipmu-run\ --on*)
		if command -v mpirun >/dev/null; then
			bash -c "mpirun --oversubscribe ${command#mpirun }" >out 2>&1
		else
			echo "not tried, no mpirun here: $command"
		fi ;;
	mpirun*ipmu-run* | mpirun*ipmu-mpi-run*)
		if command -v mpirun >/dev/null; then
			"$VPMU" run --no-feed -m skl-4c8t -- \
				bash -c "mpirun --oversubscribe ${command#mpirun }" >out 2>&1
		else
			echo "not tried, no mpirun here: $command"
		fi ;;
	mpirun*./stream*) ;;	# tests/papi/tools_page.sh
	mpirun*) if command -v mpirun >/dev/null; then
			bash -c "mpirun --oversubscribe ${command#mpirun }" >out 2>&1
		 else
			echo "not tried, no mpirun here: $command"
		 fi ;;
	'ipmu-run --merge PREFIX')	# tests/mpi/mpi_program.sh does it; here: it knows the option
		ipmu-run --help >out 2>&1 && grep -q -- '--merge PREFIX' out ;;
	'ipmu-run --show PREFIX.json') ipmu-run --show PREFIX.json >out 2>&1 ;;	# of a command before
	'ipmu-run --on '*) bash -c "$command" >out 2>&1 ;;
	ipmu-run*) "$VPMU" run --no-feed -m skl-4c8t -- bash -c "$command" >out 2>&1 ;;
	ipmu-check* | 'vpmu run '*'-- ipmu-check') ;;	# tests/check/check_machines.sh
	ipmu-restore*) "$VPMU" run --no-feed -- bash -c "$command" >out 2>&1 ;;
	'install -d '*)
		command=${command//\/run\/ipmu/$scratch/state}
		bash -c "${command/GROUP/$(id -g)}" >out 2>&1 ;;
	'vpmu run '*' papi_'*) bash -c "${command/run/run --no-feed}" >out 2>&1 ;;	# natively, as above
	vpmu* | pmutopo* | ipmu-allowlist*) bash -c "$command" >out 2>&1 ;;
	*) echo "no test runs it" >out; false ;;
	esac
}

# Commands are indented by four; what follows '#' or two blanks in them is a remark. Output that is
# shown lies between marks.
while IFS= read -r command; do
	: >out
	run "$command" </dev/null	# which is the list of commands
	ok "$command" $?
done < <(sed -e '/^<!-- output/,/^<!-- end/d' -e '/^```python/,/^```$/d' "${documents[@]}" | sed -n 's/^    \([^ ].*\)/\1/p' |
	 sed -e 's/ *#.*//' -e 's/   .*//' -e 's/ args$//' | awk '!seen[$0]++')

# The first option of each command that is named anywhere, in the manual pages too, is one it has.
commands='vpmu (run|boot|regs|events)|ipmu-(run|mpi-run|restore|allowlist|check)|pmutopo'
declare -A help=()
while read -r option command; do
	[ -n "${help[$command]-}" ] || help[$command]=$'\n'$($command --help 2>&1)$'\n'
	regex=$'[ ,|[\n]'$option$'[] ,=[\n]'
	[[ ${help[$command]} =~ $regex ]]
	ok "$command $option" $?
done < <(sed 's/\\-/-/g' "${documents[@]}" "$SRCDIR"/man/*.1 | grep -oE "\b($commands) --?[a-z][a-z0-9-]*" |
	sed -E 's/(.*) (-.*)/\2 \1/' | sort -u)

# What the documents say of numbers, vpmu says.
"$VPMU" events -m knc-4c16t >out
said=$(sed -n 's/^| `intel_core` `knc`.* | \([0-9]* of [0-9]*\) rows of .*/\1/p' "${documents[@]}")
[ "$said" = "$(grep -c ' yes ' out) of $(grep -Ec ' (yes|no) ' out)" ]
ok "events driven on Knights Corner: '$said'" $?
# The units that events have are those that docs/papi.md lists.
list=$(cat "${documents[@]}" | tr '\n' ' ' | sed -n 's/.*Its unit is one of: \([^.]*\)\. .*/\1/p' |
	sed 's/ ([^)]*)//g')
cut -f4 "$SRCDIR/tests/data/units.tsv" | sed 1d | sort -u >units
tr ',' '\n' <<<"$list" | sed 's/^ *//; s/ *$//' | grep -vx events | sort -u | diff units - >out
ok "the units: '$list'" $?
[ "$passed" -gt 10 ] || { echo 'the documents have no commands?'; failed=$((failed + 1)); }
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
