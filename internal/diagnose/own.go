package diagnose

import (
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/lazyregexp"
	"whet/internal/symbolname"
)

// Own reports whether a frame is the user's own code: a package of one of the
// subject's modules, tests included.
func (s *Subject) Own(f *callstack.Frame) bool {
	own, ok := s.owned[f]
	if !ok {
		if s.owned == nil {
			s.owned = make(map[*callstack.Frame]bool)
		}
		own = s.isOwn(f)
		s.owned[f] = own
	}
	return own
}

func (s *Subject) isOwn(f *callstack.Frame) bool {
	pkg := symbolname.Package(f.Function)
	switch {
	case pkg == "main":
		return !strings.HasSuffix(f.File, "_testmain.go")
	case pkg == "" || strings.Contains(f.File, "/vendor/"):
		return false
	}
	pkg = strings.TrimSuffix(pkg, "_test")
	if pkg == strings.TrimSuffix(s.Package, "_test") {
		return true
	}
	// A checkout may lie in a directory of any name, also in one called x@v2:
	// within its module a file's name for people does not show that.
	file := s.display(f.File)
	modules := s.Modules
	if len(modules) == 0 {
		modules = []string{s.Module}
	}
	return slices.ContainsFunc(modules, func(m string) bool {
		if m == "" || !strings.HasPrefix(pkg+"/", m+"/") {
			return false
		}
		// A nested module, fetched, lies under the same path but in a
		// directory of its own in the module cache, where an upper case letter
		// is ! and its lower case.
		cached := upper.Regexp().ReplaceAllStringFunc(m, func(s string) string { return "!" + strings.ToLower(s) })
		return !strings.Contains(file, "@v") || strings.Contains(file, m+"@v") || strings.Contains(file, cached+"@v")
	})
}

var upper = lazyregexp.Pattern{Text: "[A-Z]"}

// endInTest are words that are about no test.
var endInTest = []string{"attest", "contest", "fastest", "greatest", "latest", "protest"}

// supportsTests reports whether a frame is of a package of the user's that is
// there for tests, as its path says ("zaptest", "internal/testutil"), and is not
// itself what is measured.
func (s *Subject) supportsTests(f *callstack.Frame) bool {
	pkg := symbolname.Package(f.Function)
	if pkg == s.Package || pkg == "main" || !s.isBenchmark() {
		return false
	}
	for _, m := range append([]string{s.Module}, s.Modules...) {
		if rest, ok := strings.CutPrefix(pkg, m+"/"); ok && m != "" && !strings.HasPrefix(s.Package, pkg) {
			for part := range strings.SplitSeq(rest, "/") {
				if strings.HasSuffix(part, "test") && !slices.Contains(endInTest, part) || slices.Contains([]string{"testutil", "testutils", "testing", "testdata", "mock", "mocks"}, part) {
					return true
				}
			}
		}
	}
	return false
}

// Innermost returns the innermost frame of the user's own on a stack; without any, the
// innermost whose function satisfies a condition; nil if there is none.
func (s *Subject) Innermost(c *hot.Classified, stack []callstack.FrameID, answers func(function string) bool) (other *callstack.Frame) {
	for _, id := range stack {
		f := c.Frame(id)
		if s.Own(f) {
			return f
		}
		if other == nil && answers(f.Function) {
			other = f
		}
	}
	return other
}

// CalleeSamples are the samples that pass through a source line, by the function
// that the line calls; "" stands for its own instructions.
type CalleeSamples map[string]*Sets

// Costs returns the samples that pass through each line of the user's own, by file and line;
// benchmarks' functions are left out. A sample is of each of the own lines on its stack.
func (s *Subject) Costs() map[string]map[int]CalleeSamples {
	type key struct{}
	return Once(s, key{}, (*Subject).costs)
}

func (s *Subject) costs() map[string]map[int]CalleeSamples {
	files := make(map[string]map[int]CalleeSamples)
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		by := ""
		for _, id := range stack {
			f := c.Frame(id)
			if s.Own(f) && !s.Loops.InBenchmark(f.File, f.Line) {
				if files[f.File] == nil {
					files[f.File] = make(map[int]CalleeSamples)
				}
				at := files[f.File][f.Line]
				if at == nil {
					at = make(CalleeSamples)
					files[f.File][f.Line] = at
				}
				if at[by] == nil {
					at[by] = new(Sets)
				}
				at[by].Of(s, c).Add(sample.Index())
			}
			by = f.Function
		}
	})
	return files
}
