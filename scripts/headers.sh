#!/usr/bin/env bash
# Fetches rdma-core's headers and libibverbs of several releases from Debian's suites and unpacks them, without installing
# anything, into DIR/RELEASE (DIR/65.0/usr/include/...). What is there already is kept.
#
#   scripts/headers.sh [-d DIR] [RELEASE:SUITE[,SUITE...]]...
#
# A release that none of its suites carries any more leaves DIR/RELEASE/GONE, which says so; tests that need it report that.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=.cache/headers
while getopts d: o; do
	case $o in
	d) dir=$OPTARG ;;
	*) exit 3 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- 33.2:bullseye 44.0:bookworm 56.1:trixie 65.0:sid,forky

die() {
	echo "headers.sh: $*" >&2
	exit 1
}
. scripts/suite.sh

# fetch RELEASE SUITE: unpacks RELEASE from SUITE, or fails if the suite has another release.
fetch() {
	local release=$1 out=$dir/$1 version debs
	suite "$2" "$dir/.apt/$2"
	version=$(apt-cache "${apt[@]}" madison libibverbs-dev | awk -v r="$release-" '{ if (index($3, r) == 1) { print $3; exit } }')
	[ -n "$version" ] || return 1
	debs=$(mktemp -d)
	(cd "$debs" && apt-get "${apt[@]}" download "libibverbs-dev=$version" "librdmacm-dev=$version" "libibverbs1=$version" linux-libc-dev) \
		>"$debs/log" 2>&1 || { cat "$debs/log" >&2; rm -rf "$debs"; die "cannot download $release from $2"; }
	rm -rf "$out" "$out.part"
	for deb in "$debs"/*.deb; do dpkg -x "$deb" "$out.part"; done
	rm -rf "$debs" "$out.part/usr/share"
	find "$out.part" -name "*.a" -delete
	mv "$out.part" "$out"
	echo "$release: from $2 ($version)"
}

mkdir -p "$dir"
for arg; do
	release=${arg%%:*}
	[ -e "$dir/$release/usr" ] && continue
	found=
	for s in $(tr , ' ' <<<"${arg#*:}"); do
		if fetch "$release" "$s"; then found=1; break; fi
	done
	if [ -z "$found" ]; then
		mkdir -p "$dir/$release"
		echo "no suite of ${arg#*:} carries rdma-core $release any more" | tee "$dir/$release/GONE"
	fi
done
rm -rf "$dir/.apt"
