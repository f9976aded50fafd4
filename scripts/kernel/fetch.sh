#!/usr/bin/env bash
# Fetches a Debian kernel and unpacks it, without installing anything, into .cache/kernel/KERNEL: vmlinuz, lib/modules, and VERSIONS, which
# says which packages they are from. What is there already is kept; without the folder the current one is fetched.
#
#   scripts/kernel/fetch.sh KERNEL
#
# KERNEL is 6.1, 6.12, the name of a suite, for its current kernel, or SUITE/PACKAGE: bookworm/linux-image-6.1.0-37-amd64.
set -euo pipefail
cd "$(dirname "$0")/../.."

die() {
	echo "fetch.sh: $*" >&2
	exit 1
}
. scripts/suite.sh

kernel=${1:?KERNEL}
dir=.cache/kernel/${kernel//\//:}
case $kernel in
6.1) suite=bookworm package= ;;
6.12) suite=bookworm-backports package= ;;
*/*) suite=${kernel%%/*} package=${kernel#*/} ;;
*) suite=$kernel package= ;;
esac
[ -e "$dir/VERSIONS" ] && exit 0

needs() { apt-cache "${apt[@]}" depends --important "$1" | sed -n 's/^ *Depends: //p'; }

part=$dir.part
rm -rf "$part"
mkdir -p "$part/debs"
trap 'rm -rf "$part"' EXIT
suite "$suite" "$part/apt"
# The name without a version, linux-image-amd64, depends on the current one.
[ -n "$package" ] || package=$(needs linux-image-amd64 | grep -m 1 '^linux-image-[0-9]') || die "$suite has no linux-image-amd64"
# From 7.2 on an image is in parts, and the kernel is among its modules.
mapfile -t packages < <(echo "$package"; needs "$package" | grep -E '^linux-(base|binary|modules)-[0-9]' || true)
(cd "$part/debs" && apt-get "${apt[@]}" download "${packages[@]}") >"$part/log" 2>&1 ||
	{ cat "$part/log" >&2; die "cannot download ${packages[*]} from $suite"; }
for deb in "$part"/debs/*.deb; do
	dpkg -x "$deb" "$part/root"
	# shellcheck disable=SC2016 # dpkg-deb expands them
	dpkg-deb -W --showformat '${Package} ${Version}\n' "$deb" >>"$part/VERSIONS"
done
[ -d "$part/root/lib" ] || ln -s usr/lib "$part/root/lib"
find "$part/root" -name 'vmlinuz*' -exec mv {} "$part/vmlinuz" \;
[ -f "$part/vmlinuz" ] || die "no kernel in ${packages[*]}"
mkdir "$part/lib"
mv "$part/root/lib/modules" "$part/lib"
# Most of it is for hardware that no guest has.
for folder in sound drivers/{gpu,media,net/wireless,scsi,staging,usb}; do rm -rf "$part"/lib/modules/*/kernel/"$folder"; done
rm -rf "$part/debs" "$part/root" "$part/apt" "$part/log"
rm -rf "$dir"
mv "$part" "$dir"
echo "kernel $kernel: $(tr '\n' ' ' <"$dir/VERSIONS")from $suite"
