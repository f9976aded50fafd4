package verbstest

// Must returns v, and panics with err if there is one. It is for examples, and for what a test cannot go on without.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Check panics with err if there is one.
func Check(err error) {
	if err != nil {
		panic(err)
	}
}
