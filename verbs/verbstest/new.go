package verbstest

import "runtime"

// A TB is what New needs of a *testing.T or *testing.B.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// New makes a device for a test, and closes it at the test's end. The test fails if contexts are still open then, with the places where
// objects were made whose handles are lost, or if closing a context has had to end objects of the test's.
func New(t TB, c Config) *Device {
	t.Helper()
	d, err := Open(c)
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	t.Cleanup(func() {
		t.Helper()
		if d.Objects().Total() != 0 {
			runtime.GC() // lost handles are found by it
		}
		if err := d.Close(); err != nil {
			t.Errorf("%v", err)
		}
	})
	return d
}
