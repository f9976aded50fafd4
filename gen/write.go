package gen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// rename is os.Rename; a test makes it fail.
var rename = os.Rename

// A replacement is one file on its way to disk: its new text, and its old one if it had one, each in a temporary file beside it.
type replacement struct {
	target, fresh, old string // fresh is empty for a file to remove, old for a new one
	done               bool   // fresh now stands at target
}

// WriteFiles gives the files below dir, named by relative path, the given contents, nil removing a file, and returns the names
// of those that it changed. Either all of them change or none: each is written beside its target first, then renamed, and the old ones
// come back if a rename fails. Files that have the wanted content are not touched.
func WriteFiles(dir string, files map[string][]byte) (changed []string, err error) {
	var todo []replacement
	defer func() {
		if err != nil {
			changed = nil
			err = errors.Join(err, rollback(todo))
		}
		for _, r := range todo {
			os.Remove(r.fresh)
			os.Remove(r.old)
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		target, err := resolve(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		r := replacement{target: target}
		same, err := r.prepare(files[name], &todo)
		if err != nil {
			return nil, err
		}
		if !same {
			changed = append(changed, name)
		}
	}
	for i := range todo {
		if err := todo[i].commit(); err != nil {
			return nil, fmt.Errorf("cannot write %s: %w", todo[i].target, cause(err))
		}
		todo[i].done = true
	}
	return changed, nil
}

// resolve follows a symbolic link, so that what it points to is replaced and not the link. Devices and pipes are refused: renaming
// would put a file in their place.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil {
		return "", fmt.Errorf("cannot write %s: %w", path, cause(err))
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", fmt.Errorf("cannot write %s: %w", path, cause(err))
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("cannot write %s: it is no regular file", path)
	}
	return real, nil
}

// prepare writes the temporary files of r and adds it to todo, unless the target has the wanted content already.
func (r replacement) prepare(content []byte, todo *[]replacement) (same bool, err error) {
	var mode fs.FileMode // of a new file: what the process's umask leaves
	old, err := os.ReadFile(r.target)
	switch {
	case err == nil && content != nil && bytes.Equal(old, content), errors.Is(err, fs.ErrNotExist) && content == nil:
		return true, nil
	case err == nil:
		if info, err := os.Stat(r.target); err == nil {
			mode = info.Mode().Perm()
		}
		if r.old, err = beside(r.target, old, mode); err != nil {
			return false, err
		}
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(r.target), 0o755); err != nil {
			return false, fmt.Errorf("cannot make the folder %s: %w", filepath.Dir(r.target), cause(err))
		}
	default:
		return false, fmt.Errorf("cannot write %s: %w", r.target, cause(err))
	}
	if content != nil {
		if r.fresh, err = beside(r.target, content, mode); err != nil {
			os.Remove(r.old)
			return false, err
		}
	}
	*todo = append(*todo, r)
	return false, nil
}

func (r *replacement) commit() error {
	if r.fresh == "" {
		return os.Remove(r.target)
	}
	return rename(r.fresh, r.target)
}

// beside writes content to a new file in target's folder, whose name Go's tools ignore.
func beside(target string, content []byte, mode fs.FileMode) (name string, err error) {
	f, err := create(filepath.Dir(target), filepath.Base(target))
	if err != nil {
		return "", fmt.Errorf("cannot write into the folder %s: %w", filepath.Dir(target), cause(err))
	}
	_, err = f.Write(content)
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("cannot write %s: %w", target, cause(err))
	}
	return f.Name(), nil
}

// create makes a new file whose name Go's tools ignore.
func create(dir, base string) (f *os.File, err error) {
	for range 100 {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%08x.tmp", base, rand.Uint32()))
		if f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, err
}

// rollback puts the old files back.
func rollback(todo []replacement) error {
	var errs []error
	for _, r := range todo {
		switch {
		case !r.done:
		case r.old == "":
			errs = append(errs, os.Remove(r.target))
		default:
			errs = append(errs, os.Rename(r.old, r.target))
		}
	}
	return errors.Join(errs...)
}

// cause strips the operation and the (temporary) path from a file error.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}
