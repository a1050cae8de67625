package syntax

import (
	"slices"
	"strings"
)

// Begins reports whether a name begins with one of some words: Add of AddAll and
// Add, not of Address.
func Begins(name string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		rest, ok := strings.CutPrefix(name, w)
		return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
	})
}

// IsNumber reports whether a predeclared type's values are numbers or booleans.
func IsNumber(name string) bool {
	switch name {
	case "bool", "byte", "rune", "uintptr":
		return true
	}
	for _, prefix := range []string{"int", "uint", "float", "complex"} {
		if size, ok := strings.CutPrefix(name, prefix); ok && strings.Trim(size, "0123456789") == "" {
			return true
		}
	}
	return false
}
