//go:build linux && cgo

package cverbs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv/internal/cverbs/internal/ctest"
)

// A process has one library, so each case runs in a process of its own: the test binary again, which takes its steps from a
// variable and prints what each of them came to.

const stepsVariable = "IBVGO_TEST_STEPS"

func TestMain(m *testing.M) {
	if s, ok := os.LookupEnv(stepsVariable); ok {
		runSteps(s)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// An outcome is what a step came to.
type outcome struct {
	Value                                            string // of a step that asks for something
	Err                                              string // empty if it went well
	Reason                                           Reason
	Typed, NoLibrary, OtherLibrary, NotSupported, OS bool // what kind of error: OS is an errno value of its own
}

func (o *outcome) set(err error) {
	if err == nil {
		return
	}
	o.Err = err.Error()
	if e := (*LibraryError)(nil); errors.As(err, &e) {
		o.Typed, o.Reason = true, e.Reason
	}
	o.NoLibrary = errors.Is(err, ErrNoLibrary)
	o.OtherLibrary = errors.Is(err, ErrOtherLibrary)
	o.NotSupported = errors.Is(err, ErrNotSupported) && errors.Is(err, errors.ErrUnsupported)
	o.OS = errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ELIBACC)
}

// steps are what a child can do. Arguments are strings without blanks.
var steps = map[string]func(a []string, o *outcome){
	"set":    func(a []string, o *outcome) { o.set(SetLibrary(a[0], a[1])) },
	"load":   func(a []string, o *outcome) { o.set(Load()) },
	"loaded": func(a []string, o *outcome) { o.Value, _ = Loaded() },
	"has":    func(a []string, o *outcome) { o.Value = strconv.FormatBool(Has(named(a[0]))) },
	"all":    func(a []string, o *outcome) { o.Value = strings.Join(allFound(), " ") },
	"null":   func(a []string, o *outcome) { o.set(nullError(named(a[0]), errnoOf(a[1]))) },
	"open":   func(a []string, o *outcome) { o.set(ctest.Open(a[0])) },
	"getenv": func(a []string, o *outcome) { o.Value = ctest.Getenv(a[0]) },
	"chdir":  func(a []string, o *outcome) { o.set(os.Chdir(a[0])) },
	"list":   listDevices,
	"race":   loadAtOnce,

	"close":   func(a []string, o *outcome) { ctest.Close(a[0]) },
	"link":    func(a []string, o *outcome) { o.set(os.Symlink(a[0], a[1])) },
	"seteuid": func(a []string, o *outcome) { o.set(seteuid(a[0])) },
	"fds":     func(_ []string, o *outcome) { o.Value = openFiles() },
	"mapped":  func(a []string, o *outcome) { o.Value = strconv.FormatBool(mapped(a[0])) },
	"lacks":   callLacking,
}

func runSteps(s string) {
	for _, line := range strings.Split(s, "\n") {
		words := strings.Split(line, " ")
		words = append(words, "", "")
		var o outcome
		steps[words[0]](words[1:], &o)
		b, err := json.Marshal(o)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(b))
	}
}

// named returns the verb with a C name.
func named(name string) Verb {
	for i, v := range verbTable {
		if v.name == name {
			return Verb(i)
		}
	}
	panic("no verb " + name)
}

func errnoOf(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	if n == 0 {
		return nil
	}
	return syscall.Errno(n)
}

// allFound returns the symbols that the library has of the table.
func allFound() []string {
	var r []string
	for i, v := range verbTable {
		if v.symbol != "" && Has(Verb(i)) {
			r = append(r, v.symbol+"@"+v.version)
		}
	}
	return r
}

func listDevices(_ []string, o *outcome) {
	list, free, err := Devices()
	defer free()
	defer free() // which is nothing more
	o.Value = strconv.Itoa(len(list))
	o.set(err)
}

// loadAtOnce makes many goroutines ask at the same time, before anything is loaded, and wants the same answer for all.
func loadAtOnce(a []string, o *outcome) {
	var start, done sync.WaitGroup
	start.Add(1)
	answers := make([]bool, 64)
	for i := range answers {
		done.Go(func() {
			start.Wait()
			answers[i] = Has(named(a[0]))
		})
	}
	start.Done()
	done.Wait()
	for _, has := range answers {
		o.Value += strconv.FormatBool(has)[:1]
	}
}

// child runs steps in a process of its own, with env on top of ours, and returns what they came to. A child that crashes or takes
// a minute fails the test.
func child(t *testing.T, env []string, lines ...string) []outcome {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	// The race detector would sleep a second at the end of each child.
	cmd.Env = append(append(os.Environ(), env...), "GORACE=atexit_sleep_ms=0", stepsVariable+"="+strings.Join(lines, "\n"))
	stop := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer stop.Stop()
	out, err := cmd.Output()
	if err != nil {
		var stderr []byte
		if e := (*exec.ExitError)(nil); errors.As(err, &e) {
			stderr = e.Stderr
		}
		t.Fatalf("child: %v\n%s\n%.4000s", err, out, stderr)
	}
	var r []outcome
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var o outcome
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("child's line %q: %v", line, err)
		}
		r = append(r, o)
	}
	if len(r) != len(lines) {
		t.Fatalf("%d outcomes of %d steps:\n%s", len(r), len(lines), out)
	}
	return r
}
