package recording

import (
	"cmp"
	"slices"
	"strings"
)

// Roots are the directories that the sources of a recording lie in: of modules, of
// GOROOT and of the module cache; the longest first, as modules nest.
type Roots []Root

// Root is one of them.
type Root struct {
	Dir   string // as frames have it
	shown string // replaces it in names for people, with a slash; "" nothing
}

// RootsOf learns them from files that are known by both names.
func RootsOf(sources []Source) Roots {
	roots := make(Roots, 0) // not nil: they are known
	for _, s := range sources {
		var r Root
		rest := s.Path
		for _, shown := range []string{"$GOROOT/", "GOROOT/"} { // the second in old recordings
			if file, ok := strings.CutPrefix(s.Path, shown); ok {
				r.shown, rest = shown, file
			}
		}
		var ok bool
		if r.Dir, ok = strings.CutSuffix(s.Frame, "/"+rest); ok && rest != "" && r.Dir != "" && !slices.Contains(roots, r) {
			roots = append(roots, r)
		}
	}
	slices.SortFunc(roots, func(a, b Root) int {
		return cmp.Or(len(b.Dir)-len(a.Dir), strings.Compare(a.Dir, b.Dir), strings.Compare(a.shown, b.shown))
	})
	return roots
}

// Display returns the short name of a file without a copy, for example one that only a
// line directive names; outside of all roots it is the name in the frames.
func (r Roots) Display(frameFile string) string {
	for _, root := range r {
		if rest, ok := strings.CutPrefix(frameFile, root.Dir+"/"); ok && rest != "" {
			return root.shown + rest
		}
	}
	return frameFile
}
