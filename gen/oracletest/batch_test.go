package oracletest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/load"
)

// A batch is a random header.
type batch struct {
	name   string
	chunks []chunk
}

// newBatch makes about n types and moves seed on.
func newBatch(seed *uint64, n int64, f flavour) *batch {
	b := &batch{name: fmt.Sprint(*seed)}
	for types := int64(0); types < n; *seed++ {
		c := newChunk(*seed, f)
		types += max(int64(c.types), 1)
		b.chunks = append(b.chunks, c)
	}
	return b
}

func (b *batch) check(t *testing.T, count *tally) {
	file, refused := b.refuse(t, []string{runtime.GOARCH})
	count.add(b, refused)
	if diffs := differences(t, file); len(diffs) > 0 {
		t.Errorf("%d differences, the first: %s", len(diffs), diffs[0])
		b.minimise(t, differences)
	}
}

// refuse writes the header and takes out the chunks that load refuses; it returns the file of the rest, and how many types are gone.
func (b *batch) refuse(t *testing.T, archs []string) (file string, refused int) {
	file = filepath.Join(t.TempDir(), "random.h")
	for len(b.chunks) > 0 {
		text, starts := render(b.chunks)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := load.Load(load.Options{Header: file, Archs: archs})
		if err == nil {
			return file, refused
		}
		i, ok := chunkOf(err, file, starts)
		if !ok {
			// Go on, to see the rest as well.
			t.Errorf("refused without a line of the header: %v", err)
			if i, ok = chunkOf(errors.New(filepath.Join(filepath.Dir(file), err.Error())), file, starts); !ok {
				t.FailNow()
			}
		}
		t.Logf("refused: %s", strings.TrimPrefix(err.Error(), file+":"))
		refused += b.chunks[i].types
		b.chunks = slices.Delete(b.chunks, i, i+1)
	}
	t.Log("nothing is left of this header")
	text, _ := render(nil)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file, refused
}

// chunkOf finds the chunk on whose lines load's error is.
func chunkOf(err error, file string, starts []int) (int, bool) {
	rest, ok := strings.CutPrefix(err.Error(), file+":")
	if !ok || strings.Contains(err.Error(), "\n") {
		return 0, false
	}
	text, _, _ := strings.Cut(rest, ":")
	line, err := strconv.Atoi(text)
	if err != nil {
		return 0, false
	}
	i, found := slices.BinarySearch(starts, line)
	if !found {
		i--
	}
	return i, i >= 0 && i < len(starts)-1
}
