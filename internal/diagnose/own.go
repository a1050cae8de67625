package diagnose

import (
	"strings"

	"whet/internal/callstack"
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
	if pkg == "" {
		return false
	}
	if pkg == "main" {
		return !strings.HasSuffix(f.File, "_testmain.go")
	}
	if strings.Contains(f.File, "/vendor/") {
		return false
	}
	pkg = strings.TrimSuffix(pkg, "_test")
	if pkg == strings.TrimSuffix(s.Package, "_test") {
		return true
	}
	modules := s.Modules
	if len(modules) == 0 && s.Module != "" {
		modules = []string{s.Module}
	}
	for _, m := range modules {
		if m == "" || pkg != m && !strings.HasPrefix(pkg, m+"/") {
			continue
		}
		// A nested module, fetched, lies under the same path but in a
		// directory of its own in the module cache.
		if strings.Contains(f.File, "@v") && !strings.Contains(f.File, m+"@v") && !strings.Contains(f.File, escapeModule(m)+"@v") {
			continue
		}
		return true
	}
	return false
}

// escapeModule writes a module path as the module cache does: an upper case
// letter becomes ! and its lower case.
func escapeModule(path string) string {
	var b strings.Builder
	for _, r := range path {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('!')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
