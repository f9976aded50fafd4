#!/usr/bin/env bash
# Writes gen/records/RELEASE.json for each release that scripts/headers.sh has unpacked.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p bin
go build -o bin/verbsgen ./cmd/verbsgen
for inc in .cache/headers/*/usr/include; do
	release=$(basename "${inc%/usr/include}")
	bin/verbsgen dump -I "$inc" -o "gen/records/$release.json"
	echo "gen/records/$release.json"
done
