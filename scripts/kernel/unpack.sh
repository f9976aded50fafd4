#!/usr/bin/env bash
# Makes DIR/vmlinux, which QEMU starts, from the DIR/vmlinuz that fetch.sh has put there: unpacked here, since an emulated processor takes
# five seconds for it. A kernel that is packed in another way than by xz or zstd, or does not start without its packing, stays as it is.
#
#   scripts/kernel/unpack.sh DIR
set -euo pipefail
dir=${1:?DIR}
# A link is a kernel that stayed packed.
[ -f "$dir/vmlinux" ] && [ ! -L "$dir/vmlinux" ] && exit 0
die() {
	echo "unpack.sh: $*" >&2
	exit 1
}
for tool in xz zstd readelf; do command -v $tool >/dev/null || die "$tool is missing"; done
[ "$(od -A n -c -j $((0x202)) -N 4 "$dir/vmlinuz" 2>/dev/null | tr -d ' ')" = HdrS ] ||
	die "$dir/vmlinuz is no kernel"

# number WIDTH OFFSET: from vmlinuz's header (the kernel's Documentation/arch/x86/boot.rst).
number() { od -A n -t "u$1" -j "$2" -N "$1" "$dir/vmlinuz" | tr -d ' '; }

# packed prints what is packed. Behind it there are four bytes with the size, which are not the packer's.
packed() {
	dd if="$dir/vmlinuz" bs=1M iflag=skip_bytes,count_bytes status=none \
		skip=$((($(number 1 0x1f1) + 1) * 512 + $(number 4 0x248))) count=$(($(number 4 0x24c) - 4))
}

trap 'rm -f "$dir/vmlinux.part"' EXIT
for unpack in xz zstd; do
	packed | $unpack -dcq 2>/dev/null >"$dir/vmlinux.part" || continue
	# QEMU starts kernels that have the note 18, which is an entry for it.
	readelf -n "$dir/vmlinux.part" 2>/dev/null | grep 'type: (0x0*12)' >/dev/null || continue
	mv "$dir/vmlinux.part" "$dir/vmlinux"
	exit 0
done
echo "unpack.sh: $dir/vmlinuz stays packed: guests take longer to start"
ln -sf vmlinuz "$dir/vmlinux"
