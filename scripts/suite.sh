# shellcheck shell=bash
# For sourcing: reads Debian suites other than the installed one. The mirror and the keyring are the system's own; its configuration stays
# as it is.
#
#   suite NAME DIR        fetches the package index of that suite alone into DIR, and sets apt to the options that read it

mirror=
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

find_mirror() {
	local tool
	for tool in apt-get apt-cache dpkg; do
		command -v $tool >/dev/null || die "$tool is missing: Debian's packages are fetched on a Debian machine"
	done
	mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
		sed -nE 's/^URIs:[[:space:]]*([^[:space:]]+\/debian)\/?([[:space:]].*)?$/\1/p; s/^deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+\/debian)\/?[[:space:]].*/\2/p' | head -n 1 || true)
	[ -n "$mirror" ] || die "no Debian mirror in /etc/apt: cannot tell where packages come from"
	[ -f "$keyring" ] || die "$keyring is missing: apt-get install debian-archive-keyring"
}

suite() {
	local state=$2
	[ -n "$mirror" ] || find_mirror
	mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
	state=$(cd "$state" && pwd)
	echo "deb [signed-by=$keyring] $mirror $1 main" >"$state/sources.list"
	: >"$state/status"
	# shellcheck disable=SC2034 # for the caller
	apt=(-q -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null -o Dir::State::lists="$state/lists"
		-o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" -o APT::Sandbox::User=root
		-o Acquire::Languages=none -o Acquire::Retries=3)
	apt-get "${apt[@]}" update >"$state/log" 2>&1 || { cat "$state/log" >&2; die "cannot read the package index of $1"; }
}
