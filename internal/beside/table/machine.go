package main

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// A Machine is what the figures were measured on, and with what.
type Machine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	Load  string `json:"load"` // of the last 1, 5 and 15 minutes, the benchmarks' own in it
	Go    string `json:"go"`
	GCC   string `json:"gcc"`
	RDMA  string `json:"rdma_core"`
	Date  string `json:"date"`
}

// thisMachine looks around. What it cannot find out is empty.
func thisMachine(now time.Time) Machine {
	return Machine{
		CPU:   cpuName(file("/proc/cpuinfo")),
		Cores: runtime.NumCPU(),
		Load:  strings.Join(firstWords(file("/proc/loadavg"), 3), " "),
		Go:    strings.TrimPrefix(runtime.Version(), "go") + " " + runtime.GOOS + "/" + runtime.GOARCH,
		GCC:   output("gcc", "-dumpfullversion"),
		RDMA:  rdmaVersion(output("dpkg-query", "-W", "-f", "${Version}", "libibverbs-dev"), output("pkg-config", "--modversion", "libibverbs")),
		Date:  now.UTC().Format(time.DateOnly),
	}
}

// rdmaVersion is the package's, or, where there is no such package, the library's own.
func rdmaVersion(pkg, library string) string {
	if pkg != "" {
		return pkg
	}
	if library != "" {
		return "libibverbs " + library
	}
	return ""
}

func cpuName(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func firstWords(s string, n int) []string {
	words := strings.Fields(s)
	return words[:min(n, len(words))]
}

func file(name string) string {
	b, _ := os.ReadFile(name)
	return string(b)
}

func output(name string, args ...string) string {
	b, _ := exec.Command(name, args...).Output()
	return string(bytes.TrimSpace(b))
}
