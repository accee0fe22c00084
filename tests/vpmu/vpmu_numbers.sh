#!/bin/bash
# SPDX-License-Identifier: MIT
# A device of registers that a program opens by a path that does not name it: a bind mount, a node of
# its own, a link, a chroot, a descriptor from outside. By its number it is the machine's, or it
# cannot be opened or read. And what truncate() says of devices.
set -u
[ "$(id -u)" = 0 ] || { echo 'only root can mount and make device nodes'; exit 77; }
if [ -z "${NUMBERS_APART-}" ]; then
	why=$(unshare --mount --propagation private true 2>&1) || { echo "$why (a chroot?)"; exit 77; }
	NUMBERS_APART=1 unshare --mount --propagation private "$0" "$@"
	exit
fi
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
compile "$scratch/ways" numbers.c || exit 1
cd "$scratch" || exit 1
mkdir -p jail/dev && mount --rbind /dev jail/dev 2>out || { echo "nothing can be mounted here: $(cat out)"; exit 77; }
trap 'umount -l "$scratch/jail/dev"; rm -rf "$scratch"' EXIT
ln -s jail/dev link
mknod node c 203 0 && mknod node.far c 203 1000 && mknod node.mem c 1 1 || { echo 'no device nodes here'; exit 77; }

opens() { : 2>/dev/null <"$1"; }
cpuid=/dev/null mem=/dev/null
if opens node; then cpuid=node; else echo 'not tried: cpuid by its number, which this host has no driver for'; fi
if opens node.mem; then mem=node.mem; else echo 'not tried: mem by its number, which this host does not have'; none=', mem'; fi
try() {		# try WHAT OPTION...
	local what=$1 eax
	shift
	eax=$("$vpmu" run "$@" -m skl-1c2t dd if=/dev/cpu/0/cpuid bs=16 count=1 iflag=skip_bytes skip=1 \
		status=none </dev/null | od -An -tx4 | awk '{ print $1 }')
	# 325462-039 Table 35-1: 06_5EH. A native program has the host's CPUID.
	[ "$1" = --no-feed ] || is "$what: the signature" 000506e0 "${eax%?}0"
	"$vpmu" run "$@" -m skl-1c2t ./ways "$eax" 9<"$cpuid" 8<"$mem" >out 2>&1 </dev/null
	is "$what: the ways that were tried" 20 "$(grep -c '^[^:]*: [a-zA-Z]*$' out)"
	is "$what: by its path" 2 "$(grep -c '^absolute.*: virtual$' out)"
	is "$what: the host's" '' "$(grep WRONG out | grep -v "^inherited${none:-,}: ")"
	[ $mem = /dev/null ] || is "$what: mem by its number" 4 \
		"$(grep -Ec '^(inherited|bind mount|its own node|/proc/self/fd), mem: virtual$' out)"
	[ $cpuid = /dev/null ] || is "$what: cpuid by its number" 8 "$(grep -Ec \
		'^(inherited|bind mount|openat2|link.*|its own node|/proc/self/fd|from.*|absolute): virtual$' out)"
	is "$what: truncate" 'truncate 22, ftruncate 22' "$(grep truncate out)"
}
try native --no-feed
! command -v qemu-x86_64 >/dev/null || try emulated --time=model
finish
