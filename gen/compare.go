package gen

import (
	"fmt"

	"github.com/goverbs/ibv/gen/diff"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
)

// Compare tells what now changes, with what the overlay knows of structs that grow at their front.
func Compare(old, now *model.Model) (*diff.Report, error) {
	if old.Header != now.Header {
		return nil, fmt.Errorf("%s and %s are different headers; -header says which one a release's number means", old.Header, now.Header)
	}
	ov, err := overlay.For(now.Header)
	if err != nil {
		return nil, err
	}
	return diff.Diff(old, now, diff.Options{Front: ov.Front}), nil
}
