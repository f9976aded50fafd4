// The command table prints what benchmarks beside C say, which it reads as go test writes it, as one table, with the aims beside the
// figures. It writes the same as JSON and as a picture.
//
//	go test -bench . ./verbs | go run ./internal/beside/table -json bench.json -svg docs/bench.svg
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	asJSON := flag.String("json", "", "write JSON to this `file`")
	asSVG := flag.String("svg", "", "write a picture to this `file`")
	flag.Parse()
	// What comes in is shown as well: it takes minutes, and may tell of a failure.
	if err := run(io.TeeReader(os.Stdin, os.Stderr), os.Stdout, *asJSON, *asSVG); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, asJSON, asSVG string) error {
	results, err := parse(in)
	if err != nil {
		return err
	}
	selected := results.quiet()
	report := Report{Machine: thisMachine(time.Now()), Figures: figures(results, selected)}
	if err := report.Text(out); err != nil {
		return err
	}
	for file, write := range map[string]func(io.Writer) error{asJSON: report.JSON, asSVG: report.SVG} {
		if file == "" {
			continue
		}
		if err := toFile(file, write); err != nil {
			return err
		}
	}
	return nil
}

func toFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
