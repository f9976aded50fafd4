#!/usr/bin/env bash
# Runs a command as root under a kernel of its own, in QEMU, in the current folder. The guest has the host's root folder, which it cannot
# write to, an own /tmp over the host's, and the RDMA device rxe0, whose GID 1 is ::ffff:10.9.0.1.
#
#   scripts/kernel/run.sh [-v] [-e NAME]... COMMAND [ARGUMENT...]
#
# -e passes an environment variable, -v tells how long things took. In the environment:
#
#   KERNEL          the kernel, as fetch.sh knows it; 6.12
#   IBV_VM_DIR      a folder with vmlinux and initrd.gz instead of the kernel's
#   IBV_VM_LIMIT    seconds until the guest is ended; 300
#   IBV_VM_MEMORY   MiB; 512
#   IBV_VM_ACCEL    QEMU's accelerator; emulation, which is there everywhere
#
# The exit status is the command's own, 128 and the signal's number if it was killed by one; 124 if the time was up; 97 if there is no
# result, since the kernel did not start or came to its end. The last two come with the console's last lines.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

result=97 # also if this script itself fails
work=
trap '[ -z "$work" ] || rm -rf "$work"; exit $result' EXIT

die() {
	echo "run.sh: $*" >&2
	exit
}

names=(PATH)
verbose=
while getopts ve: o; do
	case $o in
	v) verbose=1 ;;
	e) names+=("$OPTARG") ;;
	*) exit ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || die "no command"

kernel=${KERNEL:-6.12}
dir=${IBV_VM_DIR:-$root/.cache/kernel/${kernel//\//:}}
limit=${IBV_VM_LIMIT:-300}
[ -e "$dir/initrd.gz" ] || die "$dir has no initrd.gz: 'make test-kernel KERNEL=$kernel' makes it"

# The job goes into the guest as a second archive behind the initrd.
work=$(mktemp -d)
{
	printf 'cd %q || exit 126\n' "$PWD"
	for name in "${names[@]}"; do
		[ -z "${!name+set}" ] || printf 'export %s=%q\n' "$name" "${!name}"
	done
	echo 'export HOME=/tmp TMPDIR=/tmp'
	printf exec
	printf ' %q' "$@"
	echo
} >"$work/job"
{ cat "$dir/initrd.gz"; (cd "$work" && echo job | cpio -o -H newc --quiet | gzip -1); } >"$work/initrd"
: >"$work/console"

# Without cmpxchg16b: QEMU 7.2 was seen to leave an address in the flags after it, which ends the kernel in its allocator, once in some
# twenty runs. Without a check of the timer: a guest that is held up at boot takes it for broken.
# Warnings of the kernel's go to the console, and an oops is its end. The command's output goes through the second serial line as it is.
qemu=(
	qemu-system-x86_64 -machine q35 -accel "${IBV_VM_ACCEL:-tcg,thread=multi,tb-size=256}" -cpu max,-cx16 -smp 2 -m "${IBV_VM_MEMORY:-512}"
	-kernel "$dir/vmlinux" -initrd "$work/initrd"
	-append "console=ttyS0 loglevel=5 panic=-1 oops=panic nokaslr mitigations=off no_timer_check"
	-nodefaults -display none -no-reboot -serial "file:$work/console" -serial stdio
	-device "isa-debug-exit,iobase=0xf4,iosize=0x04"
	-virtfs "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"
)
# Should this script, or timeout, be killed, the rest ends too.
start=$(date +%s%N)
setpriv --pdeathsig TERM timeout -k 5 "$limit" setpriv --pdeathsig KILL "${qemu[@]}" </dev/null 2>"$work/qemu" &
pid=$!
trap 'kill $pid 2>/dev/null; wait $pid; exit' HUP INT QUIT TERM
ended=0
wait $pid || ended=$?
took=$((($(date +%s%N) - start) / 1000000))

# mark NAME: the words behind it in the guest's last such line.
mark() { tr -d '\r' <"$work/console" | sed -n "s/^@$1 //p" | tail -n 1; }

read -r status _ at <<<"$(mark end)" || true
if [[ $status =~ ^[0-9]+$ ]] && [ $ended = $(((64 + (status < 63 ? status : 63)) * 2 + 1)) ]; then
	if [ -n "$verbose" ]; then
		read -r _ ready <<<"$(mark ready)"
		awk -v took=$took -v at="$at" -v ready="$ready" -v kernel="$kernel" \
			'BEGIN { printf "run.sh: kernel %s: ready after %.1f s, ended after %.1f s\n", kernel, took/1000 - (at - ready), took/1000 }' >&2
	fi
	if [ "$status" -gt 128 ] && signal=$(kill -l "$status" 2>/dev/null); then
		echo "run.sh: status $status: killed by SIG$signal" >&2
	fi
	result=$status
	exit
fi

case $ended in
124 | 137) result=124 why="the time limit of $limit s is over" ;;
*) why="no result from the guest: QEMU ended with $ended, the guest said '$status'" ;;
esac
{
	echo "run.sh: kernel $kernel: $why"
	cat "$work/qemu"
	echo "the console's last lines:"
	tr -d '\r' <"$work/console" | sed '/^$/d; s/^/    /' | tail -n 60
} >&2
