#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks which room may include or call which: the table of the rooms' neighbours, and inside a room
# its layers. A room's own headers are always allowed, but for those of a higher layer. Outside
# headers are looked up below; what is not listed there must be the C library's, the kernel's or the
# compiler's. Calls are read from the symbols of the built objects: no circle of files, no call of a
# higher layer.
set -u
root=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
cc=${CC:-gcc}
compiler_headers=$(${cc%% *} -print-file-name=include)
multiarch=$(${cc%% *} -print-multiarch 2>/dev/null)
case $cc in *clang*) compiler_headers=$(${cc%% *} -print-resource-dir)/include ;; esac

# room (a path prefix, the longest one counts): rooms and outside libraries that it may use
declare -A may=(
	[common]='json-c'
	[hwloc_topo]='hwloc'
	[hwloc_topo/pmutopo]='hwloc_topo common hwloc json-c'
	[component/engine]='libpfm4 plain:hwloc_topo/ipmu_topology.h plain:common/descriptor.h'
	[component/commands]='component/engine hwloc_topo common'
	[component/check]='component/engine hwloc_topo common'
	[component/papi_glue]='component/engine hwloc_topo plain:common/launchers.h plain:common/descriptor.h papi papi-inside'
	[component/intel_core]='component/papi_glue component/engine hwloc_topo papi papi-inside'
	[component/intel_uncore]='component/papi_glue component/engine hwloc_topo papi papi-inside'
	[pfm_events]='libpfm4 libpfm4-inside'
	[mpi_aggregation]='mpi papi measure hwloc_topo common plain:component/engine/ipmu.h'
	[measure]='common papi json-c muparser libdw'
	[ipmu_run]='measure common json-c'
	[regions]='plain:common/region_socket.h plain:common/machine_device.h'
	[regions/markers]='regions papi'
	[mpi_examples]='mpi papi mpi_aggregation installed openmp tools'
	[demo]='papi libpfm4 mpi installed openmp'
	[bench]='papi libpfm4 mpi hwloc installed openmp'
	[virtual_pmu]='common plain:virtual_pmu/emulator/user_calls.h'
	[virtual_pmu/emulator]='*'
	[tests]='*'
)
rooms=("${!may[@]}")

# Layers of a room, lowest first; `.` are the files that stand in no folder of the room. Folders of
# one layer, as in `a|b`, may not use each other.
declare -A layers=(
	[component/engine]='base registers access pmu names lease counting .'
	[virtual_pmu]='machine|boot model|boot/guest system feed|native guest|tool boot/host .'
	[mpi_aggregation]='collecting preload .'
	[measure]='groups counting profile report'
	[ipmu_run]='job .'
)
# Rooms whose files must not call each other in a circle.
acyclic='common hwloc_topo mpi_aggregation component/commands component/check component/engine virtual_pmu measure ipmu_run'

