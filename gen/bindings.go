package gen

import (
	"bytes"
	"os"
	"path"
	"path/filepath"

	"github.com/goverbs/ibv/gen/bind"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/plan"
)

const (
	// callsFolder is where the calls of verbs.h are, below the package with its types.
	callsFolder = "internal/cverbs"
	// typesImport is the import path of that package.
	typesImport = "github.com/goverbs/ibv"
)

// Calls plans the Go calls of the functions in u, whose types p has; known are the records of u's header. There are none for other
// headers than verbs.h.
func Calls(u *model.Model, known []*model.Model, p *plan.Package) (*bind.Package, error) {
	if u.Header != DefaultHeader {
		return &bind.Package{}, nil
	}
	ov, err := overlay.For(u.Header)
	if err != nil {
		return nil, err
	}
	return bindings(u, ov, known, p)
}

func bindings(u *model.Model, ov *overlay.Overlay, known []*model.Model, p *plan.Package) (*bind.Package, error) {
	if len(known) == 0 {
		known = []*model.Model{u}
	}
	return bind.Plan(bind.Input{Records: known, Union: u, Overlay: ov, Types: p, Import: typesImport})
}

// calls makes the files of the package with the calls, where there is one.
func (o Options) calls(u *model.Model, ov *overlay.Overlay, known []*model.Model, p *plan.Package, files map[string][]byte) error {
	folder := filepath.Join(o.Dir, callsFolder)
	if info, err := os.Stat(folder); u.Header != DefaultHeader || err != nil || !info.IsDir() {
		return nil
	}
	b, err := bindings(u, ov, known, p)
	if err != nil {
		return err
	}
	made, err := bind.Emit(b)
	if err != nil {
		return err
	}
	for name, text := range made {
		files[path.Join(callsFolder, name)] = text
	}
	old, _ := filepath.Glob(filepath.Join(folder, "*_generated.*")) // a bad pattern finds nothing
	for _, file := range old {
		name := filepath.Base(file)
		if b, err := os.ReadFile(file); made[name] == nil && err == nil && bytes.HasPrefix(b, []byte(generatedStart)) {
			files[path.Join(callsFolder, name)] = nil
		}
	}
	return nil
}
