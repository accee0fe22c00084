#!/bin/bash
# SPDX-License-Identifier: MIT
# What get-kernel makes of a linux-image package: modules below /lib (Debian 12) or /usr/lib (Debian 13), plain
# or compressed, image and modules in one package or in three, and the kernel proper, at the place that the boot protocol's header names.
set -u
. "$SRCDIR/tests/support/verdict.sh"
needs dpkg-deb xz

put() {		# put VALUE BYTES OFFSET: little endian, into $image
	local value=$1 i bytes=
	for ((i = 0; i < $2; i++)); do bytes+=$(printf '\\x%02x' $((value >> 8 * i & 255))); done
	printf '%b' "$bytes" | dd of="$image" bs=1 seek="$3" conv=notrunc status=none
}

payload='the kernel proper'
for lib in lib usr/lib; do
	tree=$scratch/${lib%/*}-tree
	image=$tree/boot/vmlinuz-6.1-test modules=$tree/$lib/modules/6.1-test
	mkdir -p "$tree/DEBIAN" "$tree/boot" "$modules/kernel/fs" "$modules/kernel/sound"
	printf '%s\n' 'Package: linux-image-6.1-test' 'Version: 1' 'Architecture: amd64' 'Maintainer: nobody' \
		'Description: test' >"$tree/DEBIAN/control"
	echo module >"$modules/kernel/fs/plain.ko"
	echo module | xz >"$modules/kernel/fs/packed.ko.xz"
	echo module >"$modules/kernel/sound/left-out.ko"
	printf 'kernel/fs/plain.ko\nkernel/fs/packed.ko.xz\n' >"$modules/modules.order"
	# One set-up sector behind the first, and the payload 100 bytes behind it.
	truncate -s 1124 "$image"
	printf %s "$payload" | xz >>"$image"
	put 0x53726448 4 514
	put 1 1 497
	put 100 4 584
	put $(($(stat -c %s "$image") - 1124)) 4 588
	dpkg-deb -b "$tree" "$scratch/test.deb" >/dev/null || exit 1

	"$SRCDIR/virtual_pmu/guest/get-kernel" "$scratch/got" "$scratch/test.deb" >"$scratch/out" 2>&1
	verdict "get-kernel, modules below $lib" $?
	is "$lib: kernel" "$payload" "$(cat "$scratch/got/vmlinux")"
	is "$lib: modules" "kernel/fs/packed.ko kernel/fs/plain.ko" \
		"$(cd "$scratch/got/modules" && find kernel -type f | sort | paste -sd ' ')"
	is "$lib: unpacked" module "$(cat "$scratch/got/modules/kernel/fs/packed.ko")"
	is "$lib: order" "kernel/fs/plain.ko kernel/fs/packed.ko" "$(paste -sd ' ' "$scratch/got/modules/modules.order")"
	rm -rf "$scratch/got"
done

# -- image and modules as packages of their own, beside a linux-image without files
mkdir -p "$scratch/image/DEBIAN" "$scratch/binary/DEBIAN" "$scratch/binary/${modules#"$tree/"}"
for part in image binary; do
	sed "s/-image-/-$part-/" "$tree/DEBIAN/control" >"$scratch/$part/DEBIAN/control"
done
mv "$image" "$scratch/binary/${modules#"$tree/"}/vmlinuz"
sed -i s/-image-/-modules-/ "$tree/DEBIAN/control"
for part in image binary usr-tree; do
	dpkg-deb -b "$scratch/$part" "$scratch/$part.deb" >/dev/null || exit 1
done
"$SRCDIR/virtual_pmu/guest/get-kernel" "$scratch/got" "$scratch"/{image,binary,usr-tree}.deb >"$scratch/out" 2>&1
verdict 'get-kernel, three packages' $?
is 'three packages: kernel' "$payload" "$(cat "$scratch/got/vmlinux")"
is 'three packages: modules' "kernel/fs/packed.ko kernel/fs/plain.ko" \
	"$(cd "$scratch/got/modules" && find kernel -type f | sort | paste -sd ' ')"
is 'three packages: name' 'linux-image-6.1-test 1' "$(cat "$scratch/got/package")"
rm -rf "$scratch/got"
for part in image binary; do
	"$SRCDIR/virtual_pmu/guest/get-kernel" "$scratch/got" "$scratch/$part.deb" >"$scratch/out" 2>&1
	verdict "get-kernel of $part alone is refused" $((! $?))
done
mv "$scratch/binary/${modules#"$tree/"}/vmlinuz" "$image"

# -- packed by zstd, as Debian 13 has it, where there is none or it fails: the image, which unpacks itself
printf '#!/bin/sh\nexit 127\n' >"$scratch/zstd" && chmod +x "$scratch/zstd"
printf '\x28\xb5\x2f\xfdpacked' | dd of="$image" bs=1 seek=1124 conv=notrunc status=none
dpkg-deb -b "$tree" "$scratch/test.deb" >/dev/null
PATH=$scratch:$PATH "$SRCDIR/virtual_pmu/guest/get-kernel" "$scratch/got" "$scratch/test.deb" >"$scratch/out" 2>&1
verdict 'get-kernel without zstd' $?
cmp "$image" "$scratch/got/vmlinux" >"$scratch/out" 2>&1
verdict 'without zstd: the image' $?
finish
