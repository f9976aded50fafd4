//go:build unix

package compiler

import (
	"os/exec"
	"syscall"
)

// killGroup has cmd's process killed together with its children, such as what a shell script started.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
