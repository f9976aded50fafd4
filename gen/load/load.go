// Package load reads a C header into a model: what it declares, with sizes,
// offsets and values on each architecture. The front end is modernc.org/cc/v4;
// what it cannot do, or gets wrong without saying so, is refused here with an
// Error that names the file, the line and the construct.
package load

import (
	"fmt"
	"slices"

	"github.com/goverbs/ibv/gen/model"
)

// Options say what to load.
type Options struct {
	Header  string   // as included (infiniband/verbs.h), or the path of a file
	Include []string // folders searched before the compiler's own, as with -I
	CC      string   // the compiler command; empty: $CC, gcc, cc, clang, whichever comes first
	Release string   // rdma-core release; empty: from the libibverbs.pc beside the header
	Archs   []string // GOARCH names; empty: model.Archs
}

// Load reads the header once for each architecture and joins the results. Its errors are of type *Error.
func Load(o Options) (*model.Model, error) {
	archs := o.Archs
	if len(archs) == 0 {
		archs = model.Archs
	}
	for _, a := range archs {
		if targets[a] == nil {
			return nil, &Error{Msg: fmt.Sprintf("unknown architecture %q: it must be one of %v", a, model.Archs)}
		}
	}
	on, err := askCompiler(o.CC)
	if err != nil {
		return nil, err
	}
	o.Archs = archs
	return loadWith(o, on)
}

// loadWith is Load for a known compiler and architectures.
func loadWith(o Options, on *host) (*model.Model, error) {
	archs := o.Archs
	in, err := newInput(o, on)
	if err != nil {
		return nil, err
	}
	models := make([]*model.Model, len(archs))
	errs := make([]error, len(archs))
	parallel(len(archs), func(i int) { models[i], errs[i] = in.arch(archs[i]) })
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	m, err := join(archs, models)
	if err != nil {
		return nil, err
	}
	if err := in.release(o.Release, m); err != nil {
		return nil, err
	}
	return m, nil
}
