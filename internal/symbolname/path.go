package symbolname

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

const (
	typePrefix = "type:" // type:.eq.T compares, type:.hash.T hashes
	goPrefix   = "go:"   // go:struct { sync.Mutex }.Lock: methods of types that have no name
)

// Package returns the import path of a function's package, "" where it has none.
func Package(symbol string) string {
	path, _ := split(symbol)
	return importPath(path)
}

// Split cuts a name after its package as it is written there: what follows
// begins with the dot, and is everything where there is no package.
func Split(symbol string) (path, rest string) {
	path, _ = split(symbol)
	path = strings.TrimSuffix(path, ".")
	return path, symbol[len(path):]
}

// In reports whether a function is of the package with this import path, which
// has nothing that the linker escapes.
func In(symbol, pkg string) bool {
	rest, ok := strings.CutPrefix(symbol, pkg)
	if !ok || rest == "" || rest[0] != '.' {
		return false
	}
	path, _ := split(symbol)
	return len(path) == len(pkg)+1
}

// split cuts a name after the package and what ends it.
func split(symbol string) (path, rest string) {
	for _, prefix := range [...]string{typePrefix, goPrefix} {
		if strings.HasPrefix(symbol, prefix) {
			return symbol[:len(prefix)], symbol[len(prefix):]
		}
	}
	end := strings.IndexAny(symbol, "[({<\" ")
	if end < 0 {
		end = len(symbol)
	}
	if rest, ok := variant(symbol[end:]); ok && end > 0 {
		return symbol[:len(symbol)-len(rest)], rest
	}
	slash := strings.LastIndexByte(symbol[:end], '/') + 1
	dot := slash + strings.IndexByte(symbol[slash:end], '.')
	if dot <= slash || strings.ContainsAny(symbol[:dot], noPath) || fromC(symbol[:dot], symbol[dot+1:]) {
		return "", symbol
	}
	return symbol[:dot+1], symbol[dot+1:]
}

// noPath are characters that no import path has: with one of them, a name is
// that of another language.
const noPath = "@:,;*&!'\\|=#$?^`)]}>"

// variant cuts what names a package that was built anew for a test:
// " [example.com/p.test].F".
func variant(s string) (rest string, ok bool) {
	name, rest, ok := strings.Cut(s, "].")
	return rest, ok && strings.HasPrefix(name, " [") && !strings.ContainsAny(name[len(" ["):], "[ ")
}

// fromC recognises the parts that gcc and clang make of a function:
// f.isra.0, f.part.0.cold.
func fromC(path, rest string) bool {
	if path == "main" || strings.Contains(path, "/") || Standard(path) {
		return false
	}
	for part := range strings.SplitSeq(rest, ".") {
		switch part {
		case "cold", "isra", "part", "constprop", "llvm", "lto_priv", "localalias":
		default:
			if !isNumber(part) {
				return false
			}
		}
	}
	return true
}

// importPath returns a package as it is written in names, decoded.
func importPath(written string) string {
	if written == typePrefix || written == goPrefix {
		return ""
	}
	path, _, _ := strings.Cut(strings.TrimSuffix(written, "."), " ")
	if !strings.Contains(path, "%") {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			if c, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// Escape escapes an import path as the linker does in names: dots after the last
// slash, and bytes that would break the assembler's syntax, become %xx. A
// program's main package is "main" there; in a test binary it keeps its path.
func Escape(path string) string {
	slash := strings.LastIndexByte(path, '/')
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c == '.' && i > slash || c == '%' || c == '"' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// Base returns the likely name of the package with this import path: the last element
// that is no major version.
func Base(pkg string) string {
	dir, last := cutLast(pkg)
	if isMajor(last) && dir != "" {
		_, last = cutLast(dir)
	}
	if i := strings.LastIndexByte(last, '.'); i > 0 && isMajor(last[i+1:]) {
		last = last[:i]
	}
	return last
}

func cutLast(path string) (dir, last string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

func isMajor(s string) bool { return len(s) > 1 && s[0] == 'v' && isNumber(s[1:]) }

// Short returns a name for a sentence: the package's base for its path, and "[...]"
// for type arguments.
func Short(symbol string) string {
	path, rest := split(symbol)
	pkg := importPath(path)
	if pkg == "" {
		return symbol
	}
	return Base(pkg) + "." + Elide(rest)
}

// Elide writes "[...]" for type arguments.
func Elide(s string) string {
	if !strings.Contains(s, "[") {
		return s
	}
	var b strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			i = quoted(s, i)
		case c == '[':
			if depth++; depth == 1 {
				b.WriteString("[...]")
			}
		case c == ']':
			depth--
		case depth <= 0:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Standard reports whether a package is one of the standard library: it goes by
// the first element of the path, which no module outside of it can have.
func Standard(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	switch first {
	case "archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug",
		"embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal",
		"io", "iter", "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime",
		"slices", "sort", "strconv", "strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode",
		"unique", "unsafe", "vendor", "weak":
		return true
	}
	return false
}

// Runtime reports whether a package is the runtime or a part of it.
func Runtime(pkg string) bool {
	return pkg == "runtime" || strings.HasPrefix(pkg, "internal/runtime/") || strings.HasPrefix(pkg, "runtime/internal/")
}

// Agent reports whether a package is whet's agent: the public one under whatever
// host and version, or the copy that a build with whet adds below the program's own
// path, with a number where the program has such a package of its own.
func Agent(pkg string) bool {
	dir, name := path.Split("/" + pkg)
	if name == "agent" {
		return strings.HasSuffix(dir, "/whet/")
	}
	return strings.HasSuffix(dir, "/internal/") && strings.TrimRight(name, "0123456789") == "whetagent"
}
