#!/usr/bin/env bash
# Builds DIR/initrd.gz for the kernel that fetch.sh has put into DIR: busybox, init, and the modules in the order to load them. The rest of
# the system is the host's.
#
#   scripts/kernel/initrd.sh DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

die() {
	echo "initrd.sh: $*" >&2
	exit 1
}
# What the guest cannot do without, and what some kernels have built in, or do not have any more. rxe asks for its checksum by name.
required=(virtio_pci 9pnet_virtio 9p overlay ib_uverbs rdma_ucm rdma_rxe dummy veth)
optional=(crc32_generic crc32c_generic libcrc32c)

dir=$(cd "${1:?DIR}" && pwd)
version=$(ls "$dir/lib/modules")
[ -e "$dir/lib/modules/$version/modules.dep" ] || depmod -b "$dir" "$version"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

# files MODULE: what to load for it, itself last. Built-in modules are no files.
files() { modprobe -d "$dir" -S "$version" --show-depends "$1" | awk '/^insmod/ { print $2 }'; }

mkdir -p "$root"/{bin,dev,proc,root,tmp,modules}
{
	for m in "${optional[@]}"; do files "$m" 2>/dev/null || true; done
	for m in "${required[@]}"; do files "$m" || die "kernel $version has no module $m"; done
} >"$root/files"
awk '!seen[$0]++' "$root/files" | while read -r file; do
	name=$(basename "$file")
	case $name in
	*.xz) name=${name%.xz} && xz -dc "$file" >"$root/modules/$name" ;;
	*) cp "$file" "$root/modules/$name" ;;
	esac
	echo "$name" >>"$root/modules/order"
done
rm "$root/files"
cp "$(command -v busybox)" "$root/bin/busybox"
install -m 755 "$here/init" "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$dir/initrd.part"
mv "$dir/initrd.part" "$dir/initrd.gz"
