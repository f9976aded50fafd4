package model

import (
	"regexp"
	"strings"
)

// reserved are the names of members that only fill space: reserved, reserved2, rsvd0, pad. Not reserved_lkey, a value.
var reserved = regexp.MustCompile(`(?i)^_*(reserved|rsvd|resv|pad|padding)_?[0-9]*_*$`)

// IsReserved tells from a member's name whether it only keeps space for later ones.
func IsReserved(member string) bool { return reserved.MatchString(member) }

// IsSentinel tells from an enumerator's name whether it marks the next free value, and so moves between releases.
func IsSentinel(name string) bool { return strings.HasSuffix(name, "_RESERVED") }

// Unnamed returns the body of the unnamed struct or union that t is, or points to, or is an array of; else nil.
func (t Type) Unnamed() *Aggregate { return *t.body() }