# What these functions find is in $found: a subshell for each of thousands of includes takes seconds.
library_of() {	# library_of HEADER: which outside library an include in <> belongs to
	case $1 in
	hwloc.h | hwloc/*) found=hwloc ;;
	json-c/* | json.h) found=json-c ;;
	papi.h | papiStdEventDefs.h | sde_lib.h) found=papi ;;
	perfmon/*) found=libpfm4 ;;
	muParser*.h) found=muparser ;;
	elfutils/* | gelf.h | libelf.h | dwarf.h) found=libdw ;;
	mpi.h) found=mpi ;;
	omp.h) found=openmp ;;
	TAU.h | scorep/* | caliper/* | gptl.h | gptlmpi.h) found=tools ;;
	cmocka.h) found=cmocka ;;
	ipmu.h | ipmu_topology.h | ipmu/*) found=installed ;;
	*)
		found=unknown
		if [ -f "/usr/include/$1" ] || [ -f "/usr/include/$multiarch/$1" ] ||
				[ -f "$compiler_headers/$1" ]; then
			found=libc
		fi
		;;
	esac
}

declare -A room_by_folder=()
room_of() {	# room_of PATH: the longest room that PATH is in
	local folder=${1%/*} room best=
	if [ -z "${room_by_folder[$folder]+known}" ]; then
		for room in "${rooms[@]}"; do
			[[ $folder/ = "$room"/* && ${#room} -gt ${#best} ]] && best=$room
		done
		room_by_folder[$folder]=$best
	fi
	found=${room_by_folder[$folder]}
}

plain() {	# plain PATH: without `.` and `..`
	local IFS=/ part parts=()
	for part in $1; do
		case $part in
		'' | .) ;;
		..) unset 'parts[-1]' ;;
		*) parts+=("$part") ;;
		esac
	done
	found="${parts[*]}"
}

# owner FILE ROOM HEADER: the project's file that an include in "" means, relative to the root
owner() {
	local dir
	for dir in "${1%/*}" "$2" common hwloc_topo component/engine virtual_pmu .; do
		[ -f "$top/$dir/$3" ] && { plain "$dir/$3"; return; }
	done
	found=
}

allowed() {	# allowed ROOM WORD...: one of the words is in the room's list
	local room=$1 word
	shift
	for word; do
		[[ " ${may[$room]} " = *" $word "* || ${may[$room]} = '*' ]] && return 0
	done
	return 1
}

# A folder in a folder is of the other one's layer, unless it is named itself.
folder_of() {	# folder_of ROOM PATH
	local inside=${2#"$1"/}
	[[ $inside = */* ]] || { found=.; return; }
	found=${inside%/*}
	[[ " ${layers[$1]:-} " = *[\ \|]"$found"[\ \|]* ]] || found=${inside%%/*}
}

layer_of() {	# layer_of ROOM FOLDER: its rank, counted from 1; 0 where the room has no layers
	local layer n=0
	for layer in ${layers[$1]:-}; do
		n=$((n + 1))
		[[ "|$layer|" = *"|$2|"* ]] && { found=$n; return; }
	done
	found=0
}

below() {	# below ROOM FROM TO: what stands at the path FROM may use what stands at TO
	local from to
	folder_of "$1" "$2" && from=$found
	folder_of "$1" "$3" && to=$found
	[ "$from" = "$to" ] || [ -z "${layers[$1]:-}" ] && return
	layer_of "$1" "$from" && from=$found
	layer_of "$1" "$to" && [ "$found" -lt "$from" ]
}

# The headers at the top of a room are for all of its layers.
check_layer() {	# check_layer FILE ROOM HEADER
	[[ ${3#"$2"/} = */* ]] || return 0
	below "$2" "$1" "$3" && return 0
	echo "$1: includes $3 of no lower layer; the layers of $2: ${layers[$2]}"
	return 1
}

declare -A outside=()
check_include() {	# check_include FILE ROOM '<x.h>' or '"x.h"'
	local header=${3:1:-1} target library
	if [[ $3 = '"'* ]]; then
		owner "$1" "$2" "$header" && target=$found
		if [ -n "$target" ]; then
			room_of "$target"
			[ "$found" = "$2" ] && { check_layer "$1" "$2" "$target"; return; }
			allowed "$2" "$found" "plain:$target" && return 0
			echo "$1: includes $target; $2 may use: ${may[$2]:-nothing but itself}"
			return 1
		fi
		# Not ours: PAPI's and libpfm4's private headers are included this way.
		case $2:$header in
		component/papi_glue:papi*.h | component/papi_glue:extras.h | component/intel_*:papi*.h)
			return 0 ;;
		# Headers that facts/client-list makes.
		hwloc_topo:client_boxes.h | ipmu_run:client_machines.h) return 0 ;;
		pfm_events:*pfmlib*.h | pfm_events:events/*) return 0 ;;
		esac
	fi
	[ -n "${outside[$2 $header]:-}" ] && return 0
	library_of "$header" && library=$found
	if [ "$library" = libc ] || allowed "$2" "$library"; then
		outside[$2 $header]=allowed
		return 0
	fi
	echo "$1: includes $3 ($library); $2 may use: ${may[$2]:-nothing but the C library}"
	return 1
}

check_tree() {	# check_tree ROOT: report every include that breaks the table
	local top=$1 file room include there=() bad=0 n=0
	while IFS=$'\t' read -r file include; do
		room_of "$file" && room=$found
		[ -n "$room" ] || continue
		n=$((n + 1))
		check_include "$file" "$room" "$include" || bad=$((bad + 1))
	done < <(cd "$top" && for room in "${rooms[@]}"; do [ ! -d "$room" ] || there+=("$room"); done &&
		grep -rHE --include='*.[ch]' '^[[:blank:]]*#[[:blank:]]*include' "${there[@]}" |
		sed -nE 's/^([^:]*):[[:blank:]]*#[[:blank:]]*include[[:blank:]]*(<[^>]*>|"[^"]*").*/\1\t\2/p' |
		LC_ALL=C sort -u)
	echo "$n includes, $bad of them not allowed"
	[ "$bad" = 0 ] && [ "$n" -gt 0 ]
}

# A library that is preloaded has functions of the C library's names: a call of one of them is to the
# C library's.
c_library=$(nm -D -P --defined-only "$(${cc%% *} -print-file-name=libc.so.6)" | sed 's/[@ ].*//')
[ -n "$c_library" ] || { echo "no names of the C library: is nm there?"; exit 1; }

