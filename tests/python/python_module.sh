#!/bin/bash
# SPDX-License-Identifier: MIT
# The Python module: its structures are the C compiler's, its errors the library's sentences, its counts
# those of arithmetic; from the stage, and in a virtual environment where pip has installed it.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${STAGE:?the staged tree}" "${STAGE_LIB:?}" "${SRCDIR:?}" "${VERSION:?}"
needs /usr/bin/python3 qemu-x86_64 "${CC:-cc}"
folder=$STAGE/share/ipmu/python
export PYTHONDONTWRITEBYTECODE=1
unset LD_LIBRARY_PATH PYTHONPATH

python() {	# python MACHINE [OPTION...]: the program of stdin, natively on the machine, to $scratch/out
	cat >"$scratch/program.py"
	PYTHONPATH=$folder "$vpmu" run --no-feed -m "$@" -- "${python:-/usr/bin/python3}" "$scratch/program.py" \
		>"$scratch/out" 2>&1
}

# -- layouts and constants
compile "$scratch/layout" layout.c -I"$STAGE/include/ipmu" >"$scratch/out" 2>&1
verdict 'the program in C' $?
python skl-4c8t <<'E2'
import ctypes
from ipmu import _CPU, _NAME_MAX, _PACKAGE, _WHY_MAX, _Choice, _Event, _ExtraReg
print(_WHY_MAX, _NAME_MAX, _PACKAGE, _CPU)
print(*map(ctypes.sizeof, (_ExtraReg, _Choice, _Event)))
print(_Event.choices.offset, _Event.name.offset, _Event.units.offset)
E2
is 'constants and structures' "$("$scratch/layout")" "$(cat "$scratch/out")"

# -- sentences: those of the library, with its errno
compile "$scratch/refused" refused.c -I"$STAGE/include/ipmu" -L"$STAGE_LIB" -lintelpmu \
	-Wl,-rpath,"$STAGE_LIB" >"$scratch/out" 2>&1
verdict 'the program that is refused' $?
while read -r machine scope name; do
	python "$machine" <<-E2
	import ipmu
	try:
	    ipmu.Counter("$name")
	except ipmu.Error as error:
	    print(error.errno, error)
	E2
	is "refused: $name on $machine" "$("$vpmu" run --no-feed -m "$machine" "$scratch/refused" "$scope" "$name")" \
		"$(cat "$scratch/out")"
done <<'E2'
skl-4c8t 0 skl_unc_imc.DRAM_DATA_READ
skl-4c8t 0 skl_unc_imc.DRAM_DATA_READS:c=1
skl-4c8t 0 UNC_CBO_CACHE_LOOKUP:READ_I:box=9
skl-4c8t 1 skl.INST_RETIRED:ANY_P:cpu=99
skl-4c8t 1 nothing
core2-4c 0 skl_unc_imc.DRAM_DATA_READS
core2-4c 1 nothing
E2

# -- counts: each start is from 0; uncore and core events in one counter
export PYTHONPATH=$folder
"$vpmu" run -m skl-4c8t -- /usr/bin/python3 "$test_folder/counts.py" >"$scratch/out" 2>&1
is 'what it counts' "$(printf '%s\n' 'instructions, 64-byte transfers' 'True True' True 'True True' True)" \
	"$(cat "$scratch/out")"
unset PYTHONPATH

# -- the program of docs/python.md
{ echo 'work = lambda: None'; sed -n '/^```python/,/^```$/{//!p}' "$SRCDIR/docs/python.md"; } >"$scratch/page.py"
page_counts() {	# page_counts WHAT: natively, and so nothing
	is "$1: the page's program" "$(printf '%s\n' 'skl_unc_imc.DRAM_DATA_READS 0 64-byte transfers' \
		'skl.INST_RETIRED:ANY_P 0 instructions')" "$(cat "$scratch/out")"
}
python skl-4c8t <"$scratch/page.py"
page_counts 'the stage'

