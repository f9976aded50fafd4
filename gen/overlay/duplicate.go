package overlay

import (
	"encoding/json"
	"fmt"
	"io"
)

// maxNesting bounds the depth of JSON; an overlay needs 5.
const maxNesting = 32

// duplicate returns a key that stands twice in one object of the JSON that d reads, or is empty. The later entry would hide
// the earlier one without a word.
func duplicate(d *json.Decoder, depth int) (string, error) {
	t, err := d.Token()
	if err != nil {
		return "", err
	}
	open, ok := t.(json.Delim)
	if !ok {
		return "", nil
	}
	if depth >= maxNesting {
		return "", fmt.Errorf("nested deeper than %d", maxNesting)
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			k, err := d.Token()
			if err != nil {
				return "", err
			}
			key, _ := k.(string)
			if seen[key] {
				return key, nil
			}
			seen[key] = true
		}
		if key, err := duplicate(d, depth+1); key != "" || err != nil {
			return key, err
		}
	}
	_, err = d.Token() // the closing bracket
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return "", err
}