# calls ROOM FOLDER SOURCES: lines "caller called symbol", each a path below FOLDER without its .o.
# Objects whose source has moved stay in FOLDER and are ignored.
calls() {
	local object objects=()
	while read -r object; do
		[ -f "$3/${object%.o}.c" ] && objects+=("$object")
	done < <(cd "$2" && find "$1" -name '*.o' | LC_ALL=C sort)
	[ "${#objects[@]}" -gt 0 ] || return
	(cd "$2" && nm -A -P "${objects[@]}") | awk '
	FILENAME != "-" { libc[$1]; next }
	$2 in libc { next }
	{
		file = $1; sub(/\.o:$/, "", file); name = $2; kind = $3
		if (kind ~ /^[TDBRCGSVW]$/) home[name] = file
		else if (kind ~ /^[Uvw]$/) needs[file, name] = 1
	}
	END { for (pair in needs) { split(pair, part, SUBSEP)
		if (part[2] in home && home[part[2]] != part[1]) print part[1], home[part[2]], part[2] } }' \
		<(echo "$c_library") - | LC_ALL=C sort
}

check_calls() {	# check_calls ROOM FOLDER SOURCES: no circle of files, no call of a higher layer
	local room=$1 list caller called name bad=0
	list=$(calls "$room" "$2" "$3")
	while read -r caller called name; do
		[ -n "$name" ] || continue
		below "$room" "$caller" "$called" || {
			echo "$caller uses $name of $called, no lower layer; the layers: ${layers[$room]}"
			bad=1
		}
	done <<<"$list"
	awk 'NF { print $1, $2 }' <<<"$list" | LC_ALL=C tsort 2>&1 >/dev/null |
		awk -v room="$room" '/contains a loop/ { print room ": these files call each other in a circle:" }
			{ sub(/^tsort: (-: )?/, "  "); print }
			END { exit NR > 0 }' || bad=1
	return "$bad"
}

# ---- the check must see what it is there for

planted=$(mktemp -d) || exit 1
trap 'rm -rf "$planted"' EXIT
failed=0

mkdir -p "$planted"/{component/{engine/pmu,intel_uncore},hwloc_topo/pmutopo,virtual_pmu/{machine,model}} \
	"$planted"/{demo,ipmu_run,measure,mpi_aggregation,tests}
touch "$planted"/component/engine/{ipmu.h,pmu/pmu.h} "$planted"/hwloc_topo/{ipmu_topology,private}.h \
	"$planted"/virtual_pmu/{machine,machine/machine,model/model}.h
plant() {	# plant FILE INCLUDE good|bad
	echo "#include $2" >"$planted/$1"
	local got=good
	check_tree "$planted" >"$planted/out" || got=bad
	: >"$planted/$1"
	[ "$got" = "$3" ] && return
	echo "FAILED: $2 in $1 was found $got: $(cat "$planted/out")"
	failed=1
}
plant virtual_pmu/a.c '"../component/engine/ipmu.h"' bad
plant virtual_pmu/a.c '<hwloc.h>' bad
plant virtual_pmu/a.c '<perfmon/pfmlib.h>' bad
plant virtual_pmu/a.c '<ipmu/ipmu.h>' bad
plant virtual_pmu/a.c '<some_other_library.h>' bad
plant virtual_pmu/model/a.c '"../machine.h"' good
plant virtual_pmu/model/a.c '<sys/mman.h>' good
plant component/engine/pmu/a.c '"ipmu_topology.h"' good
plant component/engine/pmu/a.c '"../../../hwloc_topo/private.h"' bad
plant component/engine/pmu/a.c '<hwloc.h>' bad
plant component/engine/pmu/a.c '<papi.h>' bad
plant component/engine/pmu/a.c '"papi_internal.h"' bad
plant component/engine/pmu/a.c '"../../../virtual_pmu/machine.h"' bad
plant component/engine/pmu/a.c '<perfmon/pfmlib.h>' good
plant component/intel_uncore/a.c '"ipmu.h"' good
plant component/intel_uncore/a.c '"papi_internal.h"' good
plant component/intel_uncore/a.c '<hwloc.h>' bad
plant component/intel_uncore/a.c '"../../virtual_pmu/machine.h"' bad
plant hwloc_topo/a.c '"../component/engine/ipmu.h"' bad
plant hwloc_topo/a.c '<hwloc.h>' good
plant hwloc_topo/a.c '<json-c/json.h>' bad
plant hwloc_topo/pmutopo/a.c '<json-c/json.h>' good
plant hwloc_topo/pmutopo/a.c '"private.h"' good
plant hwloc_topo/pmutopo/a.c '"../../component/engine/ipmu.h"' bad
plant demo/a.c '"../component/engine/ipmu.h"' bad
plant demo/a.c '<papi.h>' good
vpmu_layers=${layers[virtual_pmu]-}
plant measure/a.c '<papi.h>' good
plant ipmu_run/a.c '<papi.h>' bad
plant ipmu_run/a.c '"../component/engine/ipmu.h"' bad
layers[virtual_pmu]='machine model .'
plant virtual_pmu/machine/a.c '"../model/model.h"' bad
plant virtual_pmu/model/a.c '"../machine/machine.h"' good
plant virtual_pmu/machine/a.c '"../machine.h"' good
plant virtual_pmu/a.c '"model/model.h"' good
layers[virtual_pmu]='machine|model .'
plant virtual_pmu/model/a.c '"../machine/machine.h"' bad
plant virtual_pmu/a.c '"model/model.h"' good
layers[virtual_pmu]=$vpmu_layers
plant component/engine/a.c '<json-c/json.h>' bad
plant mpi_aggregation/a.c '<mpi.h>' good
plant mpi_aggregation/a.c '<json-c/json.h>' bad
plant mpi_aggregation/a.c '"../component/engine/ipmu.h"' good
plant mpi_aggregation/a.c '"../component/engine/pmu/pmu.h"' bad
plant tests/a.c '"../virtual_pmu/machine.h"' good

