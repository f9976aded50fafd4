#!/usr/bin/env bash
# Makes sure that Debian packages are installed: installs what is missing through apt when it may, else says what to install.
#
#   scripts/need.sh PACKAGE...
set -euo pipefail

command -v go >/dev/null || {
	echo "need.sh: go is missing: install Go 1.26 or newer (https://go.dev/doc/install)" >&2
	exit 1
}
if ! command -v dpkg-query >/dev/null; then
	echo "need.sh: not a Debian system; these packages, by their Debian names, must be there: $*" >&2
	exit 0
fi

missing=()
for p; do
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
done
[ ${#missing[@]} -gt 0 ] || exit 0

sudo=()
if [ "$(id -u)" != 0 ]; then
	sudo=(sudo -n)
	if ! sudo -n true 2>/dev/null; then
		echo "need.sh: missing packages, and no right to install them here. Run:" >&2
		echo "    sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
		exit 1
	fi
fi
echo "installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >"$log" 2>&1; }
# An index that is there and fresh saves the update; a failed install is tried once more after one.
install || { "${sudo[@]}" apt-get update -q >"$log" 2>&1 && install; } || {
	tail -n 20 "$log" >&2
	echo "need.sh: apt-get could not install ${missing[*]}" >&2
	exit 1
}