# -- a counter that somebody else sets back is lost: reported once, with the others' counts. It is the
# other's from then on, and so not restored, which breaks the rules on purpose: a tally of its own.
export PYTHONPATH=$folder
VPMU_TALLY=$scratch/tally taskset -c 0 "$vpmu" run -m skl-1c2t -- /usr/bin/python3 "$test_folder/lost.py" >"$scratch/out" 2>&1
is 'a lost count' "$(printf '%s\n' True 'ESTALE True True')" "$(cat "$scratch/out")"
unset PYTHONPATH

# -- a block that fails stops its counter; a program that ends leaves no register changed: the tally says so
python skl-4c8t <<'E2'
import ipmu
counter = ipmu.Counter("skl_unc_clk.UNC_CLOCK:SOCKET")
try:
    with counter:
        raise KeyError("mine")
except KeyError as error:
    print(error, counter.values)
counter.start()
try:
    counter.start()
except ipmu.Error as error:
    print(error)
E2
is 'a block that fails' "'mine' {'skl_unc_clk.UNC_CLOCK:SOCKET': 0}" "$(head -n 1 "$scratch/out")"
is 'started twice: a sentence' 2 "$(wc -l <"$scratch/out")"

# -- a child counts by itself; newer Pythons warn of forks beside the library's thread
python skl-4c8t <<'E2'
import os, ipmu, warnings
warnings.simplefilter("ignore")
clock = "skl_unc_clk.UNC_CLOCK:SOCKET"
with ipmu.Counter(clock) as counter:
    child = os.fork()
    if not child:
        with ipmu.Counter(clock) as own:
            pass
        os._exit(own.values != {clock: 0})
print(os.waitpid(child, 0)[1], counter.values == {clock: 0})
E2
is 'in a child' '0 True' "$(cat "$scratch/out")"

# -- regions, in the report of ipmu-run; without it they do nothing
sentences='a region needs a name
a region needs a name'
python skl-4c8t <"$test_folder/regions.py"
is 'regions without ipmu-run' "$sentences" "$(cat "$scratch/out")"
if [ -x "$STAGE/bin/ipmu-run" ]; then
	PYTHONPATH=$folder "$STAGE/bin/ipmu-run" --on skl-4c8t -e core_fixed.INST_RETIRED:ANY -o "$scratch/r" \
		/usr/bin/python3 "$test_folder/regions.py" >"$scratch/out" 2>&1
	is 'regions: calls' 'outer 1 inner 1 decorated 2 fails 1' "$(/usr/bin/python3 -c '
import json, sys
print(*(word for r in json.load(open(sys.argv[1]))["regions"] for word in (r["name"], r["calls"])))' "$scratch/r.json")"
fi

# -- pip: without a network, and without env.sh afterwards
if ! /usr/bin/python3 -c 'import ensurepip, venv' 2>/dev/null; then
	echo 'pip is not tried: no python3-venv here'
	finish
	exit
fi
/usr/bin/python3 -m venv "$scratch/venv" >"$scratch/out" 2>&1 &&
	"$scratch/venv/bin/pip" install --no-index --disable-pip-version-check "$folder" >>"$scratch/out" 2>&1
verdict 'pip install' $?
is 'its version, and a copy of its own' "$VERSION $scratch/venv/lib" "$("$scratch/venv/bin/python" -c '
import importlib.metadata, ipmu
print(importlib.metadata.version("ipmu"), ipmu.__file__[:'${#scratch}' + 9])' 2>&1)"
"$vpmu" run --no-feed -m skl-4c8t -- "$scratch/venv/bin/python" "$scratch/page.py" >"$scratch/out" 2>&1
page_counts pip
"$scratch/venv/bin/pip" uninstall -y ipmu >"$scratch/out" 2>&1 && ! "$scratch/venv/bin/python" -c 'import ipmu' 2>/dev/null
verdict 'pip uninstall' $?
[ ! -e "$folder/__pycache__" ]
verdict 'nothing is left beside the module' $?
finish
