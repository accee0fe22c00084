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
cat >"$scratch/layout.c" <<'E2'
#include <ipmu.h>
#include <stddef.h>
#include <stdio.h>

int main(void)
{
	printf("%d %d %d %d\n", IPMU_WHY_MAX, IPMU_NAME_MAX, IPMU_SCOPE_PACKAGE, IPMU_SCOPE_CPU);
	printf("%zu %zu %zu\n", sizeof(struct ipmu_extra_reg), sizeof(struct ipmu_choice),
	       sizeof(struct ipmu_event));
	printf("%zu %zu %zu\n", offsetof(struct ipmu_event, choices), offsetof(struct ipmu_event, name),
	       offsetof(struct ipmu_event, units));
	return 0;
}
E2
"${CC:-cc}" -I"$STAGE/include/ipmu" "$scratch/layout.c" -o "$scratch/layout" >"$scratch/out" 2>&1
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
cat >"$scratch/refused.c" <<'E2'
#include <ipmu.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_topology *topo;
	struct ipmu_system *sys;
	struct ipmu_event event;
	int rc = ipmu_topology_load(&topo, why);

	if (!rc)
		rc = ipmu_system_open(topo, (enum ipmu_scope)atoi(argv[1]), &sys, why);
	if (!rc)
		rc = ipmu_event_parse(sys, argv[argc - 1], &event, why);
	printf("%d %s\n", -rc, why);
	return 0;
}
E2
"${CC:-cc}" -I"$STAGE/include/ipmu" "$scratch/refused.c" -o "$scratch/refused" -L"$STAGE_LIB" -lintelpmu \
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
cat >"$scratch/counts.py" <<'E2'
import ipmu
reads, instructions = "intel_uncore:::skl_unc_imc.DRAM_DATA_READS", "skl.INST_RETIRED:ANY_P"
counter = ipmu.Counter(instructions, reads)
print(*counter.units.values(), sep=", ")
for mib in 8, 4:
    buffer = bytearray(b"\1") * (mib << 20)
    evict = bytearray(b"\1") * (16 << 20)
    with counter:
        buffer.find(b"\2")
        so_far = counter.read()[reads]
    lines = mib << 14
    print(lines <= so_far <= counter.values[reads] <= 1.1 * lines, list(counter.values) == [instructions, reads])
    print(counter.values[instructions] > lines)
E2
export PYTHONPATH=$folder
"$vpmu" run -m skl-4c8t -- /usr/bin/python3 "$scratch/counts.py" >"$scratch/out" 2>&1
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

# -- a counter that somebody else sets back is lost: told once, with the others' counts. It is the other's
# from then on, and so not restored, which breaks the rules on purpose: a tally of its own.
cat >"$scratch/lost.py" <<'E2'
import errno, os, ipmu
lost, good = "skl.INST_RETIRED:ANY_P:cpu=0", "skl_unc_clk.UNC_CLOCK:SOCKET"
counter = ipmu.Counter(lost, good)
counter.start()
print(counter.read()[lost] > 0)
msr = os.open("/dev/cpu/0/msr", os.O_RDWR)
for pmc in range(0xC1, 0xC5):
    os.pwrite(msr, bytes(8), pmc)
try:
    counter.read()
except ipmu.Error as error:
    print(errno.errorcode[error.errno], lost in str(error), list(counter.values) == [lost, good])
E2
export PYTHONPATH=$folder
VPMU_TALLY=$scratch/tally taskset -c 0 "$vpmu" run -m skl-1c2t -- /usr/bin/python3 "$scratch/lost.py" >"$scratch/out" 2>&1
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
cat >"$scratch/regions.py" <<'E2'
import ipmu

@ipmu.region("decorated")
def again():
    pass

with ipmu.region("outer"):
    with ipmu.region("inner"):
        pass
    again()
    again()
try:
    with ipmu.region("fails"):
        raise KeyError
except KeyError:
    pass
for name in "", "a\0b":
    try:
        ipmu.region(name)
    except ValueError as error:
        print(error)
E2
sentences='a region needs a name
a region needs a name'
python skl-4c8t <"$scratch/regions.py"
is 'regions without ipmu-run' "$sentences" "$(cat "$scratch/out")"
if [ -x "$STAGE/bin/ipmu-run" ]; then
	PYTHONPATH=$folder "$STAGE/bin/ipmu-run" --on skl-4c8t -e core_fixed.INST_RETIRED:ANY -o "$scratch/r" \
		/usr/bin/python3 "$scratch/regions.py" >"$scratch/out" 2>&1
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
