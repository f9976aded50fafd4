#!/usr/bin/env bash
# Runs a test binary by run.sh: go test -exec "$PWD/scripts/kernel/exec.sh" ./...
#
# Of the environment, what matters to Go, the sanitizers, libibverbs and the tests is passed, and what IBV_VM_ENV names. The device is rxe0.
set -euo pipefail

export IBV_DEVICE=rxe0
args=()
for name in $(compgen -e | grep -E '^(IBV_|RDMAV_|GO|ASAN_|LSAN_|TSAN_|UBSAN_|LD_LIBRARY_PATH$)') ${IBV_VM_ENV:-}; do
	args+=(-e "$name")
done
[ -z "${IBV_VM_VERBOSE:-}" ] || args+=(-v)
exec "$(dirname "$0")/run.sh" "${args[@]}" "$@"
