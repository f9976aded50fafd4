package main

import (
	"fmt"
	"os"
)

// filler is in a message's every byte but the first of each page, which is zero with -c.
const filler = 0x7b

func fill(message []byte) {
	for i := range message {
		message[i] = filler
		if *check && i%os.Getpagesize() == 0 {
			message[i] = 0
		}
	}
}

// validate finds a message that fill has not made.
func validate(message []byte) error {
	want := make([]byte, len(message))
	fill(want)
	for i, b := range message {
		if b != want[i] {
			return fmt.Errorf("invalid data: byte %d is %#x, and was sent as %#x", i, b, want[i])
		}
	}
	return nil
}
