package verbstest_test

import (
	"os"
	"strings"
	"testing"
)

// The program in the README is the example of this package, and no longer than it says.
func TestReadmeProgram(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```go\n")
	program, _, ok := strings.Cut(rest, "```")
	if !ok || !strings.HasPrefix(program, "package main\n") {
		t.Fatal("the README does not begin with a program")
	}
	if n := strings.Count(program, "\n"); n > 25 {
		t.Errorf("%d lines, at most 25 are wanted", n)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, source, _ := strings.Cut(string(example), "\n\n") // a line that says where it builds
	want := strings.NewReplacer("package verbstest_test", "package main", "func Example()", "func main()").Replace(source)
	code, output, _ := strings.Cut(want, "\t// Output:")
	if code += strings.TrimPrefix(output[strings.IndexByte(output, '\n'):], "\n"); program != code {
		t.Errorf("the README has\n%s\nthe example is\n%s", program, code)
	}
}
