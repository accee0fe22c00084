#!/bin/bash
# SPDX-License-Identifier: MIT
# Extended attributes, by all twelve calls: those of a file answer as they do natively, and the
# machine's own files have none and take none. `ls -l` and `tar --xattrs` print no error.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 "${CC:-cc}" tar

compile "$scratch/attributes" attributes.c -O1 || exit 1
touch "$scratch/file"
"$scratch/attributes" "$scratch/file" >"$scratch/native" 2>&1
"$vpmu" run -m skl-4c8t "$scratch/attributes" "$scratch/file" >"$scratch/out" 2>&1
cmp -s "$scratch/native" "$scratch/out"
verdict 'a file of the host' $?

for file in /proc/cpuinfo /dev/cpu/0/msr /sys/devices/system/cpu/online; do
	"$vpmu" run -m skl-4c8t "$scratch/attributes" $file >"$scratch/out" 2>&1
	is "$file: what gets or sets one succeeds" '' "$(grep -E '(get|set|remove)xattr.*: [0-9]' "$scratch/out")"
	is "$file: names" '0 0 0 0' "$(sed -n 's/.*listxattr.*: //p' "$scratch/out" | paste -sd' ' | tr -s ' ' |
		sed 's/ $//')"
done

"$vpmu" run -m skl-4c8t ls -l "$scratch/file" /bin /proc/cpuinfo /dev/cpu/0/msr /sys/devices/system/cpu \
	>/dev/null 2>"$scratch/out"
is 'ls -l' "0 " "$? $(cat "$scratch/out")"
"$vpmu" run -m skl-4c8t tar --xattrs -C "$scratch" -cf /dev/null file 2>"$scratch/out"
is 'tar --xattrs' "0 " "$? $(cat "$scratch/out")"
finish
