#!/usr/bin/env bash
# Runs the tests that need a kernel under each of some kernels in QEMU, after those of the runner itself under the first.
#
#   scripts/kernel/test.sh [-k KERNEL]... [-- FLAG OF GO TEST...]
set -euo pipefail
cd "$(dirname "$0")/../.."

kernels=()
while getopts k: o; do
	case $o in
	k) kernels+=("$OPTARG") ;;
	*) exit 3 ;;
	esac
done
shift $((OPTIND - 1))
[ ${#kernels[@]} -gt 0 ] || kernels=(6.1 6.12)

skip() {
	cat >&2 <<EOF
########################################################################
##  SKIPPED: $*
##  No kernel was tested here.
########################################################################
EOF
	exit 0
}
[ "$(uname -m)" = x86_64 ] || { echo "test.sh: the kernels are amd64's, and so have to be this machine and its tests" >&2; exit 1; }
scripts/need.sh qemu-system-x86 || skip "QEMU is not here, and cannot be installed."
command -v qemu-system-x86_64 >/dev/null || skip "there is no qemu-system-x86_64 here."
scripts/need.sh busybox-static cpio kmod xz-utils zstd binutils iproute2 gcc libc6-dev libibverbs-dev libibverbs1 ibverbs-providers ibverbs-utils

for kernel in "${kernels[@]}"; do
	scripts/kernel/fetch.sh "$kernel"
	scripts/kernel/unpack.sh ".cache/kernel/${kernel//\//:}"
	scripts/kernel/initrd.sh ".cache/kernel/${kernel//\//:}"
done

# The example programs meet rdma-core's in there, where building takes long.
export IBV_PROGRAMS=$PWD/bin
mkdir -p bin
go build -o bin ./examples/devinfo ./examples/rcpingpong

failed=()
echo "the runner, with kernel ${kernels[0]}"
KERNEL=${kernels[0]} go test -tags kernel -count=1 -timeout 30m ./scripts/kernel || failed+=("the runner")
for kernel in "${kernels[@]}"; do
	echo "kernel $(tr '\n' ' ' <".cache/kernel/${kernel//\//:}/VERSIONS")"
	KERNEL=$kernel IBV_VM_VERBOSE=1 IBV_VM_LIMIT=${IBV_VM_LIMIT:-1500} go test -tags kernel -count=1 -timeout 30m -p 1 -v -exec "'$PWD/scripts/kernel/exec.sh'" "$@" ./verbs/kerneltest ||
		failed+=("kernel $kernel")
done
[ ${#failed[@]} = 0 ] || { printf 'FAILED: %s\n' "${failed[@]}" >&2; exit 1; }
