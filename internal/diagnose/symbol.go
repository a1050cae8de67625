package diagnose

import (
	"net/url"
	"strings"

	"whet/internal/callstack"
)

// Symbol is a function's linker name taken apart.
type Symbol struct {
	Package  string // import path; "main" for a program's main package
	Receiver string // type name without pointer and type arguments, "" for a function
	Name     string // of the declared function or method
	Closure  bool   // a literal inside it, or a wrapper that the compiler made
}

// ParseSymbol takes a linker name such as
// "example.com/m/pkg.(*T[...]).Method.func1" apart. For an interface's method,
// "io.Writer.Write", Receiver is the interface's name.
func ParseSymbol(function string) Symbol {
	pkg, rest := splitPackage(function)
	s := Symbol{Package: pkg}
	rest, isWrapper := strings.CutSuffix(stripTypeArgs(rest), "-fm")
	s.Closure = isWrapper
	var parts []string
	for part := range strings.SplitSeq(rest, ".") {
		if isLiteralName(part) && len(parts) > 0 {
			s.Closure = true
			continue
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	switch len(parts) {
	case 0:
	case 1:
		s.Name = parts[0]
	default:
		// "(*T)", "Method"; names after them belong to literals or to
		// functions inlined into them.
		s.Receiver = strings.Trim(parts[0], "(*)")
		s.Name = parts[1]
	}
	if s.Receiver == "init" || s.Closure && s.Name == "glob" {
		s.Receiver, s.Name, s.Closure = "", "init", true // a package variable's literal
	}
	return s
}

// PackageOf returns the import path of a function's package.
func PackageOf(function string) string {
	pkg, _ := splitPackage(function)
	return pkg
}

// splitPackage cuts a linker name behind its import path. The linker writes a
// dot in the path's last element as %2e.
func splitPackage(function string) (pkg, rest string) {
	head := function
	if i := strings.IndexByte(head, '['); i >= 0 {
		head = head[:i] // type arguments hold paths of their own
	}
	slash := strings.LastIndexByte(head, '/') + 1
	dot := strings.IndexByte(head[slash:], '.')
	if dot < 0 {
		return "", function
	}
	pkg, rest = function[:slash+dot], function[slash+dot+1:]
	if strings.Contains(pkg, "%") {
		if u, err := url.PathUnescape(pkg); err == nil {
			pkg = u
		}
	}
	return pkg, rest
}

// stripTypeArgs removes every [...] part.
func stripTypeArgs(s string) string {
	if !strings.Contains(s, "[") {
		return s
	}
	var b strings.Builder
	depth := 0
	for i := range len(s) {
		switch {
		case s[i] == '[':
			depth++
		case s[i] == ']':
			depth--
		case depth <= 0:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// isLiteralName reports whether a part of a symbol is what the compiler calls
// a function literal or a wrapper: func1, 2, gowrap1, deferwrap1.
func isLiteralName(part string) bool {
	for _, prefix := range []string{"func", "gowrap", "deferwrap", "goroutine", ""} {
		if digits, ok := strings.CutPrefix(part, prefix); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
			return true
		}
	}
	return false
}

// Own reports whether a frame is the user's own code: a package of one of the
// subject's modules, tests included.
func (s *Subject) Own(f *callstack.Frame) bool {
	pkg := PackageOf(f.Function)
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
