package load

import (
	"bytes"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// Limits on what is read. verbs.h and all that it includes are 60 files and 1 MB.
const (
	maxFile  = 8 << 20
	maxTotal = 64 << 20
)

// files is the file system that the front end reads through: each file is read once for all architectures, and within limits.
type files struct {
	mu          sync.Mutex
	substitutes map[string]string
	read        map[string]*content
	defined     map[string]int  // how often a macro is defined in all files
	unclosed    map[string]bool // files that do not close what they open
	total       int
}

type content struct {
	data []byte
	err  error
}

func newFiles(archs map[string]*target) *files {
	f := &files{substitutes: map[string]string{}, read: map[string]*content{}, defined: map[string]int{}, unclosed: map[string]bool{}}
	for arch, t := range archs {
		for path, text := range t.substitutes(arch) {
			f.substitutes[path] = text
		}
	}
	return f
}

// bytes returns the contents of the file at path.
func (f *files) bytes(path string) ([]byte, error) {
	if text, ok := f.substitutes[path]; ok {
		return []byte(text), nil
	}
	if isSubstitute(path) {
		return nil, fs.ErrNotExist
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.read[path]
	if c == nil {
		c = &content{}
		c.data, c.err = f.load(path)
		f.read[path] = c
	}
	return c.data, c.err
}

func (f *files) load(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	if !info.Mode().IsRegular() { // a folder, or a device that never ends
		return nil, fs.ErrNotExist
	}
	if info.Size() > maxFile || int64(f.total)+info.Size() > maxTotal {
		return nil, refusef(path, "", "too large: %d bytes", info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f.total += len(data)
	s, err := scan(path, data)
	for _, name := range s.defined {
		f.defined[name]++
	}
	if s.unclosed {
		f.unclosed[path] = true
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// defines returns how many definitions of a macro the files hold that have been read.
func (f *files) defines(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.defined[name]
}

// refused returns the first file that was found but refused.
func (f *files) refused() *Error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var worst *Error
	for _, c := range f.read {
		if e, ok := c.err.(*Error); ok && (worst == nil || e.Pos < worst.Pos) {
			worst = e
		}
	}
	return worst
}

// Open implements fs.FS for the paths that the front end asks for, absolute ones included.
func (f *files) Open(name string) (fs.File, error) {
	data, err := f.bytes(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{name: name, Reader: bytes.NewReader(slices.Concat([]byte(entry), data, []byte(exit)))}, nil
}

type openFile struct {
	name string
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return fileInfo{f}, nil }
func (f *openFile) Close() error               { return nil }

type fileInfo struct{ f *openFile }

func (i fileInfo) Name() string       { return i.f.name }
func (i fileInfo) Size() int64        { return i.f.Reader.Size() }
func (i fileInfo) Mode() fs.FileMode  { return 0o444 }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return false }
func (i fileInfo) Sys() any           { return nil }
