package symbolname

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