plant_calls() {	# plant_calls good|bad "FILE CALLED..."...: each file calls the functions of others
	local want=$1 line file called got=good
	shift
	rm -rf "${planted:?}"/*
	mkdir "$planted/room"
	for line; do
		set -- $line
		file=$1
		[[ $file != */* ]] || mkdir -p "$planted/room/${file%/*}"
		shift
		{
			for called; do echo "void ${called//\//_}(void);"; done
			echo "void ${file//\//_}(void); void ${file//\//_}(void) {"
			for called; do echo "${called//\//_}();"; done
			echo "}"
		} >"$planted/room/$file.c"
		$cc -c -o "$planted/room/$file.o" "$planted/room/$file.c" || failed=1
	done
	check_calls room "$planted" "$planted" >"$planted/out" || got=bad
	[ "$got" = "$want" ] && return
	echo "FAILED: planted calls were found $got, not $want: $(cat "$planted/out")"
	failed=1
}
layers[room]='low high|side .'
plant_calls good 'low/a low/b' 'low/b' 'high/c low/a' 'd high/c low/b'
plant_calls bad 'low/a low/b' 'low/b low/a'
plant_calls bad 'low/a low/b' 'low/b low/c' 'low/c low/a'
plant_calls bad 'low/a high/b' 'high/b'
plant_calls bad 'high/a b' 'b'
plant_calls bad 'high/a side/b' 'side/b'
plant_calls good 'side/a low/b' 'low/b'
plant_calls good 'low/a open' 'open low/a'	# the C library's, whoever else has the name
unset 'layers[room]'

# ---- the project itself

check_tree "$root" || failed=1
build=${BUILD:-obj}
# Without muparser it is not built.
[ -x "${STAGE:-stage}/bin/ipmu-run" ] || acyclic=${acyclic/ measure ipmu_run/}
for room in $acyclic; do
	folders=()	# what depends on the MPI implementation is built once for each
	for folder in "$build" "$build"/openmpi "$build"/mpich; do
		[ -d "$folder/$room" ] && folders+=("$folder")
	done
	[ "${#folders[@]}" -gt 0 ] || { echo "$room: no objects in $build: build first"; failed=1; }
	for folder in "${folders[@]}"; do
		check_calls "$room" "$folder" "$root" || failed=1
	done
done

# PAPI's build compiles our components in one command and leaves no objects of them.
papi=${PAPI_BUILD:-third_party/papi}/src
mkdir -p "$planted/papi/component/papi_glue"
for file in "$root"/component/papi_glue/*.c; do
	name=${file##*/}
	$cc -c -D_GNU_SOURCE '-DOSLOCK="linux-lock.h"' '-DOSCONTEXT="linux-context.h"' \
		-DPAPI_NUM_COMP=1 -I"$papi" -I"$root/component/engine" -I"$root/hwloc_topo" \
		-I"$root/common" -o "$planted/papi/component/papi_glue/${name%.c}.o" "$file" || failed=1
done
check_calls component/papi_glue "$planted/papi" "$root" || failed=1
exit "$failed"
